"""A picture of one page's bytes: a cell a byte, left to right, with a legend that sums to the page."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image

from ibdscan.views.data.page import FullPage
from ibdscan.views.data.page_bytes import (
    DIRECTORY,
    FREE,
    GARBAGE,
    MARKED_DATA,
    MARKED_HEADER,
    OTHER,
    RECORD_DATA,
    RECORD_HEADER,
    SYSTEM_RECORDS,
    UNKNOWN,
    ZERO,
    PageBytes,
    label_bytes,
)
from ibdscan.views.images.parts.canvas import Canvas, line_height, text_width
from ibdscan.views.images.parts.theme import OKABE_ITO, RGB, Theme, mix, rgb, theme_named
from ibdscan.views.text.page import account_lines

_BLUE, _ORANGE, _GREEN, _PINK, _VERMILION, _SKY, _YELLOW = OKABE_ITO
_WHITE = (255, 255, 255)
_BLACK = (0, 0, 0)
_FIXED: dict[str, RGB] = {
    "FIL header": rgb("30343a"),
    "FIL trailer": rgb("30343a"),
    "index header": _BLUE,
    "segment headers": mix(_BLUE, _WHITE, 0.45),
    SYSTEM_RECORDS: rgb("7b8794"),
    RECORD_HEADER: _VERMILION,
    RECORD_DATA: mix(_ORANGE, _WHITE, 0.35),
    MARKED_HEADER: mix(_PINK, _BLACK, 0.45),
    MARKED_DATA: _PINK,
    GARBAGE: rgb("c3cbd3"),
    FREE: rgb("f6f7f8"),
    DIRECTORY: _GREEN,
    UNKNOWN: rgb("c3cbd3"),
    OTHER: mix(_SKY, _WHITE, 0.5),
    ZERO: rgb("f6f7f8"),
}
_MORE = (_ORANGE, _GREEN, _BLUE, _PINK, _SKY, _VERMILION, _YELLOW)
MARGIN = 24
TITLE, TEXT, SMALL = 22, 15, 13
_AREA = 900
"""About how wide and high the grid of bytes becomes, in pixels."""


@dataclass(frozen=True)
class BytePicture:
    """The picture as drawn, with what the tests ask of it: cells of ``cell`` pixels from ``origin`` on."""

    canvas: Canvas
    labels: PageBytes
    colors: dict[str, RGB]
    origin: tuple[int, int]
    cell: int
    row_bytes: int


def draw_page(page: FullPage, *, theme: str = "light") -> Image.Image:
    """Draw the bytes of one page. Raises UsageError for an unknown theme."""
    return byte_picture(page, theme=theme).canvas.image


def byte_picture(page: FullPage, *, theme: str = "light") -> BytePicture:
    """The picture and what it was drawn from."""
    look = theme_named(theme)
    labels = label_bytes(page)
    colors = colors_of(labels.kinds)
    row_bytes, cell = _grid(len(page.body))
    rows = -(-len(page.body) // row_bytes)
    left = MARGIN + text_width(str(len(page.body)), SMALL) + 10
    legend_x = left + row_bytes * cell + 28
    legend_width = _legend_width(labels)
    width = legend_x + legend_width + MARGIN
    title = f"{page.survey.space.name}: page {page.page_no}"
    key = _Legend(labels, colors, page.heap is not None and page.heap.is_compact)
    scratch = Canvas.blank(width, 1, look)
    top = _head(scratch, page, title, width) + 8
    height = max(top + rows * cell, top + key.draw(scratch, 0, 0, legend_width)) + MARGIN + 8
    canvas = Canvas.blank(width, height, look)
    _head(canvas, page, title, width)
    cells = _cells(labels, colors, row_bytes, rows, cell, look)
    canvas.image.paste(Image.fromarray(cells), (left, top))
    frame = (left - 1, top - 1, left + row_bytes * cell, top + rows * cell)
    canvas.pen.rectangle(frame, outline=look.line)
    _offsets(canvas, left, top, rows, row_bytes, cell)
    key.draw(canvas, legend_x, top, legend_width)
    return BytePicture(canvas, labels, colors, (left, top), cell, row_bytes)


def colors_of(kinds: list[str]) -> dict[str, RGB]:
    """A colour for each kind of byte: the usual kinds have their own, others take the next free hue."""
    spare = iter(_MORE * 4)
    return {kind: _FIXED[kind] if kind in _FIXED else next(spare) for kind in kinds}


def _grid(size: int) -> tuple[int, int]:
    """Bytes a row (a power of two, so that offsets are round) and pixels a cell."""
    row = 64
    while row * row < size:
        row *= 2
    return row, max(3, _AREA // row)


def _cells(
    labels: PageBytes, colors: dict[str, RGB], row_bytes: int, rows: int, cell: int, theme: Theme
) -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    palette = np.array([colors[kind] for kind in labels.kinds] + [theme.background], np.uint8)
    size = rows * row_bytes
    codes = np.full(size, len(labels.kinds), np.uint8)
    codes[: len(labels.labels)] = labels.labels
    starts = np.zeros(size, np.bool_)
    starts[: len(labels.starts)] = labels.starts
    tile = np.empty((size, cell, cell, 3), np.uint8)
    tile[:] = palette[codes][:, None, None, :]
    edge = np.flatnonzero(starts)
    tile[edge, :, 0] = (palette[codes[edge]] // 3)[:, None, :]  # a dark edge where a structure begins
    tile[:, -1, :] = (tile[:, -1, :].astype(np.uint16) * 3 // 4 + 63).astype(np.uint8)  # rows stand apart
    grid = tile.reshape(rows, row_bytes, cell, cell, 3).transpose(0, 2, 1, 3, 4)
    return np.ascontiguousarray(grid.reshape(rows * cell, row_bytes * cell, 3))


def _head(canvas: Canvas, page: FullPage, title: str, width: int) -> int:
    """Title and what the page is; returns the y below."""
    room = width - 2 * MARGIN
    canvas.text(MARGIN, MARGIN, title, TITLE, width=room)
    y = MARGIN + line_height(TITLE) + 2
    for line in account_lines(page):
        y = canvas.paragraph(MARGIN, y, line, TEXT, room, canvas.theme.muted)
    return y + 4


def _offsets(canvas: Canvas, left: int, top: int, rows: int, row_bytes: int, cell: int) -> None:
    every = 1
    while every * cell < SMALL * 1.5:
        every *= 2
    for row in range(0, rows, every):
        y = top + row * cell
        canvas.text(left - 8, y - SMALL * 0.25, str(row * row_bytes), SMALL, canvas.theme.muted, "right")


_SWATCH = 16


def _legend_rows(labels: PageBytes) -> list[tuple[str, str, str]]:
    size = len(labels.labels)
    return [(kind, f"{n:,}", f"{100 * n / size:.2f} %") for kind, n in labels.counts.items()]


def _legend_width(labels: PageBytes) -> int:
    names = max(text_width(kind, TEXT) for kind in labels.kinds)
    return max(330, _SWATCH + 10 + names + 24 + text_width("65,536", TEXT) + 24 + text_width("100.00 %", TEXT))


@dataclass(frozen=True)
class _Legend:
    labels: PageBytes
    colors: dict[str, RGB]
    is_compact: bool

    def draw(self, canvas: Canvas, x: int, y: int, width: int) -> int:
        """Kinds with bytes and share, in the order in which they first occur; returns the y below."""
        labels = self.labels
        share_x, bytes_x = x + width, x + width - text_width("100.00 %", TEXT) - 24
        step = line_height(TEXT) + 4
        canvas.text(x, y, "bytes of the page", TEXT, canvas.theme.muted)
        canvas.text(bytes_x, y, "bytes", TEXT, canvas.theme.muted, "right")
        canvas.text(share_x, y, "share", TEXT, canvas.theme.muted, "right")
        y += step
        first = [int(np.argmax(labels.labels == i)) for i in range(len(labels.kinds))]
        rows = _legend_rows(labels)
        for i in sorted(range(len(rows)), key=lambda i: first[i]):
            kind, n, share = rows[i]
            canvas.pen.rectangle(
                (x, y + 2, x + _SWATCH, y + 2 + _SWATCH), fill=self.colors[kind], outline=canvas.theme.line
            )
            canvas.text(x + _SWATCH + 10, y, kind, TEXT)
            canvas.text(bytes_x, y, n, TEXT, align="right")
            canvas.text(share_x, y, share, TEXT, align="right")
            y += step
        canvas.text(x + _SWATCH + 10, y, "total", TEXT)
        canvas.text(bytes_x, y, f"{len(labels.labels):,}", TEXT, align="right")
        canvas.text(share_x, y, "100.00 %", TEXT, align="right")
        y += step + 6
        for note in _notes(labels, self.is_compact):
            y = canvas.paragraph(x, y, note, SMALL, width, canvas.theme.muted) + 4
        return y


def _notes(labels: PageBytes, is_compact: bool) -> list[str]:
    notes = ["One cell is one byte, left to right, then down; a dark edge begins a structure or a record."]
    if RECORD_DATA in labels.kinds or MARKED_DATA in labels.kinds or GARBAGE in labels.kinds:
        notes.append("Records lie in heap order, the order in which their room was taken.")
        if is_compact:
            notes.append(
                "In the compact formats the NULL bits and lengths of a record stand before its header; they are "
                "drawn with the record before it."
            )
    return notes
