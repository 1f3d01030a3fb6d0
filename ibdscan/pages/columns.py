"""Header columns of all pages: one vectorised pass over the first bytes of every page.

The dtype comes from the layouts; columns are converted to native order once, chunk by chunk, so that
memory grows by the columns (about 50 bytes a page) and not by the raw headers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout import numbers
from ibdscan.layout.bridge import dtype_of
from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.index import INDEX_HEADER, SEG_LEAF_OFFSET, capacity, data_bytes
from ibdscan.pages.doublewrite import doublewrite_mask
from ibdscan.pages.tablespace import Tablespace

CHUNK_PAGES = 1 << 16
_FIRST_INDEX, _LAST_INDEX = int(numbers.PageType.SDI), int(numbers.PageType.INDEX)
Progress = Callable[[int], None]
"""Called with the number of pages done since the last call."""


@cache
def page_head_dtype() -> np.dtype[Any]:
    """FIL header and index header as one dtype, 74 bytes."""
    both = np.dtype([("fil", dtype_of(FIL_HEADER)), ("index", dtype_of(INDEX_HEADER))])
    assert both.itemsize == SEG_LEAF_OFFSET
    return both


_FIL = {"page_no": "u4", "prev": "u4", "next": "u4", "lsn": "u8", "type": "u2", "space_id": "u4"}
_INDEX = {
    "n_dir_slots": "u2",
    "heap_top": "u2",
    "n_heap": "u2",
    "garbage": "u2",
    "direction": "u1",
    "n_direction": "u2",
    "n_recs": "u2",
    "level": "u2",
    "index_id": "u8",
}


@dataclass(frozen=True)
class PageColumns:
    """One native numpy array a header field, each of shape (n_pages,).

    The index fields mean something only where ``is_index``. ``written`` is False for a page whose FIL
    header is all zeros (never written).
    """

    page_no: npt.NDArray[np.uint32]
    prev: npt.NDArray[np.uint32]
    next: npt.NDArray[np.uint32]
    lsn: npt.NDArray[np.uint64]
    type: npt.NDArray[np.uint16]
    space_id: npt.NDArray[np.uint32]
    n_dir_slots: npt.NDArray[np.uint16]
    heap_top: npt.NDArray[np.uint16]
    n_heap: npt.NDArray[np.uint16]
    garbage: npt.NDArray[np.uint16]
    direction: npt.NDArray[np.uint8]
    n_direction: npt.NDArray[np.uint16]
    n_recs: npt.NDArray[np.uint16]
    level: npt.NDArray[np.uint16]
    index_id: npt.NDArray[np.uint64]
    written: npt.NDArray[np.bool_]
    is_index: npt.NDArray[np.bool_]
    """Type INDEX, RTREE, SDI or (MariaDB) INSTANT, and no doublewrite copy of one."""
    encrypted: npt.NDArray[np.bool_]
    """The page's body is encrypted: its header fields beyond the FIL header mean nothing."""
    doublewrite: npt.NDArray[np.bool_] | None = None
    """Pages of the doublewrite area (system tablespace only): copies of others, their headers not their own."""

    def __len__(self) -> int:
        return len(self.page_no)

    def data_bytes(self, pages: Any) -> npt.NDArray[np.int64]:
        """``page_get_data_size`` of the given index pages, int64."""
        heap = self.n_heap[pages].astype(np.int64)
        size: npt.NDArray[np.int64] = data_bytes(
            self.heap_top[pages].astype(np.int64), heap, self.garbage[pages].astype(np.int64)
        )
        return size

    def capacity(self, pages: Any, page_size: int) -> npt.NDArray[np.int64]:
        """``page_get_free_space_of_empty`` of the given index pages, int64."""
        room: npt.NDArray[np.int64] = capacity(np.int64(page_size), self.n_heap[pages].astype(np.int64))
        return room


def scan_columns(space: Tablespace, progress: Progress | None = None) -> PageColumns:
    """Read the header columns of every whole page. Raises ShrunkError when the file ends early."""
    n = space.n_pages
    out: dict[str, npt.NDArray[Any]] = {}
    for start in range(0, n, CHUNK_PAGES):
        count = min(CHUNK_PAGES, n - start)
        part = _columns_of(space, start, count)
        if count == n:
            out = part
        for name, values in part.items() if count < n else ():
            out.setdefault(name, np.empty(n, values.dtype))[start : start + count] = values
        if progress is not None:
            progress(count)
    out["is_index"] = is_index_type(out["type"], space.family)
    copies = doublewrite_mask(space)
    if copies is not None:
        out["is_index"] &= ~copies
        out["encrypted"] &= ~copies
    return PageColumns(doublewrite=copies, **out)


def _columns_of(space: Tablespace, start: int, count: int) -> dict[str, npt.NDArray[Any]]:
    """The columns of one chunk of pages."""
    dtype = page_head_dtype()
    raw = space.source.gather(start, count, space.geometry.physical, dtype.itemsize)
    head = raw.view(dtype).reshape(count)
    fil, index = head["fil"], head["index"]
    out = {name: fil[name].astype(kind) for name, kind in _FIL.items()}
    out |= {name: index[name].astype(kind) for name, kind in _INDEX.items()}
    out["direction"] &= 7
    out["written"] = _any_header_byte(fil)
    out["encrypted"] = _is_encrypted(space, fil)
    return out


def is_index_type(types: npt.NDArray[np.uint16], family: str) -> npt.NDArray[np.bool_]:
    """Which page types are B+tree or R-tree pages, bool (n,)."""
    found = (types >= _FIRST_INDEX) & (types <= _LAST_INDEX)
    if family == "mariadb":
        found |= types == numbers.TYPE_INSTANT
    return found


def _any_header_byte(fil: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(fil), np.bool_)
    for name in fil.dtype.names or ():
        found |= fil[name] != 0
    return found


def _is_encrypted(space: Tablespace, fil: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    types = fil["type"]
    if space.flags.full_crc32:
        return _true_of(fil["checksum"] != 0)  # the key version, in this format
    if space.family == "mysql":
        first, last = numbers.PageType.ENCRYPTED, numbers.PageType.ENCRYPTED_RTREE
        return _true_of((types >= first) & (types <= last))
    found = types == numbers.PageType.PAGE_COMPRESSED_ENCRYPTED
    # classic MariaDB: the key version at byte 26; R-trees keep their split sequence number there, and page 0
    # of the system tablespace its flush LSN
    keyed = (fil["flush_lsn"] >> np.uint64(32) != 0) & (types != numbers.PageType.RTREE)
    keyed &= (types != numbers.PageType.PAGE_COMPRESSED) & (fil["page_no"] != 0)
    return _true_of(found | keyed)


def _true_of(mask: Any) -> npt.NDArray[np.bool_]:
    return np.asarray(mask, np.bool_)
