"""``ibdscan map``: a space map as PNG."""

from __future__ import annotations

import click

from ibdscan.cli.common import CONTEXT, answers, keyring_option, opened, refuse_overwrite, writing
from ibdscan.errors import UsageError

MODES = ("index", "fill", "order", "lsn")


@click.command("map", context_settings=CONTEXT)
@click.argument("file")
@click.option("-o", "--output", "output", metavar="FILE.png", required=True, help="the picture to write")
@click.option("--by", type=click.Choice(MODES), default="index", show_default=True, help="what the colours show")
@click.option("--index", "index", metavar="NAME", help="colour this index only, the others grey")
@click.option("--width", type=click.IntRange(400, 20_000), default=1600, show_default=True, help="width in pixels")
@click.option("--pages", metavar="A:B", help="draw only pages A to B-1")
@click.option("--title", help="a title of your own instead of the file's name")
@click.option("--force", is_flag=True, help="overwrite FILE.png if it exists")
@keyring_option
@answers
def command(
    file: str,
    output: str,
    by: str,
    index: str | None,
    width: int,
    pages: str | None,
    title: str | None,
    force: bool,
) -> None:
    """What does the space look like? One cell a page, in file order, an extent a row.

    \b
    index  which index (or system, free, stale, ...) a page belongs to, and how full it is
    fill   how full each leaf is, 0 to 100 %
    order  rank of each leaf along its chain: an ordered table is a smooth gradient
    lsn    when each page was last changed, by LSN

    \b
    Example: ibdscan map sbtest1.ibd --by order -o order.png
    """
    from ibdscan.views.images import draw_map, write_png

    refuse_overwrite(output, force)
    window = page_window(pages)
    with opened(file) as space:
        image = draw_map(space, by=by, index=index, width=width, pages=window, title=title)
    with writing(output, force) as path:
        write_png(image, path)


def page_window(text: str | None) -> tuple[int, int] | None:
    """``A:B`` as page numbers."""
    if text is None:
        return None
    start, colon, end = text.partition(":")
    if not colon or not start.isdigit() or not end.isdigit() or int(start) >= int(end):
        raise UsageError(f"--pages wants A:B with A < B, got {text!r}")
    return int(start), int(end)
