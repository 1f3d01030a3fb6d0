"""``ibdscan info``: the survey of one or more files."""

from __future__ import annotations

import click

from ibdscan.cli.question import each, open_file, question
from ibdscan.views.table.answer import Answer, of_files


@question("info")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def command(files: tuple[str, ...]) -> Answer:
    """What is this file, what is in it, how well is each index packed, in what order, and what would a
    rebuild give back?

    A file that can not be read is reported on stderr; the others are still answered (exit code 1).

    \b
    Example: ibdscan info sbtest1.ibd
             ibdscan info *.ibd --format json | jq '.files[].indexes[] | {name, fill: .leaf.fill}'
    """
    from ibdscan.views.data.rows import info_rows
    from ibdscan.views.data.survey import survey_data
    from ibdscan.views.text.info import info_text

    answers = each(
        files,
        open_file,
        lambda space: Answer(
            data=lambda: survey_data(space),
            table=lambda: info_rows([space]),
            text=lambda style: info_text(space, style),
        ),
    )
    return of_files(answers, info_rows([]))
