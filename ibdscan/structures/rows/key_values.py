"""Values of columns as InnoDB stores them in keys: by the server's field type (field.cc, decimal.c, my_time.c).

Integers lie big-endian with the sign bit turned round, so that bytes compare as numbers do.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ibdscan.structures.rows.charsets import BINARY, Charset, charset_of

Reader = Callable[[bytes], Any]

# ``enum_field_types`` (include/field_types.h); the same numbers are in a .frm
FLOAT, DOUBLE, OLD_TIMESTAMP, OLD_TIME, OLD_DATETIME, YEAR, NEWDATE = 4, 5, 7, 11, 12, 13, 14
VARCHAR, BIT, TIMESTAMP, DATETIME, TIME = 15, 16, 17, 18, 19
DECIMAL, ENUM, SET, STRING = 246, 247, 248, 254
BLOBS = frozenset((249, 250, 251, 252))
INT_BYTES = {1: 1, 2: 2, 3: 4, 8: 8, 9: 3}
_DECIMAL_BYTES = (0, 1, 1, 2, 2, 3, 3, 4, 4, 4)
"""Bytes of 0 to 9 decimal digits."""
_MAX_FIXED = 768
"""``DICT_MAX_FIXED_COL_LEN``: longer columns are stored with a length."""
_ROW_ID_BYTES = 6


@dataclass(frozen=True)
class ColumnType:
    """A column as the table's definition has it. ``octets``: its longest value; of BIT the bits."""

    name: str
    type: int
    nullable: bool
    octets: int = 0
    collation: int = BINARY
    unsigned: bool = False
    precision: int = 0
    scale: int = 0
    """DECIMAL's digits after the point; digits of a fraction of a second."""
    labels: tuple[str, ...] = ()
    """Of ENUM and SET."""

    @property
    def charset(self) -> Charset | None:
        return charset_of(self.collation)


def stored_as(column: ColumnType) -> tuple[int | None, Reader | None]:
    """Bytes of the column in a compact record (None: the record says), and what reads them (None: nothing)."""
    kind = column.type
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind in INT_BYTES:
        return INT_BYTES[kind], read_unsigned if column.unsigned else _signed
    if kind in (VARCHAR, STRING) or kind in BLOBS:
        return _string(column)
    return _by_definition(column)


def _by_definition(column: ColumnType) -> tuple[int | None, Reader | None]:
    """Types whose size depends on how the column was declared."""
    kind, labels, scale = column.type, column.labels, column.scale
    fraction = (scale + 1) // 2
    set_bytes = (len(labels) + 7) // 8
    made: dict[int, tuple[int, Reader]] = {
        TIMESTAMP: (4 + fraction, lambda raw: _timestamp(raw, scale)),
        DATETIME: (5 + fraction, lambda raw: _datetime(raw, scale)),
        TIME: (3 + fraction, lambda raw: _time(raw, scale)),
        DECIMAL: (_decimal_bytes(column), lambda raw: _decimal(raw, column.precision, scale)),
        BIT: ((column.octets + 7) // 8, read_unsigned),
        ENUM: (1 if len(labels) < 256 else 2, lambda raw: _enum(raw, labels)),
        SET: (8 if set_bytes > 4 else set_bytes, lambda raw: _set(raw, labels)),
    }
    return made.get(kind, (None, None))


def _string(column: ColumnType) -> tuple[int | None, Reader | None]:
    charset = column.charset
    if charset is None:
        return None, None
    fixed = column.type == STRING and charset.char_bytes is not None and column.octets <= _MAX_FIXED
    read: Reader = charset.text
    if column.type == STRING and column.collation != BINARY and charset.codec is not None:
        read = lambda raw: charset.text(raw).rstrip(" ")  # noqa: E731 - the server gives no padding either
    return column.octets if fixed else None, read


def read_unsigned(raw: bytes) -> int:
    """A big-endian number."""
    return int.from_bytes(raw, "big")


def _signed(raw: bytes) -> int:
    return int.from_bytes(raw, "big") - (1 << 8 * len(raw) - 1)


def _float(raw: bytes) -> float:
    """The shortest number that is the same float."""
    (value,) = struct.unpack("<f", raw)
    for digits in range(6, 9):
        short = float(f"{value:.{digits}g}")
        if abs(short) < 3.4e38 and struct.pack("<f", short) == raw:
            return short
    return float(value)


def _double(raw: bytes) -> float:
    return float(struct.unpack("<d", raw)[0])


def _year(raw: bytes) -> int:
    return 1900 + raw[0] if raw[0] else 0


def _date(raw: bytes) -> str:
    value = _signed(raw)
    return f"{value >> 9:04d}-{value >> 5 & 15:02d}-{value & 31:02d}"


def _datetime(raw: bytes, scale: int) -> str:
    value = _signed(raw[:5])
    months, day = value >> 22, value >> 17 & 31
    clock = f"{value >> 12 & 31:02d}:{value >> 6 & 63:02d}:{value & 63:02d}"
    return f"{months // 13:04d}-{months % 13:02d}-{day:02d} {clock}{_fraction(raw[5:], scale)}"


def _timestamp(raw: bytes, scale: int = 0) -> str:
    """In UTC."""
    if not any(raw):
        return "0000-00-00 00:00:00" + _fraction(raw[4:], scale)
    at = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=read_unsigned(raw[:4]))
    return at.strftime("%Y-%m-%d %H:%M:%S") + _fraction(raw[4:], scale)


