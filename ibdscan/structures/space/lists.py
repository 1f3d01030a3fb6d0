"""The lists of a tablespace: extents by state, INODE pages, each segment's extents (fut0lst.h, fsp0fsp.cc)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.bridge import fields_of, reader_of
from ibdscan.layout.fsp import (
    FSP_HEADER,
    FSP_HEADER_OFFSET,
    INODE_LIST_NODE_OFFSET,
    LIST_NODE,
    XDES_ARRAY_OFFSET,
    inode,
)
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.segments import Segment

SPACE_LISTS = ("free", "free_frag", "full_frag", "inodes_full", "inodes_free")
SEGMENT_LISTS = ("free", "not_full", "full")
XDES_NODE_OFFSET = 8
Address = tuple[int, int]
"""Page number and byte offset of a list node."""
NULL, NOWHERE = -1, -2
"""In place of a node's number: the end of a list; an address where no node of its kind is."""


@dataclass(frozen=True)
class FileList:
    """One list as walked. ``items``: extent numbers, of an INODE list page numbers, in list order."""

    name: str
    segment: Segment | None
    """None for the lists of the whole tablespace."""
    of_pages: bool
    """A list of INODE pages, not of extents."""
    length: int
    """As its base node says."""
    items: tuple[int, ...]
    problem: str | None
    """Why the walk broke off or what does not agree; None for a sound list."""
    page_no: int
    offset: int
    """Where its base node is."""


class _Nodes(Protocol):
    """List nodes of one kind by number."""

    def number(self, page_no: int, offset: int) -> int:
        """Of the node at an address: NOWHERE where no such node is, NULL for the address of none."""

    def address(self, number: int) -> Address:
        """Where a node is."""

    def links(self, number: int) -> tuple[int, int]:
        """Numbers of the nodes before and after a node."""

    def next_address(self, number: int) -> Address:
        """The address that a node gives for the node after it."""


def _walk_list(base: Any, nodes: _Nodes, limit: int) -> tuple[list[int], str | None]:
    """Follow a list from its base node, over at most ``limit`` nodes, never one twice. Returns their numbers and
    the first problem."""
    found: list[int] = []
    seen: set[int] = set()
    before = NULL
    number = nodes.number(base.first.page_no, base.first.offset)
    while number != NULL:
        if number == NOWHERE:
            at = nodes.next_address(before) if found else (base.first.page_no, base.first.offset)
            return found, f"it leads to {_place(at)}, where no node of its kind is"
        if number in seen or len(found) >= limit:
            return found, f"it comes back to {_place(nodes.address(number))}"
        prev, following = nodes.links(number)
        if prev != before:
            return found, f"the node at {_place(nodes.address(number))} does not link back"
        seen.add(number)
        found.append(number)
        before, number = number, following
    if len(found) != base.length:
        return found, f"it has {len(found)} nodes, its base says {base.length}"
    if nodes.number(base.last.page_no, base.last.offset) != before:
        return found, f"its base names {_place((base.last.page_no, base.last.offset))} as the last node"
    return found, None


def _place(address: Address) -> str:
    return f"page {address[0]}, offset {address[1]}"


