"""Tables by column, for as many rows as a file has pages: written in chunks, no Python step a cell.

A column is a numpy array, a masked one where values may be unknown, or :class:`Named`: small codes and
the names they stand for.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ibdscan.views.table.tables import Column, printable
from ibdscan.views.table.units import UNKNOWN

CHUNK_ROWS = 1 << 15
_SMALL = 1 << 16


@dataclass(frozen=True)
class Named:
    """Texts as codes: ``codes[i]`` is the place of row i's text in ``names``, -1 for none."""

    codes: npt.NDArray[Any]
    names: Sequence[str | None]

    def __getitem__(self, rows: slice) -> Named:
        return Named(self.codes[rows], self.names)

    def __len__(self) -> int:
        return len(self.codes)

    def objects(self) -> npt.NDArray[np.object_]:
        """The texts themselves, an object array."""
        texts: npt.NDArray[np.object_] = np.array([*self.names, None], np.object_)[self.codes]
        return texts


Cells = Named | npt.NDArray[Any]


class ColumnTable(Protocol):
    """What can be written: columns described, rows counted, columns of any run of rows."""

    @property
    def head(self) -> Sequence[Column]: ...

    def __len__(self) -> int: ...

    def part(self, start: int, stop: int) -> Mapping[str, Cells]:
        """The columns of rows ``start`` to ``stop`` - 1, by key."""
        ...


@dataclass(frozen=True)
class MemoryTable:
    """A table whose columns are there as a whole."""

    head: Sequence[Column]
    columns: Mapping[str, Cells]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def part(self, start: int, stop: int) -> Mapping[str, Cells]:
        return {key: column[start:stop] for key, column in self.columns.items()}


@dataclass(frozen=True)
class Spelling:
    """How cells are written: texts, numbers of one column, and what is unknown."""

    text: Callable[[str], str]
    number: Callable[[Column], Callable[[Any], str]]
    null: str


def cells(values: Cells, column: Column, spelling: Spelling) -> list[str]:
    """One column of a chunk as texts."""
    if isinstance(values, Named):
        spelt = [spelling.null if n is None else spelling.text(n) for n in values.names]
        table = np.array([*spelt, spelling.null], np.object_)
        found: list[str] = table[values.codes].tolist()
        return found
    mask = values.mask if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values)
    out = _numbers(plain, spelling.number(column))
    if mask is not None and mask.any():
        out[mask] = spelling.null
    texts: list[str] = out.tolist()
    return texts


def _numbers(plain: npt.NDArray[Any], spell: Callable[[Any], str]) -> npt.NDArray[np.object_]:
    """Each distinct value is spelt once where there are likely few of them."""
    if plain.dtype.kind in "iu" and spell is not str and len(plain) and plain.max() >= _SMALL:
        return np.array([spell(v) for v in plain.tolist()], np.object_)
    if plain.dtype.kind in "iu" and len(plain) and plain.max() >= _SMALL:
        return np.array(list(map(str, plain.tolist())), np.object_)
    values, places = np.unique(plain, return_inverse=True)
    return np.array([spell(v) for v in values.tolist()] or [""], np.object_)[places]


def _chunks(table: ColumnTable) -> Iterator[Mapping[str, Cells]]:
    for start in range(0, len(table), CHUNK_ROWS):
        yield table.part(start, min(start + CHUNK_ROWS, len(table)))


def _csv_text(text: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([text])
    return out.getvalue().removesuffix("\n")


CSV = Spelling(_csv_text, lambda _: str, "")
JSON = Spelling(lambda text: json.dumps(text, ensure_ascii=False), lambda _: str, "null")


def csv_parts(table: ColumnTable) -> Iterator[str]:
    """CSV in pieces: a header line of keys, raw values, empty = unknown."""
    yield ",".join(c.key for c in table.head) + "\n"
    for part in _chunks(table):
        columns = [cells(part[c.key], c, CSV) for c in table.head]
        yield "\n".join(map(",".join, zip(*columns, strict=True))) + "\n"


def jsonl_parts(table: ColumnTable) -> Iterator[str]:
    """JSON lines in pieces: one object a row, ``null`` = unknown."""
    for lines in _json_lines(table):
        yield "\n".join(lines) + "\n"


def _json_lines(table: ColumnTable) -> Iterator[list[str]]:
    keys = [json.dumps(c.key).replace("%", "%%") for c in table.head]
    template = "{" + ", ".join(f"{key}: %s" for key in keys) + "}"
    for part in _chunks(table):
        columns = [cells(part[c.key], c, JSON) for c in table.head]
        yield [template % row for row in zip(*columns, strict=True)]


def json_parts(facts: Mapping[str, Any], key: str, table: ColumnTable) -> Iterator[str]:
    """One JSON object in pieces: the facts, then the rows under ``key``, a line each."""
    head = json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False) if facts else "{\n}"
    yield head.removesuffix("\n}") + (",\n" if facts else "\n") + f"  {json.dumps(key)}: ["
    before = "\n    "
    for lines in _json_lines(table):
        yield before + ",\n    ".join(lines)
        before = ",\n    "
    yield ("\n  " if len(table) else "") + "]\n}\n"


def text_parts(table: ColumnTable) -> Iterator[str]:
    """A table for people in pieces: columns as wide as their widest value, never folded."""
    spelling = Spelling(printable, lambda c: str if c.unit == "text" else c.show, UNKNOWN)
    widths = [len(c.title) for c in table.head]
    for part in _chunks(table):
        columns = [cells(part[c.key], c, spelling) for c in table.head]
        widths = [max(w, *map(len, column)) for w, column in zip(widths, columns, strict=True)]
    left = [c.unit == "text" and not c.right for c in table.head]
    titles = [[c.title] for c in table.head]
    yield from (line + "\n" for line in _aligned(titles, widths, left))
    yield "─" * (sum(widths) + 2 * (len(widths) - 1)) + "\n"
    for part in _chunks(table):
        columns = [cells(part[c.key], c, spelling) for c in table.head]
        yield "\n".join(_aligned(columns, widths, left)) + "\n"


def _aligned(columns: Sequence[Sequence[str]], widths: Sequence[int], left: Sequence[bool]) -> list[str]:
    template = "  ".join(f"%-{w}s" if at_left else f"%{w}s" for w, at_left in zip(widths, left, strict=True))
    return [(template % row).rstrip() for row in zip(*columns, strict=True)]
