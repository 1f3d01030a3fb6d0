"""The map of one file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise
from typing import Unpack

from PIL import Image

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.views.images.look import Choices, Look
from ibdscan.views.images.modes import mode_named
from ibdscan.views.images.parts.blocks import (
    Block,
    Sizes,
    colour_bar,
    escapes_note,
    file_numbers,
    header,
    heading,
    index_table,
    key_numbers,
    legend,
    measure,
    pairs,
    paragraph,
    stack,
)
from ibdscan.views.images.parts.canvas import Canvas
from ibdscan.views.images.parts.draw import draw_grid, grid_notes
from ibdscan.views.images.parts.grid import Grid, grids, shape_penalty
from ibdscan.views.images.parts.painting import Painting, Scope, hue_ranks, index_label
from ibdscan.views.images.parts.raster import BAR_CELL
from ibdscan.views.images.parts.theme import Theme, theme_named

MIN_WIDTH = 480
MAX_WIDTH = 20_000
LIKED_SHAPE = 0.8
"""Height by width of a picture, as far as there is a choice."""


@dataclass(frozen=True)
class Plan:
    """Where the parts of a picture go."""

    grid: Grid
    beside: bool
    """Legend beside the grid, else below it."""
    score: float


@dataclass(frozen=True)
class MapPicture:
    """A map as drawn, with what the tests ask of it."""

    canvas: Canvas
    painting: Painting
    grid: Grid
    origin: tuple[int, int]
    """Top left of the grid."""


def draw_map(survey: Survey, by: str = "index", **look: Unpack[Choices]) -> Image.Image:
    """Draw a map of the space: one cell a page, in file order, coloured by ``by``.

    ``by`` is one of ``index``, ``fill``, ``order``, ``lsn``, ``type``, ``segment``, ``level``, ``garbage``
    and ``state``; the rest are the fields of :class:`~ibdscan.views.images.look.Look`: ``index``, ``width``,
    ``cell``, ``pages``, ``title``, ``theme``. Raises UsageError for what it does not know.
    """
    return map_picture(survey, by, **look).canvas.image


def map_picture(
    survey: Survey, by: str = "index", canvas_type: type[Canvas] = Canvas, **choices: Unpack[Choices]
) -> MapPicture:
    """Draw a map; see :func:`draw_map`."""
    look = Look(**choices)
    mode, colors = mode_named(by), theme_named(look.theme)
    check_size(look)
    start, stop = window(survey, look.pages)
    chosen = survey.index(look.index) if look.index is not None else None
    painting = mode.paint(Scope(survey, start, stop, chosen, colors, hue_ranks(survey)))
    what = f"{mode.title} of {index_label(survey, chosen)}" if chosen else mode.title
    if (start, stop) != (0, survey.n_pages):
        what += f", pages {start:,} to {stop - 1:,}"
    head = header(survey, look.title, what, mode.explanation, Sizes.of_width(look.width))
    page = _Page(survey, painting, chosen, head, look)
    return page.draw(page.plan((start, stop), look.cell), canvas_type)


def check_size(look: Look) -> None:
    """Raise UsageError for sizes that make no picture."""
    if not MIN_WIDTH <= look.width <= MAX_WIDTH:
        raise UsageError(f"a picture is {MIN_WIDTH} to {MAX_WIDTH} pixels wide, not {look.width}")
    if look.cell is not None and not 1 <= look.cell <= 64:
        raise UsageError(f"a cell is 1 to 64 pixels, not {look.cell}")


def window(survey: Survey, pages: tuple[int, int] | None) -> tuple[int, int]:
    """The window of page numbers, cut to the file. Raises UsageError for one without pages."""
    start, stop = pages or (0, survey.n_pages)
    start, stop = max(0, start), min(stop, survey.n_pages)
    if start >= stop:
        raise UsageError(f"no pages {pages}: the file has pages 0 to {survey.n_pages - 1}", path=survey.path)
    return start, stop


def clustered_index(survey: Survey) -> Index | None:
    """The index that the key numbers are of: the clustered one with most leaf pages, else the first."""
    found = [i for i in survey.user_indexes if i.has_leaf]
    return max(found, key=lambda i: (i.clustered, i.leaf.pages), default=None)


class _Page:
    """A map to be laid out: header, grid, legend and numbers beside or below it, notes."""

    def __init__(self, survey: Survey, painting: Painting, chosen: Index | None, head: Block, look: Look) -> None:
        width = look.width
        self.survey, self.painting, self.chosen, self.width = survey, painting, chosen, width
        self.head, self.title, self.theme = head, look.title, theme_named(look.theme)
        self.sizes = sizes = Sizes.of_width(width)
        self.margin = round(sizes.body * 2)
        self.inner = width - 2 * self.margin
        self.gap = round(sizes.body * 1.6)
        self.column_gap = round(sizes.body * 2.4)
        self.side = min(round(sizes.body * 25), self.inner)
        self.columns = max(1, min(3, (self.inner + self.column_gap) // (self.side + self.column_gap)))
        self.column = (self.inner - (self.columns - 1) * self.column_gap) // self.columns

    def blocks(self, *, bars: bool) -> list[Block]:
        """Legend, indexes, file, the main index."""
        sizes, gap = self.sizes, 6
        bar = [colour_bar(self.painting.scale, sizes)] if self.painting.scale else []
        blocks = [stack([heading("Legend", sizes), *bar, legend(self.painting, sizes, bars=bars)], gap)]
        user = self.survey.user_indexes
        if user:
            blocks.append(stack([heading("Indexes", sizes), index_table(self.survey, sizes)], gap))
        blocks.append(stack([heading("File", sizes), pairs(file_numbers(self.survey), sizes)], gap))
        main = self.chosen or clustered_index(self.survey)
        if main is not None and main.has_leaf:
            name = f"{index_label(self.survey, main)}{' (clustered index)' if main.clustered else ''}"
            blocks.append(stack([heading(name, sizes), key_numbers(main, sizes)], gap))
        return blocks

    def plan(self, span: tuple[int, int], cell: int | None) -> Plan:
        """The best of all grids, with the legend beside or below it."""
        blocks = self.blocks(bars=False)
        side_h = measure(stack(blocks, self.gap), self.side, self.theme)
        below_h = max(h for _, h in _columns(blocks, self.columns, self.column, self.gap, self.theme))
        fixed = (
            2 * self.margin + measure(self.head, self.inner, self.theme) + self.gap + round(self.sizes.small * 4)
        )
        plans = []
        for grid in grids(*span, self.survey.space.geometry.extent_pages, self.inner, self.sizes.axis, cell):
            if grid.width <= self.inner - self.side - self.column_gap:
                height = fixed + max(grid.height, side_h)
                plans.append(Plan(grid, True, score(grid, self.width, height)))
            height = fixed + grid.height + self.gap + below_h
            plans.append(Plan(grid, False, score(grid, self.width, height)))
        if not plans:
            raise UsageError(f"cells of {cell} pixels do not fit a picture {self.width} pixels wide")
        return max(plans, key=lambda p: p.score)

    def draw(self, plan: Plan, canvas_type: type[Canvas]) -> MapPicture:
        """Draw it on a canvas of that type."""
        grid, margin, gap, side = plan.grid, self.margin, self.gap, 0
        if plan.beside:
            side = min(round(self.side * 1.25), self.inner - self.column_gap - grid.width)
            if grid.n_strips > 1:
                spare = self.inner - self.column_gap - side - grid.width
                grid = replace(grid, spread=min(60, spare // (grid.n_strips - 1)))
        blocks = self.blocks(bars=grid.cell >= BAR_CELL and grid.per_cell == 1)
        notes = [*grid_notes(grid, self.painting), *escapes_note([self.survey], self.title)]
        foot = paragraph(" ".join(notes), self.sizes.small, self.theme.muted)
        y = margin + measure(self.head, self.inner, self.theme) + gap
        if plan.beside:
            bottom = y + max(grid.height, measure(stack(blocks, gap), side, self.theme))
        else:
            dealt = _columns(blocks, self.columns, self.column, gap, self.theme)
            bottom = y + grid.height + gap + max(h for _, h in dealt)
        height = bottom + gap + measure(foot, self.inner, self.theme) + margin
        canvas = canvas_type.blank(self.width, height, self.theme)
        self.head(canvas, margin, margin, self.inner)
        draw_grid(canvas, grid, self.painting, margin, y)
        if plan.beside:
            stack(blocks, gap)(canvas, self.width - margin - side, y, side)
        else:
            for at, (numbers, _) in enumerate(dealt):
                x = margin + at * (self.column + self.column_gap)
                stack([blocks[n] for n in numbers], gap)(canvas, x, y + grid.height + gap, self.column)
        foot(canvas, margin, bottom + gap, self.inner)
        return MapPicture(canvas, self.painting, grid, (margin, y))


def _columns(
    blocks: Sequence[Block], columns: int, width: int, gap: int, theme: Theme
) -> list[tuple[list[int], int]]:
    """Blocks dealt to columns, in order, so that the longest column is as short as can be."""
    heights = [measure(block, width, theme) for block in blocks]
    columns = min(columns, len(blocks))
    best: list[tuple[list[int], int]] = []
    for cuts in combinations_with_replacement(range(len(blocks) + 1), columns - 1):
        edges = (0, *cuts, len(blocks))
        parts = [list(range(a, b)) for a, b in pairwise(edges)]
        dealt = [(part, sum(heights[n] for n in part) + gap * max(0, len(part) - 1)) for part in parts]
        if not best or max(h for _, h in dealt) < max(h for _, h in best):
            best = dealt
    return best


def score(grid: Grid, width: int, height: int, n_maps: int = 1) -> float:
    """How good ``n_maps`` maps of that grid are in a picture of that size: cells that take much of the picture,
    a shape that fits a page, whole extents in a row."""
    area = n_maps * (grid.stop - grid.start) / grid.per_cell * grid.cell**2
    shape = shape_penalty(width, height) + 0.3 * abs(math.log(height / width / LIKED_SHAPE))
    return math.log(area / (width * height)) - shape + (0.15 if grid.extent_rows == 1 else 0.0)
