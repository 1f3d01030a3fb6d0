"""The files of a comparison, and what stands above their maps."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.views.images.modes import Mode
from ibdscan.views.images.parts.blocks import ALARM, Block, Sizes, colour_bar, file_facts
from ibdscan.views.images.parts.canvas import Canvas
from ibdscan.views.images.parts.charts import file_color, letter
from ibdscan.views.images.parts.grid import Grid
from ibdscan.views.images.parts.painting import Painting, index_label
from ibdscan.views.table.units import ratio_text

OF_ONE_INDEX = ("fill", "order", "garbage", "level")
"""Modes that show the main index alone, so that maps, histogram and curve are of the same pages."""


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


def file_head(file: File, n: int, sizes: Sizes) -> Block:
    """Letter, name, facts and key numbers of a file."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        side = sizes.sub
        canvas.rectangle((x, y + 3, x + side, y + 3 + side), fill=file_color(n))
        size = round(side * 0.8)
        canvas.text(x + side / 2 + 0.5, y + 3 + side * 0.08, letter(n), size, (255, 255, 255), "center")
        y = canvas.paragraph(x + side + 8, y, file.label, sizes.sub, width - side - 8)
        y = canvas.items(x, y, file_facts(file.survey), sizes.small, width, canvas.theme.muted)
        if file.survey.findings:
            text = f"{len(file.survey.findings):,} findings: numbers may be too low"
            y = canvas.paragraph(x, y, text, sizes.small, width, ALARM)
        if file.main and file.main.has_leaf:
            leaf = file.main.leaf
            facts = [
                f"{index_label(file.survey, file.main)}: {leaf.pages:,} leaf pages",
                f"fill {ratio_text(leaf.fill)}",
                f"contiguous {ratio_text(leaf.contiguous)}",
            ]
            y = canvas.items(x, y, facts, sizes.body, width)
        return y

    return draw


def row_head(row: Row, main: Index | None, sizes: Sizes) -> Block:
    """Title of a row of maps, with its scale at the right."""
    # scales of LSN differ from file to file: each file's is with its map
    scale = None if row.mode.name == "lsn" else next((p.scale for p in row.paintings if p.scale), None)
    title = row.mode.title[:1].upper() + row.mode.title[1:]
    if main is not None and row.mode.name in OF_ONE_INDEX:
        title += f" of {main.name}"

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        canvas.line((x, y, x + width, y), canvas.theme.line)
        y += 10
        bar = min(round(sizes.body * 32), width // 2)
        room = width - bar - round(sizes.body * 2.4) if scale else width
        below = canvas.paragraph(x, y, title, sizes.sub, room)
        below = canvas.paragraph(x, below, row.mode.explanation, sizes.small, room, canvas.theme.muted)
        if scale:
            below = max(below, colour_bar(scale, sizes)(canvas, x + width - bar, y, bar))
        return below

    return draw
