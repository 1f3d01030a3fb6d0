"""One answer, many faces: what a command found, and how it is spelt in each format.

A command makes an :class:`Answer`; JSON, CSV, JSON lines and text are drawn from it, only what is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ibdscan.views.table.tables import Table, csv_text

if TYPE_CHECKING:
    from ibdscan.views.table.columns import ColumnTable
    from ibdscan.views.table.tables import Style


@dataclass(frozen=True)
class Answer:
    """``text`` makes what people read, ``data`` the JSON object, ``table`` the rows of CSV.

    A long table (one row a page or an extent) is a ColumnTable: its rows are written in pieces, in JSON under
    the key ``rows`` after the facts of ``data``.
    """

    text: Callable[[Style], str | Iterable[str]]
    data: Callable[[], Any] = dict
    table: Callable[[], Table | list[Table] | ColumnTable] = list
    rows: str | None = None

    def parts(self, fmt: str, style: Style) -> Iterable[str]:
        """The answer in a format, in pieces."""
        if fmt == "text":
            found = self.text(style)
            return [found] if isinstance(found, str) else found
        if fmt == "json" and self.rows is None:
            return [json_text(self.data())]
        table = self.table()
        if isinstance(table, Table | list):
            return [csv_text(table if isinstance(table, list) else [table])]
        return self._long(fmt, table)

    def made(self, fmt: str, style: Style) -> Answer:
        """The same, with the form of that format made now: what it is drawn from can be closed."""
        if fmt == "json":
            data = self.data()
            return replace(self, data=lambda: data)
        if fmt == "text":
            text = "".join(self.parts(fmt, style))
            return replace(self, text=lambda _: text)
        table = self.table()
        return replace(self, table=lambda: table)

    def _long(self, fmt: str, table: ColumnTable) -> Iterator[str]:
        from ibdscan.views.table.columns import csv_parts, json_parts, jsonl_parts

        if fmt == "json":
            assert self.rows is not None
            return json_parts(self.data(), self.rows, table)
        return csv_parts(table) if fmt == "csv" else jsonl_parts(table)


def of_files(answers: Iterable[Answer], head: Table) -> Answer:
    """Several files one after the other: each is made, asked and let go before the next. ``head`` has the
    columns, for when there is no file to tell them."""
    return Answer(
        data=lambda: {"files": [answer.data() for answer in answers]},
        table=lambda: [head, *(_small(answer.table()) for answer in answers)],
        text=lambda style: "\n".join("".join(answer.parts("text", style)) for answer in answers),
    )


def _small(table: Table | list[Table] | ColumnTable) -> Table:
    assert isinstance(table, Table)
    return table


def json_text(data: Any) -> str:
    """JSON as printed: indented, non-ASCII names as they are, NaN never."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
