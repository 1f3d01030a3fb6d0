"""``ibdscan pages``: one row a page."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit_parts,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    system_option,
    writing,
)
from ibdscan.cli.map import page_window
from ibdscan.errors import UsageError

STATES = ("live", "stale", "free", "unused", "unknown")
FORMATS = ("text", "json", "jsonl", "csv", "parquet")


@click.command("pages", context_settings=CONTEXT)
@click.argument("file")
@click.option("--index", "index", metavar="NAME", help="pages of this index only, reserved ones included")
@click.option("--state", type=click.Choice(STATES), help="pages in this state only")
@click.option("--level", type=click.IntRange(0, 64), help="live index pages of this level only (0 = leaves)")
@click.option("--pages", metavar="A:B", help="pages A to B-1 only")
@click.option(
    "--format",
    "fmt",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="jsonl: one JSON object a line; parquet: needs -o and ibdscan[parquet]",
)
@output_options
@system_option
@keyring_option
@answers
def command(
    file: str,
    index: str | None,
    state: str | None,
    level: int | None,
    pages: str | None,
    fmt: str,
    output: str | None,
    force: bool,
    system: str | None,
) -> None:
    """One row a page: number, type, state, class, owner, level, records, data, garbage, fill, LSN, prev,
    next, rank.

    Level, records, bytes and fill are given of live index pages only: freed pages that still carry an old
    header have the state "stale" and no figures, so that the columns sum to those of "indexes".

    \b
    Example: ibdscan pages sbtest1.ibd --index PRIMARY --level 0
             ibdscan pages sbtest1.ibd --format parquet -o pages.parquet
    """
    from ibdscan.views.columns import csv_parts, json_parts, jsonl_parts, text_parts
    from ibdscan.views.pages_table import select_pages

    refuse_overwrite(output, force)
    if fmt == "parquet" and output is None:
        raise UsageError("Parquet is binary: name a file with -o FILE")
    window = page_window(pages)
    with opened(file, system=system) as space:
        table = select_pages(space, index=index, state=state, level=level, window=window)
        if fmt == "parquet" and output is not None:
            with writing(output, force) as path:
                table.write_parquet(path)
        elif fmt == "json":
            emit_parts(json_parts({"path": space.path}, "pages", table), output, force)
        elif fmt == "jsonl":
            emit_parts(jsonl_parts(table), output, force)
        elif fmt == "csv":
            emit_parts(csv_parts(table), output, force)
        else:
            emit_parts(text_parts(table.shown()), output, force)
