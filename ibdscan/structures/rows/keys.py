"""Key columns of records by the table's definition (rem0rec.cc): which they are is for
:mod:`ibdscan.structures.definition.sdi_keys` and :mod:`ibdscan.structures.definition.frm_keys` to say.

A record's columns are in key order, the key first, so the leading key columns can be read without knowing
the rest of the row. Reading stops at the first column whose type or place is not known for certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibdscan.structures.rows.key_values import BLOBS, ColumnType, Reader, read_unsigned, stored_as
from ibdscan.structures.rows.redundant import record_fields

_LONG_LENGTH = 255
_INSTANT = 4
"""Status of a MariaDB record with more columns than the table began with: bytes lie before its NULL bits."""
_VERSIONED = 0xC0
"""Info bits of a MySQL record that has its row version, or number of columns, before its NULL bits."""


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
    read: Reader | None


ROW_ID = KeyColumn("DB_ROW_ID", False, 6, False, read_unsigned)
"""The clustered key of a table that has none."""


def key_column(column: ColumnType, prefix: int | None = None) -> KeyColumn:
    """The column as a key has it, of which ``prefix`` bytes may be all."""
    size, read = stored_as(column)
    if size is not None and prefix is not None:
        size = min(size, prefix)
    is_long = column.octets > _LONG_LENGTH or column.type in BLOBS
    return KeyColumn(column.name, column.nullable, size, is_long, read)


@dataclass(frozen=True)
class KeyReader:
    """Reads the leading key columns of one index's records."""

    columns: tuple[KeyColumn, ...]
    n_nullable: int | None
    """Nullable columns of the whole record; None where it depends on the record's version."""

    def read(self, body: bytes, origin: int, *, compact: bool = True) -> dict[str, Any] | None:
        """Key columns by name as far as they can be read; None when none can."""
        return (self._compact(body, origin) if compact else self._redundant(body, origin)) or None

    def _compact(self, body: bytes, origin: int) -> dict[str, Any]:
        out: dict[str, Any] = {}
        at, null_at = origin, 0
        head_known = self.n_nullable is not None
        if body[origin - 3] & 7 == _INSTANT or body[origin - 5] & _VERSIONED:
            head_known = False
        length_at = origin - 6 - ((self.n_nullable or 0) + 7) // 8
        for column in self.columns:
            if column.nullable:
                if not head_known:
                    break
                null = body[origin - 6 - null_at // 8] >> null_at % 8 & 1
                null_at += 1
                if null:
                    out[column.name] = None
                    continue
            size = column.size
            if size is None:
                if not head_known or length_at < 1:
                    break
                size, length_at = _length(body, length_at, column.long_length)
            raw = body[at : at + size]
            if column.read is None or len(raw) != size:
                break
            out[column.name] = column.read(raw)
            at += size
        return out

    def _redundant(self, body: bytes, origin: int) -> dict[str, Any]:
        try:
            fields = record_fields(body, origin)
        except ValueError:
            return {}
        out: dict[str, Any] = {}
        for column, raw in zip(self.columns, fields, strict=False):
            if column.read is None or (raw is not None and column.size not in (None, len(raw))):
                break
            out[column.name] = None if raw is None else column.read(raw)
        return out


def _length(body: bytes, at: int, long_length: bool) -> tuple[int, int]:
    """Length of a column and where the next length lies: they are kept backwards."""
    low = body[at]
    if long_length and low & 0x80:
        return (low & 0x3F) << 8 | body[at - 1], at - 2
    return low, at - 1
