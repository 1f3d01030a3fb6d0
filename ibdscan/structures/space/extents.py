"""Extents: the XDES entries of all descriptor pages, and from them which pages are in use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.bridge import dtype_of
from ibdscan.layout.fsp import XDES_ARRAY_OFFSET, xdes_entry
from ibdscan.layout.numbers import ExtentState, PageType
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings

OWNED_STATES = (ExtentState.FSEG, ExtentState.FSEG_FRAG)
_LAST_STATE = int(max(ExtentState))
_BLANK, _FREE = int(ExtentState.NOT_INITIALISED), int(ExtentState.FREE)


@dataclass(frozen=True)
class Extents:
    """One entry an extent that has at least one page in the file; arrays of shape (n_extents,)."""

    pages: int
    """Pages an extent."""
    state: npt.NDArray[np.uint32]
    segment_id: npt.NDArray[np.uint64]
    node: npt.NDArray[Any]
    """List nodes (prev, next), structured, as on disk but in native order of the fields read."""
    n_used: npt.NDArray[np.int32]
    """Used pages by the bitmap, pages beyond the end of the file not counted."""
    used: npt.NDArray[np.bool_]
    """(n_pages,): the page's XDES bit says used and the page lies below the free limit."""

    def __len__(self) -> int:
        return len(self.state)


def read_extents(space: Tablespace, columns: PageColumns, findings: Findings) -> Extents:
    """Read every descriptor page of the file. A descriptor page that is missing or of another type
    is a finding, and its pages count as not used."""
    geometry = space.geometry
    per_extent = geometry.extent_pages
    n_pages = space.n_pages
    n_extents = -(-n_pages // per_extent)
    dtype = dtype_of(xdes_entry(geometry))
    entries = np.zeros(n_extents, dtype)
    per_page = geometry.xdes_entries
    for first in range(0, n_extents, per_page):
        page_no = first * per_extent
        if page_no and page_no >= space.fsp.free_limit:
            break  # not initialised yet
        count = min(per_page, n_extents - first)
        if page_no and columns.unread[page_no]:
            continue
        if page_no and columns.type[page_no] != PageType.XDES:
            findings.add(
                "missing-descriptor",
                f"page {page_no} should hold extent descriptors but is of type {columns.type[page_no]}",
                page_no,
                24,
            )
            continue
        body = space.read_page(page_no)
        entries[first : first + count] = np.frombuffer(body, dtype, count, XDES_ARRAY_OFFSET)
    return _extents(space, entries, findings)


def _extents(space: Tablespace, entries: npt.NDArray[Any], findings: Findings) -> Extents:
    per_extent = space.geometry.extent_pages
    n_pages = space.n_pages
    bits = np.unpackbits(np.ascontiguousarray(entries["bitmap"]), axis=1, bitorder="little")
    free = bits[:, 0::2].reshape(-1)[:n_pages].astype(np.bool_)
    state = entries["state"].astype(np.uint32)
    limit = min(int(space.fsp.free_limit), n_pages)
    used = ~free
    used[limit:] = False
    # an extent not initialised has an all-zero bitmap, which would read as "used"
    codes = state.tolist()[: -(-limit // per_extent)]
    odd = [(e, code) for e, code in enumerate(codes) if code <= _FREE or code > _LAST_STATE]
    for extent in [e for e, code in odd if code == _BLANK]:
        used[extent * per_extent : (extent + 1) * per_extent] = False
    for extent in [e for e, code in odd if code > _LAST_STATE]:
        offset = XDES_ARRAY_OFFSET + space.geometry.xdes_entry_bytes * int(extent % space.geometry.xdes_entries)
        descriptor = int(extent * per_extent) // space.geometry.physical * space.geometry.physical
        findings.add(
            "extent-state",
            f"the extent of page {extent * per_extent} has the unknown state {state[extent]}",
            descriptor,
            offset + 20,
        )
    n_used = np.add.reduceat(used, np.arange(0, n_pages, per_extent), dtype=np.int32)
    for extent in [e for e, code in odd if code == _FREE and n_used[e] > 0]:
        findings.add(
            "extent-state",
            f"the extent of page {extent * per_extent} is FREE but {n_used[extent]} of its pages are marked used",
            int(extent) * per_extent,
        )
    return Extents(
        pages=per_extent,
        state=state,
        segment_id=entries["segment_id"].astype(np.uint64),
        node=entries["node"],
        n_used=n_used,
        used=used,
    )


def unknown_pages(space: Tablespace, columns: PageColumns) -> npt.NDArray[np.bool_] | None:
    """Pages below the free limit whose descriptor page could not be read, bool (n_pages,); None without any."""
    step = space.geometry.descriptor_interval
    lost = np.flatnonzero(columns.unread[::step]) * step
    if not len(lost):
        return None
    mask = np.zeros(space.n_pages, np.bool_)
    for page_no in lost:
        mask[page_no : page_no + step] = True
    mask[min(int(space.fsp.free_limit), int(space.fsp.size)) :] = False
    return mask


def each_page(per_extent: npt.NDArray[Any], extent_pages: int, n_pages: int) -> npt.NDArray[Any]:
    """Values per extent as values per page, shape (n_pages,)."""
    return np.repeat(per_extent, extent_pages)[:n_pages]
