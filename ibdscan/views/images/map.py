"""The map of one file."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, pairwise

from PIL import Image

from ibdscan.errors import UsageError
from ibdscan.measures.index import Index
from ibdscan.measures.survey import Survey
from ibdscan.views.images.blocks import (
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
from ibdscan.views.images.canvas import Canvas
from ibdscan.views.images.draw import draw_grid, grid_notes
from ibdscan.views.images.grid import Grid, grids, shape_penalty
from ibdscan.views.images.modes import Mode, mode_named
from ibdscan.views.images.painting import Painting, Scope, hue_ranks
from ibdscan.views.images.raster import BAR_CELL
from ibdscan.views.images.theme import Theme, theme_named

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
    height: int
    score: float


@dataclass(frozen=True)
class MapPicture:
    """A map as drawn, with what the tests ask of it."""

    canvas: Canvas
    painting: Painting
    grid: Grid
    origin: tuple[int, int]
    """Top left of the grid."""


def draw_map(
    survey: Survey,
    by: str = "index",
    *,
    index: str | int | None = None,
    width: int = 1600,
    cell: int | None = None,
    pages: tuple[int, int] | None = None,
    title: str | None = None,
    theme: str = "light",
) -> Image.Image:
    """Draw a map of the space: one cell a page, in file order, coloured by ``by``.

    ``by`` is one of ``index``, ``fill``, ``order``, ``lsn``, ``type``, ``segment``, ``level``, ``garbage``
    and ``state``. ``index`` (name or id) shows that index and greys the others. ``width`` is the picture's
    width in pixels, ``cell`` a cell's (chosen to fit without it), ``pages`` a window ``(first, end)`` of page
    numbers, ``theme`` ``light`` or ``dark``. Raises UsageError for what it does not know.
    """
    return map_picture(survey, by, index=index, width=width, cell=cell, pages=pages, title=title, theme=theme).canvas.image


def map_picture(
    survey: Survey,
    by: str = "index",
    *,
    index: str | int | None = None,
    width: int = 1600,
    cell: int | None = None,
    pages: tuple[int, int] | None = None,
    title: str | None = None,
    theme: str = "light",
) -> MapPicture:
    """Draw a map; see :func:`draw_map`."""
    mode, colors = mode_named(by), theme_named(theme)
    check_size(width, cell)
    start, stop = window(survey, pages)
    chosen = survey.index(index) if index is not None else None
    painting = mode.paint(Scope(survey, start, stop, chosen, colors, hue_ranks(survey)))
    sizes = Sizes.of_width(width)
    what = f"{mode.title} of {chosen.name}" if chosen else mode.title
    if (start, stop) != (0, survey.n_pages):
        what += f", pages {start:,} to {stop - 1:,}"
    head = header(survey, title, what, mode.explanation, sizes)
    return _compose(survey, mode, painting, head, chosen, (start, stop), sizes, width, cell, title, colors)


def check_size(width: int, cell: int | None) -> None:
    """Raise UsageError for sizes that make no picture."""
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise UsageError(f"a picture is {MIN_WIDTH} to {MAX_WIDTH} pixels wide, not {width}")
    if cell is not None and not 1 <= cell <= 64:
        raise UsageError(f"a cell is 1 to 64 pixels, not {cell}")


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


def _side_blocks(survey: Survey, painting: Painting, chosen: Index | None, sizes: Sizes, *, bars: bool) -> list[Block]:
    gap = 6
    first: list[Block] = [heading("Legend", sizes)]
    if painting.scale:
        first += [colour_bar(painting.scale, sizes)]
    blocks = [stack([*first, legend(painting, sizes, bars=bars)], gap)]
    user = survey.user_indexes
    if user:
        blocks.append(stack([heading("Indexes", sizes), index_table(user, sizes)], gap))
    blocks.append(stack([heading("File", sizes), pairs(file_numbers(survey), sizes)], gap))
    main = chosen or clustered_index(survey)
    if main is not None and main.has_leaf:
        name = f"{main.name}{' (clustered index)' if main.clustered else ''}"
        blocks.append(stack([heading(name, sizes), key_numbers(main, sizes)], gap))
    return blocks


def _compose(
    survey: Survey,
    mode: Mode,
    painting: Painting,
    head: Block,
    chosen: Index | None,
    span: tuple[int, int],
    sizes: Sizes,
    width: int,
    cell: int | None,
    title: str | None,
    theme: Theme,
) -> MapPicture:
    margin = round(sizes.body * 2)
    inner = width - 2 * margin
    side = min(round(sizes.body * 25), inner)
    gap = round(sizes.body * 1.6)
    column_gap = round(sizes.body * 2.4)
    columns = max(1, min(3, (inner + column_gap) // (side + column_gap)))
    column = (inner - (columns - 1) * column_gap) // columns
    head_h = measure(head, inner, theme)

    def blocks_for(grid: Grid) -> list[Block]:
        bars = grid.cell >= BAR_CELL and grid.per_cell == 1
        return _side_blocks(survey, painting, chosen, sizes, bars=bars)

    some = _side_blocks(survey, painting, chosen, sizes, bars=False)
    side_h = measure(stack(some, gap), side, theme)
    below = _columns(some, columns, column, gap, theme)
    below_h = max(h for _, h in below)
    fixed = 2 * margin + head_h + gap + round(sizes.small * 4)
    beside_width = inner - side - column_gap
    plans = []
    for grid in grids(*span, survey.space.geometry.extent_pages, inner, sizes.axis, cell):
        for beside in (True, False):
            if beside and grid.width > beside_width:
                continue
            height = fixed + (max(grid.height, side_h) if beside else grid.height + gap + below_h)
            plans.append(Plan(grid, beside, height, score(grid, width, height)))
    plan = max(plans, key=lambda p: p.score)
    grid = plan.grid
    if plan.beside:
        side = min(round(side * 1.25), inner - column_gap - grid.width)
        if grid.n_strips > 1:
            grid = replace(grid, spread=min(60, (inner - column_gap - side - grid.width) // (grid.n_strips - 1)))
        side_h = measure(stack(some, gap), side, theme)
    notes = [*grid_notes(grid, painting), *painting.notes, *escapes_note([survey], title)]
    foot = paragraph(" ".join(notes), sizes.small, theme.muted)
    blocks = blocks_for(grid)
    y = margin + head_h + gap
    if plan.beside:
        bottom = y + max(grid.height, side_h)
    else:
        bottom = y + grid.height + gap + below_h
    foot_w = inner
    canvas = Canvas.blank(width, bottom + gap + measure(foot, foot_w, theme) + margin - gap // 2, theme)
    head(canvas, margin, margin, inner)
    draw_grid(canvas, grid, painting, margin, y)
    if plan.beside:
        stack(blocks, gap)(canvas, width - margin - side, y, side)
    else:
        _draw_columns(canvas, blocks, columns, column, column_gap, gap, margin, y + grid.height + gap)
    foot(canvas, margin, bottom + gap, foot_w)
    return MapPicture(canvas, painting, grid, (margin, y))


def _columns(
    blocks: Sequence[Block], columns: int, width: int, gap: int, theme: Theme
) -> list[tuple[list[int], int]]:
    """Blocks dealt to columns, in order, so that the longest column is as short as can be."""
    heights = [measure(block, width, theme) for block in blocks]
    best: list[tuple[list[int], int]] = []
    for cuts in combinations_with_replacement(range(len(blocks) + 1), columns - 1):
        edges = (0, *cuts, len(blocks))
        parts = [list(range(a, b)) for a, b in pairwise(edges)]
        dealt = [(part, sum(heights[n] for n in part) + gap * max(0, len(part) - 1)) for part in parts]
        if not best or max(h for _, h in dealt) < max(h for _, h in best):
            best = dealt
    return best


def _draw_columns(
    canvas: Canvas, blocks: Sequence[Block], columns: int, width: int, column_gap: int, gap: int, x: int, y: int
) -> None:
    for at, (numbers, _) in enumerate(_columns(blocks, columns, width, gap, canvas.theme)):
        stack([blocks[n] for n in numbers], gap)(canvas, x + at * (width + column_gap), y, width)


def score(grid: Grid, width: int, height: int, n_maps: int = 1) -> float:
    """How good a grid of ``n_maps`` maps is: cells that take much of the picture, a shape that fits a page, whole extents in a row."""
    used = n_maps * (grid.stop - grid.start) / grid.per_cell * grid.cell**2 / (width * height)
    shape = shape_penalty(width, height) + 0.3 * abs(math.log(height / width / LIKED_SHAPE))
    return math.log(used) - shape + (0.15 if grid.extent_rows == 1 else 0.0)
