"""Stored columns from bytes worked out by hand after the servers' sources, and bytes of real servers."""

from __future__ import annotations

from typing import Any

import pytest

from ibdscan.structures.rows import key_values as kv
from ibdscan.structures.rows.key_values import ColumnType, stored_as
from ibdscan.structures.rows.keys import ROW_ID, KeyReader, key_column

LATIN1, UTF8MB4_NO_PAD, UTF16, UCS2, UTF32, SWE7, BINARY = 8, 255, 54, 35, 60, 10, 63


def _of(kind: int, **more: Any) -> ColumnType:
    return ColumnType("c", kind, False, **more)


def _packed(value: int, size: int, sign: int) -> str:
    return (value + (1 << sign)).to_bytes(size, "big").hex()


DATE = (2026 * 13 + 12) << 5 | 5
CLOCK = 22 << 12 | 41 << 6 | 38
MOMENT = _packed(DATE << 17 | CLOCK, 5, 39)

VALUES: list[tuple[ColumnType, str, Any]] = [
    (_of(1), "7f", -1),
    (_of(1, unsigned=True), "ff", 255),
    (_of(9), "800001", 1),
    (_of(8), "0000000000000000", -(1 << 63)),
    (_of(kv.FLOAT), "cdcccc3d", 0.1),
    (_of(kv.FLOAT), "ffff7f7f", 3.4028234663852886e38),
    (_of(kv.DOUBLE), "9a9999999999b93f", 0.1),
    # the example of decimal2bin in strings/decimal.c
    (_of(kv.DECIMAL, precision=14, scale=4), "810dfb38d204d2", "1234567890.1234"),
    (_of(kv.DECIMAL, precision=14, scale=4), "7ef204c72dfb2d", "-1234567890.1234"),
    (_of(kv.DECIMAL, precision=5, scale=2), "800000", "0.00"),
    (_of(kv.DECIMAL, precision=3, scale=3), "8001", "0.001"),
    (_of(kv.DECIMAL, precision=9, scale=0), "80000007", "7"),
    (_of(kv.YEAR), "7e", 2026),
    (_of(kv.YEAR), "00", 0),
    (_of(kv.NEWDATE), _packed(2026 << 9 | 12 << 5 | 5, 3, 23), "2026-12-05"),
    (_of(kv.DATETIME), MOMENT, "2026-12-05 22:41:38"),
    (_of(kv.DATETIME, scale=1), MOMENT + "5a", "2026-12-05 22:41:38.9"),
    (_of(kv.DATETIME, scale=2), MOMENT + "5a", "2026-12-05 22:41:38.90"),
    (_of(kv.DATETIME, scale=3), MOMENT + "04ce", "2026-12-05 22:41:38.123"),
    (_of(kv.DATETIME, scale=5), MOMENT + "01e23a", "2026-12-05 22:41:38.12345"),
    (_of(kv.DATETIME, scale=6), MOMENT + "000001", "2026-12-05 22:41:38.000001"),
    (_of(kv.DATETIME), "8000000000", "0000-00-00 00:00:00"),
    (_of(kv.TIMESTAMP), "00000000", "0000-00-00 00:00:00"),
    (_of(kv.TIMESTAMP, scale=3), "000000000000", "0000-00-00 00:00:00.000"),
    (_of(kv.TIMESTAMP, scale=1), "0000000132", "1970-01-01 00:00:01.5"),
    (_of(kv.TIMESTAMP), "ffffffff", "2106-02-07 06:28:15"),
    # the table in my_time_packed_from_binary: 0x7FFFFF.F6 is -00:00:00.10
    (_of(kv.TIME, scale=2), "7ffffff6", "-00:00:00.10"),
    (_of(kv.TIME, scale=1), "7ffffff6", "-00:00:00.1"),
    (_of(kv.TIME), _packed(-(837 << 12 | 59 << 6 | 1), 3, 23), "-837:59:01"),
    (_of(kv.TIME, scale=6), _packed((7 << 12) << 24 | 30, 6, 47), "07:00:00.000030"),
    (_of(kv.OLD_TIMESTAMP), "00000001", "1970-01-01 00:00:01"),
    (_of(kv.OLD_TIME), _packed(-1234567, 3, 23), "-123:45:67"),
    (_of(kv.OLD_DATETIME), _packed(20261205224138, 8, 63), "2026-12-05 22:41:38"),
    (_of(kv.BIT, octets=9), "0101", 257),
    (_of(kv.ENUM, labels=("x", "y")), "02", "y"),
    (_of(kv.ENUM, labels=("x", "y")), "00", ""),
    (_of(kv.ENUM, labels=("x", "y")), "09", 9),
    (_of(kv.ENUM, labels=("x",) * 299 + ("z",)), "012c", "z"),
    (_of(kv.SET, labels=("x", "y", "z")), "05", "x,z"),
    (_of(kv.SET, labels=("x",)), "02", 2),
    (_of(kv.SET, labels=("x",) * 40), "0000000000000000", ""),
    (_of(kv.STRING, octets=3, collation=LATIN1), "e42020", "ä"),
    (_of(kv.STRING, octets=3, collation=LATIN1), "818020", "\x81€"),
    (_of(kv.STRING, octets=4, collation=UCS2), "04360020", "ж"),
    (_of(kv.STRING, octets=4, collation=UTF32), "00000436", "ж"),
    (_of(kv.STRING, octets=3, collation=BINARY), "612000", "0x612000"),
    (_of(kv.STRING, octets=3, collation=SWE7), "616220", "0x616220"),
]
VARIABLE: list[tuple[ColumnType, str, Any]] = [
    (_of(kv.STRING, octets=40, collation=UTF16), "04360020", "ж"),
    (_of(kv.STRING, octets=1020, collation=UTF32), "0000043600000020", "ж"),
    (_of(kv.VARCHAR, octets=40, collation=UTF8MB4_NO_PAD), "6120", "a "),
    (_of(kv.VARCHAR, octets=40, collation=LATIN1), "6120", "a "),
    (_of(kv.VARCHAR, octets=40, collation=BINARY), "6120", "0x6120"),
    (_of(252, octets=65535, collation=UTF8MB4_NO_PAD), "c3a4", "ä"),
]


