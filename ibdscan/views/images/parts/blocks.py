"""The parts of a picture around the grid: header, legend, colour bar, tables of numbers, notes.

Each function draws at (x, y) in a given width and returns the y below what it drew; drawing on a scratch
canvas measures it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ibdscan.measures.file.metrics import INDEX_METRICS
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.verdict import verdict
from ibdscan.views.images.parts.canvas import ESCAPES_NOTE, Canvas, is_escaped, line_height, text_width
from ibdscan.views.images.parts.painting import Painting, Scale, Swatch, Tick, index_label
from ibdscan.views.images.parts.raster import tile
from ibdscan.views.images.parts.theme import RGB, Theme, rgb
from ibdscan.views.table.units import bytes_text, count_text, ratio_text, value_text

ALARM = rgb("d55e00")


@dataclass(frozen=True)
class Sizes:
    """Font sizes of a picture, by its width."""

    title: int
    sub: int
    body: int
    small: int
    axis: int

    @classmethod
    def of_width(cls, width: int) -> Sizes:
        f = min(2.5, max(0.85, width / 1600))
        return cls(round(30 * f), round(17 * f), round(15 * f), round(13 * f), round(11.5 * f))


Block = Callable[[Canvas, int, int, int], int]
"""(canvas, x, y, width) -> the y below."""


def measure(block: Block, width: int, theme: Theme) -> int:
    """Height of a block drawn in ``width``."""
    return block(Canvas.scratch(theme), 0, 0, width)


def stack(blocks: Sequence[Block], gap: int) -> Block:
    """Blocks one below the other."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        for i, block in enumerate(blocks):
            y = block(canvas, x, y + (gap if i else 0), width)
        return y

    return draw


def heading(text: str, sizes: Sizes) -> Block:
    """A heading with a line below."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        y = canvas.paragraph(x, y, text, sizes.sub, width)
        canvas.line((x, y + 2, x + width, y + 2), canvas.theme.line)
        return y + round(sizes.small * 0.7)

    return draw


def paragraph(text: str, size: int, color: RGB | None = None) -> Block:
    """Wrapped text."""
    return lambda canvas, x, y, width: canvas.paragraph(x, y, text, size, width, color)


def header(survey: Survey, title: str | None, what: str, explanation: str, sizes: Sizes) -> Block:
    """File, table, what is drawn, page size, pages, findings."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        y = canvas.paragraph(x, y, title or survey.space.name, sizes.title, width)
        y = canvas.items(x, y, file_facts(survey, named=title is not None), sizes.sub, width)
        if survey.findings:
            n = len(survey.findings)
            text = f"{n:,} finding{'s' if n > 1 else ''}: parts of this file are broken or odd"
            y = canvas.paragraph(x, y, f"{text}, numbers may be too low", sizes.sub, width, ALARM)
        return canvas.paragraph(x, y, f"Map of the {what}. {explanation}", sizes.body, width, canvas.theme.muted)

    return draw


def table_names(survey: Survey) -> list[str]:
    """Tables whose indexes the file holds, as far as it says."""
    return list(dict.fromkeys(i.table for i in survey.user_indexes if i.table))


def file_facts(survey: Survey, *, named: bool = False) -> list[str]:
    """What the file is, in short."""
    space = survey.space
    tables = table_names(survey)
    facts = [space.name] if named else []
    if tables:
        more = f" and {len(tables) - 3:,} more" if len(tables) > 3 else ""
        facts.append(f"table{'s' if len(tables) > 1 else ''} {', '.join(tables[:3])}{more}")
    family = {"mysql": "MySQL", "mariadb": "MariaDB"}.get(space.family, space.family)
    facts.append(f"{family} {space.server_version}" if space.server_version else family)
    facts.append(f"page size {bytes_text(space.geometry.physical).replace('.00', '').replace('.0', '')}")
    facts.append(f"{survey.n_pages:,} page{'s' if survey.n_pages != 1 else ''}")
    facts.append(bytes_text(survey.n_pages * space.geometry.physical))
    return facts


