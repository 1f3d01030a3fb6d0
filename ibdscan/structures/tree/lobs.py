"""Off-page columns: BLOB pages in chains (up to MySQL 5.7, MariaDB), LOB pages with an index (MySQL 8.0+).

Each off-page page is read for its length and its successor; a value's bytes are not. (lob0lob.h, lob0first.h)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.fil import FIL_TRAILER_BYTES
from ibdscan.layout.lob import (
    BLOB_HEADER,
    LOB_DATA,
    LOB_DATA_OFFSET,
    LOB_FIRST,
    LOB_FIRST_DATA_OFFSET,
    LOB_HEADER_OFFSET,
    LOB_INDEX_ENTRY,
)
from ibdscan.layout.numbers import FIL_NULL, PageType
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings

UNKNOWN = -1
FIRST_TYPES = (PageType.LOB_FIRST, PageType.ZLOB_FIRST, PageType.ZBLOB)
"""Types that only the first page of a value has; a BLOB page is first where no other page leads to it."""
_BLOB_DATA_OFFSET = LOB_HEADER_OFFSET + BLOB_HEADER.sizeof()
_COMPRESSED = (PageType.ZBLOB, PageType.ZBLOB2)
_MAX_ENTRIES = 1 << 22


@dataclass(frozen=True)
class LobPages:
    """Off-page pages of one index; int64 arrays of one length.

    ``data_bytes`` and ``room`` are -1 where the page does not say (ROW_FORMAT=COMPRESSED, index pages of a LOB);
    ``successor`` is the page with the next part of the value, -1 at its end and where unknown.
    """

    pages: npt.NDArray[np.int64]
    types: npt.NDArray[np.int64]
    data_bytes: npt.NDArray[np.int64]
    room: npt.NDArray[np.int64]
    successor: npt.NDArray[np.int64]


def read_lobs(
    space: Tablespace, columns: PageColumns, pages: npt.NDArray[np.int64], findings: Findings
) -> LobPages:
    """Lengths and links of the given off-page pages (int64, ascending). What leads out of them is a finding."""
    types = columns.type[pages].astype(np.int64)
    size = space.geometry.physical
    data, room, successor = (np.full(len(pages), UNKNOWN, np.int64) for _ in range(3))
    place = {int(p): i for i, p in enumerate(pages)}
    for i, (page_no, kind) in enumerate(zip(pages.tolist(), types.tolist(), strict=True)):
        following = FIL_NULL
        if kind == PageType.BLOB:
            head = BLOB_HEADER.parse(_head(space, page_no, LOB_HEADER_OFFSET, BLOB_HEADER.sizeof()))
            data[i], room[i] = head.part_bytes, size - _BLOB_DATA_OFFSET - FIL_TRAILER_BYTES
            following = head.next_page_no
        elif kind == PageType.LOB_DATA:
            head = LOB_DATA.parse(_head(space, page_no, LOB_HEADER_OFFSET, LOB_DATA.sizeof()))
            data[i], room[i] = head.data_bytes, size - LOB_DATA_OFFSET - FIL_TRAILER_BYTES
        elif kind == PageType.LOB_FIRST:
            head = LOB_FIRST.parse(_head(space, page_no, LOB_HEADER_OFFSET, LOB_FIRST.sizeof()))
            data[i], room[i] = head.data_bytes, size - LOB_FIRST_DATA_OFFSET - FIL_TRAILER_BYTES
            _follow_index(space, page_no, head.index_list, place, successor, findings)
        elif kind in _COMPRESSED:
            following = int(columns.next[page_no])
        if following != FIL_NULL:
            _link(page_no, following, place, successor, findings)
        if data[i] > room[i]:
            findings.add(
                "lob-length",
                f"page {page_no} claims {data[i]} bytes of a value, it has room for {room[i]}",
                page_no,
            )
            data[i] = room[i]
    return LobPages(pages, types, data, room, successor)


def _head(space: Tablespace, page_no: int, offset: int, n: int) -> bytes:
    return space.read_page(page_no)[offset : offset + n]


def _link(
    page_no: int, following: int, place: dict[int, int], successor: npt.NDArray[np.int64], findings: Findings
) -> None:
    if following in place:
        successor[place[page_no]] = following
    else:
        findings.add("lob-link", f"off-page page {page_no} leads to page {following}, none of the index", page_no)


def _follow_index(
    space: Tablespace,
    first_page: int,
    base: Any,
    place: dict[int, int],
    successor: npt.NDArray[np.int64],
    findings: Findings,
) -> None:
    """Link the parts of one value in the order of its index entries, which lie in its first page and in LOB_INDEX
    pages."""
    entry_bytes = LOB_INDEX_ENTRY.sizeof()
    node_page, offset, previous = base.first.page_no, base.first.offset, None
    body_no, body = -1, b""
    for _ in range(min(base.length, _MAX_ENTRIES)):
        if node_page == FIL_NULL:
            return
        if node_page not in place or offset + entry_bytes > space.geometry.physical:
            findings.add(
                "lob-index",
                f"the index of the value on page {first_page} leads to page {node_page}",
                first_page,
                64,
            )
            return
        if node_page != body_no:
            body_no, body = node_page, space.read_page(node_page)
        entry = LOB_INDEX_ENTRY.parse(body[offset : offset + entry_bytes])
        if previous is not None and previous in place:
            _link(previous, entry.page_no, place, successor, findings)
        previous = entry.page_no
        node_page, offset = entry.node.next.page_no, entry.node.next.offset
