"""Text on an image: one scalable font, names of any script, nothing cut off; every text box is recorded."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Self

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from ibdscan.views.images.parts.theme import RGB, Theme

ESCAPES_NOTE = (
    "@xxxx in a name: a character this picture's font lacks, by its code, as in the server's file names."
)


@cache
def _main_font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own scalable font, laid out by Pillow's basic engine, the same everywhere."""
    default = ImageFont.load_default(size=size)
    if not isinstance(default, ImageFont.FreeTypeFont):  # pragma: no cover - a Pillow without FreeType
        raise ImportError("pictures need a Pillow built with FreeType")
    return ImageFont.truetype(io.BytesIO(default.font_bytes), size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _more_font(size: int) -> ImageFont.FreeTypeFont:
    """The bundled font for the letters that Pillow's lacks: Latin, Greek and Cyrillic of DejaVu Sans."""
    data = files("ibdscan.views.images").joinpath("fonts/dejavu-latin-greek-cyrillic.ttf").read_bytes()
    return ImageFont.truetype(io.BytesIO(data), size, layout_engine=ImageFont.Layout.BASIC)


_PROBE = 20
_NOWHERE = "\uffff"


@cache
def _font_of(char: str) -> int:
    """0 Pillow's font, 1 the bundled one, -1 neither has the character."""
    if char == " ":
        return 0
    if unicodedata.category(char)[0] in "CZM":  # control, format, surrogate, separator, combining mark
        return -1
    for i, font in enumerate((_main_font(_PROBE), _more_font(_PROBE))):
        if bytes(font.getmask(char)) != bytes(font.getmask(_NOWHERE)):
            return i
    return -1


def spell(text: str) -> str:
    """``text`` in characters the fonts have; others become ``@xxxx``, as in the server's file names."""
    out = []
    for char in unicodedata.normalize("NFC", text):
        if _font_of(char) >= 0:
            out.append(char)
        else:
            units = char.encode("utf-16-be", "surrogatepass")
            out += [f"@{units[i : i + 2].hex()}" for i in range(0, len(units), 2)]
    return "".join(out)


def is_escaped(text: str) -> bool:
    """Whether :func:`spell` has to escape a character of ``text``."""
    return any(_font_of(char) < 0 for char in unicodedata.normalize("NFC", text))


def _runs(text: str) -> list[tuple[int, str]]:
    runs: list[tuple[int, str]] = []
    for char in text:
        which = _font_of(char)
        if runs and runs[-1][0] == which:
            runs[-1] = (which, runs[-1][1] + char)
        else:
            runs.append((which, char))
    return runs


@lru_cache(maxsize=8192)
def text_width(text: str, size: int) -> int:
    """Pixels that a line of (spelt) text takes."""
    fonts = (_main_font(size), _more_font(size))
    return round(sum(fonts[which].getlength(part) for which, part in _runs(text)))


def fit(text: str, size: int, width: int) -> str:
    """``text`` in one line of ``width`` pixels: its middle is left out where it does not fit."""
    text = spell(text)
    if text_width(text, size) <= width:
        return text
    low, high = 0, len(text)
    while low < high:
        keep = (low + high + 1) // 2
        if text_width(_without_middle(text, keep), size) <= width:
            low = keep
        else:
            high = keep - 1
    return _without_middle(text, low)


def _without_middle(text: str, keep: int) -> str:
    tail = keep // 2
    return text[: keep - tail] + "…" + (text[-tail:] if tail else "")


def wrap(text: str, size: int, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` pixels, broken at spaces, inside a word only if it is too long."""
    lines = [""]
    for word in spell(text).split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if text_width(longer, size) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        for char in word:
            if lines[-1] and text_width(lines[-1] + char, size) > width:
                lines.append("")
            lines[-1] += char
    return [line for line in lines if line] or [""]


def line_height(size: int) -> int:
    """Distance of two lines in pixels."""
    return round(size * 1.4)


Box = tuple[float, float, float, float]


@dataclass
class Canvas:
    """An image with text on it; ``texts`` records what was written where (for the tests). A scratch canvas
    measures: nothing is drawn on it."""

    image: Image.Image
    theme: Theme
    texts: list[tuple[str, Box]] = field(default_factory=list)

    @classmethod
    def blank(cls, width: int, height: int, theme: Theme) -> Self:
        """An empty canvas."""
        return cls(Image.new("RGB", (width, height), theme.background), theme)

    @classmethod
    def scratch(cls, theme: Theme) -> Self:
        """A canvas to measure on."""
        return cls.blank(1, 1, theme)

    @property
    def is_scratch(self) -> bool:
        return self.image.size == (1, 1)

    @property
    def pen(self) -> ImageDraw.ImageDraw:
        return ImageDraw.Draw(self.image)

    def line(self, ends: Box, color: RGB) -> None:
        """A straight line, a pixel wide, both ends included."""
        self.pen.line(ends, fill=color)

    def rectangle(self, corners: Box, *, fill: RGB | None = None, outline: RGB | None = None) -> None:
        """A rectangle, both corners included."""
        self.pen.rectangle(corners, fill=fill, outline=outline)

    def paste(self, pixels: npt.NDArray[np.uint8], x: int, y: int) -> None:
        """Pixels, uint8 (height, width, 3), their top left at (x, y)."""
        self.image.paste(Image.fromarray(np.ascontiguousarray(pixels)), (x, y))

    def _write(self, left: int, base: int, text: str, size: int, color: RGB) -> None:
        """A line of spelt text on its baseline."""
        pen, at = self.pen, float(left)
        for which, part in _runs(text):
            font = (_main_font, _more_font)[which](size)
            pen.text((round(at), base), part, font=font, fill=color, anchor="ls")
            at += font.getlength(part)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int,
        color: RGB | None = None,
        align: str = "left",
        width: int | None = None,
    ) -> None:
        """One line, its top at ``y``; ``x`` is its left, ``center`` or ``right`` by ``align``."""
        text = spell(text) if width is None else fit(text, size, width)
        if not text or self.is_scratch:
            return
        taken = text_width(text, size)
        left = round(x - {"left": 0, "center": taken / 2, "right": taken}[align])
        base = round(y + size * 1.05)
        self._write(left, base, text, size, color or self.theme.ink)
        self.texts.append((text, (left, base - size * 0.75, left + taken, base + size * 0.25)))

    def paragraph(self, x: int, y: int, text: str, size: int, width: int, color: RGB | None = None) -> int:
        """Wrapped text; returns the y below it."""
        for line in wrap(text, size, width):
            self.text(x, y, line, size, color)
            y += line_height(size)
        return y

    def items(self, x: int, y: int, items: Sequence[str], size: int, width: int, color: RGB | None = None) -> int:
        """Facts in a row, a dot between them, broken between facts; returns the y below them."""
        lines = [""]
        for item in items:
            longer = f"{lines[-1]} · {item}" if lines[-1] else item
            if lines[-1] and text_width(spell(longer), size) > width:
                lines.append(item)
            else:
                lines[-1] = longer
        for line in lines:
            y = self.paragraph(x, y, line, size, width, color)
        return y
