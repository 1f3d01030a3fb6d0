"""What a mode says of the pages: one code a page, and what each code looks like and is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.images.parts.theme import RGB, Theme

Codes = npt.NDArray[np.uint8]
BLANK = 255
"""Code of a cell that is no page of the window."""
STRENGTHS = 8
"""Steps of a hue where fill is drawn as the strength of the colour."""
CHUNK = 1 << 20


@dataclass(frozen=True)
class Swatch:
    """How one kind of page looks: a colour and, in cells large enough for it, a texture (``hatch``,
    ``dot``, ``frame`` or none); where there is no colour a ``symbol``, without one the next free letter."""

    label: str
    color: RGB
    texture: str = ""
    symbol: str = ""


@dataclass(frozen=True)
class Tick:
    """A label under the colour bar at 0..1."""

    at: float
    label: str


@dataclass(frozen=True)
class Scale:
    """A colour bar: its codes are 0..len(colors)-1. ``sub`` is a second row of labels."""

    title: str
    colors: npt.NDArray[np.uint8]
    ticks: tuple[Tick, ...]
    sub_title: str = ""
    sub: tuple[Tick, ...] = ()


@dataclass
class Painting:
    """One window of a file, painted by one mode."""

    codes: Codes
    """A code for every page: below ``first_swatch`` a step of the scale, else a swatch."""
    swatches: dict[int, Swatch]
    """By code, in legend order."""
    scale: Scale | None = None
    scale_label: str = ""
    """What the pages on the scale are, for the legend."""
    levels: Codes | None = None
    """Fill of every page, 0..255; codes listed in ``filled`` are drawn as bars."""
    filled: frozenset[int] = frozenset()

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """Pages by code."""
        return np.bincount(self.codes, minlength=256)

    @property
    def n_pages(self) -> int:
        return len(self.codes)

    @property
    def n_scaled(self) -> int:
        """Pages on the scale."""
        return int(self.counts[: len(self.scale.colors)].sum()) if self.scale else 0

    def legend(self) -> list[tuple[Swatch, int]]:
        """Swatches that occur, with their pages; with the pages on the scale they sum to the window."""
        return [(s, int(self.counts[code])) for code, s in self.swatches.items() if self.counts[code]]


@dataclass(frozen=True)
class Scope:
    """What is to be painted: a window of a file, one index or all, with the colours all files share."""

    survey: Survey
    start: int
    stop: int
    index: Index | None
    theme: Theme
    ranks: dict[int, int]
    """Index ordinal -> rank of its hue."""

    @property
    def window(self) -> slice:
        return slice(self.start, self.stop)

    @property
    def n_pages(self) -> int:
        return self.stop - self.start

    @property
    def page_class(self) -> Codes:
        return self.survey.page_class[self.window]

    @property
    def owner(self) -> npt.NDArray[np.int32]:
        return self.survey.owner[self.window]

    @cached_property
    def stale(self) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.survey.state[self.window] == PageState.STALE
        return found

    @property
    def live(self) -> npt.NDArray[np.bool_]:
        found: npt.NDArray[np.bool_] = self.survey.state[self.window] == PageState.LIVE
        return found

    def label(self, index: Index) -> str:
        """Name of an index, with its table where the file holds several."""
        return index_label(self.survey, index)

    def indexes(self) -> list[Index]:
        """The indexes whose pages are on the scale."""
        return [self.index] if self.index else self.survey.user_indexes

    def leaf_mask(self) -> npt.NDArray[np.bool_]:
        """Leaf pages of the window that are on the scale."""
        mask: npt.NDArray[np.bool_] = self.page_class == PageClass.LEAF
        return self.of_index(mask)

    def of_index(self, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """``mask`` without the pages of other indexes than the selected one."""
        return mask & (self.owner == self.index.ordinal) if self.index else mask

    def chunks(self, mask: npt.NDArray[np.bool_]) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
        """The pages of ``mask`` in pieces: positions in the window and page numbers (int64)."""
        for first in range(0, self.n_pages, CHUNK):
            at = np.flatnonzero(mask[first : first + CHUNK]) + first
            if len(at):
                yield at, at + self.start


def index_label(survey: Survey, index: Index) -> str:
    """Name of an index, with its table where the file holds several."""
    tables = {i.table for i in survey.user_indexes}
    return f"{index.table}.{index.name}" if len(tables) > 1 and index.table else index.name


def hue_ranks(survey: Survey) -> dict[int, int]:
    """Index ordinal -> rank among the table's indexes, in the order of their ids."""
    return {
        index.ordinal: rank
        for rank, index in enumerate(i for i in survey.user_indexes if i.root_page_no is not None)
    }
