"""Space of the tablespace: DATA_FREE as the server computes it, fits of extents (fsp0fsp.cc)."""

from __future__ import annotations

from ibdscan.layout.geometry import Geometry


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
    """Pages that a sorted build reserves for ``used_pages``: from half an extent on, a further extent is
    taken whenever less than one eighth of the reserved pages is unused (``fseg_alloc_free_page_low``,
    FSEG_FILLFACTOR). Equal to the leaf segments of every rebuilt index measured on MySQL 9.7; MariaDB
    reserves this or less, down to :func:`reserved_at_least`.
    """
    low = reserved_at_least(used_pages, geometry)
    if used_pages <= geometry.inode_fragments:
        return low
    needed = -(-(used_pages - 1) * 8 // 7)
    return max(low, reserved_at_least(needed, geometry))
