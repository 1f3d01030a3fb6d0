"""Tables once, shown as text or CSV: columns with a key for machines and a title for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ibdscan.measures.metrics import Value
from ibdscan.views.units import UNKNOWN, value_text


@dataclass(frozen=True)
class Column:
    """``unit`` is ``text`` or one of the metrics' units; ``sign`` shows differences with their sign,
    ``right`` aligns text to the right, as numbers are."""

    key: str
    title: str
    unit: str = "text"
    sign: bool = False
    right: bool = False

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


def csv_text(tables: Sequence[Table]) -> str:
    """CSV with a header line of keys; several tables must share their columns. Raw values, empty = unknown."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for i, table in enumerate(tables):
        if i == 0:
            writer.writerow([c.key for c in table.columns])
        writer.writerows([["" if v is None else v for v in row] for row in table.rows])
    return out.getvalue()


def table_text(table: Table, *, width: int | None = None, color: bool = False) -> str:
    """A table for people. ``width`` folds long text to a terminal's width; None never folds."""
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        left = column.unit == "text" and not column.right
        drawn.add_column(
            Text(column.title), justify="left" if left else "right", no_wrap=not left, overflow="fold"
        )
    for row in table.rows:
        drawn.add_row(*(Text(c.show(v)) for c, v in zip(table.columns, row, strict=True)))
    out = io.StringIO()
    console = Console(
        file=out,
        width=10_000,
        force_terminal=color,
        color_system="standard" if color else None,
        legacy_windows=False,
    )
    if width is not None:  # numbers are never folded: a narrow terminal wraps the line instead
        console.width = max(width, Measurement.get(console, console.options, drawn).minimum)
    console.print(drawn)
    lines = [line.rstrip() for line in out.getvalue().rstrip("\n").split("\n")]
    head = f"{table.title}\n" if table.title else ""
    return head + "\n".join(lines) + "\n"


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
