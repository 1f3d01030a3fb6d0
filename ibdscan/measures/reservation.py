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
    reserve = 2 + (fsp_size // extent) * 2 // 200
    return max(0, free_extents + above - reserve) * extent * geometry.physical


def reserved_after_build(used_pages: int, geometry: Geometry) -> int:
    """Fewest pages a freshly built segment reserves for ``used_pages``: single pages for the first half
    extent, then whole extents (``fseg_alloc_free_page_low``)."""
    fragments = geometry.inode_fragments
    if used_pages <= fragments:
        return used_pages
    extents = -(-(used_pages - fragments) // geometry.extent_pages)
    return fragments + extents * geometry.extent_pages


def reserved_at_most(used_pages: int, geometry: Geometry) -> int:
    """What a healthy segment may reserve: one eighth of it unused is the server's rule, rounded to extents."""
    low = reserved_after_build(used_pages, geometry)
    fragments = geometry.inode_fragments
    if used_pages <= fragments:
        return low
    extents = -(-(used_pages * 8 // 7 - fragments) // geometry.extent_pages) + 1
    return max(low, fragments + extents * geometry.extent_pages)