def _swatch_box(canvas: Canvas, x: int, y: int, side: int, swatch: Swatch, *, bar: bool) -> None:
    cell = tile(swatch, side, canvas.theme)
    if bar:
        empty = tile(Swatch("", swatch.color), side, canvas.theme).astype(np.float64)
        top = round(side * 0.3)
        cell[:top] = (empty[:top] * 0.22 + np.array(canvas.theme.background) * 0.78).round().astype(np.uint8)
    canvas.paste(cell, x, y)
    canvas.rectangle((x, y, x + side - 1, y + side - 1), outline=canvas.theme.line)


def legend(painting: Painting, sizes: Sizes, *, bars: bool) -> Block:
    """Every kind of page with its pages and their share; with those on the scale they sum to the window."""
    rows: list[tuple[Swatch | None, str, int, bool]] = []
    if painting.scale:
        rows.append((None, painting.scale_label, painting.n_scaled, False))
    codes = {id(s): c for c, s in painting.swatches.items()}
    rows += [(s, s.label, n, bars and codes[id(s)] in painting.filled) for s, n in painting.legend()]
    total = painting.n_pages
    size = sizes.body
    count_w = text_width(f"{total:,}", size) + 8
    share_w = text_width("100.0 %", size) + 8

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        side = size
        room = width - side - 10 - count_w - share_w
        canvas.text(x, y, "pages", sizes.small, canvas.theme.muted)
        canvas.text(x + width - share_w, y, f"{total:,}", sizes.small, canvas.theme.muted, "right")
        canvas.text(x + width, y, "share", sizes.small, canvas.theme.muted, "right")
        y += line_height(sizes.small) + 2
        for swatch, label, n, bar in rows:
            if swatch is None:
                _scale_box(canvas, x, y + 3, side, painting.scale)
            else:
                _swatch_box(canvas, x, y + 3, side, swatch, bar=bar)
            canvas.text(x + width - share_w, y, f"{n:,}", size, align="right")
            canvas.text(x + width, y, share_text(n, total), size, canvas.theme.muted, "right")
            y = canvas.paragraph(x + side + 8, y, label, size, room)
        return y

    return draw


def share_text(n: int, total: int) -> str:
    """A share in per cent; a small one that is not nothing does not read 0.0 %."""
    share = n / total if total else 0.0
    return "<0.1 %" if 0 < share < 0.0005 else ratio_text(share)


def _scale_box(canvas: Canvas, x: int, y: int, side: int, scale: Scale | None) -> None:
    if scale is None:
        return
    colors = scale.colors[np.linspace(0, len(scale.colors) - 1, side).round().astype(int)]
    canvas.paste(np.broadcast_to(colors, (side, side, 3)), x, y)


