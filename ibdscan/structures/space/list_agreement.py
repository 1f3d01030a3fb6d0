"""Lists against extents and segments: each extent on the one list where its state and use belong (fsp0fsp.cc)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.bridge import dtype_of
from ibdscan.layout.fsp import INODE_ARRAY_OFFSET, XDES_ARRAY_OFFSET, inode
from ibdscan.layout.numbers import ExtentState, PageType
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.extents import OWNED_STATES, Extents
from ibdscan.structures.space.lists import FileList, all_lists
from ibdscan.structures.space.segments import Segment

_STATE_OF = {
    "free": ExtentState.FREE,
    "free_frag": ExtentState.FREE_FRAG,
    "full_frag": ExtentState.FULL_FRAG,
}
_STATE_OFFSET = 20
_FRAG_N_USED_OFFSET = 58
_SYSTEM_TYPES = (PageType.FSP_HDR, PageType.XDES, PageType.INODE, PageType.IBUF_BITMAP, PageType.ALLOCATED)


def check_lists(
    space: Tablespace,
    columns: PageColumns,
    extents: Extents,
    segments: list[Segment],
    findings: Findings,
) -> None:
    """Walk every list and hold it against the extents and segments it is about."""
    lists = list(all_lists(space, extents, segments))
    for one in lists:
        if one.problem is not None:
            findings.add("list", f"the list {_name(one)}: {one.problem}", one.page_no, one.offset)
    check = _ListCheck(space, extents, findings)
    for one in lists:
        if not one.of_pages:
            check.states(one)
    check.places([one for one in lists if not one.of_pages])
    check.counts(lists, segments)
    _check_inode_lists(space, columns, extents, [one for one in lists if one.of_pages], findings)
    _check_fragments(space, columns, extents, segments, findings)


def _name(one: FileList) -> str:
    name = one.name.upper()
    return name if one.segment is None else f"{name} of segment {one.segment.segment_id}"


class _ListCheck:
    def __init__(self, space: Tablespace, extents: Extents, findings: Findings) -> None:
        self._space, self._extents, self._findings = space, extents, findings
        self._full = np.full(len(extents), extents.pages, np.int64)

    def _add(self, kind: str, extent: int, message: str) -> None:
        geometry = self._space.geometry
        first = extent * self._extents.pages
        offset = XDES_ARRAY_OFFSET + geometry.xdes_entry_bytes * (extent % geometry.xdes_entries)
        descriptor = first // geometry.descriptor_interval * geometry.descriptor_interval
        self._findings.add(kind, f"the extent of page {first} {message}", descriptor, offset + _STATE_OFFSET)

    def states(self, one: FileList) -> None:
        """State, owner and use of each extent of one list."""
        items = np.array(one.items, np.int64)
        if not len(items):
            return
        name = _name(one)
        state, used = self._extents.state[items], self._extents.n_used[items]
        if one.segment is None:
            wrong = state != _STATE_OF[one.name]
        else:
            wrong = ~np.isin(state, [int(s) for s in OWNED_STATES])
            owner = self._extents.segment_id[items]
            for i in np.flatnonzero(~wrong & (owner != np.uint64(one.segment.segment_id))):
                self._add("list-owner", int(items[i]), f"is on the list {name} but belongs to segment {owner[i]}")
        for i in np.flatnonzero(wrong):
            self._add("list-state", int(items[i]), f"is on the list {name} with state {_state(state[i])}")
        misfit = _misfits(one, used, self._full[items])
        for i in np.flatnonzero(misfit & ~wrong):
            self._add("list-use", int(items[i]), f"is on the list {name} with {used[i]} pages in use")

    def places(self, lists: Iterable[FileList]) -> None:
        """Every extent below the free limit is on one list."""
        times = np.zeros(len(self._extents), np.int64)
        sound = True
        for one in lists:
            sound &= one.problem is None
            np.add.at(times, np.array(one.items, np.int64), 1)
        state = self._extents.state
        for extent in np.flatnonzero(times > 1):
            self._add("list-twice", int(extent), f"is on {times[extent]} lists")
        below = np.arange(len(state)) * self._extents.pages < int(self._space.fsp.free_limit)
        known = (state > ExtentState.NOT_INITIALISED) & (state <= max(ExtentState))
        if sound:  # a list that breaks off is named already, and what would follow with it
            for extent in np.flatnonzero(below & known & (times == 0)):
                self._add("extent-without-list", int(extent), f"of state {_state(state[extent])} is on no list")

    def counts(self, lists: list[FileList], segments: list[Segment]) -> None:
        """FRAG_N_USED and each segment's NOT_FULL_N_USED against the bitmaps."""
        used = self._extents.n_used
        for one in lists:
            if one.problem is not None:
                continue
            if one.name == "free_frag":
                self._count("FRAG_N_USED", int(self._space.fsp.frag_n_used), used, one, 0, _FRAG_N_USED_OFFSET)
            elif one.name == "not_full" and one.segment is not None:
                segment = one.segment
                name = f"NOT_FULL_N_USED of segment {segment.segment_id}"
                self._count(name, segment.not_full_n_used, used, one, segment.page_no, segment.offset + 8)

    def _count(
        self, name: str, recorded: int, used: npt.NDArray[np.int32], one: FileList, page_no: int, offset: int
    ) -> None:
        counted = int(used[np.array(one.items, np.int64)].sum())
        if counted != recorded:
            self._findings.add(
                "used-count", f"{name} is {recorded}, the extents of its list have {counted}", page_no, offset
            )


