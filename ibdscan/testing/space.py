"""A tablespace while it is built: extents, segments, and the pages that describe them (fsp0fsp.cc)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from ibdscan.layout.fsp import (
    FSP_HEADER,
    FSP_HEADER_OFFSET,
    INODE_ARRAY_OFFSET,
    INODE_LIST_NODE_OFFSET,
    LIST_NODE,
    SDI_HEADER,
    XDES_ARRAY_OFFSET,
    inode,
    sdi_header_offset,
    xdes_entry,
)
from ibdscan.layout.geometry import Geometry
from ibdscan.layout.numbers import FIL_NULL, INODE_MAGIC, ExtentState, PageType
from ibdscan.pages.format.flags import Flags
from ibdscan.testing.lists import Address, bitmap_of, list_base, list_nodes
from ibdscan.testing.records import blank_page

XDES_NODE_OFFSET = 8
FREED_MAGIC = 0xFA051CE3


@dataclass
class Segment:
    """A segment being filled. ``fragments`` keeps its slots: None is one that was emptied."""

    segment_id: int
    inode_page: int
    slot: int
    fragments: list[int | None] = field(default_factory=list)
    extents: list[int] = field(default_factory=list)
    is_dropped: bool = False


@dataclass
class Extent:
    """One extent below the free limit."""

    used: list[bool]
    state: ExtentState = ExtentState.FREE
    segment: Segment | None = None

    @property
    def n_used(self) -> int:
        return sum(self.used)


class SpaceModel:
    """Allocates pages as the server does: the first half extent of a segment page by page from fragment
    extents, then whole extents; and writes the descriptions of all that."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry
        self.extents: list[Extent] = []
        self.segments: list[Segment] = []
        self.inode_pages: list[int] = []
        self._new_extent()

    def _new_extent(self) -> int:
        """Initialise the next extent; one with descriptor pages becomes a fragment extent at once."""
        number, size = len(self.extents), self.geometry.extent_pages
        extent = Extent([False] * size)
        if number * size % self.geometry.descriptor_interval == 0:
            extent.used[:2] = [True, True]
            extent.state = ExtentState.FREE_FRAG
        self.extents.append(extent)
        return number

    def _free_extent(self) -> int:
        for number, extent in enumerate(self.extents):
            if extent.state == ExtentState.FREE:
                return number
        while self.extents[self._new_extent()].state != ExtentState.FREE:
            pass
        return len(self.extents) - 1

    def allocate_single(self) -> int:
        """A fragment page."""
        number = next((i for i, e in enumerate(self.extents) if e.state == ExtentState.FREE_FRAG), -1)
        if number < 0:
            number = self._free_extent()
        extent = self.extents[number]
        at = extent.used.index(False)
        extent.used[at] = True
        extent.state = ExtentState.FULL_FRAG if all(extent.used) else ExtentState.FREE_FRAG
        return number * self.geometry.extent_pages + at

    def create_segment(self) -> Segment:
        """A new segment without pages; INODE pages come as they are needed."""
        per_page = self.geometry.inodes_per_page
        page_at, slot = divmod(len(self.segments), per_page)
        if page_at == len(self.inode_pages):
            self.inode_pages.append(self.allocate_single())
        segment = Segment(len(self.segments) + 1, self.inode_pages[page_at], slot)
        self.segments.append(segment)
        return segment

    def allocate(self, segment: Segment) -> int:
        """The next page of a segment."""
        if len(segment.fragments) < self.geometry.inode_fragments:
            page = self.allocate_single()
            segment.fragments.append(page)
            return page
        if not segment.extents or all(self.extents[segment.extents[-1]].used):
            self.reserve_extent(segment)
        number = segment.extents[-1]
        at = self.extents[number].used.index(False)
        self.extents[number].used[at] = True
        return number * self.geometry.extent_pages + at

    def reserve_extent(self, segment: Segment) -> None:
        """Give a segment one more extent, without a used page."""
        number = self._free_extent()
        self.extents[number].state, self.extents[number].segment = ExtentState.FSEG, segment
        segment.extents.append(number)

    def release(self, segment: Segment, pages: Iterable[int]) -> None:
        """Free pages of a segment; an extent left without used pages goes back to the space."""
        touched = set()
        for page in pages:
            number, at = divmod(page, self.geometry.extent_pages)
            self.extents[number].used[at] = False
            touched.add(number)
            if page in segment.fragments:
                segment.fragments[segment.fragments.index(page)] = None
                self.extents[number].state = ExtentState.FREE_FRAG
        for number in touched:
            extent = self.extents[number]
            if not extent.n_used:
                if number in segment.extents:
                    segment.extents.remove(number)
                extent.state, extent.segment = ExtentState.FREE, None

    def drop(self, segment: Segment) -> None:
        """Free a segment with all its pages; its inode slot becomes free."""
        size = self.geometry.extent_pages
        inside = [n * size + at for n in segment.extents for at in range(size)]
        self.release(segment, [*(p for p in segment.fragments if p is not None), *inside])
        segment.fragments.clear()
        segment.is_dropped = True

    def add_free_extents(self, n: int) -> None:
        """Put ``n`` more extents on the FREE list."""
        while n > 0:
            n -= self.extents[self._new_extent()].state == ExtentState.FREE

    def inode_offset(self, segment: Segment) -> int:
        """Byte offset of a segment's inode in its page."""
        return INODE_ARRAY_OFFSET + segment.slot * self.geometry.inode_bytes

    def seg_header(self, segment: Segment, space_id: int) -> dict[str, int]:
        """The pointer to a segment, as ``FSEG_HEADER`` is built from."""
        return {
            "space_id": space_id, "page_no": segment.inode_page, "offset": self.inode_offset(segment),
        }  # fmt: skip

    @property
    def free_limit(self) -> int:
        return len(self.extents) * self.geometry.extent_pages

    @property
    def n_free_extents(self) -> int:
        """Extents on the space's FREE list."""
        return sum(e.state == ExtentState.FREE for e in self.extents)

    # -- what is written ---------------------------------------------------------------------------

    def _node(self, number: int) -> Address:
        page, entry = self._entry(number)
        return page, entry + XDES_NODE_OFFSET

    def _entry(self, number: int) -> Address:
        """Descriptor page and offset of an extent's XDES entry."""
        page = number * self.geometry.extent_pages // self.geometry.descriptor_interval
        at = number % self.geometry.xdes_entries
        return page * self.geometry.descriptor_interval, XDES_ARRAY_OFFSET + at * self.geometry.xdes_entry_bytes

    def _nodes(self, state: ExtentState) -> list[Address]:
        return [self._node(i) for i, e in enumerate(self.extents) if e.state == state]

    def _segment_lists(self, segment: Segment) -> dict[str, list[Address]]:
        lists: dict[str, list[Address]] = {"free": [], "not_full": [], "full": []}
        for number in segment.extents:
            extent = self.extents[number]
            name = "full" if all(extent.used) else "not_full" if extent.n_used else "free"
            lists[name].append(self._node(number))
        return lists

    def write_pages(self, pages: dict[int, bytearray], flags: Flags, head: dict[str, int], size: int) -> None:
        """Put FSP_HDR, XDES, change-buffer bitmap and INODE pages of a space of ``size`` pages into ``pages``.

        ``head``: ``space_id``, ``lsn``, ``version`` (0 without one), ``sdi_root`` (0 without one).
        """
        interval, space_id, lsn = self.geometry.descriptor_interval, head["space_id"], head["lsn"]
        plain = {"lsn": lsn} if flags.full_crc32 else {"lsn": lsn, "prev": 0, "next": 0}
        for first in range(0, self.free_limit, interval):
            kind = PageType.XDES if first else PageType.FSP_HDR
            pages[first] = blank_page(self.geometry.physical, first, kind, space_id, **plain)
            pages[first + 1] = blank_page(
                self.geometry.physical, first + 1, PageType.IBUF_BITMAP, space_id, **plain
            )
        for page_no in self.inode_pages:
            pages[page_no] = blank_page(self.geometry.physical, page_no, PageType.INODE, space_id, **plain)
        self._write_extents(pages)
        self._write_inodes(pages)
        self._write_head(pages[0], flags, head, size)

    def _write_extents(self, pages: dict[int, bytearray]) -> None:
        layout = xdes_entry(self.geometry)
        links: dict[Address, dict[str, Any]] = {}
        for state in (ExtentState.FREE, ExtentState.FREE_FRAG, ExtentState.FULL_FRAG):
            links.update(list_nodes(self._nodes(state)))
        for segment in self.segments:
            for nodes in self._segment_lists(segment).values():
                links.update(list_nodes(nodes))
        for number, extent in enumerate(self.extents):
            page_no, offset = self._entry(number)
            entry = {
                "segment_id": extent.segment.segment_id if extent.segment else 0,
                "node": links[self._node(number)],
                "state": int(extent.state),
                "bitmap": bitmap_of(extent.used),
            }
            pages[page_no][offset : offset + layout.sizeof()] = layout.build(entry)

    def _write_inodes(self, pages: dict[int, bytearray]) -> None:
        layout, slots = inode(self.geometry), self.geometry.inode_fragments
        for segment in self.segments:
            lists = self._segment_lists(segment)
            extents = (self.extents[i] for i in segment.extents)
            fragments = [FIL_NULL if p is None else p for p in segment.fragments]
            row = {
                "segment_id": 0 if segment.is_dropped else segment.segment_id,
                "not_full_n_used": sum(e.n_used for e in extents if not all(e.used)),
                **{name: list_base(nodes) for name, nodes in lists.items()},
                "magic": FREED_MAGIC if segment.is_dropped else INODE_MAGIC,
                "fragments": fragments + [FIL_NULL] * (slots - len(fragments)),
            }
            offset = self.inode_offset(segment)
            pages[segment.inode_page][offset : offset + layout.sizeof()] = layout.build(row)
        for nodes in self._inode_lists():
            for (page_no, offset), node in list_nodes(nodes):
                pages[page_no][offset : offset + LIST_NODE.sizeof()] = LIST_NODE.build(node)

    def _inode_lists(self) -> tuple[list[Address], list[Address]]:
        """INODE pages without and with a free slot."""
        full: list[Address] = []
        free: list[Address] = []
        for page_no in self.inode_pages:
            taken = sum(s.inode_page == page_no and not s.is_dropped for s in self.segments)
            is_full = taken == self.geometry.inodes_per_page
            (full if is_full else free).append((page_no, INODE_LIST_NODE_OFFSET))
        return full, free

    def _write_head(self, page: bytearray, flags: Flags, head: dict[str, int], size: int) -> None:
        full, free = self._inode_lists()
        frag = [e.n_used for e in self.extents if e.state == ExtentState.FREE_FRAG]
        fsp = {
            "space_id": head["space_id"],
            "unused": 0,
            "size": size,
            "free_limit": self.free_limit,
            "flags": flags.raw,
            "frag_n_used": sum(frag),
            "free": list_base(self._nodes(ExtentState.FREE)),
            "free_frag": list_base(self._nodes(ExtentState.FREE_FRAG)),
            "full_frag": list_base(self._nodes(ExtentState.FULL_FRAG)),
            "next_segment_id": len(self.segments) + 1,
            "inodes_full": list_base(full),
            "inodes_free": list_base(free),
        }
        page[FSP_HEADER_OFFSET:XDES_ARRAY_OFFSET] = FSP_HEADER.build(fsp)
        if head["version"]:
            page[8:12], page[12:16] = head["version"].to_bytes(4, "big"), (1).to_bytes(4, "big")
        if head["sdi_root"]:
            at = sdi_header_offset(self.geometry)
            sdi = SDI_HEADER.build({"version": 1, "root": head["sdi_root"]})
            page[at : at + len(sdi)] = sdi
