"""Space of the tablespace: DATA_FREE as the server computes it, fits of extents (fsp0fsp.cc)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ibdscan.layout.geometry import Geometry

AHEAD_EXTENTS = 4
"""FSP_FREE_ADD, and what MariaDB lets a segment have unused."""


def data_free_bytes(geometry: Geometry, fsp_size: int, free_limit: int, free_extents: int) -> int:
    """``fsp_get_available_space_in_free_extents``: what INFORMATION_SCHEMA calls DATA_FREE, in bytes."""
    extent = geometry.extent_pages
    if fsp_size < extent:
        return 0
    above = max(0, fsp_size - free_limit) // extent
    if above > 0:
        above -= 1
        above -= above // (geometry.descriptor_interval // extent)
    return max(0, free_extents + above - reserved_extents(fsp_size // extent)) * extent * geometry.physical


def reserved_extents(extents: int) -> int:
    """Extents of a file of so many that the server keeps free for undo and cleaning
    (``fsp_reserve_free_extents``)."""
    return 2 + extents * 2 // 200


def reserved_at_least(used_pages: int, geometry: Geometry) -> int:
    """Fewest pages a segment of ``used_pages`` can reserve: single pages for the first half extent, then
    whole extents. In-order inserts by one connection come to this."""
    fragments = geometry.inode_fragments
    if used_pages <= fragments:
        return used_pages
    extents = -(-(used_pages - fragments) // geometry.extent_pages)
    return fragments + extents * geometry.extent_pages


def reserved_after_build(used_pages: int, geometry: Geometry) -> int:
    """Pages that a sorted build on MySQL reserves for ``used_pages`` of one kind."""
    return built_segment_pages(SegmentUse(used_pages), geometry)


class SegmentUse(NamedTuple):
    """What a rebuild will put into a segment: index pages, and off-page (LOB) pages among them."""

    pages: int
    off_page: int = 0

    @property
    def used(self) -> int:
        return self.pages + self.off_page

    @property
    def before_last_index_page(self) -> int:
        """Pages when the last index page is allocated: off-page data comes with its rows."""
        return self.used - 1 - self.off_page // self.pages if self.pages else 0


def built_segment_pages(use: SegmentUse, geometry: Geometry, *, mariadb: bool = False) -> int:
    """Pages that a segment reserves when a sorted build has filled it (``fseg_alloc_free_page_low``): single
    pages for the first half extent; then a further extent whenever less than one eighth of the reserved pages
    is unused. Off-page data takes no extent ahead, and MariaDB is content with four unused.
    """
    if not use.pages:  # an inode of off-page data alone leaves one of its slots empty
        singles = geometry.inode_fragments - 1
        return (
            min(use.used, singles)
            + -(-max(0, use.used - singles) // geometry.extent_pages) * geometry.extent_pages
        )
    low = reserved_at_least(use.used, geometry)
    if use.used <= geometry.inode_fragments:
        return low
    before = use.before_last_index_page
    ahead = -(-before * 8 // 7)
    if mariadb:
        ahead = min(ahead, before + AHEAD_EXTENTS * geometry.extent_pages)
    return max(low, reserved_at_least(ahead, geometry))


def built_file_pages(
    segments: Sequence[SegmentUse], geometry: Geometry, *, mariadb: bool = False, autoextend_pages: int = 0
) -> int:
    """Pages of the file that ALTER TABLE ... FORCE makes for a table of these segments, in the order of their
    creation (of MySQL 8.0+, the SDI's two first). ``autoextend_pages``: AUTOEXTEND_SIZE in pages, 0 where there
    is none. Raises ValueError for a compressed table, whose extents are of two sizes.

    Equal to the file, to the page, for most of the rebuilt tables of docs/rebuild.md; else within one step.
    """
    if geometry.physical != geometry.logical:
        raise ValueError("no rule for ROW_FORMAT=COMPRESSED")
    file = _GrowingFile(geometry, mariadb, autoextend_pages)
    file.single_pages += -(-sum(s.used > 0 or mariadb for s in segments) // geometry.inodes_per_page)
    for segment in segments:
        file.build(segment)
    return file.finished_pages()


class _GrowingFile:
    """A tablespace file while a sorted build fills it, counted in extents (fsp0fsp.cc).

    MySQL reserves free extents before each page (``fsp_reserve_free_extents``) and lends later descriptor
    extents to segments, all but two pages; MariaDB extends a file when nothing is free in it, and keeps
    descriptor extents for single pages.
    """

    def __init__(self, geometry: Geometry, mariadb: bool, autoextend_pages: int) -> None:
        self.geometry = geometry
        self.mariadb = mariadb
        self.extent = geometry.extent_pages
        self.step = autoextend_pages // self.extent
        """AUTOEXTEND_SIZE in extents."""
        self.extents = self.step or 1
        self.limit = self.extents
        """Extents below the free limit; a file created larger than one has all of them there."""
        self.free = self.extents - 1
        """Extents on the free list: at most four are put there at once."""
        self.lendable = 0
        self.single_pages = 2
        """Used pages of fragment extents: FSP header, bitmap, INODE pages and the segments' single pages."""
        self.single_room = self.extent
        self.by_page = self.extents <= AHEAD_EXTENTS
        """As created: grown page by page up to an extent, or one AUTOEXTEND_SIZE of 4 MB; nothing reserved yet."""
        self.last_took = self.off_page_last = False
        """The last page opened an extent (nothing was reserved after it); it was an off-page one."""

    def build(self, use: SegmentUse) -> None:
        """Fill one segment."""
        if not use.used:
            return
        self.single_pages += min(use.used, self.geometry.inode_fragments - (not use.pages))
        while self.single_pages > self.single_room:
            self._reserve()
            self._take_for_singles()
        taken = lent = 0
        of_index = self._extents_of(SegmentUse(use.before_last_index_page + 1), 0) if use.pages else 0
        wanted = self._extents_of(use, 0)
        while taken < wanted:
            self._reserve(off_page=use.off_page > 0 and taken >= of_index)
            if self._take():
                lent += 1
                wanted = self._extents_of(use, lent)
            taken += 1
        self.off_page_last = use.off_page > 0
        one_less = use._replace(off_page=use.off_page - 1) if use.off_page else use._replace(pages=use.pages - 1)
        self.last_took = taken > self._extents_of(one_less, lent)

    def finished_pages(self) -> int:
        """Pages of the file at the end."""
        pages = self.single_pages + (1 if self.mariadb else 2)
        if self.by_page and self.step:
            return self.extents * self.extent
        if self.by_page and pages <= self.extent:
            return pages
        if not self.last_took:
            self.by_page = False
            self._reserve(self.off_page_last)
        return self.extents * self.extent

    def _extents_of(self, use: SegmentUse, lent: int) -> int:
        """Whole extents of a segment; in each lent one two pages are not the segment's."""
        use = use._replace(pages=use.pages + 2 * lent) if use.pages else use
        pages = built_segment_pages(use, self.geometry, mariadb=self.mariadb)
        return pages // self.extent

    def _take(self) -> bool:
        """An extent for a segment; true where it is a lent one."""
        if self.lendable:
            self.lendable -= 1
            return True
        if not self.free:
            self._fill()
        self.free -= 1
        return False

    def _take_for_singles(self) -> None:
        if self._take():
            self.single_room += self.extent - 2
        else:
            self.single_room += self.extent

    def _fill(self) -> None:
        """Put extents onto the free list (``fsp_fill_free_list``)."""
        if self.extents - self.limit < AHEAD_EXTENTS:
            self._extend()
        found = 0
        while self.limit < self.extents and found < AHEAD_EXTENTS:
            if self.limit * self.extent % self.geometry.descriptor_interval:
                found += 1
            elif self.mariadb:
                self.single_room += self.extent - 2
            else:
                self.lendable += 1
            self.limit += 1
        self.free += found

    def _extend(self) -> None:
        """Grow by a step (``fsp_get_pages_to_extend_ibd``)."""
        threshold = min(32 * self.extent, self.geometry.physical)
        self.extents += self.step or (4 if self.extents * self.extent >= threshold else 1)
        self.by_page = False

    def _reserve(self, off_page: bool = False) -> None:
        """MySQL: extend until so many extents are free that one can be reserved, for off-page data one."""
        if self.mariadb or self.by_page:
            return
        while self._usable() < (1 if off_page else reserved_extents(self.extents) + 2):
            self._extend()

    def _usable(self) -> int:
        """Free extents, some of those above the free limit left out, as the server counts them."""
        above = self.extents - self.limit
        if above:
            above -= 1
            above -= above // self.geometry.xdes_entries
        return self.free + above
