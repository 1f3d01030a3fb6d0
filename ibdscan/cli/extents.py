"""``ibdscan extents``: one row an extent."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("extents", names=True)
@click.argument("file")
def command(file: str) -> Answer:
    """One row an extent: first page, state, owner, pages used, a character for each page. Then the states
    summed up, what keeps the file from shrinking, and pages lost beside descriptor pages.

    \b
    Example: ibdscan extents sbtest1.ibd
    """
    from ibdscan.measures.detail.extents import map_extents
    from ibdscan.views.data.structure import extent_facts, extent_table
    from ibdscan.views.text.structure import extents_text

    extents = map_extents(opened(file))
    return Answer(
        data=lambda: extent_facts(extents),
        table=lambda: extent_table(extents),
        text=lambda style: extents_text(extents, style),
        rows="extents",
    )
