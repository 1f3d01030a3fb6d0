"""The sizes of single records of some leaves: what page headers do not give, and packing unlike rows needs.

A record's size is not in it without the table's definition, but where records lie is: the next origin in the heap,
of a record or of one that was purged, is as far away as the record is long, give or take the header of the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.index import (
    INFIMUM_COMPACT,
    INFIMUM_REDUNDANT,
    SUPREMUM_COMPACT,
    SUPREMUM_REDUNDANT,
    is_compact,
)
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace

Sizes = npt.NDArray[np.float64]
_PAGE_FREE = 44
"""Where a page says which record is the first of its garbage."""


def record_sizes(space: Tablespace, columns: PageColumns, pages: Iterable[int]) -> Sizes:
    """Bytes of the records of these leaves, float (n,) in key order, those of each page summing to its data.
    A page that can not be read is left out."""
    parts = [np.empty(0)]
    for page_no in pages:
        try:
            body = space.read_page(page_no)
        except UnreadPageError:
            continue
        compact = bool(is_compact(int(columns.n_heap[page_no])))
        records = list(_linked(body, INFIMUM_COMPACT if compact else INFIMUM_REDUNDANT, compact))
        if not records:
            continue
        garbage = int.from_bytes(body[_PAGE_FREE : _PAGE_FREE + 2], "big")
        purged = [garbage, *_linked(body, garbage, compact)] if garbage else []
        heap = np.unique([*records, *purged, int(columns.heap_top[page_no])])
        origins = np.array(records)
        after = np.searchsorted(heap, origins, "right").clip(max=len(heap) - 1)
        size = np.maximum(1, heap[after] - origins)
        parts.append(size * (float(columns.data_bytes(np.array([page_no]))[0]) / size.sum()))
    return np.concatenate(parts)


def _linked(body: bytes, at: int, compact: bool) -> Iterator[int]:
    """Origins by the next pointers after that of ``at``; ends at the supremum, 0, a loop, a wild one."""
    seen: set[int] = set()
    end = SUPREMUM_COMPACT if compact else SUPREMUM_REDUNDANT
    while True:
        step = int.from_bytes(body[at - 2 : at], "big")
        if not step:
            return
        at = (at + step) & 0xFFFF if compact else step
        if at in seen or not end < at < len(body):
            return
        seen.add(at)
        yield at


def packed_share(sizes: Sizes, room: int) -> float:
    """Pages that a sorted build fills with these records one after another, the last one in part. Each takes what
    fits into ``room`` with the directory (a slot of two bytes for four records), and at least two."""
    ends = np.cumsum(sizes + 0.5)
    pages, first, before = 0, 0, 0.0
    while True:
        last = max(int(np.searchsorted(ends, before + room, "right")), first + 2)
        if last >= len(ends):
            rest = float(ends[-1]) - before
            return pages + (min(1.0, rest * pages / before) if pages else rest / room)
        pages, first, before = pages + 1, last, float(ends[last - 1])
