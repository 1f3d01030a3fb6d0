"""``ibdscan sdi``: the table's definition."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit,
    json_text,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    stdout_style,
)


@click.command("sdi", context_settings=CONTEXT)
@click.argument("file")
@click.option("--format", "fmt", type=click.Choice(["json", "text"]), default="json", show_default=True)
@output_options
@keyring_option
@answers
def command(file: str, fmt: str, output: str | None, force: bool) -> None:
    """The definition that MySQL 8.0+ keeps in the file (SDI): JSON as ibd2sdi prints it, or as text the
    tables, columns and indexes.

    \b
    Example: ibdscan sdi sbtest1.ibd | jq '.[1].object.dd_object.name'
             ibdscan sdi sbtest1.ibd --format text
    """
    from ibdscan.views.definition import sdi_data, sdi_text

    refuse_overwrite(output, force)
    with opened(file) as space:
        if fmt == "json":
            emit(json_text(sdi_data(space)), output, force)
        else:
            emit(sdi_text(space, stdout_style()), output, force)
