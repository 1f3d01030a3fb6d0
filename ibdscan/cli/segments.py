"""``ibdscan segments``: one row a segment."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit,
    format_option,
    json_text,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    stdout_style,
    system_option,
)


@click.command("segments", context_settings=CONTEXT)
@click.argument("file")
@format_option
@output_options
@system_option
@keyring_option
@answers
def command(file: str, fmt: str, output: str | None, force: bool, system: str | None) -> None:
    """One row a segment: its inode, owner (index and leaf or top, undo, ...), pages used and reserved,
    extents by list, fragment pages.

    \b
    Example: ibdscan segments sbtest1.ibd
    """
    from ibdscan.measures.owners import segment_of, segment_owners
    from ibdscan.views.inside import segment_objects, segment_table
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text.inside import segments_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        owners = segment_owners(space, segment_of(space))
        if fmt == "json":
            emit(json_text({"path": space.path, "segments": segment_objects(owners)}), output, force)
        elif fmt == "csv":
            emit(csv_text([segment_table(owners)]), output, force)
        else:
            emit(segments_text(space, owners, stdout_style()), output, force)
