"""``ibdscan info``: the survey of one or more files."""

from __future__ import annotations

import sys

import click

from ibdscan.cli.common import (
    CONTEXT,
    EXIT_CANNOT,
    answers,
    emit,
    format_option,
    json_text,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    say_error,
    stdout_style,
)
from ibdscan.errors import IbdError, UsageError


@click.command("info", context_settings=CONTEXT)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@format_option
@output_options
@keyring_option
@answers
def command(files: tuple[str, ...], fmt: str, output: str | None, force: bool) -> None:
    """What is this file, what is in it, how well is each index packed, in what order, and what would a
    rebuild give back?

    A file that can not be read is reported on stderr; the others are still answered (exit code 1).

    \b
    Example: ibdscan info sbtest1.ibd
             ibdscan info *.ibd --format json | jq '.files[].indexes[] | {name, fill: .leaf.fill}'
    """
    from ibdscan.views.data import survey_data
    from ibdscan.views.rows import info_rows
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text import info_text

    refuse_overwrite(output, force)
    style = stdout_style()
    texts, objects, tables, failed = [], [], [], False
    for path in files:
        try:
            with opened(path) as space:
                if fmt == "json":
                    objects.append(survey_data(space))
                elif fmt == "csv":
                    tables.append(info_rows([space]))
                else:
                    texts.append(info_text(space, style))
        except IbdError as e:
            if len(files) == 1 or isinstance(e, UsageError):
                raise
            failed = True
            say_error(e)
    if fmt == "json":
        emit(json_text({"files": objects}), output, force)
    else:
        emit(csv_text(tables or [info_rows([])]) if fmt == "csv" else "\n".join(texts), output, force)
    if failed:
        sys.exit(EXIT_CANNOT)
