"""One declaration, several uses: a construct ``Struct`` as a numpy dtype and as a printed manual.

The layouts use fixed-size constructs only (``FormatField``, ``Bytes``, ``Array``, ``Struct``), so the
size of every field is known without reading anything.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import construct as c
import numpy as np


@dataclass(frozen=True)
class Field:
    """One field of a layout: where it lies, its size in bytes, what it means."""

    name: str
    offset: int
    size: int
    doc: str
    con: Any
    """The construct that parses it."""


def fields_of(layout: Any) -> Iterator[Field]:
    """Fields of a ``Struct`` in file order, offsets from its start. Nested structs are one field."""
    offset = 0
    for sub in layout.subcons:
        inner = sub.subcon if isinstance(sub, c.Renamed) else sub
        size = int(inner.sizeof())
        yield Field(sub.name, offset, size, str(sub.docs or ""), inner)
        offset += size


@cache
def dtype_of(layout: Any) -> np.dtype[Any]:
    """The numpy dtype that views the same bytes as ``layout`` (big-endian, packed).

    Raises TypeError for a construct without a fixed numpy counterpart.
    """
    if isinstance(layout, c.Renamed):
        return dtype_of(layout.subcon)
    if isinstance(layout, c.FormatField):
        kind = "i" if layout.fmtstr[-1].islower() else "u"
        return np.dtype(f">{kind}{layout.sizeof()}")
    if isinstance(layout, c.Array):
        return np.dtype((dtype_of(layout.subcon), (int(str(layout.count)),)))
    if isinstance(layout, c.Bytes):
        return np.dtype(("u1", (int(str(layout.length)),)))
    if isinstance(layout, c.Struct):
        return np.dtype([(f.name, dtype_of(f.con)) for f in fields_of(layout)])
    raise TypeError(f"a layout has no numpy counterpart: {layout!r}")


class Record(dict[str, Any]):
    """One parsed ``Struct``: its fields as items and as attributes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


@cache
def reader_of(layout: Any) -> Callable[[bytes, int], Record]:
    """A parser of one ``Struct`` at an offset: the values of ``layout.parse``, some thirty times as quick.

    For what is parsed in every file of a hundred thousand.

    >>> from ibdscan.layout.fsp import FIL_ADDR
    >>> reader_of(FIL_ADDR)(bytes(4) + bytes([0, 0, 0, 3, 0, 50]), 4)
    {'page_no': 3, 'offset': 50}
    """
    unpack = struct.Struct(">" + _format_of(layout)).unpack_from
    build = _builder_of(layout)

    def read(data: bytes, offset: int = 0) -> Record:
        record: Record = build(unpack(data, offset), 0)
        return record

    return read


def _format_of(layout: Any) -> str:
    if isinstance(layout, c.Renamed):
        return _format_of(layout.subcon)
    if isinstance(layout, c.Struct):
        return "".join(_format_of(f.con) for f in fields_of(layout))
    if isinstance(layout, c.Array):
        return _format_of(layout.subcon) * int(str(layout.count))
    if isinstance(layout, c.Bytes):
        return f"{int(str(layout.length))}s"
    return str(layout.fmtstr[-1])


def _builder_of(layout: Any) -> Callable[[tuple[Any, ...], int], Any]:
    """A function that makes the value of ``layout`` of a flat tuple of values, from a position on."""
    if isinstance(layout, c.Renamed):
        return _builder_of(layout.subcon)
    if isinstance(layout, c.Struct):
        fields = list(fields_of(layout))
        names, widths = tuple(f.name for f in fields), [_n_values(f.con) for f in fields]
        if widths == [1] * len(names):
            return lambda values, at: Record(zip(names, values[at : at + len(names)], strict=True))
        starts = [sum(widths[:i]) for i in range(len(widths))]
        builders = [
            _remembered(_builder_of(f.con), n) if 1 < n <= _FEW_VALUES else _builder_of(f.con)
            for f, n in zip(fields, widths, strict=True)
        ]
        parts = [(f.name, build, start) for f, build, start in zip(fields, builders, starts, strict=True)]
        return lambda values, at: Record([(name, build(values, at + start)) for name, build, start in parts])
    if isinstance(layout, c.Array):
        n, width, build = int(str(layout.count)), _n_values(layout.subcon), _builder_of(layout.subcon)
        if width == 1:
            return lambda values, at: list(values[at : at + n])
        return lambda values, at: [build(values, at + i * width) for i in range(n)]
    return tuple.__getitem__


_FEW_VALUES = 6


def _remembered(build: Callable[[tuple[Any, ...], int], Any], n: int) -> Callable[[tuple[Any, ...], int], Any]:
    """The same for a small part: empty lists and null addresses are alike in all files."""
    seen: dict[tuple[Any, ...], Any] = {}

    def find(values: tuple[Any, ...], at: int) -> Any:
        key = values[at : at + n]
        found = seen.get(key)
        if found is None:
            found = build(values, at)
            if len(seen) < 1024:
                seen[key] = found
        return found

    return find


def _n_values(layout: Any) -> int:
    """How many values ``layout`` takes of the flat tuple."""
    if isinstance(layout, c.Renamed):
        return _n_values(layout.subcon)
    if isinstance(layout, c.Struct):
        return sum(_n_values(f.con) for f in fields_of(layout))
    if isinstance(layout, c.Array):
        return int(str(layout.count)) * _n_values(layout.subcon)
    return 1


def manual_rows(layout: Any, base: int = 0, prefix: str = "") -> Iterator[tuple[int, int, str, str]]:
    """Rows (offset, size, name, meaning) of the printed manual; small nested structs are opened up."""
    for f in fields_of(layout):
        yield base + f.offset, f.size, prefix + f.name, f.doc
        if isinstance(f.con, c.Struct):
            yield from manual_rows(f.con, base + f.offset, f"{prefix}{f.name}.")
