"""``ibdscan report``: one self-contained HTML page."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("report", formats=(), output=("FILE.html", "the page to write"), asks_output=True, names=True)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def command(files: tuple[str, ...]) -> Answer:
    """One HTML page of a file, or of up to six to compare: the survey, tables, histograms, findings, and maps
    to zoom and pan with what is known of every page. It needs no network and no other file.

    \b
    Example: ibdscan report sbtest1.ibd -o report.html
             ibdscan report single.ibd multi.ibd -o import.html
    """
    from ibdscan.views.report import render_report

    surveys = [opened(path) for path in files]
    return Answer(text=lambda _: render_report(surveys))
