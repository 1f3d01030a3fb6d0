"""``ibdscan map``: a space map as PNG or SVG, or in the terminal."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from ibdscan.cli.pictures import MODES, Look, Window, look_options, picture_output, print_map, write_picture
from ibdscan.cli.question import opened, question


@question("map", formats=(), output=("FILE.png|FILE.svg", "write a picture instead of drawing in the terminal"))
@click.argument("file")
@click.option("--by", type=click.Choice(MODES), default="index", show_default=True, help="what the colours show")
@click.option("--pages", "window", type=Window(), metavar="A:B", help="draw only pages A to B-1")
@look_options
def command(file: str, by: str, window: tuple[int, int] | None, **given: Any) -> None:
    """What does the space look like? One cell a page, in file order, an extent a row; in the terminal, or with
    -o as PNG or (up to 20,000 pages) SVG.

    \b
    index    which index (or system, free, stale, ...) a page belongs to, and how full it is
    fill     how full each leaf is, 0 to 100 %
    order    place of each leaf in key order: an ordered table is a smooth gradient
    lsn      when each page was last changed, by LSN
    type     the page type (FIL_PAGE_TYPE)
    segment  the segment that owns a page, and what it reserves unused
    level    the level of an index page in its tree
    garbage  bytes of deleted records in each leaf
    state    live, stale, free, not used yet

    \b
    Example: ibdscan map sbtest1.ibd
             ibdscan map sbtest1.ibd --by order --index PRIMARY -o order.png
    """
    look, output = Look(**given), picture_output()
    if output is None:
        screen = look.screen(look.width)
        from ibdscan.views.terminal import draw_map_text

        space = opened(file)
        print_map(
            draw_map_text(space, screen, by, index=look.index, cell=look.cell, pages=window, title=look.title)
        )
        return
    from ibdscan.views.images import draw_map, draw_map_svg

    space = opened(file)
    png, svg = partial(draw_map, space, by, pages=window), partial(draw_map_svg, space, by, pages=window)
    write_picture(output, png, svg, look)
