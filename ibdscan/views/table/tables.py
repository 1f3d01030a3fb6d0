"""Tables once, shown as text or CSV: columns with a key for machines and a title for people."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ibdscan.measures.file.metrics import Value
from ibdscan.views.table.units import UNKNOWN, value_text


@dataclass(frozen=True)
class Column:
    """``unit`` is ``text`` or one of the metrics' units; ``sign`` shows differences with their sign,
    ``right`` aligns text to the right, as numbers are. ``meaning`` is what ``--help`` and the docs say of it."""

    key: str
    title: str
    unit: str = "text"
    sign: bool = False
    right: bool = False
    meaning: str = ""

    def show(self, value: Any) -> str:
        """The value for people."""
        if value is None:
            return UNKNOWN
        if self.unit == "text":
            return printable(str(value))
        number: Value = value
        return value_text(number, self.unit, sign=self.sign)


@dataclass
class Table:
    """Rows of raw values under columns."""

    columns: Sequence[Column]
    rows: list[list[Any]] = field(default_factory=list)
    title: str | None = None

    def add(self, *values: Any) -> None:
        """Add one row, a value a column."""
        if len(values) != len(self.columns):
            raise ValueError(f"{len(values)} values for {len(self.columns)} columns")
        self.rows.append(list(values))


def printable(text: str) -> str:
    """Names as they are, control characters (a name may hold any) as escapes: they could drive a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def cells_of(text: str) -> int:
    """Terminal cells that a text takes: East Asian characters take two."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def csv_text(tables: Sequence[Table]) -> str:
    """CSV with a header line of keys; several tables must share their columns. Raw values, empty = unknown."""
    import csv

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for i, table in enumerate(tables):
        if i == 0:
            writer.writerow([c.key for c in table.columns])
        writer.writerows([["" if v is None else v for v in row] for row in table.rows])
    return out.getvalue()


_GAP = "  "
_NARROWEST = 16


def table_text(table: Table, *, width: int | None = None, color: bool = False) -> str:
    """A table for people. ``width`` folds long text to a terminal's width, numbers never; None never folds."""
    titles = [column.title.split("\n") for column in table.columns]
    high = max((len(lines) for lines in titles), default=1)
    head = [[""] * (high - len(lines)) + lines for lines in titles]  # titles stand on the rule
    body = [[[c.show(v)] for c, v in zip(table.columns, row, strict=True)] for row in table.rows]
    widths = [
        max((cells_of(line) for row in [head, *body] for line in row[i]), default=0) for i in range(len(head))
    ]
    if width is not None:
        widths = _fold(table, body, widths, width)
    left = [c.unit == "text" and not c.right for c in table.columns]
    shown = _lines(head, widths, left)
    if color:
        shown = [f"\x1b[1m{line}\x1b[0m" for line in shown]
    shown.append("─" * (sum(widths) + len(_GAP) * (len(widths) - 1)))
    for row in body:
        shown += _lines(row, widths, left)
    return "\n".join(([table.title] if table.title else []) + shown) + "\n"


@dataclass(frozen=True)
class Style:
    """How text is drawn: the terminal's width (None = do not fold) and colour."""

    width: int | None = None
    color: bool = False

    def table(self, table: Table) -> str:
        """A table in this style."""
        return table_text(table, width=self.width, color=self.color)

    def bold(self, text: str) -> str:
        """Text in bold, on a terminal."""
        return f"\x1b[1m{text}\x1b[0m" if self.color else text


def _lines(cells: list[list[str]], widths: list[int], left: list[bool]) -> list[str]:
    lines = []
    for k in range(max(len(cell) for cell in cells)):
        parts = []
        for cell, wide, to_left in zip(cells, widths, left, strict=True):
            text = cell[k] if k < len(cell) else ""
            pad = " " * (wide - cells_of(text))
            parts.append(text + pad if to_left else pad + text)
        lines.append(_GAP.join(parts).rstrip())
    return lines


def _fold(table: Table, body: list[list[list[str]]], widths: list[int], width: int) -> list[int]:
    """Fold the widest text column so that the table fits, if it can; returns the new widths."""
    texts = [i for i, c in enumerate(table.columns) if c.unit == "text" and not c.right]
    over = sum(widths) + len(_GAP) * (len(widths) - 1) - width
    if over <= 0 or not texts:
        return widths
    widest = max(texts, key=lambda i: widths[i])
    room = max(_NARROWEST, widths[widest] - over)
    for row in body:
        row[widest] = _wrapped(row[widest][0], room)
    return [min(w, room) if i == widest else w for i, w in enumerate(widths)]


def _wrapped(text: str, room: int) -> list[str]:
    narrow = room * len(text) // max(1, cells_of(text)) if text else room  # wide characters: fewer of them
    return textwrap.wrap(text, max(1, narrow)) or [""]


_BARS = "▏▎▍▌▋▊▉█"


def histogram_text(histogram: Sequence[int], *, width: int = 40) -> list[str]:
    """A ten-bin fill histogram as lines of text bars, the fullest bin first.

    >>> histogram_text([0] * 8 + [1, 3], width=6)[:2]
    ['90-100 % ██████ 3', ' 80-90 % ██ 1']
    """
    most = max(histogram, default=0)
    step = 100 // max(1, len(histogram))
    lines = []
    for i, n in reversed(list(enumerate(histogram))):
        label = f"{i * step}-{(i + 1) * step} %"
        bar = _bar(n / most * width) if most else ""
        lines.append(f"{label:>8} {bar}{' ' if bar else ''}{n:,}")
    return lines


def _bar(length: float) -> str:
    eighths = round(length * 8)
    if length > 0:
        eighths = max(1, eighths)
    whole, rest = divmod(eighths, 8)
    return "█" * whole + (_BARS[rest - 1] if rest else "")
