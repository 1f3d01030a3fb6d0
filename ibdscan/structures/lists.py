"""The lists of a tablespace: extents by state, INODE pages, each segment's extents (fut0lst.h, fsp0fsp.cc)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ibdscan.errors import UnreadPageError
from ibdscan.layout.bridge import fields_of
from ibdscan.layout.fsp import (
    FSP_HEADER,
    FSP_HEADER_OFFSET,
    INODE_LIST_NODE_OFFSET,
    LIST_NODE,
    XDES_ARRAY_OFFSET,
    inode,
)
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.tablespace import Tablespace
from ibdscan.structures.extents import Extents
from ibdscan.structures.segments import Segment

SPACE_LISTS = ("free", "free_frag", "full_frag", "inodes_full", "inodes_free")
SEGMENT_LISTS = ("free", "not_full", "full")
XDES_NODE_OFFSET = 8
Address = tuple[int, int]
"""Page number and byte offset of a list node."""
Node = tuple[Address, Address]
"""Addresses of the nodes before and after."""


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


def walk_list(
    base: Any, node_of: Callable[[Address], Node | None], limit: int
) -> tuple[list[Address], str | None]:
    """Follow a list from its base node; ``node_of`` gives a node's links, None for an address that holds
    none. At most ``limit`` nodes, never one twice. Returns the addresses and the first problem."""
    found: list[Address] = []
    seen: set[Address] = set()
    before: Address | None = None
    address = _address(base.first)
    while address is not None:
        node = node_of(address)
        if node is None:
            return found, f"it leads to page {address[0]}, offset {address[1]}, where no node of its kind is"
        if address in seen or len(found) >= limit:
            return found, f"it comes back to page {address[0]}, offset {address[1]}"
        if _null(node[0]) != before:
            return found, f"the node at page {address[0]}, offset {address[1]} does not link back"
        seen.add(address)
        found.append(address)
        before, address = address, _null(node[1])
    if len(found) != base.length:
        return found, f"it has {len(found)} nodes, its base says {base.length}"
    if _address(base.last) != before:
        return found, f"its base names page {base.last.page_no}, offset {base.last.offset} as the last node"
    return found, None


def _address(address: Any) -> Address | None:
    return _null((int(address.page_no), int(address.offset)))


def _null(address: Address) -> Address | None:
    return None if address[0] == FIL_NULL else address


class Nodes:
    """Links of the XDES entries and INODE pages of one file by their address."""

    def __init__(self, space: Tablespace, extents: Extents) -> None:
        self._space = space
        self._geometry = space.geometry
        node = extents.node
        parts = ((node[side]["page_no"].tolist(), node[side]["offset"].tolist()) for side in ("prev", "next"))
        prev, following = (list(zip(*part, strict=True)) for part in parts)
        self._extents: list[Node] = list(zip(prev, following, strict=True))

    def extent_at(self, address: Address) -> int | None:
        """The extent whose XDES node has that address; None where there is none."""
        geometry = self._geometry
        page, at = address
        entry, rest = divmod(at - XDES_ARRAY_OFFSET - XDES_NODE_OFFSET, geometry.xdes_entry_bytes)
        if page % geometry.descriptor_interval or rest or not 0 <= entry < geometry.xdes_entries:
            return None
        extent = page // geometry.extent_pages + entry
        return extent if extent < len(self._extents) else None

    def of_extent(self, address: Address) -> Node | None:
        extent = self.extent_at(address)
        return None if extent is None else self._extents[extent]

    def of_inode_page(self, address: Address) -> Node | None:
        page, at = address
        if at != INODE_LIST_NODE_OFFSET or page >= self._space.n_pages:
            return None
        try:
            node = LIST_NODE.parse(self._space.read_page(page)[at:])
        except UnreadPageError:  # encrypted, say: its links are not known
            return None
        return (node.prev.page_no, node.prev.offset), (node.next.page_no, node.next.offset)


def all_lists(space: Tablespace, extents: Extents, segments: list[Segment]) -> Iterator[FileList]:
    """Every list of the file: the five of page 0, then three a segment."""
    nodes = Nodes(space, extents)
    places = {f.name: FSP_HEADER_OFFSET + f.offset for f in fields_of(FSP_HEADER)}
    for name in SPACE_LISTS:
        yield _walk(nodes, name, space.fsp[name], None, 0, places[name], space.n_pages)
    layout = inode(space.geometry)
    inside = {f.name: f.offset for f in fields_of(layout)}
    pages: dict[int, bytes] = {}
    for segment in segments:
        if segment.page_no not in pages:
            pages = {segment.page_no: space.read_page(segment.page_no)}
        entry = layout.parse(pages[segment.page_no][segment.offset :])
        for name in SEGMENT_LISTS:
            at = segment.offset + inside[name]
            yield _walk(nodes, name, entry[name], segment, segment.page_no, at, space.n_pages)


def _walk(
    nodes: Nodes, name: str, base: Any, segment: Segment | None, page_no: int, offset: int, limit: int
) -> FileList:
    of_pages = name.startswith("inodes_")
    found, problem = walk_list(base, nodes.of_inode_page if of_pages else nodes.of_extent, limit)
    items = tuple(page if of_pages else nodes.extent_at((page, at)) or 0 for page, at in found)
    return FileList(name, segment, of_pages, int(base.length), items, problem, page_no, offset)
