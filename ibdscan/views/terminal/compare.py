"""Maps of several files side by side, drawn in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ibdscan.measures.file.survey import Survey
from ibdscan.views.images.compare import side_by_side
from ibdscan.views.images.panels import OF_ONE_INDEX, File, Row
from ibdscan.views.images.parts.charts import letter
from ibdscan.views.images.parts.painting import index_label
from ibdscan.views.table.tables import printable
from ibdscan.views.terminal.cells import Layout, fit_layout
from ibdscan.views.terminal.ink import Ink, Line, Shared, folded, ink_for
from ibdscan.views.terminal.map import joined, text_lines
from ibdscan.views.terminal.parts import explanation, grid_lines, grid_note, index_lines, legend_lines, scale_lines
from ibdscan.views.terminal.screen import Screen

GAP = 3
NARROWEST = 34
"""Columns of a map that stands beside another."""


def draw_compare_text(
    surveys: Sequence[Survey],
    screen: Screen,
    by: str | None = None,
    *,
    index: str | int | None = None,
    cell: int | None = None,
) -> str:
    """Maps of two to six files with one cell size and the same colours, side by side as far as they fit; the
    choices are those of :func:`ibdscan.views.images.draw_compare`. Raises UsageError."""
    files, _, rows = side_by_side(surveys, by, index, screen.theme)
    column = _columns(files, screen)[1]
    layouts = _layouts(files, replace(screen, width=column, lines=screen.lines // 2), cell)
    blocks: list[list[Line]] = []
    for at, row in enumerate(rows):
        heads = [_head(f, n, column, with_facts=at == 0) for n, f in enumerate(files)]
        blocks += _row_blocks(files, row, heads, layouts, screen)
    largest = max(range(len(files)), key=lambda n: layouts[n].stop)
    blocks.append(
        text_lines([grid_note(layouts[largest], rows[0].paintings[largest], colored=screen.colored)], screen)
    )
    return joined(blocks)


def _columns(files: Sequence[File], screen: Screen) -> tuple[int, int]:
    """Maps that stand side by side, and the width of each."""
    across = max(1, min(len(files), (screen.width + GAP) // (NARROWEST + GAP)))
    return across, (screen.width - GAP * (across - 1)) // across


def _layouts(files: Sequence[File], screen: Screen, cell: int | None) -> list[Layout]:
    """One cell size and one number of cells a row for all files: those that suit the largest."""
    extents = [f.survey.space.geometry.extent_pages for f in files]
    most = max(f.survey.n_pages for f in files)
    one = fit_layout(0, most, min(extents), screen, cell=cell)
    return [
        replace(one, stop=f.survey.n_pages, extent_pages=extent) for f, extent in zip(files, extents, strict=True)
    ]


def _row_blocks(
    files: Sequence[File], row: Row, heads: Sequence[list[Line]], layouts: Sequence[Layout], screen: Screen
) -> list[list[Line]]:
    """One mode: its title, the maps, scale and legend."""
    across, column = _columns(files, screen)
    shared = Shared()
    inks = [ink_for(painting, screen, shared) for painting in row.paintings]
    main = files[0].main
    title = f"{row.mode.title[0].upper()}{row.mode.title[1:]}"
    if main is not None and row.mode.name in OF_ONE_INDEX:
        title += f" of {main.name}"
    blocks = [text_lines([f"{title}. {explanation(row.mode, screen)}"], screen)]
    high = max(map(len, heads))
    heads = [head + [Line.of("")] * (high - len(head)) for head in heads]
    maps = [head + grid_lines(inks[n], layouts[n]) for n, head in enumerate(heads)]
    scales = [_scale(row, inks[n], n, column) for n in range(len(files))]
    own_scales = row.mode.name == "lsn"  # LSNs differ from file to file
    if own_scales:
        maps = [[*lines, Line.of(""), *scale] for lines, scale in zip(maps, scales, strict=True)]
    blocks += [_beside(maps[n : n + across], column) for n in range(0, len(files), across)]
    if not own_scales:
        blocks.append(next((s for s in scales if s), []))
    letters = [letter(n) for n in range(len(files))]
    blocks.append(legend_lines(row.paintings, inks, screen.width, letters))
    return blocks


def _head(file: File, n: int, column: int, *, with_facts: bool) -> list[Line]:
    lines = [Line.of(text) for text in folded(printable(f"{letter(n)}: {file.label}"), column)]
    if file.main is not None and with_facts:
        lines += index_lines([(index_label(file.survey, file.main), file.main)], column)
    return lines


def _scale(row: Row, ink: Ink, n: int, column: int) -> list[Line]:
    painting = row.paintings[n]
    return scale_lines(painting.scale, ink, column) if painting.scale and painting.n_scaled else []


def _beside(columns: Sequence[Sequence[Line]], width: int) -> list[Line]:
    """Columns of lines, side by side."""
    high = max(map(len, columns))
    blank = Line.of("")
    out = []
    for at in range(high):
        cells = [column[at] if at < len(column) else blank for column in columns]
        text = (" " * GAP).join(cell.padded(width) for cell in cells)
        out.append(Line(text, len(cells) * width + GAP * (len(cells) - 1)))
    return out
