"""The parts of a comparison and where they go: maps with their legends and curves, histograms, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ibdscan.errors import UsageError
from ibdscan.measures.file.compare import Comparison, IndexPair, MetricRow
from ibdscan.views.images.map import score
from ibdscan.views.images.numbers import difference_table
from ibdscan.views.images.panels import ComparePicture, File, Row, file_head, row_head
from ibdscan.views.images.parts.blocks import (
    Block,
    Sizes,
    colour_bar,
    escapes_note,
    heading,
    legend,
    measure,
    paragraph,
    stack,
)
from ibdscan.views.images.parts.canvas import Canvas
from ibdscan.views.images.parts.charts import file_color, histograms, order_curve
from ibdscan.views.images.parts.draw import draw_grid, grid_notes
from ibdscan.views.images.parts.grid import Grid, grids
from ibdscan.views.images.parts.raster import BAR_CELL
from ibdscan.views.images.parts.theme import Theme

SIDE_BY_SIDE = 4
"""Up to so many files two tables of numbers fit side by side."""
MOST_INDEXES = 2
"""Indexes with a histogram and a table of their own."""


class Sheet:
    """A comparison to be drawn."""

    def __init__(
        self,
        files: list[File],
        comparisons: list[Comparison],
        rows: list[Row],
        width: int,
        title: str | None,
        theme: Theme,
    ) -> None:
        self.files, self.comparisons, self.rows, self.width, self.theme = files, comparisons, rows, width, theme
        self.sizes = sizes = Sizes.of_width(width)
        self.small = replace(sizes, body=sizes.small)
        self.title = title or " and ".join([", ".join(f.label for f in files[:-1]), files[-1].label])
        self.margin = round(sizes.body * 2)
        self.inner = width - 2 * self.margin
        self.gap = round(sizes.body * 1.6)
        self.column_gap = round(sizes.body * 2.4)
        self.column = (self.inner - (len(files) - 1) * self.column_gap) // len(files)
        self.side = round(sizes.body * 15)
        """Least width of what stands beside a map."""
        self.grids: list[Grid] = []
        self.origins: list[list[tuple[int, int]]] = []
        main = files[0].main
        self.has_curve = main is not None and main.has_leaf
        names = [row.mode.name for row in rows]
        self.curve_row = names.index("order") if "order" in names else len(rows) - 1

    def draw(self, cell: int | None, canvas_type: type[Canvas] = Canvas) -> ComparePicture:
        """Choose the grids, measure on a scratch canvas, then draw."""
        self.grids = self._choose(cell)
        height = self._all(Canvas.scratch(self.theme))
        canvas = canvas_type.blank(self.width, height + self.margin, self.theme)
        self._all(canvas)
        return ComparePicture(canvas, self.rows, self.grids, self.origins)

    # what goes where

    def _choose(self, cell: int | None) -> list[Grid]:
        """One cell size and strip height for all files: what suits the whole picture best."""
        largest = max(f.survey.n_pages for f in self.files)
        extents = [f.survey.space.geometry.extent_pages for f in self.files]
        found = list(grids(0, largest, min(extents), self.column, self.sizes.axis, cell))
        if not found:
            raise UsageError(f"{len(self.files)} maps do not fit a picture {self.width} pixels wide")
        n_rows = len(self.rows)
        self.grids = [found[0]] * len(self.files)
        rest = self._all(Canvas.scratch(self.theme)) - self._maps_height(found[0])
        n_maps = n_rows * len(self.files)
        best = max(found, key=lambda g: score(g, self.width, rest + self._maps_height(g), n_maps))
        return [
            replace(best, stop=f.survey.n_pages, extent_pages=e) for f, e in zip(self.files, extents, strict=True)
        ]

    def _side_width(self, grid: Grid) -> int:
        """Room beside a map, 0 where it is too little."""
        room = self.column - grid.width - self.gap
        return room if room >= self.side else 0

    def _maps_height(self, grid: Grid) -> int:
        """Height of all rows of maps with what goes with them, were ``grid`` the largest file's."""
        side = self._side_width(grid)
        total = 0
        for at in range(len(self.rows)):
            heights = [
                max(measure(b, side or self.column, self.theme) for b in blocks)
                for blocks in self._companions(at, [grid] * len(self.files))
            ]
            other = sum(heights) + self.gap * (len(heights) - 1)
            total += max(grid.height, other) if side else grid.height + self.gap // 2 + other
        return total

    def _companions(self, at: int, grids: Sequence[Grid]) -> list[list[Block]]:
        """What goes with the maps of a row, a block a file: legends, and once the order as a curve."""
        blocks = [[self._legend(at, n, grid) for n, grid in enumerate(grids)]]
        if at == self.curve_row and self.has_curve:
            blocks.append([self._curve(n) for n in range(len(grids))])
        return blocks

    def _legend(self, at: int, n: int, grid: Grid) -> Block:
        row = self.rows[at]
        painting = row.paintings[n]
        parts = [legend(painting, self.small, bars=grid.cell >= BAR_CELL and grid.per_cell == 1)]
        if row.mode.name == "lsn" and painting.scale:
            parts.insert(0, colour_bar(painting.scale, self.small))
        return stack(parts, 4)

    def _curve(self, n: int) -> Block:
        file = self.files[n]
        most = max(f.survey.n_pages for f in self.files)
        chain = file.main.leaf.chain if file.main and file.main.has_leaf else None
        title = paragraph("key order (up) by page number (across)", self.sizes.small, self.theme.muted)
        high = round(self.sizes.body * 15)
        return stack([title, order_curve(chain, most, file_color(n), self.sizes, high)], 8)

    # the parts, from the top down

    def _all(self, canvas: Canvas) -> int:
        """Draw everything; returns the y below."""
        gap, x = self.gap, self.margin
        y = canvas.paragraph(x, self.margin, self.title, self.sizes.title, self.inner) + 2
        if len(self.files) == 2 and self.comparisons[1].summary:
            text = " ".join(self.comparisons[1].summary)
            y = canvas.paragraph(x, y, text, self.sizes.body, self.inner, self.theme.muted)
        y = (
            self._across(canvas, [file_head(f, n, self.sizes) for n, f in enumerate(self.files)], y + gap // 2)
            + gap // 2
        )
        self.origins = []
        for at, row in enumerate(self.rows):
            y = row_head(row, self.files[0].main, self.sizes)(canvas, x, y, self.inner) + gap // 2
            y = self._maps(canvas, at, y) + gap
        canvas.line((x, y, x + self.inner, y), self.theme.line)
        y = self._bottom(canvas, y + gap // 2)
        return self._notes()(canvas, x, y, self.inner)

    def column_x(self, n: int) -> int:
        """Left of the n-th file's column."""
        return self.margin + n * (self.column + self.column_gap)

    def _across(self, canvas: Canvas, blocks: Sequence[Block], y: int) -> int:
        """One block a file, side by side."""
        return max(block(canvas, self.column_x(n), y, self.column) for n, block in enumerate(blocks))

    def _maps(self, canvas: Canvas, at: int, y: int) -> int:
        """One row of maps, each with its companions."""
        widest = max(self.grids, key=lambda g: g.width)
        side = self._side_width(widest)
        below = y + max(g.height for g in self.grids)
        self.origins.append([(self.column_x(n), y) for n in range(len(self.files))])
        companions = self._companions(at, self.grids)
        if not canvas.is_scratch:
            for n, grid in enumerate(self.grids):
                draw_grid(canvas, grid, self.rows[at].paintings[n], self.column_x(n), y)
        if not side:
            for blocks in companions:
                below = self._across(canvas, blocks, below + self.gap // 2) + self.gap // 2
            return below - self.gap // 2
        beside = [
            stack([blocks[n] for blocks in companions], self.gap)(
                canvas, self.column_x(n) + self.column - side, y + self.grids[n].axis_height // 2, side
            )
            for n in range(len(self.files))
        ]
        return max(below, *beside)

    def _pairs(self) -> list[list[IndexPair]]:
        """Shared indexes, the main one first: a pair (with the first file) for every file."""
        main = self.files[0].main
        shared = []
        for pair in self.comparisons[0].indexes:
            own = [next((p for p in c.indexes if p.a is pair.a), None) for c in self.comparisons]
            found = [p for p in own if p is not None and p.b is not None and p.b.has_leaf]
            if pair.a is not None and pair.a.has_leaf and len(found) == len(self.files):
                shared.append(found)
        return sorted(shared, key=lambda pairs: pairs[0].a is not main)

    def _bottom(self, canvas: Canvas, y: int) -> int:
        """Histograms and tables of numbers, in columns."""
        shared = self._pairs()[:MOST_INDEXES]
        n_files = len(self.files)
        columns = 3 if n_files == 2 and self.inner >= 1100 else 2 if self.inner >= 800 else 1
        width = (self.inner - (columns - 1) * self.column_gap) // columns
        charts = [self._histogram(pairs, round(width * (0.36 if columns == 3 else 0.22))) for pairs in shared]
        tables = [self._table(_name(pairs), [p.rows for p in pairs]) for pairs in shared]
        tables.append(self._table("File", [c.rows for c in self.comparisons]))
        if columns == 3:
            return self._in_columns(canvas, [charts, tables[:1], tables[1:]], width, y)
        if charts:
            y = self._in_columns(canvas, [[c] for c in charts] if columns == 2 else [charts], width, y)
        if columns == 2 and n_files <= SIDE_BY_SIDE:
            return self._in_columns(canvas, [tables[0::2], tables[1::2]], width, y)
        return self._in_columns(canvas, [tables], self.inner, y)

    def _histogram(self, pairs: Sequence[IndexPair], height: int) -> Block:
        counts = [p.b.leaf.histogram if p.b and p.b.has_leaf else None for p in pairs]
        return histograms(f"Fill of the leaf pages of {_name(pairs)}", counts, self.sizes, height)

    def _table(self, name: str, rows: Sequence[Sequence[MetricRow]]) -> Block:
        return stack([heading(name, self.sizes), difference_table(rows, self.sizes)], 6)

    def _in_columns(self, canvas: Canvas, parts: Sequence[Sequence[Block]], width: int, y: int) -> int:
        bottom = y
        for at, blocks in enumerate(parts):
            x = self.margin + at * (width + self.column_gap)
            bottom = max(bottom, stack(blocks, self.gap)(canvas, x, y, width))
        return bottom + self.gap

    def _notes(self) -> Block:
        notes = list(dict.fromkeys(n for row in self.rows for n in grid_notes(self.grids[0], row.paintings[0])))
        if len(self.files) > 2:
            notes.append("Differences are to file A.")
        notes += escapes_note([f.survey for f in self.files], self.title)
        return paragraph(" ".join(notes), self.sizes.small, self.theme.muted)


def _name(pairs: Sequence[IndexPair]) -> str:
    return pairs[0].a.name if pairs[0].a else pairs[0].name
