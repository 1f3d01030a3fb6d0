"""``ibdscan layout``: the manual of the on-disk structures, printed from their declarations."""

from __future__ import annotations

from dataclasses import replace

import click

from ibdscan.cli.common import CONTEXT, answers, emit, format_option, json_text, output_options, stdout_style


@click.command("layout", context_settings=CONTEXT)
@click.argument("name", required=False)
@click.option(
    "--page-size",
    type=click.Choice(["4", "8", "16", "32", "64"]),
    default="16",
    show_default=True,
    help="page size in KiB: the XDES and INODE entries depend on it",
)
@format_option
@output_options
@answers
def command(name: str | None, page_size: str, fmt: str, output: str | None, force: bool) -> None:
    """Where each field lies on disk and what it means: offset, size, name, the server's macro.

    Without NAME all structures are printed.

    \b
    Example: ibdscan layout index_header
    """
    from ibdscan.views.manual import manual_data, manual_tables
    from ibdscan.views.tables import csv_text

    size = int(page_size) * 1024
    tables = manual_tables(size, name)
    if fmt == "json":
        emit(json_text({"page_size": size, "layouts": manual_data(size, name)}), output, force)
    elif fmt == "csv":
        emit(csv_text(tables), output, force)
    else:
        style = stdout_style()
        shown = [replace(t, columns=t.columns[1:], rows=[r[1:] for r in t.rows]) for t in tables]
        emit("\n".join(style.table(t) for t in shown), output, force)