@pytest.mark.parametrize(("column", "stored", "value"), VALUES)
def test_a_value_of_fixed_size(column: ColumnType, stored: str, value: Any) -> None:
    size, read = stored_as(column)
    assert read is not None
    assert (size, read(bytes.fromhex(stored))) == (len(stored) // 2, value)


@pytest.mark.parametrize(("column", "stored", "value"), VARIABLE)
def test_a_value_whose_size_the_record_says(column: ColumnType, stored: str, value: Any) -> None:
    size, read = stored_as(column)
    assert read is not None
    assert (size, read(bytes.fromhex(stored))) == (None, value)


@pytest.mark.parametrize("column", [_of(255), _of(245), _of(kv.VARCHAR, collation=999)])
def test_what_is_not_known_is_not_read(column: ColumnType) -> None:
    assert stored_as(column) == (None, None)


def record(head: str, data: str, info: int = 0, status: int = 0) -> tuple[bytes, int]:
    """A compact record: what lies before its five header bytes, and behind them."""
    before = bytes.fromhex(head) + bytes((info, 0, status, 0, 0))
    return bytes(20) + before + bytes.fromhex(data), 20 + len(before)


KEY = (
    key_column(ColumnType("i", 3, False, unsigned=True)),
    key_column(ColumnType("v", kv.VARCHAR, True, octets=400, collation=LATIN1)),
    key_column(ColumnType("p", kv.STRING, True, octets=9, collation=LATIN1), 2),
    ROW_ID,
)


@pytest.mark.parametrize(
    ("head", "data", "more", "key"),
    [
        ("0200", "0000000561627a20000000000009", {}, {"i": 5, "v": "ab", "p": "z", "DB_ROW_ID": 9}),
        ("03", "00000005000000000009", {}, {"i": 5, "v": None, "p": None, "DB_ROW_ID": 9}),
        ("c88100", "00000005" + "61" * 0x1C8, {}, None),
        ("", "00000005", {"info": 0x40}, {"i": 5}),
        ("", "00000005", {"info": 0x80}, {"i": 5}),
        ("", "00000005", {"status": 4}, {"i": 5}),
        ("", "0000", {}, None),
    ],
)
def test_a_compact_record(head: str, data: str, more: dict[str, int], key: dict[str, Any] | None) -> None:
    """NULL bits and lengths lie backwards; where their place is not certain, reading stops."""
    found = KeyReader(KEY, 2).read(*record(head, data, **more))
    if head == "c88100":
        assert found == {"i": 5, "v": "a" * 0x1C8}
    else:
        assert found == key
    assert KeyReader(KEY, None).read(*record(head, data, **more)) == (
        None if key is None and not head else {"i": 5}
    )


def test_a_redundant_record_says_where_its_fields_end() -> None:
    ends = bytes((0x8E, 0x08, 0x06, 0x04))  # of the last field first; bit 7 is NULL
    head = (0, 0, 0, 4 << 1 | 1, 0, 0)
    body = bytes(20) + ends + bytes(head) + b"\0\0\0\5" + b"ab" + b"z " + bytes(6)
    origin = 20 + len(ends) + len(head)
    reader = KeyReader(KEY, 2)
    assert reader.read(body, origin, compact=False) == {"i": 5, "v": "ab", "p": "z", "DB_ROW_ID": None}
    assert reader.read(body[:-4], origin, compact=False) is None
