"""``ibdscan extents``: one row an extent."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit_parts,
    format_option,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    stdout_style,
    system_option,
)


@click.command("extents", context_settings=CONTEXT)
@click.argument("file")
@format_option
@output_options
@system_option
@keyring_option
@answers
def command(file: str, fmt: str, output: str | None, force: bool, system: str | None) -> None:
    """One row an extent: first page, state, owner, pages used, a character for each page. Then the states
    summed up, what keeps the file from shrinking, and pages lost beside descriptor pages.

    \b
    Example: ibdscan extents sbtest1.ibd
    """
    from ibdscan.measures.extents import map_extents
    from ibdscan.views.columns import csv_parts, json_parts
    from ibdscan.views.inside import extent_facts, extent_table
    from ibdscan.views.text.inside import extents_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        extents = map_extents(space)
        if fmt == "json":
            emit_parts(json_parts(extent_facts(extents), "extents", extent_table(extents)), output, force)
        elif fmt == "csv":
            emit_parts(csv_parts(extent_table(extents)), output, force)
        else:
            emit_parts(extents_text(extents, stdout_style()), output, force)
