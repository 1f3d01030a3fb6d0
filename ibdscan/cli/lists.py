"""``ibdscan lists``: the lists of extents and INODE pages."""

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


@click.command("lists", context_settings=CONTEXT)
@click.argument("file")
@format_option
@output_options
@system_option
@keyring_option
@answers
def command(file: str, fmt: str, output: str | None, force: bool, system: str | None) -> None:
    """Each list: the tablespace's own (free, free_frag, full_frag, the INODE pages) and each segment's (free,
    not_full, full), its length and what is on it, in order.

    \b
    Example: ibdscan lists sbtest1.ibd
    """
    from ibdscan.measures.owners import segment_of, segment_owners
    from ibdscan.structures.lists import all_lists
    from ibdscan.views.inside import list_objects, list_table
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text.inside import lists_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        found = all_lists(space.space, space.extents, space.segments)
        owners = segment_owners(space, segment_of(space))
        objects = list_objects(found, owners, space.extents.pages)
        if fmt == "json":
            emit(json_text({"path": space.path, "lists": objects}), output, force)
        elif fmt == "csv":
            emit(csv_text([list_table(objects)]), output, force)
        else:
            emit(lists_text(space, objects, stdout_style()), output, force)
