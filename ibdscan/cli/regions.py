"""``ibdscan regions``: runs of like pages."""

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


@click.command("regions", context_settings=CONTEXT)
@click.argument("file")
@format_option
@output_options
@system_option
@keyring_option
@answers
def command(file: str, fmt: str, output: str | None, force: bool, system: str | None) -> None:
    """Contiguous runs of pages of the same type, state, class and index; then the pages of each type.

    \b
    Example: ibdscan regions sbtest1.ibd
    """
    from ibdscan.measures.extents import find_regions
    from ibdscan.views.columns import csv_parts, json_parts
    from ibdscan.views.inside import region_table
    from ibdscan.views.text.inside import regions_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        regions = find_regions(space)
        if fmt == "json":
            emit_parts(json_parts({"path": space.path}, "regions", region_table(space, regions)), output, force)
        elif fmt == "csv":
            emit_parts(csv_parts(region_table(space, regions)), output, force)
        else:
            emit_parts(regions_text(space, regions, stdout_style()), output, force)
