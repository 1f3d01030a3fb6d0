"""``ibdscan pages``: one row a page."""

from __future__ import annotations

import click

from ibdscan.cli.output import writing
from ibdscan.cli.pictures import Window
from ibdscan.cli.question import asked, opened, question
from ibdscan.errors import UsageError
from ibdscan.views.table.answer import Answer

STATES = ("live", "stale", "free", "unused", "unknown")


@question(
    "pages",
    formats=("text", "json", "jsonl", "csv", "parquet"),
    formats_help="jsonl: one JSON object a line; parquet: needs -o and ibdscan[parquet]",
    names=True,
)
@click.argument("file")
@click.option("--index", metavar="NAME", help="pages of this index only, reserved ones included")
@click.option("--state", type=click.Choice(STATES), help="pages in this state only")
@click.option("--level", type=click.IntRange(0, 64), help="live index pages of this level only (0 = leaves)")
@click.option("--pages", "window", type=Window(), metavar="A:B", help="pages A to B-1 only")
def command(
    file: str, index: str | None, state: str | None, level: int | None, window: tuple[int, int] | None
) -> Answer | None:
    """One row a page: number, type, state, class, owner, level, records, data, garbage, fill, LSN, prev,
    next, rank.

    Level, records, bytes and fill are given of live index pages only: freed pages that still carry an old
    header have the state "stale" and no figures, so that the columns sum to those of "indexes".

    \b
    Example: ibdscan pages sbtest1.ibd --index PRIMARY --level 0
             ibdscan pages sbtest1.ibd --format parquet -o pages.parquet
    """
    from ibdscan.views.data.pages import select_pages
    from ibdscan.views.table.columns import text_parts

    how = asked()
    if how.fmt == "parquet" and how.output is None:
        raise UsageError("Parquet is binary: name a file with -o FILE")
    space = opened(file)
    table = select_pages(space, index=index, state=state, level=level, window=window)
    if how.fmt == "parquet" and how.output is not None:
        with writing(how.output, how.force) as path:
            table.write_parquet(path)
        return None
    return Answer(
        data=lambda: {"path": space.path},
        table=lambda: table,
        text=lambda _: text_parts(table.shown()),
        rows="pages",
    )
