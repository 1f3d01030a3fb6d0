"""``ibdscan map``: a space map as PNG or SVG, or in the terminal."""

from __future__ import annotations

from functools import partial

import click

from ibdscan.cli.common import CONTEXT, answers, keyring_option, opened, refuse_overwrite
from ibdscan.cli.pictures import MODES, check_output, picture_options, print_map, stdout_screen, write_picture
from ibdscan.errors import UsageError


@click.command("map", context_settings=CONTEXT)
@click.argument("file")
@click.option(
    "-o",
    "--output",
    "output",
    metavar="FILE.png|FILE.svg",
    help="write a picture instead of drawing in the terminal",
)
@click.option("--by", type=click.Choice(MODES), default="index", show_default=True, help="what the colours show")
@click.option("--pages", metavar="A:B", help="draw only pages A to B-1")
@picture_options
@click.option("--force", is_flag=True, help="overwrite the picture if it exists")
@keyring_option
@answers
def command(
    file: str,
    output: str | None,
    by: str,
    pages: str | None,
    index: str | None,
    width: int | None,
    cell: int | None,
    theme: str | None,
    title: str | None,
    color: str,
    force: bool,
) -> None:
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
    check_output(output)
    refuse_overwrite(output, force)
    window = page_window(pages)
    how = {"by": by, "index": index, "cell": cell, "pages": window, "title": title}
    if output is None:
        screen = stdout_screen(width, color, theme)
        from ibdscan.views.terminal import draw_map_text

        with opened(file) as space:
            text = draw_map_text(space, screen, by, index=index, cell=cell, pages=window, title=title)
        print_map(text)
        return
    from ibdscan.views.images import draw_map, draw_map_svg

    with opened(file) as space:
        write_picture(
            output, force, partial(draw_map, space), partial(draw_map_svg, space), width=width, theme=theme, **how
        )


def page_window(text: str | None) -> tuple[int, int] | None:
    """``A:B`` as page numbers."""
    if text is None:
        return None
    start, colon, end = text.partition(":")
    if not colon or not start.isdecimal() or not end.isdecimal() or int(start) >= int(end):
        raise UsageError(f"--pages wants A:B with A < B, got {text!r}")
    return int(start), int(end)
