"""Pictures as SVG, where cells are few: the same layout and pixels as the PNG, drawn as paths and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Unpack

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import Survey
from ibdscan.views.images.compare import compare_picture, labels
from ibdscan.views.images.look import Choices, Look
from ibdscan.views.images.map import map_picture, window
from ibdscan.views.images.parts.canvas import Box, Canvas, text_width
from ibdscan.views.images.parts.theme import RGB

MAX_CELLS = 20_000
"""Pages that an SVG picture may show; a picture of more is better off as PNG."""
FONTS = "Aileron, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


def draw_map_svg(survey: Survey, by: str = "index", **choices: Unpack[Choices]) -> str:
    """A map as SVG text; see :func:`ibdscan.views.images.draw_map`. Raises UsageError for many pages."""
    look = Look(**choices)
    start, stop = window(survey, look.pages)
    _check_cells(stop - start, " or a window with --pages")
    picture = map_picture(survey, by, SvgCanvas, **choices)
    return _svg(picture.canvas, look.title or f"{survey.space.name}: map by {by}")


def draw_compare_svg(surveys: Sequence[Survey], by: str | None = None, **choices: Unpack[Choices]) -> str:
    """A comparison as SVG text; see :func:`ibdscan.views.images.draw_compare`. Raises UsageError."""
    _check_cells(sum(s.n_pages for s in surveys), "")
    picture = compare_picture(surveys, by, SvgCanvas, **choices)
    return _svg(picture.canvas, choices.get("title") or " and ".join(labels([s.path for s in surveys])))


def _check_cells(n_pages: int, instead: str) -> None:
    if n_pages > MAX_CELLS:
        raise UsageError(f"{n_pages:,} pages are too many for SVG (at most {MAX_CELLS:,}): write a .png{instead}")


@dataclass
class SvgCanvas(Canvas):
    """A canvas that keeps shapes instead of pixels."""

    shapes: list[str] = field(default_factory=list)

    def line(self, ends: Box, color: RGB) -> None:
        x0, y0, x1, y1 = ends
        self._rect(min(x0, x1), min(y0, y1), abs(x1 - x0) + 1, abs(y1 - y0) + 1, _hex(color))

    def rectangle(self, corners: Box, *, fill: RGB | None = None, outline: RGB | None = None) -> None:
        x0, y0, x1, y1 = corners
        if fill is not None:
            self._rect(x0, y0, x1 - x0 + 1, y1 - y0 + 1, _hex(fill))
        if outline is not None:
            self._add(
                f'<rect x="{x0 + 0.5:g}" y="{y0 + 0.5:g}" width="{x1 - x0:g}" height="{y1 - y0:g}" '
                f'fill="none" stroke="{_hex(outline)}"/>'
            )

    def paste(self, pixels: npt.NDArray[np.uint8], x: int, y: int) -> None:
        for color, boxes in colored_boxes(pixels).items():
            if color != _hex(self.theme.background):
                path = "".join(f"M{x + left} {y + top}h{w}v{h}h-{w}z" for left, top, w, h in boxes)
                self._add(f'<path fill="{color}" d="{path}"/>')

    def _write(self, left: int, base: int, text: str, size: int, color: RGB) -> None:
        self._add(
            f'<text x="{left}" y="{base}" font-size="{size}" fill="{_hex(color)}" '
            f'textLength="{text_width(text, size)}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
        )

    def _rect(self, x: float, y: float, width: float, height: float, color: str) -> None:
        self._add(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{color}"/>')

    def _add(self, shape: str) -> None:
        if not self.is_scratch:
            self.shapes.append(shape)


def colored_boxes(pixels: npt.NDArray[np.uint8]) -> dict[str, list[tuple[int, int, int, int]]]:
    """Pixels as boxes of one colour: (left, top, width, height) by colour. Runs of a row that lie exactly one
    below the other are one box."""
    packed = pixels.astype(np.int64) @ np.array([1 << 16, 1 << 8, 1])
    starts = np.ones(packed.shape, np.bool_)
    starts[:, 1:] = packed[:, 1:] != packed[:, :-1]
    top, left = np.nonzero(starts)
    ends = np.append(left[1:], 0)
    ends[np.append(top[1:] != top[:-1], True)] = packed.shape[1]
    color = packed[top, left]
    order = np.lexsort((top, ends, left, color))
    top, left, ends, color = top[order], left[order], ends[order], color[order]
    same = (np.diff(color) == 0) & (np.diff(left) == 0) & (np.diff(ends) == 0) & (np.diff(top) == 1)
    first = np.flatnonzero(np.append(True, ~same))
    heights = np.diff(np.append(first, len(top)))
    boxes: dict[str, list[tuple[int, int, int, int]]] = {}
    for at, high in zip(first.tolist(), heights.tolist(), strict=True):
        box = (int(left[at]), int(top[at]), int(ends[at] - left[at]), high)
        boxes.setdefault(f"#{int(color[at]):06x}", []).append(box)
    return boxes


def _hex(color: RGB) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)


def _svg(canvas: Canvas, title: str) -> str:
    """The document: a background, then the shapes in the order in which they were drawn."""
    assert isinstance(canvas, SvgCanvas)
    width, height = canvas.image.size
    name = "".join(c if c.isprintable() else " " for c in title)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{FONTS}" shape-rendering="crispEdges">'
    )
    back = f'<rect width="{width}" height="{height}" fill="{_hex(canvas.theme.background)}"/>'
    return "\n".join([head, f"<title>{escape(name)}</title>", back, *canvas.shapes, "</svg>"]) + "\n"
