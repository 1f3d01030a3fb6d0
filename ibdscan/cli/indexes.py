"""``ibdscan indexes``: each index level by level."""

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


@click.command("indexes", context_settings=CONTEXT)
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
@system_option
@format_option
@output_options
@keyring_option
@answers
def command(
    file: str,
    index: str | None,
    records: bool,
    fill_factor: int,
    system: str | None,
    fmt: str,
    output: str | None,
    force: bool,
) -> None:
    """Each index level by level: pages, records, fill histogram, order, segments; how it was filled and what has
    gone since; neighbours that could be merged; off-page data; what a rebuild would make of it.

    INDEX is a name, TABLE.NAME where several tables share the file, or an index id.

    \b
    Example: ibdscan indexes sbtest1.ibd PRIMARY
             ibdscan indexes sbtest1.ibd --records --fill-factor 80
    """
    from ibdscan.measures.deeper import measure_deeper
    from ibdscan.views.deeper import deep_index_data
    from ibdscan.views.rows import level_rows
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text import indexes_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        chosen = space.indexes if index is None else [space.index(index)]
        if fmt == "csv":
            emit(csv_text([level_rows(space, chosen)]), output, force)
            return
        deep = [measure_deeper(space, i, fill_factor=fill_factor, records=records) for i in chosen]
        if fmt == "json":
            emit(json_text({"path": space.path, "indexes": [deep_index_data(d) for d in deep]}), output, force)
        else:
            emit(indexes_text(space, deep, stdout_style()), output, force)
