"""The grid of a map in characters: how many pages a cell stands for, and the code of each dot of a cell.

A dot is what has a colour of its own: in colour one half of a character (two a line), else a character.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ibdscan.errors import UsageError
from ibdscan.views.images.parts.painting import BLANK, Codes
from ibdscan.views.images.parts.raster import reduce_codes
from ibdscan.views.terminal.screen import Screen

LEAST_COLUMNS = 8
"""Cells a row at least."""
LARGE_LINES = 12
"""Cells of several characters only where the map stays this short."""
REDUCED = 4
"""Columns of a cell that stands for several pages; it is as high as it is wide."""
MOST_LINES = 1000


@dataclass(frozen=True)
class Layout:
    """Rows of ``row_cells`` cells of ``per_cell`` pages; a cell is ``wide`` x ``high`` dots, a line has
    ``line_dots`` dots one above the other."""

    start: int
    stop: int
    extent_pages: int
    per_cell: int
    row_cells: int
    wide: int
    high: int
    line_dots: int

    @property
    def row_pages(self) -> int:
        return self.row_cells * self.per_cell

    @property
    def first_page(self) -> int:
        return self.start // self.row_pages * self.row_pages

    @property
    def n_rows(self) -> int:
        return max(1, -(-(self.stop - self.first_page) // self.row_pages))

    @property
    def n_lines(self) -> int:
        return -(-self.n_rows * self.high // self.line_dots)

    @property
    def columns(self) -> int:
        """Columns that the cells take; the only row of a small file may be shorter."""
        cells = self.row_cells
        if self.n_rows == 1:
            cells = min(cells, -(-(self.stop - self.first_page) // self.per_cell))
        return cells * self.wide

    @property
    def dots(self) -> int:
        """Dots of a cell."""
        return self.wide * self.high

    @property
    def label_width(self) -> int:
        return len(f"{max(self.stop - 1, 0):,}") + 1

    def first_page_of_line(self, line: int) -> int | None:
        """Page number of the first row that begins in a line."""
        row = -(-line * self.line_dots // self.high)
        begins_here = row * self.high < (line + 1) * self.line_dots and row < self.n_rows
        return self.first_page + row * self.row_pages if begins_here else None


def fit_layout(start: int, stop: int, extent_pages: int, screen: Screen, *, cell: int | None = None) -> Layout:
    """The layout that suits the screen's width (page numbers included) and lines: one cell a page where it can be,
    larger cells for few pages. ``cell`` asks for cells of so many columns. Raises UsageError."""
    if cell is not None and not 1 <= cell <= 64:
        raise UsageError(f"a cell is 1 to 64 columns, not {cell}")
    lines = screen.lines
    room = screen.width - len(f"{max(stop - 1, 0):,}") - 1
    line_dots = 2 if screen.colored else 1
    found: Layout | None = None
    for wide, row_cells, most in _whole(extent_pages, lines, cell):
        layout = Layout(start, stop, extent_pages, 1, row_cells, wide, _high(wide, line_dots), line_dots)
        if layout.columns <= room and layout.n_lines <= most:
            found = layout
            break
    if found is None and cell is None:
        found = _reduced(start, stop, extent_pages, room, lines, line_dots)
    if found is None:
        raise UsageError(
            f"a map of {stop - start:,} pages does not fit {screen.width} columns"
            + (f" with cells of {cell}" if cell else "")
        )
    return found


def _high(wide: int, line_dots: int) -> int:
    """Dots that make a cell as high as it is wide: a character is twice as high as wide."""
    return wide if line_dots == 2 else max(1, wide // 2)


def _whole(extent_pages: int, lines: int, cell: int | None) -> Iterator[tuple[int, int, int]]:
    """Cells of one page to try, best first: (columns of a cell, cells a row, most lines)."""
    rows = [extent_pages, 2 * extent_pages, 4 * extent_pages]
    parts = [extent_pages >> k for k in range(1, 9) if extent_pages >> k >= LEAST_COLUMNS]
    if cell is not None:
        yield from ((cell, row, MOST_LINES) for row in [extent_pages, *parts])
        return
    for wide in (4, 2):
        yield from ((wide, row, LARGE_LINES) for row in [extent_pages, *(p for p in parts if p >= 32)])
    yield from ((1, row, lines) for row in [*rows, *parts])


def _reduced(start: int, stop: int, extent_pages: int, room: int, lines: int, line_dots: int) -> Layout | None:
    high = _high(REDUCED, line_dots)
    row_cells = 1 << max(0, (room // REDUCED).bit_length() - 1)
    if row_cells * REDUCED > room or row_cells * REDUCED < LEAST_COLUMNS:
        return None
    for power in range((REDUCED * high).bit_length() - 1, 40):
        layout = Layout(start, stop, extent_pages, 1 << power, row_cells, REDUCED, high, line_dots)
        if layout.n_lines <= lines:
            return layout
    return None


def dot_codes(codes: Codes, kinds: list[tuple[int, int]], layout: Layout) -> Codes:
    """The code of each dot, uint8 (lines * dots a line, columns); ``BLANK`` where there is no page.

    Cells of several pages follow the rule of the pictures: the pages of a cell sorted by colour, each dot an
    equal share, from the bottom up; a kind of page too rare for a dot still gets one.
    """
    lead = layout.start - layout.first_page
    n_cells = layout.n_rows * layout.row_cells
    if layout.per_cell == 1:
        cells = np.full(n_cells, BLANK, np.uint8)
        cells[lead : lead + len(codes)] = codes
        whole = cells.reshape(layout.n_rows, layout.row_cells)
        dots = whole.repeat(layout.high, axis=0).repeat(layout.wide, axis=1)
    else:
        found = reduce_codes(codes, lead, n_cells, layout.per_cell, layout.dots, kinds)
        shaped = found.reshape(layout.n_rows, layout.row_cells, layout.high, layout.wide)[:, :, ::-1]
        dots = shaped.transpose(0, 2, 1, 3).reshape(layout.n_rows * layout.high, layout.row_cells * layout.wide)
    out = np.full((layout.n_lines * layout.line_dots, layout.columns), BLANK, np.uint8)
    out[: len(dots)] = dots[:, : layout.columns]
    return out