def _time(raw: bytes, scale: int) -> str:
    value = _signed(raw)
    size = len(raw) - 3
    value, sign = abs(value), "-" if value < 0 else ""
    clock, fraction = value >> 8 * size, (value & (1 << 8 * size) - 1).to_bytes(size, "big")
    return f"{sign}{clock >> 12:02d}:{clock >> 6 & 63:02d}:{clock & 63:02d}{_fraction(fraction, scale)}"


def _fraction(raw: bytes, scale: int) -> str:
    """Two digits a byte; of an odd number of them the last is no digit of the column."""
    return f".{read_unsigned(raw):0{2 * len(raw)}d}"[: scale + 1] if raw else ""


def _old_time(raw: bytes) -> str:
    value = _signed(raw)
    hours = abs(value) // 10000
    return f"{'-' if value < 0 else ''}{hours:02d}:{abs(value) // 100 % 100:02d}:{abs(value) % 100:02d}"


def _old_datetime(raw: bytes) -> str:
    digits = f"{_signed(raw):014d}"
    date, clock = digits[:-6], digits[-6:]
    return f"{date[:-4]}-{date[-4:-2]}-{date[-2:]} {clock[:2]}:{clock[2:4]}:{clock[4:]}"


_SIMPLE: dict[int, tuple[int, Reader]] = {
    FLOAT: (4, _float),
    DOUBLE: (8, _double),
    YEAR: (1, _year),
    NEWDATE: (3, _date),
    OLD_TIMESTAMP: (4, _timestamp),
    OLD_TIME: (3, _old_time),
    OLD_DATETIME: (8, _old_datetime),
}


def _decimal_bytes(column: ColumnType) -> int:
    whole, fraction = max(0, column.precision - column.scale), column.scale
    return sum(n // 9 * 4 + _DECIMAL_BYTES[n % 9] for n in (whole, fraction))


def _decimal(raw: bytes, precision: int, scale: int) -> str:
    """Nine digits in four bytes, what is over in fewer: at the start before the point, at the end behind it."""
    negative = not raw[0] & 0x80
    raw = bytes((raw[0] ^ 0x80, *raw[1:]))
    if negative:
        raw = bytes(b ^ 0xFF for b in raw)
    whole, at = precision - scale, 0
    digits = ""
    for n in (whole % 9, *[9] * (whole // 9), *[9] * (scale // 9), scale % 9):
        size = _DECIMAL_BYTES[n]
        digits += f"{read_unsigned(raw[at : at + size]):0{n}d}" if n else ""
        at += size
    point = len(digits) - scale
    text = (digits[:point].lstrip("0") or "0") + ("." + digits[point:] if scale else "")
    return "-" + text if negative else text


def _enum(raw: bytes, labels: tuple[str, ...]) -> str | int:
    """0 is the empty string of an invalid value."""
    number = read_unsigned(raw)
    return ("", *labels)[number] if number <= len(labels) else number


def _set(raw: bytes, labels: tuple[str, ...]) -> str | int:
    number = read_unsigned(raw)
    if number >> len(labels):
        return number
    return ",".join(label for i, label in enumerate(labels) if number >> i & 1)
