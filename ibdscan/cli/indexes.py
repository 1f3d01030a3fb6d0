"""``ibdscan indexes``: each index level by level."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit,
    format_option,
    json_text,
    opened,
    output_options,
    refuse_overwrite,
    stdout_style,
)


@click.command("indexes", context_settings=CONTEXT)
@click.argument("file")
@click.argument("index", required=False)
@format_option
@output_options
@answers
def command(file: str, index: str | None, fmt: str, output: str | None, force: bool) -> None:
    """Each index level by level: pages, records, fill histogram, order, segments.

    INDEX is a name, TABLE.NAME where several tables share the file, or an index id.

    \b
    Example: ibdscan indexes sbtest1.ibd PRIMARY
    """
    from ibdscan.views.data import index_data
    from ibdscan.views.rows import level_rows
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text import indexes_text

    refuse_overwrite(output, force)
    with opened(file) as space:
        chosen = space.indexes if index is None else [space.index(index)]
        if fmt == "json":
            emit(json_text({"path": space.path, "indexes": [index_data(i) for i in chosen]}), output, force)
        elif fmt == "csv":
            emit(csv_text([level_rows(space, chosen)]), output, force)
        else:
            emit(indexes_text(space, chosen, stdout_style()), output, force)
