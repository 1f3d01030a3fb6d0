"""What the commands that draw share: their options, the kind of picture by its name, the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from ibdscan.cli.common import print_text, writing
from ibdscan.errors import UsageError

if TYPE_CHECKING:
    from PIL.Image import Image

    from ibdscan.views.terminal import Screen

P = ParamSpec("P")
R = TypeVar("R")

MODES = ("index", "fill", "order", "lsn", "type", "segment", "level", "garbage", "state")
KINDS = (".png", ".svg")
PICTURE_WIDTH = 1600


def picture_options(function: Callable[P, R]) -> Callable[P, R]:
    """``--index --width --cell --theme --title --color``."""
    for option in reversed(
        (
            click.option("--index", metavar="NAME", help="this index only, the others grey"),
            click.option(
                "--width",
                type=int,
                help=f"pixels of a picture [{PICTURE_WIDTH}]; columns in the terminal [its width]",
            ),
            click.option(
                "--cell", type=int, help="pixels of a page's cell; columns in the terminal [as they fit]"
            ),
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
    ):
        function = option(function)
    return function


def check_output(output: str | None) -> None:
    """Raise UsageError, before any work, for a name that is no picture's."""
    if output is not None and kind_of(output) not in KINDS:
        raise UsageError("a picture is written as .png or .svg, by its name", path=output)


def kind_of(output: str) -> str:
    """``.png`` or ``.svg``: the extension decides."""
    return PurePath(output).suffix.lower()


def write_picture(
    output: str, force: bool, png: Callable[..., Image], svg: Callable[..., str], **how: Any
) -> None:
    """Draw with ``png`` or ``svg``, by the name of the file, then write it."""
    how["width"] = PICTURE_WIDTH if how["width"] is None else how["width"]
    how["theme"] = how["theme"] or "light"
    if kind_of(output) == ".svg":
        text = svg(**how)
        with writing(output, force) as path, open(path, "w", encoding="utf-8", newline="\n") as f:
            f.write(text)
        return
    from ibdscan.views.images import write_png

    image = png(**how)
    with writing(output, force) as path:
        write_png(image, path)


MIN_COLUMNS, MAX_COLUMNS = 40, 2000


def stdout_screen(width: int | None, colors: str, theme: str | None) -> Screen:
    """The terminal that stdout is; 80 columns without escapes if it is none."""
    from ibdscan.views.terminal import screen_of

    size = shutil.get_terminal_size((80, 40))
    columns = size.columns if width is None else width
    if not MIN_COLUMNS <= columns <= MAX_COLUMNS:
        raise UsageError(f"a map in the terminal is {MIN_COLUMNS} to {MAX_COLUMNS} columns wide, not {columns}")
    return screen_of(
        os.environ,
        is_terminal=sys.stdout.isatty(),
        encoding=getattr(sys.stdout, "encoding", None),
        width=columns,
        height=size.lines,
        colors=colors,
        theme=theme,
    )


def print_map(text: str) -> None:
    """Print a map with the escapes it has: without a terminal it has none unless they were asked for."""
    print_text(text, color=True)
