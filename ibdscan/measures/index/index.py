"""One index as measured: levels, leaf figures, segments, rebuild estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibdscan.measures.index.fill import Fill
from ibdscan.measures.index.mergeable import DEFAULT_THRESHOLD, Mergeable, measure_mergeable
from ibdscan.measures.index.order import Order
from ibdscan.measures.index.rebuild import BuildInput, Rebuild
from ibdscan.measures.index.splits import History, measure_history
from ibdscan.pages.page.columns import PageColumns
from ibdscan.structures.space.segments import Segment


@dataclass(frozen=True)
class Level:
    """One level: 0 is the leaf level. ``page_nos`` ascending, ``chain`` in link order (int64)."""

    level: int
    fill: Fill
    order: Order
    page_nos: npt.NDArray[np.int64]
    chain: npt.NDArray[np.int64]

    @property
    def pages(self) -> int:
        return self.fill.pages

    @property
    def records(self) -> int:
        return self.fill.records


class Leaf:
    """The leaf level's figures under one roof: everything of :class:`Fill` and :class:`Order`."""

    def __init__(self, level: Level) -> None:
        self.level = level

    @property
    def pages(self) -> int:
        """Live leaf pages."""
        return self.level.fill.pages

    @property
    def records(self) -> int:
        """User records, delete-marked included."""
        return self.level.fill.records

    @property
    def data_bytes(self) -> int:
        return self.level.fill.data_bytes

    @property
    def fill(self) -> float | None:
        """sum data_size / sum capacity over live leaves, 0..1."""
        return self.level.fill.fill

    @property
    def dir_fill(self) -> float | None:
        return self.level.fill.dir_fill

    @property
    def garbage(self) -> float | None:
        return self.level.fill.garbage

    @property
    def histogram(self) -> tuple[int, ...]:
        return self.level.fill.histogram

    @property
    def percentiles(self) -> dict[int, float]:
        return self.level.fill.percentiles

    @property
    def contiguous(self) -> float | None:
        return self.level.order.contiguous

    @property
    def out_of_order(self) -> float | None:
        return self.level.order.out_of_order

    @property
    def backward(self) -> float | None:
        return self.level.order.backward

    @property
    def fragments(self) -> int:
        return self.level.order.fragments

    @property
    def avg_run(self) -> float | None:
        return self.level.order.avg_run

    @property
    def avg_seek_pages(self) -> float | None:
        return self.level.order.avg_seek_pages

    @property
    def page_nos(self) -> npt.NDArray[np.int64]:
        """Live leaf pages, ascending."""
        return self.level.page_nos

    @property
    def chain(self) -> npt.NDArray[np.int64]:
        """Live leaf pages in link order."""
        return self.level.chain


SMALL_LEAVES = 8
"""Fewer leaves than this are too small to judge: the first and last leaf are part-filled by design."""


@dataclass(frozen=True)
class Index:
    """One index of the tablespace. A FULLTEXT index has no tree in the table's file: its root, leaf
    and segments are None and its levels empty."""

    ordinal: int
    index_id: int | None
    name: str
    """From the SDI, or ``index 123``."""
    table: str | None
    """``schema/table`` from the SDI; None where the file does not say."""
    clustered: bool
    clustered_is_certain: bool
    """False where it was taken to be the index of lowest id, as is usual."""
    kind: str
    """``btree``, ``rtree``, ``fulltext`` or ``sdi``."""
    root_page_no: int | None
    height: int
    levels: tuple[Level, ...]
    """Root level first, leaf level last."""
    leaf_segment: Segment | None
    top_segment: Segment | None
    off_page_pages: int
    build: BuildInput | None
    """What the rebuild estimate goes by; None without leaves."""
    columns: PageColumns | None = field(default=None, repr=False, compare=False)
    """Header columns of the file's pages."""
    page_size: int = 0
    """Bytes of the page that the server works on (of the uncompressed image, with ROW_FORMAT=COMPRESSED)."""
    freed_leaves: int = 0
    """Stale pages that were leaves of this index."""
    merge_threshold: int = DEFAULT_THRESHOLD
    """MERGE_THRESHOLD in percent, from the dictionary; the server's default where it does not say."""
    no_estimate: str | None = None
    """Why there is no rebuild estimate; None where there is one."""
    name_source: str | None = None
    """Where the name is from: ``sdi``, ``dictionary``, ``frm``; None where it is not known."""

    @property
    def leaf(self) -> Leaf:
        """Figures of the leaf level. Raises LookupError where the index has no leaf pages in this file."""
        if not self.levels or self.levels[-1].level != 0:
            raise LookupError(f"{self.name} has no leaf pages in this file")
        return Leaf(self.levels[-1])

    @property
    def has_leaf(self) -> bool:
        return bool(self.levels) and self.levels[-1].level == 0

    @cached_property
    def rebuild(self) -> Rebuild | None:
        """The rebuild estimate at innodb_fill_factor 100, the server's default."""
        return self.rebuild_at(100)

    def rebuild_at(self, fill_factor: int) -> Rebuild | None:
        """The rebuild estimate at that innodb_fill_factor; None where ``no_estimate`` says why."""
        return self.build.estimate(fill_factor) if self.build and not self.no_estimate else None

    @cached_property
    def history(self) -> History | None:
        """What the leaves' headers tell of inserts, splits and deletes; None without leaves."""
        if not self.has_leaf or self.columns is None or not len(self.leaf.chain):
            return None
        return measure_history(self.columns, self.leaf.chain, self.page_size, self.freed_leaves)

    @cached_property
    def mergeable(self) -> Mergeable | None:
        """Leaves that a neighbour could take in; None without leaves."""
        if not self.has_leaf or self.columns is None or not len(self.leaf.chain):
            return None
        return measure_mergeable(self.columns, self.leaf.chain, self.page_size, self.merge_threshold)

    @property
    def is_small(self) -> bool:
        """Too small to judge fill or order."""
        return not self.has_leaf or self.levels[-1].pages < SMALL_LEAVES

    @property
    def used_pages(self) -> int:
        return sum(s.used_pages for s in (self.leaf_segment, self.top_segment) if s)

    @property
    def reserved_pages(self) -> int:
        return sum(s.reserved_pages for s in (self.leaf_segment, self.top_segment) if s)
