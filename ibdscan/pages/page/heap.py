"""The records of one uncompressed index page by their headers: heap, free list, directory (page0page.h)."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.layout.fil import FIL_HEADER_BYTES, FIL_TRAILER_BYTES
from ibdscan.layout.index import (
    COMPACT_BIT,
    INDEX_HEADER,
    INFIMUM_COMPACT,
    INFIMUM_REDUNDANT,
    RECORD_COMPACT,
    RECORD_REDUNDANT,
    SUPREMUM_COMPACT,
    SUPREMUM_REDUNDANT,
    supremum_end,
)

DELETE_MARK = 0x2
STATUS_NAMES = ("leaf", "node pointer", "infimum", "supremum", "instant metadata")
INFO_BITS = ((0x1, "min_rec"), (0x2, "deleted"), (0x4, "versioned"), (0x8, "instant"))
"""``REC_INFO_*_FLAG`` shifted down by four bits."""


@dataclass(frozen=True)
class HeapRecord:
    """One record. ``origin`` is where its first column starts; ``start`` where it begins as far as that is
    known without the table's definition (compact: NULL bits and lengths lie before it)."""

    origin: int
    start: int
    heap_no: int
    status: int | None
    """Compact formats: 0 leaf, 1 node pointer, 2 infimum, 3 supremum, 4 MariaDB instant metadata."""
    info: int
    n_owned: int
    next: int
    """Offset of the next record, 0 for none."""
    n_fields: int | None
    """REDUNDANT only."""

    @property
    def is_deleted(self) -> bool:
        """Delete-marked: deleted, not yet purged."""
        return bool(self.info & DELETE_MARK)

    @property
    def status_name(self) -> str | None:
        if self.status is None:
            return None
        return STATUS_NAMES[self.status] if self.status < len(STATUS_NAMES) else f"UNKNOWN({self.status})"

    @property
    def flags(self) -> list[str]:
        """Names of the info bits that are set."""
        return [name for bit, name in INFO_BITS if self.info & bit]


@dataclass(frozen=True)
class Slot:
    """One directory slot: its number, where it lies, the record it points to."""

    slot: int
    offset: int
    record: int
    n_owned: int | None


@dataclass(frozen=True)
class Heap:
    """What an index page's heap holds. ``records`` in key order, infimum and supremum included."""

    is_compact: bool
    records: list[HeapRecord]
    free: list[HeapRecord]
    """The free list: purged records, last freed first."""
    slots: list[Slot]
    heap_top: int
    heap_start: int
    problems: list[str]

    @property
    def header_bytes(self) -> int:
        return int((RECORD_COMPACT if self.is_compact else RECORD_REDUNDANT).sizeof())

    @property
    def user_records(self) -> list[HeapRecord]:
        low = self.heap_start
        return [r for r in self.records if r.origin >= low]


def read_heap(body: bytes) -> Heap:
    """Walk the records and the free list of an uncompressed index page. Both walks are bounded; what does
    not fit is a problem in words."""
    head = INDEX_HEADER.parse(body[FIL_HEADER_BYTES:])
    compact = bool(head.n_heap & COMPACT_BIT)
    problems: list[str] = []
    infimum = INFIMUM_COMPACT if compact else INFIMUM_REDUNDANT
    supremum = SUPREMUM_COMPACT if compact else SUPREMUM_REDUNDANT
    records = _walk(body, compact, infimum, supremum, problems, "the record list")
    if records and records[-1].origin != supremum and not problems:
        problems.append(f"the record list ends at offset {records[-1].origin}, not at the supremum")
    free = _walk(body, compact, head.free, 0, problems, "the free list") if head.free else []
    low = int(supremum_end(head.n_heap))
    end = len(body) - FIL_TRAILER_BYTES
    n_slots = min(head.n_dir_slots, (end - low) // 2)
    if n_slots != head.n_dir_slots:
        problems.append(f"the page claims {head.n_dir_slots} directory slots")
    heap_top = min(max(head.heap_top, low), end)
    if heap_top != head.heap_top:
        problems.append(f"the heap claims to end at offset {head.heap_top}")
    slots = [_slot(body, compact, i, end) for i in range(n_slots)]
    return Heap(compact, records, free, slots, heap_top, low, problems)


def _walk(body: bytes, compact: bool, origin: int, last: int, problems: list[str], what: str) -> list[HeapRecord]:
    found: list[HeapRecord] = []
    seen: set[int] = set()
    low = INFIMUM_COMPACT if compact else INFIMUM_REDUNDANT
    while True:
        if not low <= origin < len(body) - FIL_TRAILER_BYTES:
            problems.append(f"{what} leads to offset {origin}")
            return found
        if origin in seen:
            problems.append(f"{what} comes back to offset {origin}")
            return found
        seen.add(origin)
        record = read_record(body, origin, compact)
        found.append(record)
        if record.next == 0 or origin == last:
            return found
        origin = record.next


def read_record(body: bytes, origin: int, compact: bool) -> HeapRecord:
    """The header of the record at ``origin``."""
    if compact:
        head = RECORD_COMPACT.parse(body[origin - RECORD_COMPACT.sizeof() :])
        following = (origin + head.next) % 65536 if head.next else 0
        status, heap_no, n_fields, start = head.heap_status & 7, head.heap_status >> 3, None, origin - 5
    else:
        head = RECORD_REDUNDANT.parse(body[origin - RECORD_REDUNDANT.sizeof() :])
        packed = int.from_bytes(head.heap_fields, "big")
        heap_no, n_fields, status = packed >> 11, packed >> 1 & 0x3FF, None
        start = origin - RECORD_REDUNDANT.sizeof() - n_fields * (1 if packed & 1 else 2)
        following = head.next
    info = head.info_n_owned
    return HeapRecord(origin, start, heap_no, status, info >> 4, info & 0xF, following, n_fields)


def _slot(body: bytes, compact: bool, slot: int, end: int) -> Slot:
    at = end - 2 * (slot + 1)
    record = int.from_bytes(body[at : at + 2], "big")
    inside = (INFIMUM_COMPACT if compact else INFIMUM_REDUNDANT) <= record < end
    return Slot(slot, at, record, read_record(body, record, compact).n_owned if inside else None)