def colour_bar(scale: Scale, sizes: Sizes) -> Block:
    """The scale: its title, the colours, its labels."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        y = canvas.paragraph(x, y, scale.title, sizes.body, width)
        high = round(sizes.body * 1.2)
        at = np.minimum(np.arange(width) * len(scale.colors) // width, len(scale.colors) - 1)
        canvas.paste(np.broadcast_to(scale.colors[at], (high, width, 3)), x, y + 2)
        y = _ticks(canvas, x, y + high + 2, width, scale.ticks, sizes.small)
        if scale.sub:
            y = canvas.paragraph(x, y + 2, scale.sub_title, sizes.small, width, canvas.theme.muted)
            y = _ticks(canvas, x, y, width, scale.sub, sizes.small)
        return y

    return draw


def _ticks(canvas: Canvas, x: int, y: int, width: int, ticks: Sequence[Tick], size: int) -> int:
    """Labels below a bar, the outer ones flush with its ends; those that would touch are left out."""
    for tick in ticks:
        at = x + round((width - 1) * tick.at)
        canvas.line((at, y, at, y + 3), canvas.theme.muted)
    placed: list[tuple[float, float]] = []
    for tick in sorted(ticks, key=lambda t: (t.at not in (0, 1), abs(t.at - 0.5))):
        taken = text_width(tick.label, size)
        left = x + min(max(width * tick.at - taken / 2, 0), width - taken)
        if any(left < b + 8 and a < left + taken + 8 for a, b in placed):
            continue
        placed.append((left, left + taken))
        canvas.text(left, y + 5, tick.label, size, canvas.theme.muted)
    return y + 5 + line_height(size)


def index_table(survey: Survey, sizes: Sizes, *, most: int = 8) -> Block:
    """One line an index: leaf pages, fill, contiguous."""
    indexes = survey.user_indexes
    shown = indexes[:most]
    size = sizes.body
    cells = [
        (
            f"{i.leaf.pages:,}" if i.has_leaf else "-",
            ratio_text(i.leaf.fill if i.has_leaf else None),
            ratio_text(i.leaf.contiguous if i.has_leaf else None),
        )
        for i in shown
    ]
    titles = ("leaf pages", "fill", "contiguous")
    widths = [
        max([text_width(t, sizes.small), *(text_width(row[n], size) for row in cells)]) + 14
        for n, t in enumerate(titles)
    ]

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        room = width - sum(widths)
        rights = [x + room + sum(widths[: n + 1]) for n in range(3)]
        canvas.text(x, y, "index", sizes.small, canvas.theme.muted)
        for title, right in zip(titles, rights, strict=True):
            canvas.text(right, y, title, sizes.small, canvas.theme.muted, "right")
        y += line_height(sizes.small) + 2
        for index, row in zip(shown, cells, strict=True):
            for value, right in zip(row, rights, strict=True):
                canvas.text(right, y, value, size, align="right")
            y = canvas.paragraph(x, y, index_label(survey, index), size, room)
        if len(indexes) > most:
            y = canvas.paragraph(x, y, f"{len(indexes) - most} more indexes", size, width, canvas.theme.muted)
        return y

    return draw


_KEY_NUMBERS = (
    "leaf.records",
    "leaf.pages",
    "leaf.fill",
    "leaf.garbage",
    "leaf.contiguous",
    "leaf.out_of_order",
    "leaf.backward",
    "leaf.fragments",
    "leaf.avg_seek_pages",
    "used_pages",
    "reserved_pages",
    "rebuild.saved_bytes",
)


def key_numbers(index: Index, sizes: Sizes) -> Block:
    """The numbers of one index, label left, value right, and what they say."""
    by_key = {m.key: m for m in INDEX_METRICS}
    rows = [(by_key[k].label, value_text(by_key[k].of(index), by_key[k].unit)) for k in _KEY_NUMBERS]
    return stack([pairs(rows, sizes), paragraph(f"{verdict(index)}.", sizes.small)], 4)


def pairs(rows: Sequence[tuple[str, str]], sizes: Sizes) -> Block:
    """Labels left, values right."""

    def draw(canvas: Canvas, x: int, y: int, width: int) -> int:
        for label, value in rows:
            canvas.text(x + width, y, value, sizes.body, align="right")
            room = width - text_width(value, sizes.body) - 12
            y = canvas.paragraph(x, y, label, sizes.body, room, canvas.theme.muted)
        return y

    return draw


def file_numbers(survey: Survey) -> list[tuple[str, str]]:
    """Numbers of the whole file."""
    states = survey.page_states
    return [
        ("live pages", count_text(states["live"])),
        ("stale pages", count_text(states["stale"])),
        ("free or not used", count_text(states["free"] + states["unused"])),
        ("DATA_FREE, as the server says", bytes_text(survey.data_free_bytes)),
    ]


def escapes_note(surveys: Sequence[Survey], title: str | None) -> list[str]:
    """A note where a name had to be escaped."""
    names = [title or ""]
    for survey in surveys:
        names += [survey.space.name, *table_names(survey), *(i.name for i in survey.user_indexes)]
    return [ESCAPES_NOTE] if any(map(is_escaped, names)) else []
