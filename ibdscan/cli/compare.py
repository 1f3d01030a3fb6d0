"""``ibdscan compare``: two files of a table side by side."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit,
    format_option,
    json_text,
    keyring_option,
    opened,
    refuse_overwrite,
    stdout_style,
    writing,
)


@click.command("compare", context_settings=CONTEXT)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@format_option
@click.option("-o", "--output", "output", metavar="FILE.png", help="draw both files into a picture")
@click.option("--by", type=click.Choice(["index", "fill", "order", "lsn"]), help="one kind of map only")
@click.option("--width", type=click.IntRange(400, 20_000), default=1600, show_default=True, help="picture width")
@click.option("--force", is_flag=True, help="overwrite FILE.png if it exists")
@keyring_option
@answers
def command(a: str, b: str, fmt: str, output: str | None, by: str | None, width: int, force: bool) -> None:
    """What did this import do that the other did not? Fill, order and reservation of two files, index by
    index; with -o a picture of both on the same scales. The numbers are printed in any case.

    \b
    Example: ibdscan compare single.ibd multi.ibd -o compare.png
    """
    from ibdscan.measures.compare import compare_surveys
    from ibdscan.views.data import comparison_data
    from ibdscan.views.rows import comparison_rows
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text import comparison_text

    refuse_overwrite(output, force)
    with opened(a) as first, opened(b) as second:
        comparison = compare_surveys(first, second)
        if fmt == "json":
            emit(json_text(comparison_data(comparison)), None, force)
        elif fmt == "csv":
            emit(csv_text([comparison_rows(comparison)]), None, force)
        else:
            emit(comparison_text(comparison, stdout_style()), None, force)
        if output is not None:
            from ibdscan.views.images import draw_compare, write_png

            with writing(output, force) as path:
                write_png(draw_compare([first, second], by=by, width=width), path)
