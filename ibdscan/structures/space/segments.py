"""Segments: the inodes of all INODE pages, what each has used and reserved (fsp0fsp.cc)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ibdscan.layout.bridge import dtype_of, reader_of
from ibdscan.layout.fsp import INODE_ARRAY_OFFSET, INODE_LIST_NODE_OFFSET, LIST_NODE, inode
from ibdscan.layout.numbers import FIL_NULL, INODE_MAGIC, PageType
from ibdscan.pages.page.columns import PageColumns, where
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.extents import OWNED_STATES, Extents, each_page

FIRST_INODE_PAGE = 2
_INODE = int(PageType.INODE)  # plain integers: numpy takes a microsecond to look at an IntEnum
_FSEG, _FSEG_FRAG = (int(state) for state in OWNED_STATES)


@dataclass(frozen=True)
class Segment:
    """One segment inode in use. Lists are (length, first, last) as on disk."""

    segment_id: int
    page_no: int
    """INODE page."""
    offset: int
    """Byte offset of the inode in that page."""
    slot: int
    not_full_n_used: int
    free_extents: int
    not_full_extents: int
    full_extents: int
    fragments: npt.NDArray[np.uint32]
    """Fragment pages, in slot order, empty slots left out."""
    first_fragment: int
    """Slot 0 of the fragment array: the root page, in a B+tree's top segment."""
    extent_pages: int

    @property
    def used_pages(self) -> int:
        """NOT_FULL_N_USED + extent * |FULL| + fragment pages (``fseg_n_reserved_pages_low``)."""
        return self.not_full_n_used + self.extent_pages * self.full_extents + len(self.fragments)

    @property
    def reserved_pages(self) -> int:
        """Fragment pages + extent * (|FREE| + |NOT_FULL| + |FULL|)."""
        extents = self.free_extents + self.not_full_extents + self.full_extents
        return len(self.fragments) + self.extent_pages * extents


def read_segments(space: Tablespace, columns: PageColumns, extents: Extents, findings: Findings) -> list[Segment]:
    """All segments in use, in file order of their inodes."""
    dtype = dtype_of(inode(space.geometry))
    segments: list[Segment] = []
    for page_no in inode_pages(space, columns, extents, findings):
        body = space.read_page(page_no)
        table = np.frombuffer(body, dtype, space.geometry.inodes_per_page, INODE_ARRAY_OFFSET)
        for row in _inodes(table):
            offset = INODE_ARRAY_OFFSET + row.slot * dtype.itemsize
            if row.magic != INODE_MAGIC:
                findings.add(
                    "inode-magic",
                    f"the inode of segment {row.segment_id} has magic {row.magic}, not {INODE_MAGIC}",
                    page_no,
                    offset + 60,
                )
                continue
            segments.append(_segment(space, row, page_no, offset, findings))
    return segments


class _Inode(NamedTuple):
    """An inode in use, as on disk; of its lists the lengths."""

    slot: int
    segment_id: int
    magic: int
    not_full_n_used: int
    free: int
    not_full: int
    full: int
    fragments: list[int]


def _inodes(table: npt.NDArray[Any]) -> list[_Inode]:
    """The inodes in use of one page, column by column."""
    used = where(table["segment_id"] != 0)
    numbers = [table[name][used].tolist() for name in ("segment_id", "magic", "not_full_n_used")]
    lengths = [table[name]["length"][used].tolist() for name in ("free", "not_full", "full")]
    rows = zip(used.tolist(), *numbers, *lengths, table["fragments"][used].tolist(), strict=True)
    return [_Inode(*row) for row in rows]


def inode_pages(space: Tablespace, columns: PageColumns, extents: Extents, findings: Findings) -> list[int]:
    """INODE pages: page 2 and those on the two lists of page 0; a list that breaks off is a finding."""
    found = [FIRST_INODE_PAGE]
    read_node = reader_of(LIST_NODE)
    n, seen = space.n_pages, set[int]()
    for name in ("inodes_full", "inodes_free"):
        page_no = space.fsp[name].first.page_no if space.fsp[name].length else FIL_NULL
        while page_no != FIL_NULL:
            if page_no < n and columns.unread[page_no]:
                break
            if page_no >= n or columns.type[page_no] != _INODE:
                findings.add("inode-list", f"the list {name} leads to page {page_no}, not an INODE page", 0, 118)
                break
            if page_no in seen:
                findings.add("inode-list", f"the list {name} comes to page {page_no} a second time", 0, 118)
                break
            seen.add(page_no)
            found.append(page_no)
            node = read_node(space.read_page(page_no), INODE_LIST_NODE_OFFSET)
            page_no = node["next"]["page_no"]
    return [p for p in dict.fromkeys(found) if p < n and columns.type[p] == _INODE and not columns.unread[p]]


def _segment(space: Tablespace, row: _Inode, page_no: int, offset: int, findings: Findings) -> Segment:
    slots = row.fragments
    in_use = [page for page in slots if page != FIL_NULL]
    end = max(space.n_pages, int(space.fsp.size))
    inside = [page for page in in_use if page < end]
    if len(inside) != len(in_use):
        findings.add(
            "wild-page-number",
            f"segment {row.segment_id} lists fragment page {max(in_use)}, beyond the file's end",
            page_no,
            offset + 64,
        )
    most = end // space.geometry.extent_pages + 1
    lengths = {"free": row.free, "not_full": row.not_full, "full": row.full}
    for name, at in (("free", 12), ("not_full", 28), ("full", 44)):
        if lengths[name] > most:
            findings.add(
                "list-length",
                f"segment {row.segment_id} claims {lengths[name]} {name} extents, the file has room for {most}",
                page_no,
                offset + at,
            )
            lengths[name] = 0
    return Segment(
        segment_id=row.segment_id,
        page_no=page_no,
        offset=offset,
        slot=row.slot,
        not_full_n_used=min(row.not_full_n_used, lengths["not_full"] * space.geometry.extent_pages),
        free_extents=lengths["free"],
        not_full_extents=lengths["not_full"],
        full_extents=lengths["full"],
        fragments=np.array(inside, np.uint32),
        first_fragment=slots[0] if slots[0] < space.n_pages else FIL_NULL,
        extent_pages=space.geometry.extent_pages,
    )


def segment_of_pages(
    segments: list[Segment], extents: Extents, n_pages: int, findings: Findings
) -> npt.NDArray[np.int32]:
    """Ordinal (in ``segments``) of the segment that owns each page, -1 for none; int32 (n_pages,).

    Pages of an owned extent, used or not, and used fragment pages have an owner.
    """
    owned = (extents.state == _FSEG) | (extents.state == _FSEG_FRAG)
    ordinal = np.full(len(extents), -1, np.int32)
    if segments and owned.any():
        ids = np.array([s.segment_id for s in segments], np.uint64)
        order = np.argsort(ids, kind="stable")
        at = np.searchsorted(ids[order], extents.segment_id[owned])
        candidate = order[np.minimum(at, len(ids) - 1)]
        match = ids[candidate] == extents.segment_id[owned]
        ordinal[owned] = np.where(match, candidate, -1)
    for extent in where(owned & (ordinal < 0)):
        findings.add(
            "extent-owner",
            f"the extent of page {extent * extents.pages} belongs to segment "
            f"{extents.segment_id[extent]}, which no inode describes",
            int(extent) * extents.pages,
        )
    owner = each_page(ordinal, extents.pages, n_pages).copy()
    for i, segment in enumerate(segments):
        inside = segment.fragments
        if len(inside):
            owner[inside[inside < n_pages]] = i
    return owner
