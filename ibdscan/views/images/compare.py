"""The picture that compares two to six files of one table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PIL import Image

from ibdscan.errors import UsageError
from ibdscan.measures.compare import Comparison, IndexPair, compare_surveys
from ibdscan.measures.index import Index
from ibdscan.measures.survey import Survey
from ibdscan.views.images.blocks import (
    ALARM,
    Block,
    Sizes,
    colour_bar,
    escapes_note,
    file_facts,
    heading,
    legend,
    measure,
    paragraph,
    stack,
)
from ibdscan.views.images.canvas import Canvas, line_height
from ibdscan.views.images.charts import file_color, histograms, letter, order_curve
from ibdscan.views.images.draw import draw_grid, grid_notes
from ibdscan.views.images.grid import Grid, grids
from ibdscan.views.images.map import check_size, clustered_index, score
from ibdscan.views.images.modes import MODES, Mode, mode_named
from ibdscan.views.images.numbers import difference_table
from ibdscan.views.images.painting import Painting, Scope, hue_ranks
from ibdscan.views.images.raster import BAR_CELL
from ibdscan.views.images.theme import Theme, theme_named
from ibdscan.views.units import ratio_text

MAX_FILES = 6
OF_ONE_INDEX = ("fill", "order", "garbage", "level")
"""Modes that show the main index alone, so that the picture, the histogram and the curve are of the same pages."""


@dataclass(frozen=True)
class File:
    """One of the files, with the index that is compared first."""

    survey: Survey
    label: str
    main: Index | None
    ranks: dict[int, int]


@dataclass(frozen=True)
class Row:
    """One row of maps."""

    mode: Mode
    paintings: list[Painting]


@dataclass(frozen=True)
class ComparePicture:
    """A comparison as drawn, with what the tests ask of it."""

    canvas: Canvas
    rows: list[Row]
    grids: list[Grid]
    origins: list[list[tuple[int, int]]]
    """Top left of the grids: a list a row, an entry a file."""


def draw_compare(
    surveys: Sequence[Survey],
    by: str | None = None,
    *,
    index: str | int | None = None,
    width: int = 1600,
    cell: int | None = None,
    title: str | None = None,
    theme: str = "light",
) -> Image.Image:
    """Draw two to six files side by side: maps with one cell size and the same colours and scales, the order as
    a curve, fill histograms on shared axes, and the numbers with their differences.

    ``by`` is a mode of :func:`draw_map`; without it there are two rows of maps, fill and order. ``index`` is the
    index that is compared first, the clustered one without it. Raises UsageError for what it does not know.
    """
    return compare_picture(surveys, by, index=index, width=width, cell=cell, title=title, theme=theme).canvas.image


def compare_picture(
    surveys: Sequence[Survey],
    by: str | None = None,
    *,
    index: str | int | None = None,
    width: int = 1600,
    cell: int | None = None,
    title: str | None = None,
    theme: str = "light",
) -> ComparePicture:
    """Draw a comparison; see :func:`draw_compare`."""
    if not 2 <= len(surveys) <= MAX_FILES:
        raise UsageError(f"a comparison is of 2 to {MAX_FILES} files, not {len(surveys)}")
    check_size(width, cell)
    colors = theme_named(theme)
    comparisons = [compare_surveys(surveys[0], s) for s in surveys]
    files = _files(surveys, comparisons, index)
    modes = [mode_named(by)] if by else [MODES[m] for m in (("fill", "order") if files[0].main else ("index",))]
    rows = [Row(mode, [_paint(mode, f, colors, only=index is not None) for f in files]) for mode in modes]
    return _Layout(files, comparisons, rows, Sizes.of_width(width), width, cell, title, colors).draw()


def _paint(mode: Mode, file: File, theme: Theme, *, only: bool) -> Painting:
    one = file.main if only or mode.name in OF_ONE_INDEX else None
    return mode.paint(Scope(file.survey, 0, file.survey.n_pages, one, theme, file.ranks))


def _files(surveys: Sequence[Survey], comparisons: Sequence[Comparison], index: str | int | None) -> list[File]:
    """Files with their labels, the counterparts of the main index, and one hue for an index in all files."""
    first = surveys[0]
    main = first.index(index) if index is not None else clustered_index(first)
    ranks = hue_ranks(first)
    files = []
    free = max(ranks.values(), default=-1) + 1
    known: dict[str, int] = {}
    for survey, label, comparison in zip(surveys, labels([s.path for s in surveys]), comparisons, strict=True):
        own: dict[int, int] = {}
        counterpart = None
        for pair in comparison.indexes:
            if pair.b is None:
                continue
            if pair.a is not None and pair.a.ordinal in ranks:
                own[pair.b.ordinal] = ranks[pair.a.ordinal]
            elif pair.b.root_page_no is not None:
                if pair.name not in known:
                    known[pair.name], free = free, free + 1
                own[pair.b.ordinal] = known[pair.name]
            if main is not None and pair.a is main:
                counterpart = pair.b
        files.append(File(survey, label, counterpart, own))
    return files


def labels(paths: Sequence[str]) -> list[str]:
    """File names, with as much of their folders as tells them apart."""
    parts = [os.path.normpath(p).split(os.sep) for p in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(set(map(os.path.normpath, paths))):
            break
    return names


class _Layout:
    """Sizes and places of a comparison's parts."""

    def __init__(
        self,
        files: list[File],
        comparisons: list[Comparison],
        rows: list[Row],
        sizes: Sizes,
        width: int,
        cell: int | None,
        title: str | None,
        theme: Theme,
    ) -> None:
        self.files, self.rows, self.sizes, self.width, self.theme = files, rows, sizes, width, theme
        self.comparisons = comparisons
        self.title = title or " and ".join(
            [", ".join(dict.fromkeys(f.label for f in files[:-1])), files[-1].label]
        )
        self.margin = round(sizes.body * 2)
        self.inner = width - 2 * self.margin
        self.gap = round(sizes.body * 1.6)
        self.column_gap = round(sizes.body * 2.4)
        n = len(files)
        self.column = (self.inner - (n - 1) * self.column_gap) // n
        self.curve_height = round(min(self.column * 0.36, width * 0.15))
        self.grids = self._choose(cell)

    def column_x(self, n: int) -> int:
        """Left of the n-th file's column."""
        return self.margin + n * (self.column + self.column_gap)

    def _choose(self, cell: int | None) -> list[Grid]:
        """One cell size and strip height for all files: what suits the whole picture best."""
        largest = max(f.survey.n_pages for f in self.files)
        extents = [f.survey.space.geometry.extent_pages for f in self.files]
        found = list(grids(0, largest, min(extents), self.column, self.sizes.axis, cell))
        if not found:
            raise UsageError(f"{len(self.files)} maps do not fit a picture {self.width} pixels wide")
        self.grids = [found[0]] * len(self.files)
        n_rows = len(self.rows)
        rest = self._all(Canvas.blank(1, 1, self.theme))[0] - n_rows * found[0].height
        n_maps = n_rows * len(self.files)
        best = max(found, key=lambda g: score(g, self.width, rest + n_rows * g.height, n_maps))
        return [replace(best, stop=f.survey.n_pages, extent_pages=e) for f, e in zip(self.files, extents, strict=True)]

    def _across(self, canvas: Canvas, blocks: Sequence[Block], y: int) -> int:
        """One block a file, side by side."""
        return max(block(canvas, self.column_x(n), y, self.column) for n, block in enumerate(blocks))

    def _file_head(self, n: int) -> Block:
        file = self.files[n]
        sizes = self.sizes

        def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
            side = sizes.sub
            canvas.pen.rectangle((x, y + 3, x + side, y + 3 + side), fill=file_color(n))
            canvas.text(x + side / 2 + 0.5, y + 3 + side * 0.08, letter(n), round(side * 0.8), (255, 255, 255), "center")
            y = canvas.paragraph(x + side + 8, y, file.label, sizes.sub, width - side - 8)
            y = canvas.paragraph(x, y, " · ".join(file_facts(file.survey)), sizes.small, width, canvas.theme.muted)
            if file.survey.findings:
                text = f"{len(file.survey.findings):,} findings: numbers may be too low"
                y = canvas.paragraph(x, y, text, sizes.small, width, ALARM)
            if file.main and file.main.has_leaf:
                leaf = file.main.leaf
                text = (
                    f"{file.main.name}: {leaf.pages:,} leaf pages, fill {ratio_text(leaf.fill)}, "
                    f"contiguous {ratio_text(leaf.contiguous)}"
                )
                y = canvas.paragraph(x, y, text, sizes.body, width)
            return y

        return draw

    def _row_head(self, row: Row) -> Block:
        """Title of a row of maps, with its scale at the right."""
        main = self.files[0].main
        scale = next((p.scale for p in row.paintings if p.scale), None)
        title = row.mode.title[:1].upper() + row.mode.title[1:]
        if main is not None and row.mode.name in OF_ONE_INDEX:
            title += f" of {main.name}"

        def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
            canvas.pen.line((x, y, x + width, y), fill=canvas.theme.line)
            y += 10
            bar = min(round(self.sizes.body * 32), width // 2)
            room = width - bar - self.column_gap if scale else width
            below = canvas.paragraph(x, y, title, self.sizes.sub, room)
            below = canvas.paragraph(x, below, row.mode.explanation, self.sizes.small, room, canvas.theme.muted)
            # scales of LSN differ from file to file: each file has its own below its map
            if scale and row.mode.name != "lsn":
                below = max(below, colour_bar(scale, self.sizes)(canvas, x + width - bar, y, bar))
            return below

        return draw

    def _legends(self, row: Row) -> list[Block]:
        small = replace(self.sizes, body=self.sizes.small)
        out = []
        for painting, grid in zip(row.paintings, self.grids, strict=True):
            bars = grid.cell >= BAR_CELL and grid.per_cell == 1
            parts = [legend(painting, small, bars=bars)]
            if row.mode.name == "lsn" and painting.scale:
                parts.insert(0, colour_bar(painting.scale, small))
            out.append(stack(parts, 4))
        return out

    def _curves(self) -> list[Block]:
        most = max(f.survey.n_pages for f in self.files)
        return [
            order_curve(
                f.main.leaf.chain if f.main and f.main.has_leaf else None,
                most,
                file_color(n),
                self.sizes,
                self.curve_height,
                self.column,
            )
            for n, f in enumerate(self.files)
        ]

    def _pairs(self) -> list[list[IndexPair]]:
        """Shared indexes, the main one first: a pair (with the first file) for every file."""
        first = self.comparisons[0].indexes
        main = self.files[0].main
        shared = []
        for pair in first:
            own = [next((p for p in c.indexes if p.a is pair.a), None) for c in self.comparisons]
            found = [p for p in own if p is not None and p.b is not None and p.b.has_leaf]
            if pair.a is not None and pair.a.has_leaf and len(found) == len(self.files):
                shared.append(found)
        return sorted(shared, key=lambda pairs: pairs[0].a is not main)

    def _bottom(self, canvas: Canvas, y: int) -> int:
        """Histograms and tables of numbers, in columns."""
        shared = self._pairs()
        two = len(self.files) == 2
        columns = 3 if two and self.width >= 1100 else 2 if self.width >= 900 else 1
        width = (self.inner - (columns - 1) * self.column_gap) // columns
        charts = [
            histograms(
                f"Fill of the leaf pages of {pairs[0].a.name if pairs[0].a else ''}",
                [p.b.leaf.histogram if p.b and p.b.has_leaf else None for p in pairs],
                self.sizes,
                round(width * 0.34),
            )
            for pairs in shared[:2]
        ]
        tables = [
            stack([heading(pairs[0].a.name if pairs[0].a else "", self.sizes), difference_table([p.rows for p in pairs], self.sizes)], 6)
            for pairs in shared[:2]
        ]
        files = stack([heading("File", self.sizes), difference_table([c.rows for c in self.comparisons], self.sizes)], 6)
        if columns == 3:
            parts = [charts, tables[:1] + [files] if len(tables) < 2 else tables[:1], [*tables[1:], files] if len(tables) > 1 else []]
            return self._in_columns(canvas, parts, width, y)
        y = self._in_columns(canvas, [[c] for c in charts], width, y) if charts else y
        for block in [*tables, files]:
            y = block(canvas, self.margin, y, self.inner) + self.gap
        return y - self.gap

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

    def _all(self, canvas: Canvas) -> tuple[int, list[list[tuple[int, int]]]]:
        sizes, gap = self.sizes, self.gap
        y = canvas.paragraph(self.margin, self.margin, self.title, sizes.title, self.inner) + gap // 2
        y = self._across(canvas, [self._file_head(n) for n in range(len(self.files))], y) + gap
        origins = []
        for row in self.rows:
            y = self._row_head(row)(canvas, self.margin, y, self.inner) + gap // 2
            at = [(self.column_x(n), y) for n in range(len(self.files))]
            origins.append(at)
            if canvas.image.width > 1:
                for (x, top), grid, painting in zip(at, self.grids, row.paintings, strict=True):
                    draw_grid(canvas, grid, painting, x, top)
            y = max(y + grid.height for grid in self.grids) + gap // 2
            y = self._across(canvas, self._legends(row), y) + gap
        main = self.files[0].main
        if main is not None and main.has_leaf:
            title = f"Place in key order of each leaf page of {main.name}, against its page number: a file in order is a line"
            canvas.pen.line((self.margin, y, self.margin + self.inner, y), fill=self.theme.line)
            y = canvas.paragraph(self.margin, y + 10, title, sizes.sub, self.inner) + gap // 2
            y = self._across(canvas, self._curves(), y) + gap
        canvas.pen.line((self.margin, y, self.margin + self.inner, y), fill=self.theme.line)
        y = self._bottom(canvas, y + 10) + gap // 2
        return self._notes()(canvas, self.margin, y, self.inner), origins

    def draw(self) -> ComparePicture:
        """Measure on a scratch canvas, then draw."""
        height, _ = self._all(Canvas.blank(1, 1, self.theme))
        canvas = Canvas.blank(self.width, height + self.margin, self.theme)
        _, origins = self._all(canvas)
        return ComparePicture(canvas, self.rows, self.grids, origins)


