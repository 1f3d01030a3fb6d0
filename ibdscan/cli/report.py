"""``ibdscan report``: one self-contained HTML page."""

from __future__ import annotations

import contextlib

import click

from ibdscan.cli.common import CONTEXT, answers, keyring_option, opened, refuse_overwrite, system_option, writing


@click.command("report", context_settings=CONTEXT)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", "output", metavar="FILE.html", required=True, help="the page to write")
@system_option
@keyring_option
@click.option("--force", is_flag=True, help="overwrite FILE.html if it exists")
@answers
def command(files: tuple[str, ...], output: str, system: str | None, force: bool) -> None:
    """One HTML page of a file, or of up to six to compare: the survey, tables, histograms, findings, and maps
    to zoom and pan with what is known of every page. It needs no network and no other file.

    \b
    Example: ibdscan report sbtest1.ibd -o report.html
             ibdscan report single.ibd multi.ibd -o import.html
    """
    from ibdscan.views.report import render_report

    refuse_overwrite(output, force)
    with contextlib.ExitStack() as stack:
        surveys = [stack.enter_context(opened(path, system=system)) for path in files]
        page = render_report(surveys)
    with writing(output, force) as path, open(path, "w", encoding="utf-8", newline="") as f:
        f.write(page)
