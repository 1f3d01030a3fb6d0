"""Charts of a comparison: fill histograms on shared axes, and the order as a curve."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ibdscan.views.images.parts.blocks import Block, Sizes
from ibdscan.views.images.parts.canvas import Canvas, line_height, text_width
from ibdscan.views.images.parts.theme import OKABE_ITO, RGB, mix

FILE_HUES = (0, 4, 2, 3, 1, 5)


def file_color(n: int) -> RGB:
    """Colour of the n-th file in charts."""
    return OKABE_ITO[FILE_HUES[n % len(FILE_HUES)]]


def letter(n: int) -> str:
    """Short name of the n-th file."""
    return "ABCDEF"[n]


def histograms(title: str, counts: Sequence[Sequence[int] | None], sizes: Sizes, height: int) -> Block:
    """Leaf pages by fill in bins of 10 %, one bar a file, as shares of the file's leaf pages."""
    shares = [np.array(c, np.float64) / max(1, sum(c)) if c is not None else np.zeros(10) for c in counts]
    top = max((float(s.max()) for s in shares), default=0.0)
    top = next(t for t in (0.1, 0.2, 0.4, 0.6, 0.8, 1.0) if t >= top - 1e-9)

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        theme = canvas.theme
        y = canvas.paragraph(x, y, title, sizes.body, width) + 10
        axis = text_width("100 %", sizes.small) + 8
        left, right, bottom = x + axis, x + width, y + height
        for step in range(3):
            value = top * step / 2
            at = round(bottom - height * step / 2)
            canvas.line((left, at, right, at), theme.line)
            canvas.text(
                left - 8, at - sizes.small * 0.7, f"{100 * value:.0f} %", sizes.small, theme.muted, "right"
            )
        bin_w = (right - left) / 10
        bar_w = bin_w * 0.82 / len(shares)
        for n, share in enumerate(shares):
            for at, value in enumerate(share):
                if value > 0:
                    x0 = round(left + at * bin_w + bin_w * 0.09 + n * bar_w)
                    x1 = max(x0, round(left + at * bin_w + bin_w * 0.09 + (n + 1) * bar_w) - 1)
                    y0 = min(bottom - 1, round(bottom - height * value / top))
                    canvas.rectangle((x0, y0, x1, bottom - 1), fill=file_color(n))
        canvas.line((left, bottom, right, bottom), theme.muted)
        for at in range(0, 11, 2):
            align = "right" if at == 10 else "left" if at == 0 else "center"
            canvas.text(left + at * bin_w, bottom + 4, f"{10 * at} %", sizes.small, theme.muted, align)
        y = bottom + 4 + line_height(sizes.small)
        canvas.text(left, y, "fill of the page", sizes.small, theme.muted)
        _key(canvas, right, y, len(shares), sizes)
        return y + line_height(sizes.small)

    return draw


def _key(canvas: Canvas, right: int, y: int, n_files: int, sizes: Sizes) -> None:
    """A, B, ... with their colours, right-aligned."""
    for n in reversed(range(n_files)):
        right -= text_width(letter(n), sizes.small)
        canvas.text(right, y, letter(n), sizes.small)
        right -= sizes.small + 4
        canvas.rectangle((right, y + 3, right + sizes.small - 2, y + 1 + sizes.small), fill=file_color(n))
        right -= 12


def order_curve(chain: npt.NDArray[np.int64] | None, n_pages: int, color: RGB, sizes: Sizes, height: int) -> Block:
    """Every leaf as a dot: its page number across, its place in key order upwards. A file in order is a line."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        theme = canvas.theme
        axis = text_width("100 %", sizes.small) + 8
        left, plot = x + axis, width - axis - 2
        canvas.rectangle((left - 1, y - 1, left + plot, y + height), outline=theme.line)
        if chain is not None and len(chain) and not canvas.is_scratch:
            hits = scatter(chain, n_pages, plot, height)
            colors = np.array([mix(theme.background, color, s) for s in (0.0, 0.55, 0.78, 1.0)], np.uint8)
            canvas.paste(colors[hits], left, y)
        for share, label in ((0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")):
            at = y + (height - 1) * (1 - share) - sizes.small * (0.5 + 0.3 * (0.5 - share))
            canvas.text(left - 8, at - sizes.small * 0.3, label, sizes.small, theme.muted, "right")
        canvas.text(left, y + height + 4, "page 0", sizes.small, theme.muted)
        canvas.text(left + plot, y + height + 4, f"{n_pages - 1:,}", sizes.small, theme.muted, "right")
        return y + height + 4 + line_height(sizes.small)

    return draw


def scatter(chain: npt.NDArray[np.int64], n_pages: int, width: int, height: int) -> npt.NDArray[np.uint8]:
    """Density of the leaves, 0..3, uint8 (height, width): page number across, place in the chain upwards."""
    n = len(chain)
    counts = np.zeros(width * height, np.int64)
    step = 1 << 20
    for first in range(0, n, step):
        part = chain[first : first + step]
        across = part * width // max(1, n_pages)
        up = np.arange(first, first + len(part)) * height // n
        counts += np.bincount((height - 1 - up) * width + across, minlength=width * height)
    grid = counts.reshape(height, width)
    if n < width * height // 40:  # few dots: make them two pixels
        spread = grid.copy()
        spread[1:] += grid[:-1]
        spread[:, 1:] += grid[:, :-1]
        spread[1:, 1:] += grid[:-1, :-1]
        return np.where(spread > 0, 3, 0).astype(np.uint8)
    even = n / max(width, height)  # dots a pixel of a file in order, which fills a diagonal
    shade = np.where(grid == 0, 0, np.where(grid >= max(1.0, even / 2), 3, np.where(grid > 1, 2, 1)))
    return shade.astype(np.uint8)