class _ExtentNodes:
    """The nodes in the XDES entries, numbered as the extents are."""

    def __init__(self, space: Tablespace, extents: Extents) -> None:
        self._geometry = space.geometry
        self._node, self._n = extents.node, len(extents)
        self._prev, self._next = (self._numbers(extents.node[side]) for side in ("prev", "next"))

    def _numbers(self, side: npt.NDArray[Any]) -> list[int]:
        page_no = side["page_no"].astype(np.int64)
        extent, fits = self._extent(page_no, side["offset"].astype(np.int64))
        numbers = np.where(fits, extent, NOWHERE)
        numbers[page_no == FIL_NULL] = NULL
        out: list[int] = numbers.tolist()
        return out

    def _extent(self, page_no: Any, offset: Any) -> tuple[Any, Any]:
        """The extent whose node would have that address, and whether it has; of numbers or of arrays."""
        geometry = self._geometry
        entry, rest = divmod(offset - XDES_ARRAY_OFFSET - XDES_NODE_OFFSET, geometry.xdes_entry_bytes)
        extent = page_no // geometry.extent_pages + entry
        inside = (entry >= 0) & (entry < geometry.xdes_entries) & (extent < self._n)
        return extent, inside & (rest == 0) & (page_no % geometry.descriptor_interval == 0)

    def number(self, page_no: int, offset: int) -> int:
        if page_no == FIL_NULL:
            return NULL
        extent, fits = self._extent(page_no, offset)
        return int(extent) if fits else NOWHERE

    def address(self, number: int) -> Address:
        geometry = self._geometry
        page_no = number * geometry.extent_pages // geometry.descriptor_interval * geometry.descriptor_interval
        entry = number % geometry.xdes_entries
        return page_no, XDES_ARRAY_OFFSET + XDES_NODE_OFFSET + entry * geometry.xdes_entry_bytes

    def links(self, number: int) -> tuple[int, int]:
        return self._prev[number], self._next[number]

    def next_address(self, number: int) -> Address:
        following = self._node["next"][number]
        return int(following["page_no"]), int(following["offset"])


class _InodePageNodes:
    """The nodes of the INODE pages, numbered as the pages are."""

    def __init__(self, space: Tablespace) -> None:
        self._space = space
        self._links: dict[int, tuple[Address, Address] | None] = {}

    def number(self, page_no: int, offset: int) -> int:
        if page_no == FIL_NULL:
            return NULL
        here = offset == INODE_LIST_NODE_OFFSET and page_no < self._space.n_pages
        return page_no if here and self._node(page_no) is not None else NOWHERE

    def _node(self, page_no: int) -> tuple[Address, Address] | None:
        """None of a page that can not be read: encrypted, say."""
        if page_no not in self._links:
            self._links[page_no] = self._read(page_no)
        return self._links[page_no]

    def _read(self, page_no: int) -> tuple[Address, Address] | None:
        try:
            node = reader_of(LIST_NODE)(self._space.read_page(page_no), INODE_LIST_NODE_OFFSET)
        except UnreadPageError:
            return None
        return (node.prev.page_no, node.prev.offset), (node.next.page_no, node.next.offset)

    def address(self, number: int) -> Address:
        return number, INODE_LIST_NODE_OFFSET

    def links(self, number: int) -> tuple[int, int]:
        node = self._node(number)
        assert node is not None  # it has a number
        prev, following = node
        return self.number(*prev), self.number(*following)

    def next_address(self, number: int) -> Address:
        node = self._node(number)
        assert node is not None
        return node[1]


def all_lists(space: Tablespace, extents: Extents, segments: list[Segment]) -> Iterator[FileList]:
    """Every list of the file: the five of page 0, then three a segment."""
    of_extents, of_pages = _ExtentNodes(space, extents), _InodePageNodes(space)
    limit = space.n_pages

    def walked(name: str, base: Any, segment: Segment | None, page_no: int, offset: int) -> FileList:
        inodes = name.startswith("inodes_")
        found, problem = _walk_list(base, of_pages if inodes else of_extents, limit)
        return FileList(name, segment, inodes, int(base.length), tuple(found), problem, page_no, offset)

    places = {f.name: FSP_HEADER_OFFSET + f.offset for f in fields_of(FSP_HEADER)}
    for name in SPACE_LISTS:
        yield walked(name, space.fsp[name], None, 0, places[name])
    layout = inode(space.geometry)
    read, inside = reader_of(layout), {f.name: f.offset for f in fields_of(layout)}
    pages: dict[int, bytes] = {}
    for segment in segments:
        if segment.page_no not in pages:
            pages = {segment.page_no: space.read_page(segment.page_no)}
        entry = read(pages[segment.page_no], segment.offset)
        for name in SEGMENT_LISTS:
            yield walked(name, entry[name], segment, segment.page_no, segment.offset + inside[name])
