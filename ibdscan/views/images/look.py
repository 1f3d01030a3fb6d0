"""How a map is to be drawn: what people choose, by name, of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

Window = tuple[int, int]


class Choices(TypedDict, total=False):
    """The fields of :class:`Look` as keyword arguments."""

    index: str | int | None
    width: int
    cell: int | None
    pages: Window | None
    title: str | None
    theme: str


@dataclass(frozen=True)
class Look:
    """``index`` (name or id) shows that index and greys the others; ``width`` is the picture's width in pixels,
    ``cell`` a cell's (chosen to fit without it), ``pages`` a window ``(first, end)`` of page numbers, ``title``
    stands instead of the file's name, ``theme`` is ``light`` or ``dark``."""

    index: str | int | None = None
    width: int = 1600
    cell: int | None = None
    pages: Window | None = None
    title: str | None = None
    theme: str = "light"
