"""``ibdscan layout``: the manual of the on-disk structures, printed from their declarations."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ibdscan.cli.question import question
from ibdscan.views.table.answer import Answer

if TYPE_CHECKING:
    from ibdscan.views.table.tables import Table


@question("layout", keyed=False)
@click.argument("name", required=False)
@click.option(
    "--page-size",
    type=click.Choice(["4", "8", "16", "32", "64"]),
    default="16",
    show_default=True,
    help="page size in KiB: the XDES and INODE entries depend on it",
)
def command(name: str | None, page_size: str) -> Answer:
    """Where each field lies on disk and what it means: offset, size, name, the server's macro.

    Without NAME all structures are printed.

    \b
    Example: ibdscan layout index_header
    """
    from ibdscan.views.data.manual import manual_data, manual_tables

    size = int(page_size) * 1024
    tables = manual_tables(size, name)
    return Answer(
        data=lambda: {"page_size": size, "layouts": manual_data(size, name)},
        table=lambda: tables,
        text=lambda style: "\n".join(style.table(_for_people(t)) for t in tables),
    )


def _for_people(table: Table) -> Table:
    """Without the name of the layout in each row: the title has it."""
    return replace(table, columns=table.columns[1:], rows=[row[1:] for row in table.rows])
