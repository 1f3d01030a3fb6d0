"""``ibdscan indexes``: each index level by level."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("indexes", names=True)
@click.argument("file")
@click.argument("index", required=False)
@click.option("--records", is_flag=True, help="walk all records: how many are delete-marked (reads every page)")
@click.option(
    "--fill-factor",
    type=click.IntRange(10, 100),
    default=100,
    show_default=True,
    help="innodb_fill_factor of the rebuild that is estimated",
)
def command(file: str, index: str | None, records: bool, fill_factor: int) -> Answer:
    """Each index level by level: pages, records, fill histogram, order, segments; how it was filled and what has
    gone since; neighbours that could be merged; off-page data; what a rebuild would make of it.

    INDEX is a name, TABLE.NAME where several tables share the file, or an index id.

    \b
    Example: ibdscan indexes sbtest1.ibd PRIMARY
             ibdscan indexes sbtest1.ibd --records --fill-factor 80
    """
    from ibdscan.measures.detail.index import DeepIndex, measure_deeper
    from ibdscan.views.data.index import deep_index_data
    from ibdscan.views.data.rows import level_rows
    from ibdscan.views.text.indexes import indexes_text

    space = opened(file)
    chosen = space.indexes if index is None else [space.index(index)]

    def deep() -> list[DeepIndex]:
        return [measure_deeper(space, i, fill_factor=fill_factor, records=records) for i in chosen]

    return Answer(
        data=lambda: {"path": space.path, "indexes": [deep_index_data(d) for d in deep()]},
        table=lambda: level_rows(space, chosen),
        text=lambda style: indexes_text(space, deep(), style),
    )
