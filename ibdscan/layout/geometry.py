"""Sizes that follow from the page size (fsp0types.h, fsp0fsp.h)."""

from __future__ import annotations

from typing import NamedTuple

PAGE_SIZES = (4096, 8192, 16384, 32768, 65536)
"""Page sizes a server can be made with (``innodb_page_size``)."""


class Geometry(NamedTuple):
    """Page sizes of a tablespace, in bytes.

    ``physical`` is what a page takes in the file, ``logical`` what the server works on; they differ
    with ROW_FORMAT=COMPRESSED (KEY_BLOCK_SIZE). Page numbers always count physical pages.
    """

    physical: int
    logical: int

    @property
    def extent_pages(self) -> int:
        """Pages an extent: 1 MiB of logical pages, at least 64 (``FSP_EXTENT_SIZE``)."""
        return max(64, (1 << 20) // self.logical)

    @property
    def descriptor_interval(self) -> int:
        """Pages from one descriptor (XDES) page to the next (``xdes_calc_descriptor_page``)."""
        return self.physical

    @property
    def xdes_entry_bytes(self) -> int:
        """Bytes of one XDES entry, two bits a page (``XDES_SIZE``)."""
        return 24 + self.extent_pages // 4

    @property
    def xdes_entries(self) -> int:
        """XDES entries a descriptor page."""
        return self.descriptor_interval // self.extent_pages

    @property
    def inode_bytes(self) -> int:
        """Bytes of one segment inode (``FSEG_INODE_SIZE``)."""
        return 64 + 2 * self.extent_pages

    @property
    def inode_fragments(self) -> int:
        """Slots of an inode's fragment array (``FSEG_FRAG_ARR_N_SLOTS``)."""
        return self.extent_pages // 2

    @property
    def inodes_per_page(self) -> int:
        """Inode slots an INODE page (``FSP_SEG_INODES_PER_PAGE``)."""
        return (self.physical - 60) // self.inode_bytes
