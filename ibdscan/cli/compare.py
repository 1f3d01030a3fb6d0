"""``ibdscan compare``: two to six files of a table side by side."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from ibdscan.cli.output import emit, stdout_style
from ibdscan.cli.pictures import MODES, Look, look_options, picture_output, print_map, write_picture
from ibdscan.cli.question import asked, opened, question
from ibdscan.errors import UsageError
from ibdscan.views.table.answer import Answer


@question("compare", output=("FILE.png|FILE.svg", "draw the files into one picture"))
@click.argument("a", metavar="A")
@click.argument("others", metavar="B [C...]", nargs=-1, required=True)
@click.option(
    "--map/--no-map", "with_map", default=None, help="maps in the terminal too [on a terminal, without -o]"
)
@click.option("--by", type=click.Choice(MODES), help="this kind of map only [fill and order]")
@look_options
def command(a: str, others: tuple[str, ...], with_map: bool | None, by: str | None, **given: Any) -> None:
    """What did this import do that the other did not? Fill, order and reservation of two to six files, index by
    index, each against the first; on a terminal with maps on the same scales below, with -o as one picture
    (PNG, or SVG of few pages). The numbers are printed in any case.

    \b
    Example: ibdscan compare single.ibd multi.ibd -o compare.png
             ibdscan compare before.ibd after.ibd rebuilt.ibd --by order
    """
    from ibdscan.measures.file.compare import compare_many
    from ibdscan.views.data.rows import comparisons_rows
    from ibdscan.views.data.survey import comparisons_data
    from ibdscan.views.text.comparison import comparisons_text

    look, output, fmt = Look(**given), picture_output(), asked().fmt
    if with_map and fmt != "text":
        raise UsageError("--map goes with --format text")
    if with_map is None:
        with_map = fmt == "text" and output is None and sys.stdout.isatty()
    screen = look.screen(None if output else look.width) if with_map else None
    spaces = [opened(path) for path in (a, *others)]
    comparisons = compare_many(spaces)
    if look.index is not None:
        spaces[0].index(look.index)
    drawn = ""
    if screen is not None:
        from ibdscan.views.terminal import draw_compare_text

        cell = None if output else look.cell
        drawn = "\n" + draw_compare_text(spaces, screen, by, index=look.index, cell=cell)
    numbers = Answer(
        data=lambda: comparisons_data(comparisons),
        table=lambda: comparisons_rows(comparisons),
        text=lambda style: comparisons_text(comparisons, style),
    )
    emit(numbers.parts(fmt, stdout_style()), None, False)
    print_map(drawn)
    if output is not None:
        from ibdscan.views.images import draw_compare, draw_compare_svg

        write_picture(output, partial(draw_compare, spaces, by), partial(draw_compare_svg, spaces, by), look)
