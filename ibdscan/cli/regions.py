"""``ibdscan regions``: runs of like pages."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("regions", names=True)
@click.argument("file")
def command(file: str) -> Answer:
    """Contiguous runs of pages of the same type, state, class and index; then the pages of each type.

    \b
    Example: ibdscan regions sbtest1.ibd
    """
    from ibdscan.measures.detail.extents import find_regions
    from ibdscan.views.data.structure import region_table
    from ibdscan.views.text.structure import regions_text

    space = opened(file)
    regions = find_regions(space)
    return Answer(
        data=lambda: {"path": space.path},
        table=lambda: region_table(space, regions),
        text=lambda style: regions_text(space, regions, style),
        rows="regions",
    )
