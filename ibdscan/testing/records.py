"""Index pages with real records: heap, links, directory (page0page.inl, rem0rec.inl, btr0bulk.cc)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ibdscan.layout.fil import FIL_HEADER, FIL_TRAILER_BYTES
from ibdscan.layout.index import (
    COMPACT_BIT,
    INDEX_DATA_OFFSET,
    INDEX_HEADER,
    INDEX_HEADER_OFFSET,
    INDEX_SEGMENTS,
    INFIMUM_COMPACT,
    RECORD_COMPACT,
    SEG_LEAF_OFFSET,
    SUPREMUM_COMPACT,
    SUPREMUM_END_COMPACT,
    capacity,
    directory_reserved_bytes,
)
from ibdscan.layout.numbers import FIL_NULL, Direction

HEADER_BYTES = int(RECORD_COMPACT.sizeof())
RECORDS_A_SLOT = 4
STATUS_LEAF, STATUS_NODE, STATUS_INFIMUM, STATUS_SUPREMUM = range(4)
MIN_REC = 0x10


@dataclass(frozen=True)
class Record:
    """A compact record: what lies before its header (lengths), and its fields from the origin on."""

    before: bytes
    body: bytes
    info_bits: int = 0

    @property
    def size(self) -> int:
        return len(self.before) + HEADER_BYTES + len(self.body)


@dataclass(frozen=True)
class IndexPage:
    """What an index page is built from. ``freed`` are purged records, in the heap after the others."""

    index_id: int
    level: int
    records: Sequence[Record]
    page_type: int
    freed: Sequence[Record] = field(default=())
    segments: dict[str, Any] | None = None
    """``seg_leaf`` and ``seg_top`` of a root page."""

    @property
    def data_bytes(self) -> int:
        return sum(r.size for r in self.records)

    @property
    def garbage_bytes(self) -> int:
        return sum(r.size for r in self.freed)


def blank_page(size: int, page_no: int, page_type: int, space_id: int, **fields: int) -> bytearray:
    """A page with its FIL header, else zeros; ``fields`` override ``prev``, ``next`` and ``lsn``."""
    page = bytearray(size)
    head = {
        "checksum": 0, "page_no": page_no, "prev": FIL_NULL, "next": FIL_NULL, "lsn": 0, "type": page_type,
        "flush_lsn": 0, "space_id": space_id,
    }  # fmt: skip
    page[: FIL_HEADER.sizeof()] = FIL_HEADER.build(head | fields)
    return page


def check_fits(page: IndexPage, page_size: int) -> None:
    """Raise ValueError when the records and their directory are too large for a page."""
    room = capacity(page_size, COMPACT_BIT)
    need = page.data_bytes + page.garbage_bytes + directory_reserved_bytes(len(page.records))
    if need > room:
        raise ValueError(f"records and directory of {need} bytes do not fit a page with room for {room}")


def fill_index_page(into: bytearray, page: IndexPage) -> None:
    """Write header, records and directory of ``page``; the FIL header stays as it is."""
    check_fits(page, len(into))
    origins, heap_top = _place_heap(into, page)
    n = len(page.records)
    live, freed = origins[:n], origins[n:]
    slots = _link_records(into, live)
    for origin, following in pairwise(freed):  # the last one's NEXT stays 0
        _set_next(into, origin, following - origin)
    header = {
        "n_dir_slots": len(slots),
        "heap_top": heap_top,
        "n_heap": COMPACT_BIT | (len(origins) + 2),
        "free": freed[0] if freed else 0,
        "garbage": page.garbage_bytes,
        "last_insert": 0,
        "direction": int(Direction.NO_DIRECTION),
        "n_direction": 0,
        "n_recs": n,
        "max_trx_id": 0,
        "level": page.level,
        "index_id": page.index_id,
    }
    into[INDEX_HEADER_OFFSET:SEG_LEAF_OFFSET] = INDEX_HEADER.build(header)
    if page.segments:
        into[SEG_LEAF_OFFSET:INDEX_DATA_OFFSET] = INDEX_SEGMENTS.build(page.segments)
    for i, origin in enumerate(slots):
        at = len(into) - FIL_TRAILER_BYTES - 2 * (i + 1)
        into[at : at + 2] = origin.to_bytes(2, "big")


def _place_heap(into: bytearray, page: IndexPage) -> tuple[list[int], int]:
    """Put system and user records; returns the origins in heap order and the heap top."""
    _put(into, INFIMUM_COMPACT, Record(b"", b"infimum\0"), 0, STATUS_INFIMUM)
    _put(into, SUPREMUM_COMPACT, Record(b"", b"supremum"), 1, STATUS_SUPREMUM)
    status = STATUS_NODE if page.level else STATUS_LEAF
    top, origins = SUPREMUM_END_COMPACT, []
    for heap_no, record in enumerate([*page.records, *page.freed], start=2):
        origin = top + len(record.before) + HEADER_BYTES
        into[top : top + len(record.before)] = record.before
        _put(into, origin, record, heap_no, status)
        origins.append(origin)
        top += record.size
    return origins, top


def _put(into: bytearray, origin: int, record: Record, heap_no: int, status: int) -> None:
    head = {"info_n_owned": record.info_bits, "heap_status": heap_no << 3 | status, "next": 0}
    into[origin - HEADER_BYTES : origin] = RECORD_COMPACT.build(head)
    into[origin : origin + len(record.body)] = record.body


def _set_next(into: bytearray, origin: int, step: int) -> None:
    into[origin - 2 : origin] = (step % 65536).to_bytes(2, "big")


def _link_records(into: bytearray, live: list[int]) -> list[int]:
    """Link infimum, records and supremum, and choose the directory as the server's sorted build does.

    A slot for each four records, the last of them merged into supremum's, which then owns up to eight.
    """
    chain = [INFIMUM_COMPACT, *live, SUPREMUM_COMPACT]
    for origin, following in pairwise(chain):
        _set_next(into, origin, following - origin)
    owners = live[RECORDS_A_SLOT - 1 :: RECORDS_A_SLOT][:-1]
    for origin in owners:
        into[origin - HEADER_BYTES] |= RECORDS_A_SLOT
    into[INFIMUM_COMPACT - HEADER_BYTES] |= 1
    into[SUPREMUM_COMPACT - HEADER_BYTES] |= len(live) - RECORDS_A_SLOT * len(owners) + 1
    return [INFIMUM_COMPACT, *owners, SUPREMUM_COMPACT]
