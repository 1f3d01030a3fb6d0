"""The grid of a map: how many pages a cell stands for, how large it is, and where on the picture it lies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibdscan.views.images.parts.canvas import text_width

STRIP_GAP = 22
LABEL_GAP = 6
REDUCED_CELL = 4
"""Pixels along a cell that stands for several pages."""
MAX_CELL = 20
MIN_CELL = 2


@dataclass(frozen=True)
class Grid:
    """Rows of ``row_cells`` cells of ``per_cell`` pages, cut into strips that stand side by side."""

    start: int
    stop: int
    extent_pages: int
    cell: int
    per_cell: int
    row_cells: int
    strip_rows: int
    font: int
    spread: int = 0
    """Pixels added to the gap between strips."""

    @property
    def row_pages(self) -> int:
        return self.row_cells * self.per_cell

    @property
    def first_page(self) -> int:
        """Page of the first cell: the start of the row that holds the window's first page."""
        return self.start // self.row_pages * self.row_pages

    @property
    def n_rows(self) -> int:
        return max(1, -(-(self.stop - self.first_page) // self.row_pages))

    @property
    def extent_rows(self) -> int:
        """Rows that one extent takes; 1 where a row holds one extent or several."""
        return max(1, self.extent_pages // self.row_pages)

    @property
    def n_strips(self) -> int:
        return -(-self.n_rows // self.strip_rows)

    @property
    def row_gap(self) -> int:
        """Pixels between extents."""
        return 2 if self.cell >= 9 else 1 if self.cell >= 4 and self.per_cell == 1 else 0

    @cached_property
    def label_width(self) -> int:
        return text_width(f"{max(self.stop - 1, 0):,}", self.font) + LABEL_GAP

    @property
    def axis_height(self) -> int:
        """Room above the strips for the page offsets in a row."""
        return round(self.font * 1.6) if self.strip_width >= 150 else 0

    @property
    def strip_width(self) -> int:
        return self.row_cells * self.cell

    def row_y(self, row: int) -> int:
        """Top of a row of a strip, from the strip's top."""
        return row * self.cell + row // self.extent_rows * self.row_gap

    def row_tops(self, n_rows: int) -> npt.NDArray[np.int64]:
        """:meth:`row_y` of the first rows."""
        return np.array([self.row_y(row) for row in range(n_rows)], np.int64)

    @property
    def strip_height(self) -> int:
        return self.row_y(min(self.strip_rows, self.n_rows) - 1) + self.cell

    @property
    def strip_gap(self) -> int:
        return STRIP_GAP + self.spread

    @property
    def width(self) -> int:
        return self.n_strips * (self.label_width + self.strip_width) + (self.n_strips - 1) * self.strip_gap + 2

    @property
    def height(self) -> int:
        return self.axis_height + self.strip_height + 2

    def strip_x(self, strip: int) -> int:
        """Left of a strip's cells, from the left of the grid."""
        return strip * (self.label_width + self.strip_width + self.strip_gap) + self.label_width + 1

    def cell_xy(self, page_no: int) -> tuple[int, int]:
        """Top left pixel of the cell of a page, from the top left of the grid."""
        row, at = divmod(page_no - self.first_page, self.row_pages)
        strip, row = divmod(row, self.strip_rows)
        return self.strip_x(strip) + at // self.per_cell * self.cell, self.axis_height + 1 + self.row_y(row)


def row_widths(extent_pages: int, per_cell: int) -> list[int]:
    """Cells a row: one extent, or an even part of at least 64 pages; 64 or 128 reduced cells."""
    if per_cell > 1:
        return [64, 128]
    return [extent_pages // part for part in (1, 2, 4) if extent_pages // part >= 64]


def grids(
    start: int, stop: int, extent_pages: int, width: int, font: int, cell: int | None = None
) -> Iterator[Grid]:
    """Every grid that fits ``width``, of all cell sizes: whole pages first, then cells of several pages."""
    cells = [cell] if cell else range(MAX_CELL, MIN_CELL - 1, -1)
    sizes = [(c, 1) for c in cells]
    reduced = [(cell or REDUCED_CELL, 1 << power) for power in range(3, 40)]
    for size, per_cell in [*sizes, *reduced]:
        if per_cell > 1 and per_cell * 64 > max(64, 2 * (stop - start)):
            return
        for row_cells in row_widths(extent_pages, per_cell):
            one = Grid(start, stop, extent_pages, size, per_cell, row_cells, 1, font)
            previous = 0
            for strips in range(1, 40):
                rows = -(-one.n_rows // strips)
                grid = replace(one, strip_rows=-(-rows // one.extent_rows) * one.extent_rows)
                if grid.width > width:
                    break
                if grid.n_strips != previous:
                    yield grid
                previous = grid.n_strips


def shape_penalty(width: int, height: int) -> float:
    """How far a picture is from the shapes that fit a page, 3:2 to 2:3; 0 within them. Too tall is worse."""
    ratio = height / width
    return 3.0 * max(0.0, math.log(ratio * 2 / 3)) + 0.7 * max(0.0, math.log(2 / 3 / ratio))
