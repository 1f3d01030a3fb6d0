"""What each byte of a page is: a label a byte, for the picture and its legend."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.fil import FIL_TRAILER_BYTES
from ibdscan.pages.page.heap import Heap, HeapRecord
from ibdscan.views.data.page import FullPage

RECORD_HEADER = "record headers"
RECORD_DATA = "record data, live"
MARKED_HEADER = "record headers, delete-marked"
MARKED_DATA = "record data, delete-marked"
GARBAGE = "garbage (purged records)"
FREE = "free space"
DIRECTORY = "directory"
SYSTEM_RECORDS = "infimum and supremum"
UNKNOWN = "not readable"
OTHER = "content, not taken apart"
ZERO = "zeros"


@dataclass(frozen=True)
class PageBytes:
    """``labels``: for each byte the place of its kind in ``kinds``, uint8. ``starts``: where a structure or
    record begins, bool: drawn as a border."""

    kinds: list[str]
    labels: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.bool_]

    @property
    def counts(self) -> dict[str, int]:
        """Bytes by kind, in the order of ``kinds``; they sum to the page."""
        found = np.bincount(self.labels, minlength=len(self.kinds))
        return {kind: int(n) for kind, n in zip(self.kinds, found, strict=True)}


class _Painter:
    def __init__(self, size: int) -> None:
        self.kinds: list[str] = []
        self.labels = np.zeros(size, np.uint8)
        self.starts = np.zeros(size, np.bool_)

    def paint(self, kind: str, start: int, end: int) -> None:
        """Label the bytes from ``start`` to ``end`` - 1; what lies outside the page is left out."""
        start, end = max(0, start), min(end, len(self.labels))
        if kind not in self.kinds:
            self.kinds.append(kind)
        if start < end:
            self.labels[start:end] = self.kinds.index(kind)
            self.starts[start] = True

    def done(self) -> PageBytes:
        """Without the kinds that were painted over."""
        used = np.flatnonzero(np.bincount(self.labels, minlength=len(self.kinds)))
        place = np.zeros(len(self.kinds), np.uint8)
        place[used] = np.arange(len(used))
        return PageBytes([self.kinds[i] for i in used], place[self.labels], self.starts)


def label_bytes(page: FullPage) -> PageBytes:
    """Label every byte of a page."""
    painter = _Painter(len(page.body))
    if page.heap is not None:
        _paint_heap(painter, page, page.heap)
    elif page.unknown:
        painter.paint(UNKNOWN, 0, len(page.body))
    else:
        _paint_rest(painter, page)
    for part in page.parts:
        if page.unknown and not part.fields:
            continue
        painter.paint(_kind_of_part(part.name), part.offset, part.end)
    return painter.done()


def _kind_of_part(name: str) -> str:
    """Numbered parts of one sort share a kind: ``inode 3`` is of ``inodes``."""
    stem, _, number = name.rpartition(" ")
    if not number.isdigit():
        return name
    return {"XDES entry": "XDES entries", "LOB index entry": "LOB index entries"}.get(stem, f"{stem}s")


def _paint_rest(painter: _Painter, page: FullPage) -> None:
    """What the parts leave over: a run of 16 zeros is empty, single zeros belong to what is around them."""
    data = np.frombuffer(page.body, np.uint8).copy()
    for part in page.parts:
        data[part.offset : part.end] = 0
    painter.kinds = [OTHER, ZERO]
    blocks = len(data) // 16
    empty = (data[: blocks * 16].reshape(-1, 16) == 0).all(axis=1)
    painter.labels[: blocks * 16] = np.repeat(empty, 16)


def _paint_heap(painter: _Painter, page: FullPage, heap: Heap) -> None:
    """Records in heap order: each takes the bytes up to where the next one begins."""
    end = len(page.body) - FIL_TRAILER_BYTES
    directory = end - 2 * len(heap.slots)
    painter.paint(FREE, 0, end)
    painter.paint(SYSTEM_RECORDS, 94, heap.heap_start)
    painter.paint(GARBAGE, heap.heap_start, heap.heap_top)
    live = [(r, True) for r in heap.user_records if heap.heap_start <= r.origin < heap.heap_top]
    dead = [(r, False) for r in heap.free if heap.heap_start <= r.origin < heap.heap_top]
    in_order = sorted(live + dead, key=lambda item: item[0].origin)
    begins = [max(heap.heap_start, r.start) for r, _ in in_order]
    if begins and heap.is_compact:
        begins[0] = heap.heap_start  # its NULL bits and lengths come first
    for i, (record, is_live) in enumerate(in_order):
        stop = begins[i + 1] if i + 1 < len(begins) else heap.heap_top
        if is_live:
            _paint_record(painter, heap, record, begins[i], stop)
        else:
            painter.paint(GARBAGE, begins[i], stop)
    painter.paint(DIRECTORY, directory, end)
    painter.starts[directory:end:2] = True


def _paint_record(painter: _Painter, heap: Heap, record: HeapRecord, begin: int, stop: int) -> None:
    header, data = (MARKED_HEADER, MARKED_DATA) if record.is_deleted else (RECORD_HEADER, RECORD_DATA)
    painter.paint(header, min(begin, record.start), record.origin)
    painter.paint(data, record.origin, stop)
    painter.starts[record.origin : record.origin + 1] = False
