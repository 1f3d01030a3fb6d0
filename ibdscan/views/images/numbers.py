"""The table of numbers of several files, with the differences to the first one."""

from __future__ import annotations

from collections.abc import Sequence

from ibdscan.measures.file.compare import MetricRow
from ibdscan.views.images.parts.blocks import Block, Sizes
from ibdscan.views.images.parts.canvas import Canvas, line_height, text_width
from ibdscan.views.images.parts.charts import letter
from ibdscan.views.table.units import value_text

LEFT_OUT = ("leaf.dir_fill", "leaf.avg_run", "height", "rebuild.leaf_pages")
"""Metrics that a picture leaves to the text: they follow from others, or seldom differ."""


def difference_table(files: Sequence[Sequence[MetricRow]], sizes: Sizes) -> Block:
    """One line a metric: the value in each file, and for all but the first the difference to it.

    ``files`` holds for each file the rows of its comparison with the first file.
    """
    keep = [i for i, row in enumerate(files[0]) if row.key not in LEFT_OUT]
    titles = ["", *(title for n in range(len(files)) for title in _titles(n))]
    lines = [_line([rows[i] for rows in files]) for i in keep]
    lines = [line for line in lines if any(cell not in ("-", "") for cell in line[1:])]
    order = _order(len(files))
    lines = [[line[0], *(line[1:][k] for k in order)] for line in lines]
    titles = [titles[0], *(titles[1:][k] for k in order)]

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        size = sizes.body
        while True:
            widths = [
                max(text_width(title, sizes.small), *(text_width(line[n], size) for line in lines)) + 15
                for n, title in enumerate(titles)
                if n
            ]
            room = width - sum(widths)
            if room >= min(width * 0.25, 200) or size <= 8:
                break
            size -= 1
        room = min(room, max(text_width(line[0], size) for line in lines) + 8 * size)
        rights = [x + room + sum(widths[: n + 1]) for n in range(len(widths))]
        for title, right in zip(titles[1:], rights, strict=True):
            canvas.text(right, y, title, min(sizes.small, size), canvas.theme.muted, "right")
        y += line_height(sizes.small) + 2
        for line in lines:
            for n, (value, right) in enumerate(zip(line[1:], rights, strict=True)):
                difference = " - " in titles[n + 1]
                canvas.text(right, y, value, size, canvas.theme.muted if difference else None, "right")
            y = canvas.paragraph(x, y, line[0], size, max(room, 40), canvas.theme.muted)
        return y

    return draw


def _titles(n: int) -> list[str]:
    return [letter(n)] if n == 0 else [letter(n), f"{letter(n)} - A"]


def _order(n_files: int) -> list[int]:
    """Values first, then the differences."""
    cells = [(n, k) for n in range(n_files) for k in range(1 if n == 0 else 2)]
    return sorted(range(len(cells)), key=lambda i: (cells[i][1], cells[i][0]))


def _line(rows: Sequence[MetricRow]) -> list[str]:
    unit = rows[0].unit
    out = [rows[0].label]
    for n, row in enumerate(rows):
        out.append(value_text(row.b, unit))
        if n:
            out.append(value_text(row.difference, unit, sign=True))
    return out
