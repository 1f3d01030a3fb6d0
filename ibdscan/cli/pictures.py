"""What the commands that draw share: their options, the kind of picture by its name, the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from ibdscan.cli.output import print_text, writing
from ibdscan.cli.question import asked
from ibdscan.errors import UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

    from ibdscan.views.terminal import Screen

MODES = ("index", "fill", "order", "lsn", "type", "segment", "level", "garbage", "state")
KINDS = (".png", ".svg")
PICTURE_WIDTH = 1600
MIN_COLUMNS, MAX_COLUMNS = 40, 2000


class Window(click.ParamType[tuple[int, int]]):
    """``A:B``, pages A to B-1."""

    name = "window"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        start, colon, end = str(value).partition(":")
        if not colon or not start.isdecimal() or not end.isdecimal() or int(start) >= int(end):
            self.fail(f"--pages wants A:B with A < B, got {value!r}", param, ctx)
        return int(start), int(end)


@dataclass(frozen=True)
class Look:
    """How a map is to be drawn; None is what fits a picture, or the terminal."""

    index: str | None
    width: int | None
    cell: int | None
    theme: str | None
    title: str | None
    color: str

    @property
    def of_picture(self) -> dict[str, Any]:
        """As arguments of what draws a PNG or SVG."""
        width = PICTURE_WIDTH if self.width is None else self.width
        return {
            "index": self.index,
            "width": width,
            "cell": self.cell,
            "title": self.title,
            "theme": self.theme or "light",
        }

    def screen(self, width: int | None) -> Screen:
        """The terminal that stdout is; 80 columns without escapes if it is none."""
        from ibdscan.views.terminal import screen_of

        size = shutil.get_terminal_size((80, 40))
        columns = size.columns if width is None else width
        if not MIN_COLUMNS <= columns <= MAX_COLUMNS:
            raise UsageError(
                f"a map in the terminal is {MIN_COLUMNS} to {MAX_COLUMNS} columns wide, not {columns}"
            )
        return screen_of(
            os.environ,
            (columns, size.lines),
            is_terminal=sys.stdout.isatty(),
            encoding=getattr(sys.stdout, "encoding", None),
            colors=self.color,
            theme=self.theme,
        )


_OPTIONS = (
    click.option("--index", metavar="NAME", help="this index only, the others grey"),
    click.option(
        "--width", type=int, help=f"pixels of a picture [{PICTURE_WIDTH}]; columns in the terminal [its width]"
    ),
    click.option("--cell", type=int, help="pixels of a page's cell; columns in the terminal [as they fit]"),
    click.option(
        "--theme", type=click.Choice(["light", "dark"]), help="[light; in the terminal as its background]"
    ),
    click.option("--title", help="a title of your own instead of the file's name"),
    click.option(
        "--color",
        type=click.Choice(["auto", "true", "256", "never"]),
        default="auto",
        show_default=True,
        help="colours in the terminal: 24 bits, 256, or plain characters",
    ),
)


def look_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """``--index --width --cell --theme --title --color``, the fields of :class:`Look`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def kind_of(output: str) -> str:
    """``.png`` or ``.svg``: the extension decides."""
    return PurePath(output).suffix.lower()


def picture_output() -> str | None:
    """The picture to write, if one was asked for. Raises UsageError, before any work, for a name that is no
    picture's."""
    output = asked().output
    if output is not None and kind_of(output) not in KINDS:
        raise UsageError("a picture is written as .png or .svg, by its name", path=output)
    return output


def write_picture(output: str, png: Callable[..., Image], svg: Callable[..., str], look: Look) -> None:
    """Draw with ``png`` or ``svg``, by the name of the file, then write it."""
    if kind_of(output) == ".png":
        write_png_file(png(**look.of_picture), output)
        return
    text = svg(**look.of_picture)
    with writing(output, asked().force) as path, open(path, "w", encoding="utf-8", newline="\n") as f:
        f.write(text)


def write_png_file(image: Image, output: str) -> None:
    """Write a picture to the file that was named."""
    from ibdscan.views.images import write_png

    with writing(output, asked().force) as path:
        write_png(image, path)


def print_map(text: str) -> None:
    """Print a map with the escapes it has: without a terminal it has none unless they were asked for."""
    print_text(text, color=True)
