"""Codes as what a terminal shows: half blocks in 24-bit or 256 colours, or characters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from string import ascii_letters

import numpy as np
import numpy.typing as npt
from rich.cells import cell_len, chop_cells

from ibdscan.views.images.parts.painting import BLANK, Codes, Painting, Scale
from ibdscan.views.images.parts.raster import strength_codes
from ibdscan.views.images.parts.theme import RGB
from ibdscan.views.terminal.palette import by_distance, nearest_256
from ibdscan.views.terminal.screen import Screen

RESET = "\x1b[0m"
TIED = "\u00a0"
UPPER, LOWER = "▀", "▄"


@dataclass(frozen=True)
class Line:
    """A line of output and the columns it takes, its escapes left out."""

    text: str
    width: int

    @classmethod
    def of(cls, text: str) -> Line:
        """A line without escapes."""
        return cls(text, cell_len(text))

    def padded(self, width: int) -> str:
        """The line with spaces up to ``width``."""
        return self.text + " " * (width - self.width)


def folded(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width`` columns, broken at spaces (not before ``%``), inside a word only if
    it is too long."""
    lines = [""]
    for word in text.replace(" %", f"{TIED}%").split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= width:
            lines[-1] = longer
            continue
        if not lines[-1]:
            lines.pop()
        lines += chop_cells(word, max(2, width)) or [""]
    return [line.replace(TIED, " ") for line in lines]


@dataclass
class Shared:
    """What the maps of one picture share, so that a kind of page looks the same in all of them."""

    letters: dict[str, str] = field(default_factory=dict)
    """By label."""
    numbers: dict[RGB, int] = field(default_factory=dict)
    """Of the 256 colours, by the colour meant."""


class Ink(ABC):
    """How the codes of one painting look."""

    codes: Codes
    """A code for every page, as drawn."""
    kinds: list[tuple[int, int]]
    """Ranges of codes of each kind of page that occurs."""

    @abstractmethod
    def lines(self, dots: Codes) -> list[str]:
        """Dots as lines of characters."""

    @abstractmethod
    def swatch(self, code: int) -> str:
        """Two columns that show what the pages of a code of the painting look like."""

    @abstractmethod
    def scale_swatch(self, scale: Scale) -> str:
        """Two columns for the pages on the scale."""

    @abstractmethod
    def scale_bar(self, scale: Scale, width: int) -> str:
        """The whole scale in ``width`` columns."""


def ink_for(painting: Painting, screen: Screen, shared: Shared) -> Ink:
    """The ink for what the screen can show."""
    return ColorInk(painting, screen, shared) if screen.colored else PlainInk(painting, shared)


class ColorInk(Ink):
    """Half blocks: the upper dot is the character's colour, the lower one its background."""

    def __init__(self, painting: Painting, screen: Screen, shared: Shared) -> None:
        self.codes, self.palette, self.kinds = strength_codes(painting, screen.theme)
        self.painting, self.true = painting, screen.colors == "true"
        self.numbers = nearest_256(self.palette)
        for low, high in self.kinds:
            if low == high:
                self.numbers[low] = _apart(self.palette[low], shared.numbers)

    def _color(self, code: int, ground: int) -> str:
        if code == BLANK:
            return f"{ground + 1}"
        if self.true:
            red, green, blue = self.palette[code]
            return f"{ground};2;{red};{green};{blue}"
        return f"{ground};5;{self.numbers[code]}"

    def lines(self, dots: Codes) -> list[str]:
        return [self._line(upper, lower) for upper, lower in zip(dots[0::2], dots[1::2], strict=True)]

    def _line(self, upper: Codes, lower: Codes) -> str:
        out = []
        now = (BLANK, BLANK)
        for top, bottom in zip(upper.tolist(), lower.tolist(), strict=True):
            char, fore, back = UPPER, top, bottom
            if top == BLANK:
                char, fore, back = (" " if bottom == BLANK else LOWER), bottom, BLANK
            wanted = [] if fore == now[0] else [self._color(fore, 38)]
            wanted += [] if back == now[1] else [self._color(back, 48)]
            if wanted:
                out.append(f"\x1b[{';'.join(wanted)}m")
            out.append(char)
            now = (fore, back)
        return "".join(out) + (RESET if now != (BLANK, BLANK) else "")

    def swatch(self, code: int) -> str:
        painting = self.painting
        pages = np.flatnonzero(painting.codes == code)
        if painting.levels is not None and code in painting.filled and len(pages):
            pages = pages[[painting.levels[pages].argmax()]]  # the fullest page: the strongest colour
        return self._line(*np.full((2, 2), self.codes[pages[0]], np.uint8))

    def scale_swatch(self, scale: Scale) -> str:
        return self._line(*np.array([[len(scale.colors) // 5, len(scale.colors) * 4 // 5]] * 2, np.uint8))

    def scale_bar(self, scale: Scale, width: int) -> str:
        at = np.arange(width) * len(scale.colors) // width
        return self._line(*np.array([at, at], np.uint8))


def _apart(color: npt.NDArray[np.uint8], numbers: dict[RGB, int]) -> int:
    """The nearest of the 256 colours that no other kind of page has."""
    red, green, blue = (int(v) for v in color)
    taken = set(numbers.values())
    free = (n for n in by_distance(color) if n not in taken)
    return numbers.setdefault((red, green, blue), next(free))


LETTERS = ascii_letters[26:] + ascii_letters[:26] + "?" * 256


class PlainInk(Ink):
    """A character a dot: digits for a scale, symbols for pages of no index, else letters."""

    def __init__(self, painting: Painting, shared: Shared) -> None:
        self.codes = painting.codes
        self.chars = np.full(256, " ", "U1")
        self.kinds = []
        if painting.scale:
            steps = len(painting.scale.colors)
            self.chars[:steps] = [str(10 * step // steps) for step in range(steps)]
            if painting.n_scaled:
                self.kinds.append((0, steps - 1))
        for code, swatch in painting.swatches.items():
            if not painting.counts[code]:
                continue
            self.kinds.append((code, code))
            self.chars[code] = swatch.symbol or shared.letters.setdefault(
                swatch.label, LETTERS[len(shared.letters)]
            )
        self.kinds.sort()

    def lines(self, dots: Codes) -> list[str]:
        return ["".join(self.chars[row]) for row in dots]

    def swatch(self, code: int) -> str:
        return f"{self.chars[code]} "

    def scale_swatch(self, scale: Scale) -> str:
        return "09"

    def scale_bar(self, scale: Scale, width: int) -> str:
        return "".join(str(10 * at // width) for at in range(width))
