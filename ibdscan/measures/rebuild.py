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
class LoadPart:
    """A stretch of neighbouring pages: its records, their bytes, and how much their sizes differ.

    ``dispersion`` is the squared coefficient of variation of the record sizes.
    """

    records: int
    data_bytes: int
    dispersion: float = 0.0


@dataclass(frozen=True)
class BuildLoad:
    """What is to be packed into one level, in key order."""

    parts: tuple[LoadPart, ...]
    is_fixed: bool
    """All records of the level have one length."""

    @property
    def records(self) -> int:
        return sum(p.records for p in self.parts)

    @property
    def data_bytes(self) -> int:
        return sum(p.data_bytes for p in self.parts)


PART_PAGES = 32
MAX_PARTS = 64


def measure_load(columns: PageColumns, chain: npt.NDArray[np.int64]) -> BuildLoad:
    """Records of the pages of one level, in link order. Page headers do not give the sizes of records, but
    how bytes and counts of neighbouring pages differ tells how much they vary."""
    data = columns.data_bytes(chain)
    recs = columns.n_recs[chain].astype(np.int64)
    some = recs > 0
    data, recs = np.maximum(data[some], 0), recs[some]
    total, n = int(data.sum()), int(recs.sum())
    fixed = n > 0 and total % n == 0 and bool((data == recs * (total // n)).all())
    n_parts = max(1, min(MAX_PARTS, len(recs) // PART_PAGES))
    pairs = zip(np.array_split(recs, n_parts), np.array_split(data, n_parts), strict=True)
    parts = (LoadPart(int(r.sum()), int(d.sum()), 0.0 if fixed else _dispersion(r, d)) for r, d in pairs)
    return BuildLoad(tuple(p for p in parts if p.records), fixed)


def _dispersion(records: npt.NDArray[np.int64], data: npt.NDArray[np.int64]) -> float:
    """Squared coefficient of variation of the record sizes: of two neighbours with n1 and n2 records of one
    distribution, the bytes of the first differ from its share by a variance of sigma2 * n1 * n2 / (n1 + n2)."""
    both = records[:-1] + records[1:]
    if not len(both):
        return 0.0
    residual = data[:-1] - records[:-1] * (data[:-1] + data[1:]) / both
    variance = float((residual**2).sum() / (records[:-1] * records[1:] / both).sum())
    return variance / float(data.sum() / records.sum()) ** 2


def records_per_page(part: LoadPart, room: int, *, is_fixed: bool) -> float:
    """Mean records a page of ``room`` bytes for records and directory; at least 2, as the server does.

    Of a page's room, on average half of the record that did not fit any more is lost; a record met at the end of a
    page is the longer the more sizes differ (mean (1 + dispersion) times the mean size).
    """
    size = part.data_bytes / part.records
    fitting = room / (size + 0.5)
    if is_fixed:
        n = int(fitting)
        while n > 2 and n * size + directory_reserved_bytes(n) > room:
            n -= 1
        return max(2.0, float(n))
    return max(2.0, fitting - min(0.5 * (1 + part.dispersion), 0.5 * fitting))


def packed_pages(load: BuildLoad, room: int) -> int:
    """Pages that a sorted build needs for ``load``."""
    pages = sum(p.records / records_per_page(p, room, is_fixed=load.is_fixed) for p in load.parts)
    return max(1, int(np.ceil(pages - 1e-9)))


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
            part = LoadPart(level, int(level * self.node_pointer_bytes))
            pointers = BuildLoad((part,), is_fixed=False)
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
