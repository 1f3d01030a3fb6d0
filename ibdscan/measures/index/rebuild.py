"""What a rebuild (OPTIMIZE TABLE, ALTER TABLE ... FORCE) would make of an index.

The server's sorted build fills pages from left to right (btr0load.cc, btr0bulk.cc): a record goes into
the page while record bytes + directory fit, and while at least the reserve stays free: 1/16 of the page
in a clustered index at innodb_fill_factor 100, (100 - fill factor) % of it otherwise. Records are taken
to keep their sizes; off-page columns keep their pages.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibdscan.layout.geometry import Geometry
from ibdscan.layout.index import directory_reserved_bytes
from ibdscan.measures.index.record_sizes import Sizes, packed_share, record_sizes
from ibdscan.measures.index.reservation import SegmentUse, built_segment_pages, reserved_at_least
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace

COMPRESSED = "how many records fit in a compressed page is not in the headers"
"""Why there is no estimate for ROW_FORMAT=COMPRESSED."""


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

    ``dispersion`` is the squared coefficient of variation of the record sizes; ``sizes`` are those of some of
    them, one after another, where a mean and a dispersion would not do.
    """

    records: int
    data_bytes: int
    dispersion: float = 0.0
    sizes: Sizes | None = None


PART_PAGES = 16
UNLIKE, FEW_RECORDS = 0.05, 40
"""A dispersion above, or fewer records a page: the sizes of single records are looked at."""
POINTER_DISPERSION = 0.02
MAX_PARTS = 64
LEAST_RECORD_BYTES = 6
"""A record's header and one byte: a damaged page can claim more records than it has room for."""
MAX_DISPERSION = 64.0
"""More than records of one table can differ; keeps the sum of :func:`records_per_page` short on a damaged file."""


def measure_load(space: Tablespace, columns: PageColumns, chain: npt.NDArray[np.int64]) -> tuple[LoadPart, ...]:
    """Records of the pages of one level, in link order. Page headers do not give the sizes of records, but
    how bytes and counts of neighbouring pages differ tells how much they vary. Where that is much, or a few
    records fill a page (large and small ones in turn look alike then), pages are read: all of 1,024, or 16 of each
    part."""
    data = np.maximum(columns.data_bytes(chain), 0)
    recs = np.minimum(columns.n_recs[chain].astype(np.int64), data // LEAST_RECORD_BYTES)
    some = recs > 0
    data, recs, pages = data[some], recs[some], chain[some]
    n_parts = max(1, min(MAX_PARTS, len(recs) // PART_PAGES))
    split = [np.array_split(a, n_parts) for a in (recs, data, pages)]
    parts = [
        LoadPart(int(r.sum()), int(d.sum()), _dispersion(r, d)) for r, d, _ in zip(*split, strict=True) if len(r)
    ]
    few = int(recs.sum()) < FEW_RECORDS * len(recs)
    if len(chain) < PART_PAGES or not (few or any(p.dispersion > UNLIKE for p in parts)):
        return tuple(parts)
    if len(pages) <= MAX_PARTS * PART_PAGES:
        return (LoadPart(int(recs.sum()), int(data.sum()), sizes=record_sizes(space, columns, pages.tolist())),)
    middles = (p[(len(p) - PART_PAGES) // 2 :][:PART_PAGES].tolist() for p in split[2])
    return tuple(replace(p, sizes=record_sizes(space, columns, m)) for p, m in zip(parts, middles, strict=True))


def _dispersion(records: npt.NDArray[np.int64], data: npt.NDArray[np.int64]) -> float:
    """Squared coefficient of variation of the record sizes: of two neighbours with n1 and n2 records of one
    distribution, the bytes of the first differ from its share by a variance of sigma2 * n1 * n2 / (n1 + n2)."""
    both = records[:-1] + records[1:]
    if not len(both):
        return 0.0
    residual = data[:-1] - records[:-1] * (data[:-1] + data[1:]) / both
    variance = float((residual**2).sum() / (records[:-1] * records[1:] / both).sum())
    return min(MAX_DISPERSION, variance / float(data.sum() / records.sum()) ** 2)


def records_per_page(part: LoadPart, room: int) -> float:
    """Mean records a page of ``room`` bytes for records and directory; at least 2, as the server does.

    The sum over k of the probability that k records fit, with the bytes of k records taken as normal. The first
    record of a page is the one that did not fit into the page before it: such a record is longer, (1 + dispersion)
    times in the mean. For records of one length this is a whole number.
    """
    size = part.data_bytes / part.records
    deviation = size * part.dispersion**0.5
    most = room / (size + 0.5)
    margin = 6 * (most**0.5 * part.dispersion**0.5 + part.dispersion) + 2
    first = max(1, int(most - margin))
    fitting = float(first - 1)
    for k in range(first, int(most + margin) + 1):
        spare = room - k * size - directory_reserved_bytes(k) - size * part.dispersion
        # bytes are whole: what fits exactly still fits
        fitting += _normal((spare + 0.5) / (deviation * k**0.5)) if deviation else float(spare >= 0)
    return max(2.0, fitting)


def _normal(x: float) -> float:
    """Distribution function of the standard normal distribution."""
    return 0.5 * (1 + math.erf(x / 2**0.5))


def packed_pages(load: Iterable[LoadPart], room: int) -> int:
    """Pages that a sorted build needs for these records."""
    pages = sum(_pages_of(p, room) for p in load)
    return max(1, int(np.ceil(pages - 1e-9)))


def _pages_of(part: LoadPart, room: int) -> float:
    if part.sizes is None or not len(part.sizes):
        return part.records / records_per_page(part, room)
    return packed_share(part.sizes, room) * part.data_bytes / float(part.sizes.sum())


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
    leaf: tuple[LoadPart, ...]
    """Its records in key order."""
    node_pointer_bytes: float
    capacity: int
    clustered: bool
    off_page_pages: int
    reserved_pages: int
    mariadb: bool = False

    def segments(self, fill_factor: int = 100) -> tuple[SegmentUse, SegmentUse]:
        """What a rebuild puts into the top and the leaf segment; the root of a one-level tree, which is its
        leaf, belongs to the top one."""
        room = room_of_page(self.geometry, self.capacity, clustered=self.clustered, fill_factor=fill_factor)
        leaf_pages = level = packed_pages(self.leaf, room)
        non_leaf = 0
        while level > 1:
            pointers = LoadPart(level, int(level * self.node_pointer_bytes), POINTER_DISPERSION)
            level = packed_pages([pointers], room)
            non_leaf += level
        return SegmentUse(non_leaf or 1), SegmentUse(leaf_pages if non_leaf else 0, self.off_page_pages)

    def estimate(self, fill_factor: int = 100) -> Rebuild:
        """Pages and bytes of the index after a rebuild at that innodb_fill_factor."""
        segments = top, leaf = self.segments(fill_factor)
        high = sum(built_segment_pages(use, self.geometry, mariadb=self.mariadb) for use in segments)
        pages = top.used + leaf.used
        physical = self.geometry.physical
        return Rebuild(
            leaf_pages=leaf.pages or 1,
            pages=pages,
            bytes=pages * physical,
            reserved_pages_low=sum(reserved_at_least(use.used, self.geometry) for use in segments),
            reserved_pages_high=high,
            saved_bytes=max(0, self.reserved_pages - high) * physical,
        )
