"""A grid with its cells, frames and page numbers, drawn on a canvas; and files."""

from __future__ import annotations

import os

from PIL import Image

from ibdscan.views.images.parts.canvas import Canvas
from ibdscan.views.images.parts.grid import LABEL_GAP, Grid
from ibdscan.views.images.parts.painting import Painting
from ibdscan.views.images.parts.raster import draw_cells, uses_strength


def draw_grid(canvas: Canvas, grid: Grid, painting: Painting, x: int, y: int) -> None:
    """Draw the strips of a grid, its top left at (x, y)."""
    theme = canvas.theme
    top = y + grid.axis_height + 1
    for strip, pixels in enumerate(draw_cells(painting, grid, theme)):
        left = x + grid.strip_x(strip)
        rows = min(grid.strip_rows, grid.n_rows - strip * grid.strip_rows)
        height = grid.row_y(rows - 1) + grid.cell
        canvas.paste(pixels[:height], left, top)
        frame = (left - 1, top - 1, left + grid.strip_width, top + height)
        canvas.rectangle(frame, outline=theme.line)
        _page_numbers(canvas, grid, strip, left, top, rows)
        _offsets(canvas, grid, left, y)


def _page_numbers(canvas: Canvas, grid: Grid, strip: int, left: int, top: int, rows: int) -> None:
    """Page numbers at the left edge, as many as there is room for, always at multiples of a power of two."""
    every = 1
    while grid.row_y(every) < grid.font * 1.5:
        every *= 2
    first = strip * grid.strip_rows
    for row in range(rows):
        if row and (row % every or grid.row_y(rows - 1) + grid.cell - grid.row_y(row) < grid.font * 0.5):
            continue
        page = grid.first_page + (first + row) * grid.row_pages
        middle = top + grid.row_y(row) + min(grid.cell, grid.font * 1.2) / 2
        right = left - LABEL_GAP
        canvas.text(right, middle - grid.font * 0.68, f"{page:,}", grid.font, canvas.theme.muted, "right")
        if every > 1:
            tick = round(top + grid.row_y(row))
            canvas.line((left - 4, tick, left - 2, tick), canvas.theme.line)


def _offsets(canvas: Canvas, grid: Grid, left: int, y: int) -> None:
    """Offsets of the pages of a row, above the strip."""
    if not grid.axis_height:
        return
    parts = 4 if grid.strip_width >= 400 else 2
    for part in range(parts):
        at = grid.row_cells * part // parts
        text = f"+{at * grid.per_cell:,}"
        canvas.text(
            left + at * grid.cell, y + grid.axis_height - grid.font * 1.45, text, grid.font, canvas.theme.muted
        )


def grid_notes(grid: Grid, painting: Painting) -> list[str]:
    """What a cell and a row of the grid are."""
    extent = grid.extent_pages
    if grid.row_pages == extent:
        row = f"a row one extent ({extent} pages)"
    elif grid.row_pages < extent:
        row = f"a row {grid.row_pages} pages, {grid.extent_rows} rows an extent ({extent} pages)"
    else:
        row = f"a row {grid.row_pages // extent:,} extents ({grid.row_pages:,} pages)"
    order = "left to right, then down" + (", strip after strip" if grid.n_strips > 1 else "")
    if grid.per_cell == 1:
        notes = [f"One cell is one page, {row}; page numbers grow {order}."]
    else:
        pixels = grid.cell * grid.cell
        notes = [
            f"One cell of {grid.cell} x {grid.cell} pixels is {grid.per_cell:,} pages, {row}; "
            f"page numbers grow {order}. "
            f"The pages of a cell are sorted by colour and drawn from the bottom up, each of the {pixels} "
            f"pixels an equal share; a kind of page too rare for a pixel still gets one, so nothing vanishes."
        ]
    if painting.levels is not None:
        if grid.per_cell == 1 and grid.cell >= 6:
            notes.append("The filled part of an index page's cell is its fill.")
        elif uses_strength(painting):
            notes.append("The stronger the colour of an index page, the fuller it is.")
        else:
            notes.append("Cells are too small and hues too many to show how full pages are.")
    return notes


def write_png(image: Image.Image, path: str | os.PathLike[str]) -> None:
    """Write a picture as PNG: the same picture gives the same bytes (no time, no metadata)."""
    bare = Image.frombytes(image.mode, image.size, image.tobytes())
    bare.save(path, format="PNG", compress_level=6)
