"""Records of ROW_FORMAT=REDUNDANT: they carry the ends of their fields, so that no table definition is needed."""

from __future__ import annotations

from collections.abc import Iterator

from ibdscan.layout.index import INFIMUM_REDUNDANT, SUPREMUM_REDUNDANT

HEADER_BYTES = 6
_SHORT_NULL, _LONG_NULL, _LONG_MASK = 0x80, 0x8000, 0x3FFF
_MAX_RECORDS = 1 << 14


def record_origins(page: bytes) -> Iterator[int]:
    """Origins of the user records in list order; ends at the supremum, on a loop, or where a pointer is wild."""
    origin = INFIMUM_REDUNDANT
    for _ in range(_MAX_RECORDS):
        origin = int.from_bytes(page[origin - 2 : origin], "big")
        if origin == SUPREMUM_REDUNDANT or not SUPREMUM_REDUNDANT < origin < len(page):
            return
        yield origin


def field_ends(page: bytes, origin: int) -> list[tuple[int, bool]]:
    """(end relative to the origin, is NULL) of each field of the record."""
    head = int.from_bytes(page[origin - 5 : origin - 2], "big")
    n, short = head >> 1 & 0x3FF, bool(head & 1)
    width, null, mask = (1, _SHORT_NULL, 0x7F) if short else (2, _LONG_NULL, _LONG_MASK)
    out = []
    for i in range(n):
        at = origin - HEADER_BYTES - width * (i + 1)
        value = int.from_bytes(page[at : at + width], "big")
        out.append((value & mask, bool(value & null)))
    return out


def record_start(page: bytes, origin: int) -> int:
    """First byte of the record, field ends and header included."""
    head = int.from_bytes(page[origin - 5 : origin - 2], "big")
    return origin - HEADER_BYTES - (head >> 1 & 0x3FF) * (1 if head & 1 else 2)


def record_fields(page: bytes, origin: int) -> list[bytes | None]:
    """The fields of the record as stored, None for NULL. Raises ValueError when they leave the page."""
    fields: list[bytes | None] = []
    start = 0
    for end, null in field_ends(page, origin):
        if end < start or origin + end > len(page):
            raise ValueError("a field ends outside the record")
        fields.append(None if null else page[origin + start : origin + end])
        start = end
    return fields