def _misfits(one: FileList, used: npt.NDArray[Any], full: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    if one.name == "free":
        return np.asarray(used != 0, np.bool_)
    if one.name in ("full", "full_frag"):
        return np.asarray(used != full, np.bool_)
    return np.asarray((used == 0) | (used == full), np.bool_)


def _state(value: int) -> str:
    try:
        return ExtentState(int(value)).name
    except ValueError:
        return str(int(value))


def _check_inode_lists(
    space: Tablespace, columns: PageColumns, extents: Extents, lists: list[FileList], findings: Findings
) -> None:
    dtype = dtype_of(inode(space.geometry))
    listed: list[int] = []
    for one in lists:
        listed += one.items
        for page_no in one.items:
            if page_no >= space.n_pages or columns.unread[page_no] or columns.type[page_no] != PageType.INODE:
                continue
            body = space.read_page(page_no)
            table = np.frombuffer(body, dtype, space.geometry.inodes_per_page, INODE_ARRAY_OFFSET)
            free = int((table["segment_id"] == 0).sum())
            if (free == 0) != (one.name == "inodes_full"):
                findings.add(
                    "inode-list", f"page {page_no} is on the list {_name(one)} with {free} free slots", page_no, 38
                )
    if any(one.problem for one in lists):
        return
    live = np.flatnonzero(extents.used & columns.written & (columns.type == PageType.INODE))
    if columns.doublewrite is not None:
        live = live[~columns.doublewrite[live]]
    known = set(listed)
    missing = [page for page in live.tolist() if page not in known]
    findings.add_pages("inode-list", missing, "page {page} holds inodes and is on no list of INODE pages", 38)


def _check_fragments(
    space: Tablespace, columns: PageColumns, extents: Extents, segments: list[Segment], findings: Findings
) -> None:
    """Pages in use of a fragment extent belong to one segment, those of the space itself to none."""
    n = space.n_pages
    times = np.zeros(n, np.int64)
    for segment in segments:
        inside = segment.fragments[segment.fragments < n]
        np.add.at(times, inside.astype(np.int64), 1)
        idle = inside[~extents.used[inside]]
        findings.add_pages(
            "fragment-page",
            idle,
            f"segment {segment.segment_id} has page {{page}} as a fragment page, which is marked free",
        )
    findings.add_pages(
        "fragment-page", np.flatnonzero(times > 1), "page {page} is a fragment page of two segments"
    )
    fragment = np.isin(extents.state, [int(ExtentState.FREE_FRAG), int(ExtentState.FULL_FRAG)])
    single = np.repeat(fragment, extents.pages)[:n]
    used = extents.used & single & (times == 0) & columns.written
    used &= ~np.isin(columns.type, [int(t) for t in _SYSTEM_TYPES])
    if columns.doublewrite is not None:
        used &= ~columns.doublewrite
    findings.add_pages("leaked-page", np.flatnonzero(used), "page {page} is marked used, but no segment has it")
