"""What a rebuild (OPTIMIZE TABLE, ALTER TABLE ... FORCE) would make of an index.

The server's sorted build fills pages from left to right (btr0load.cc, btr0bulk.cc): a record goes into
the page while record bytes + directory fit, and while at least the reserve stays free: 1/16 of the page
in a clustered index at innodb_fill_factor 100, (100 - fill factor) % of it otherwise. Records are taken
to keep their sizes; off-page columns keep their pages.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.geometry import Geometry
from ibdscan.layout.index import directory_reserved_bytes
from ibdscan.measures.reservation import reserved_after_build, reserved_at_least
from ibdscan.pages.columns import PageColumns


@dataclass(frozen=True)
class Rebuild:
    """Estimate for one index. ``pages`` counts leaf, non-leaf and off-page pages, ``bytes`` their size.
    ``reserved_pages_low`` and ``_high`` are what both segments will reserve, at the least and by the
    server's rule. ``saved_bytes``: what they reserve now, less ``reserved_pages_high``; never negative."""

    leaf_pages: int
    pages: int
    bytes: int
    reserved_pages_low: int
    reserved_pages_high: int
    saved_bytes: int


@dataclass(frozen=True)
class BuildLoad:
    """What is to be packed into one level: records, their bytes, and their spread."""

    records: int
    data_bytes: int
    is_fixed: bool
    """All records of the level have one length."""


def measure_load(columns: PageColumns, pages: npt.NDArray[np.int64]) -> BuildLoad:
    """Records of the given pages of one level."""
    data = columns.data_bytes(pages)
    recs = columns.n_recs[pages].astype(np.int64)
    some = recs > 0
    data, recs = np.maximum(data[some], 0), recs[some]
    total, n = int(data.sum()), int(recs.sum())
    fixed = n > 0 and total % n == 0 and bool((data == recs * (total // n)).all())
    return BuildLoad(n, total, fixed)


def records_per_page(load: BuildLoad, room: int) -> float:
    """Mean records a page of ``room`` bytes for records and directory; at least 2, as the server does."""
    size = load.data_bytes / load.records
    fitting = room / (size + 0.5)
    if load.is_fixed:
        n = int(fitting)
        while n > 2 and n * size + directory_reserved_bytes(n) > room:
            n -= 1
        return max(2.0, float(n))
    return max(2.0, fitting - 0.5)


def packed_pages(load: BuildLoad, room: int) -> int:
    """Pages that a sorted build needs for ``load``."""
    if load.records == 0:
        return 1
    return max(1, int(np.ceil(load.records / records_per_page(load, room) - 1e-9)))


def room_of_page(geometry: Geometry, capacity: int, *, clustered: bool, fill_factor: int = 100) -> int:
    """Bytes for records and directory in a page that a sorted build has filled."""
    page = geometry.logical
    if fill_factor == 100:
        return capacity - (page // 16 if clustered else 0)
    return capacity - page * (100 - fill_factor) // 100


@dataclass(frozen=True)
class BuildInput:
    """What the estimate of one index goes by.

    ``node_pointer_bytes`` is the mean record size of its level 1 (measured; any small number for a
    one-level tree), ``capacity`` the bytes of an empty page, ``reserved_pages`` what both segments reserve now.
    """

    geometry: Geometry
    leaf: BuildLoad
    node_pointer_bytes: float
    capacity: int
    clustered: bool
    off_page_pages: int
    reserved_pages: int

    def estimate(self, fill_factor: int = 100) -> Rebuild:
        """Pages and bytes of the index after a rebuild at that innodb_fill_factor."""
        geometry, clustered = self.geometry, self.clustered
        room = room_of_page(geometry, self.capacity, clustered=clustered, fill_factor=fill_factor)
        leaf_pages = level = packed_pages(self.leaf, room)
        non_leaf = 0
        while level > 1:
            pointers = BuildLoad(level, int(level * self.node_pointer_bytes), is_fixed=False)
            level = packed_pages(pointers, room)
            non_leaf += level
        if non_leaf:
            leaf_used, top_used = leaf_pages + self.off_page_pages, non_leaf
        else:  # one page: the root is the leaf and belongs to the top segment
            leaf_used, top_used = self.off_page_pages, 1
        low = reserved_at_least(leaf_used, geometry) + reserved_at_least(top_used, geometry)
        high = reserved_after_build(leaf_used, geometry) + reserved_after_build(top_used, geometry)
        pages = leaf_used + top_used
        return Rebuild(
            leaf_pages=leaf_pages,
            pages=pages,
            bytes=pages * geometry.physical,
            reserved_pages_low=low,
            reserved_pages_high=high,
            saved_bytes=max(0, self.reserved_pages - high) * geometry.physical,
        )
