"""Records: the linked list of every index page, walked for all pages at once, and one page's records in full.

The walk takes one numpy step for the k-th record of all pages of a chunk: as many steps as the fullest page has
records. Page bodies are read chunk by chunk and never kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.index import (
    INFIMUM_COMPACT,
    INFIMUM_REDUNDANT,
    SUPREMUM_COMPACT,
    SUPREMUM_END_COMPACT,
    SUPREMUM_END_REDUNDANT,
    SUPREMUM_REDUNDANT,
    is_compact,
)
from ibdscan.pages.page.bodies import Pages, read_bodies
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings

MIN_REC = 0x10
DELETED = 0x20
N_HEAP_MASK = 0x7FFF
_HEADER_BACK = 6
"""A record's header and next pointer lie in the six bytes before its origin, in both formats."""
_DENSE_DELETED = 0x8000

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RecordWalk:
    """What the walk over each of ``pages`` found; int64 arrays of their length.

    ``min_rec``: records with the flag of the first record of a level; on a leaf it is the hidden metadata record
    of an instant ALTER (MariaDB), never counted as delete-marked. ``whole``: the list ended at the supremum.
    """

    pages: Pages
    records: Counts
    delete_marked: Counts
    min_rec: Counts
    whole: npt.NDArray[np.bool_]


def walk_records(space: Tablespace, columns: PageColumns, pages: Pages, findings: Findings) -> RecordWalk:
    """Walk the records of the given index pages (int64, ascending). A pointer that leads out of the heap, a
    loop, and a count other than PAGE_N_RECS are findings. Pages of ROW_FORMAT=COMPRESSED are not inflated: their
    dense directory has the delete marks."""
    parts: list[_Chunk] = [
        _dense(body, columns, part) if space.flags.is_zip else _walk_chunk(body, columns, part, findings)
        for part, body in read_bodies(space, pages[~columns.unread[pages]], _as_findings(findings))
    ]
    none = np.empty(0, np.int64)
    parts = parts or [(none, none, none, none, np.empty(0, np.bool_))]
    walk = RecordWalk(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    wrong = walk.whole & (walk.records != columns.n_recs[walk.pages])
    for page, n in zip(walk.pages[wrong].tolist(), walk.records[wrong].tolist(), strict=True):
        findings.add(
            "record-count", f"page {page} says {columns.n_recs[page]} records, the list has {n}", page, 54
        )
    return walk


def _as_findings(findings: Findings) -> Callable[[int, UnreadPageError], None]:
    return lambda page, e: findings.add(e.kind, f"page {page}: {e.message}", page)


_Chunk = tuple[Pages, Counts, Counts, Counts, npt.NDArray[np.bool_]]


def _walk_chunk(body: npt.NDArray[np.uint8], columns: PageColumns, pages: Pages, findings: Findings) -> _Chunk:
    n, size = body.shape
    # eight bytes at any offset: a record's header, its next pointer, and two bytes of data
    window = np.ndarray((max(0, body.size - 7),), ">u8", buffer=body.data, strides=(1,))
    compact = is_compact(columns.n_heap[pages].astype(np.int64)).astype(np.bool_)
    low = np.where(compact, SUPREMUM_END_COMPACT, SUPREMUM_END_REDUNDANT)
    high = np.minimum(columns.heap_top[pages].astype(np.int64), size - 8)
    limit = (columns.n_heap[pages] & N_HEAP_MASK).astype(np.int64)
    supremum = np.where(compact, SUPREMUM_COMPACT, SUPREMUM_REDUNDANT)
    records, marked, first = (np.zeros(n, np.int64) for _ in range(3))
    whole = np.zeros(n, np.bool_)
    active = np.arange(n)
    at = np.where(compact, INFIMUM_COMPACT, INFIMUM_REDUNDANT)
    base = np.arange(n, dtype=np.int64) * size
    head = window[base + at - _HEADER_BACK].astype(np.uint64)
    while True:
        pointer = (head >> np.uint64(16) & np.uint64(0xFFFF)).astype(np.int64)
        at = np.where(compact[active], (at + pointer) & 0xFFFF, pointer)
        ended = at == supremum[active]
        whole[active[ended]] = True
        stray = ~ended & ((at < low[active]) | (at > high[active]))
        looped = ~ended & ~stray & (records[active] >= limit[active])
        _report(findings, "record-pointer", pages[active[stray]], at[stray], "links to {at}, outside the heap")
        _report(findings, "record-loop", pages[active[looped]], at[looped], "more are linked than the heap has")
        going = ~(ended | stray | looped)
        active, at = active[going], at[going]
        if not len(active):
            return pages, records, marked, first, whole
        head = window[base[active] + at - _HEADER_BACK].astype(np.uint64)
        info = np.where(compact[active], head >> np.uint64(48), head >> np.uint64(56)).astype(np.int64)
        records[active] += 1
        marked[active] += (info & (DELETED | MIN_REC)) == DELETED
        first[active] += (info & MIN_REC) != 0


def _report(findings: Findings, kind: str, pages: Pages, at: Counts, message: str) -> None:
    for page, offset in zip(pages.tolist(), at.tolist(), strict=True):
        findings.add(kind, f"the records of page {page}: {message.format(at=offset)}", page, offset)


def _dense(body: npt.NDArray[np.uint8], columns: PageColumns, pages: Pages) -> _Chunk:
    """ROW_FORMAT=COMPRESSED: the dense directory at the end, the records of the list first (page0zip.cc)."""
    n, size = body.shape
    records = np.minimum(columns.n_recs[pages].astype(np.int64), (size - 94) // 2)
    most = int(records.max(initial=0))
    slots = (
        body[:, size - 2 * most :].copy().view(">u2").reshape(n, most)[:, ::-1]
        if most
        else np.empty((n, 0), ">u2")
    )
    inside = np.arange(most) < records[:, None]
    marked = np.count_nonzero((slots & _DENSE_DELETED != 0) & inside, axis=1)
    return pages, records, marked.astype(np.int64), np.zeros(n, np.int64), np.ones(n, np.bool_)
