"""Key columns of compact records by the table's definition in the SDI (dd0dd.cc, rem0rec.cc).

A record's columns are in key order, the key first, so the leading key columns can be read without knowing
the rest of the row. Reading stops at the first column whose type or place is not known for certain.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ibdscan.structures.sdi import SdiObject

_TABLE = 1
_PAD = " "
_INT_BYTES = {2: 1, 3: 2, 4: 4, 9: 8, 10: 3}
"""``enum_column_types`` of the data dictionary (dd/types/column.h): TINY, SHORT, LONG, LONGLONG, INT24."""
_FLOAT, _DOUBLE, _YEAR, _NEWDATE, _VARCHAR, _STRING = 5, 6, 14, 15, 16, 29
_TIMESTAMP2, _DATETIME2 = 18, 19
_BINARY_COLLATION = 63
_LATIN1 = frozenset((5, 8, 15, 31, 47, 48, 49, 94))
_ASCII = frozenset((11, 65))
_UTF8 = frozenset((33, 45, 46, 76, 83, *range(192, 216), 223, *range(224, 248), *range(255, 324)))
"""Collation ids by character set (mysys/charset-def.cc); CHAR is of fixed length in the first two only."""
_LONG_LENGTH = 255


@dataclass(frozen=True)
class KeyColumn:
    """One key column: its name, whether it may be NULL, and how its bytes are read.

    ``size``: bytes of a fixed-length column; None for one whose length the record says. ``read``: None for a
    type that is not decoded.
    """

    name: str
    nullable: bool
    size: int | None
    long_length: bool
    """Lengths over 127 take two bytes."""
    read: Callable[[bytes], Any] | None


@dataclass(frozen=True)
class KeyReader:
    """Reads the leading key columns of one index's compact records."""

    columns: tuple[KeyColumn, ...]
    n_nullable: int | None
    """Nullable columns of the whole record; None where it depends on the record's version."""

    def read(self, body: bytes, origin: int) -> dict[str, Any] | None:
        """Key columns by name as far as they can be read; None when none can."""
        out: dict[str, Any] = {}
        at, null_at = origin, 0
        length_at = None if self.n_nullable is None else origin - 6 - (self.n_nullable + 7) // 8
        for column in self.columns:
            if column.nullable:
                if length_at is None:
                    break
                null = body[origin - 6 - null_at // 8] >> null_at % 8 & 1
                null_at += 1
                if null:
                    out[column.name] = None
                    continue
            size = column.size
            if size is None:
                if length_at is None or length_at < 1:
                    break
                size, length_at = _length(body, length_at, column.long_length)
            raw = body[at : at + size]
            if column.read is None or len(raw) != size:
                break
            out[column.name] = column.read(raw)
            at += size
        return out or None


def _length(body: bytes, at: int, long_length: bool) -> tuple[int, int]:
    """Length of a column and where the next length lies: they are kept backwards."""
    low = body[at]
    if long_length and low & 0x80:
        return (low & 0x3F) << 8 | body[at - 1], at - 2
    return low, at - 1


def key_reader(objects: list[SdiObject], index_id: int | None) -> KeyReader | None:
    """The reader for an index of one of the tables, None where the SDI does not describe it."""
    for entry in objects:
        table = entry.document.get("dd_object")
        if entry.type != _TABLE or not isinstance(table, dict):
            continue
        for index in table.get("indexes") or []:
            if f"id={index_id};" in f"{index.get('se_private_data')};":
                return _reader(table, index)
    return None


def _reader(table: dict[str, Any], index: dict[str, Any]) -> KeyReader | None:
    columns = table.get("columns") or []
    elements = [e for e in index.get("elements") or [] if isinstance(e.get("column_opx"), int)]
    if any(e["column_opx"] >= len(columns) for e in elements) or index.get("type") not in (1, 2, 3):
        return None
    is_clustered = (table.get("indexes") or [None])[0] is index
    keys = [e for e in elements if not e.get("hidden")] or elements[:1]
    if not is_clustered:  # its hidden elements are the columns of the clustered key
        keys = elements
    found = tuple(_column(columns[e["column_opx"]], e) for e in keys)
    return KeyReader(found, _n_nullable(table, index, elements, columns))


def _n_nullable(
    table: dict[str, Any], index: dict[str, Any], elements: list[dict[str, Any]], columns: list[dict[str, Any]]
) -> int | None:
    private = " ".join(str(c.get("se_private_data") or "") for c in columns) + str(table.get("se_private_data"))
    if any(mark in private for mark in ("version_added", "version_dropped", "default", "instant_col")):
        return None
    return sum(bool(columns[e["column_opx"]].get("is_nullable")) for e in elements)


def _column(column: dict[str, Any], element: dict[str, Any]) -> KeyColumn:
    kind, unsigned = column.get("type"), bool(column.get("is_unsigned"))
    name, nullable = str(column.get("name")), bool(column.get("is_nullable"))
    size: int | None = None
    read: Callable[[bytes], Any] | None = None
    if name == "DB_ROW_ID":
        size, read = 6, lambda raw: int.from_bytes(raw, "big")
    elif kind in _INT_BYTES:
        size = _INT_BYTES[kind]
        read = _integer(unsigned)
    elif kind == _FLOAT:
        size, read = 4, lambda raw: struct.unpack("<f", raw)[0]
    elif kind == _DOUBLE:
        size, read = 8, lambda raw: struct.unpack("<d", raw)[0]
    elif kind == _YEAR:
        size, read = 1, lambda raw: 1900 + raw[0] if raw[0] else 0
    elif kind == _NEWDATE:
        size, read = 3, _date
    elif kind in (_DATETIME2, _TIMESTAMP2):
        extra = (int(column.get("datetime_precision") or 0) + 1) // 2
        size = (5 if kind == _DATETIME2 else 4) + extra
        read = _datetime if kind == _DATETIME2 else _timestamp
    elif kind in (_VARCHAR, _STRING):
        size, read = _string(column, kind)
    prefix = element.get("length")
    if size is not None and isinstance(prefix, int):
        size = min(size, prefix)
    long_length = int(column.get("char_length") or 0) > _LONG_LENGTH
    return KeyColumn(name, nullable, size, long_length, read)


def _string(column: dict[str, Any], kind: int) -> tuple[int | None, Callable[[bytes], Any] | None]:
    """Size (None: the record says) and reader of a character or binary column."""
    collation, octets = column.get("collation_id"), int(column.get("char_length") or 0)
    fixed = kind == _STRING and (collation == _BINARY_COLLATION or collation in _LATIN1 | _ASCII)
    size = octets if fixed else None
    if collation in _UTF8 | _ASCII:
        return size, _text
    if collation in _LATIN1:
        return size, _latin1
    if kind == _STRING and collation != _BINARY_COLLATION:
        return None, None  # of fixed length in some character sets, not in others
    return size, _hex


def _integer(unsigned: bool) -> Callable[[bytes], int]:
    """Big-endian; signed numbers with the sign bit turned round."""

    def read(raw: bytes) -> int:
        value = int.from_bytes(raw, "big")
        return value if unsigned else value - (1 << 8 * len(raw) - 1)

    return read


def _hex(raw: bytes) -> str:
    return "0x" + raw.hex()


def _latin1(raw: bytes) -> str:
    return raw.decode("cp1252", "replace").rstrip(_PAD)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").rstrip(_PAD)


def _date(raw: bytes) -> str:
    value = int.from_bytes(raw, "big") - (1 << 23)
    year, month, day = value >> 9, value >> 5 & 15, value & 31
    return f"{year:04d}-{month:02d}-{day:02d}"


def _datetime(raw: bytes) -> str:
    value = int.from_bytes(raw[:5], "big") - (1 << 39)
    months, day = value >> 22, value >> 17 & 31
    clock = f"{value >> 12 & 31:02d}:{value >> 6 & 63:02d}:{value & 63:02d}"
    return f"{months // 13:04d}-{months % 13:02d}-{day:02d} {clock}{_fraction(raw[5:])}"


def _timestamp(raw: bytes) -> str:
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int.from_bytes(raw[:4], "big"))
    return at.strftime("%Y-%m-%d %H:%M:%S") + _fraction(raw[4:])


def _fraction(raw: bytes) -> str:
    return f".{int.from_bytes(raw, 'big'):0{2 * len(raw)}d}" if raw else ""
