"""``ibdscan compare``: two to six files of a table side by side."""

from __future__ import annotations

import contextlib
import sys
from functools import partial
from typing import TYPE_CHECKING

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
)
from ibdscan.cli.pictures import MODES, check_output, picture_options, print_map, stdout_screen, write_picture
from ibdscan.errors import UsageError

if TYPE_CHECKING:
    from ibdscan.measures.compare import Comparison


@click.command("compare", context_settings=CONTEXT)
@click.argument("a", metavar="A")
@click.argument("others", metavar="B [C...]", nargs=-1, required=True)
@format_option
@click.option("-o", "--output", "output", metavar="FILE.png|FILE.svg", help="draw the files into one picture")
@click.option(
    "--map/--no-map", "with_map", default=None, help="maps in the terminal too [on a terminal, without -o]"
)
@click.option("--by", type=click.Choice(MODES), help="this kind of map only [fill and order]")
@picture_options
@click.option("--force", is_flag=True, help="overwrite the picture if it exists")
@keyring_option
@answers
def command(
    a: str,
    others: tuple[str, ...],
    fmt: str,
    output: str | None,
    with_map: bool | None,
    by: str | None,
    index: str | None,
    width: int | None,
    cell: int | None,
    theme: str | None,
    title: str | None,
    color: str,
    force: bool,
) -> None:
    """What did this import do that the other did not? Fill, order and reservation of two to six files, index by
    index, each against the first; on a terminal with maps on the same scales below, with -o as one picture
    (PNG, or SVG of few pages). The numbers are printed in any case.

    \b
    Example: ibdscan compare single.ibd multi.ibd -o compare.png
             ibdscan compare before.ibd after.ibd rebuilt.ibd --by order
    """
    from ibdscan.measures.compare import compare_many

    check_output(output)
    refuse_overwrite(output, force)
    if with_map and fmt != "text":
        raise UsageError("--map goes with --format text")
    if with_map is None:
        with_map = fmt == "text" and output is None and sys.stdout.isatty()
    screen = stdout_screen(None if output else width, color, theme) if with_map else None
    with contextlib.ExitStack() as stack:
        spaces = [stack.enter_context(opened(path)) for path in (a, *others)]
        comparisons = compare_many(spaces)
        if index is not None:
            spaces[0].index(index)
        drawn = ""
        if screen is not None:
            from ibdscan.views.terminal import draw_compare_text

            drawn = "\n" + draw_compare_text(spaces, screen, by, index=index, cell=None if output else cell)
        _print_numbers(comparisons, fmt)
        print_map(drawn)
        if output is not None:
            from ibdscan.views.images import draw_compare, draw_compare_svg

            png, svg = partial(draw_compare, spaces), partial(draw_compare_svg, spaces)
            how = {"by": by, "index": index, "cell": cell, "title": title, "width": width, "theme": theme}
            write_picture(output, force, png, svg, **how)


def _print_numbers(comparisons: list[Comparison], fmt: str) -> None:
    from ibdscan.views.data import comparisons_data
    from ibdscan.views.rows import comparisons_rows
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text import comparisons_text

    if fmt == "json":
        emit(json_text(comparisons_data(comparisons)), None, False)
    elif fmt == "csv":
        emit(csv_text([comparisons_rows(comparisons)]), None, False)
    else:
        emit(comparisons_text(comparisons, stdout_style()), None, False)
