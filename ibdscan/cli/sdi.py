"""``ibdscan sdi``: the table's definition."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("sdi", formats=("json", "text"), formats_help=None)
@click.argument("file")
def command(file: str) -> Answer:
    """The definition that MySQL 8.0+ keeps in the file (SDI): JSON as ibd2sdi prints it, or as text the
    tables, columns and indexes.

    \b
    Example: ibdscan sdi sbtest1.ibd | jq '.[1].object.dd_object.name'
             ibdscan sdi sbtest1.ibd --format text
    """
    from ibdscan.views.text.definition import sdi_data, sdi_text

    space = opened(file)
    return Answer(data=lambda: sdi_data(space), text=lambda style: sdi_text(space, style))
