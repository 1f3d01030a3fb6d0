"""Sums over files: of all, of a schema, of a table with its partitions; the ranking; the cost of own files."""

from __future__ import annotations

import heapq
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from operator import add, itemgetter

from ibdscan.measures.scan.row import SMALL_LEAVES, FileRow, ratio

INODES_A_PAGE = 85
"""Segment inodes of a 16 KiB INODE page (``FSP_SEG_INODES_PER_PAGE``)."""
_ADDITIVE = (
    "bytes", "pages", "live_pages", "stale_pages", "data_free_bytes", "free_bytes", "reserved_unused_bytes",
    "slack_bytes", "n_indexes", "n_segments", "segment_pages", "sdi_bytes", "leaf_pages", "records", "data_bytes",
    "capacity_bytes", "directory_bytes", "garbage_bytes", "links", "linked_pages", "contiguous_links",
    "out_of_order_pages", "backward_links", "seek_pages", "rebuild_leaf_pages", "rebuild_pages", "rebuild_bytes",
    "saved_bytes", "file_saved_bytes", "n_without_estimate", "n_findings",
)  # fmt: skip
_VALUES = itemgetter(*(FileRow._fields.index(name) for name in _ADDITIVE))


class Sums:
    """Numbers of several files added up, by the names of :class:`FileRow`; ratios are of the sums."""

    bytes: int
    free_bytes: int
    reserved_unused_bytes: int
    slack_bytes: int
    data_free_bytes: int
    file_saved_bytes: int
    n_without_estimate: int
    saved_bytes: int
    leaf_pages: int
    records: int
    data_bytes: int
    n_findings: int

    def __init__(self) -> None:
        self._sums: list[int] = [0] * len(_ADDITIVE)
        self.files = 0
        self.allocated_bytes = 0
        self.segment_bytes = 0
        """Bytes of the pages that segments hold."""
        self.most_leaves = 0

    def add(self, row: FileRow) -> None:
        """Add one file."""
        self.files += 1
        # the file system's own count, of a compressed copy its size: a total must not be unknown for one file
        self.allocated_bytes += row.bytes if row.allocated_bytes is None else row.allocated_bytes
        self.segment_bytes += row.segment_pages * row.page_size
        self.most_leaves = max(self.most_leaves, row.most_leaves)
        self._sums = list(map(add, self._sums, _VALUES(row)))

    def __getattr__(self, name: str) -> int:
        if name in _ADDITIVE:
            return self._sums[_ADDITIVE.index(name)]
        raise AttributeError(name)

    @property
    def wasted_bytes(self) -> int:
        """The three wastes together: free, reserved but unused, slack and garbage in pages."""
        return self.free_bytes + self.reserved_unused_bytes + self.slack_bytes

    @property
    def fill(self) -> float | None:
        return ratio(self.data_bytes, self.__getattr__("capacity_bytes"))

    @property
    def contiguous(self) -> float | None:
        return ratio(self.__getattr__("contiguous_links"), self.__getattr__("links"))

    @property
    def out_of_order(self) -> float | None:
        return ratio(self.__getattr__("out_of_order_pages"), self.__getattr__("linked_pages"))

    @property
    def reserved_unused(self) -> float | None:
        """Share of the files' bytes that segments hold and do not use."""
        return ratio(self.reserved_unused_bytes, self.bytes)

    @property
    def too_small_to_judge(self) -> bool:
        return self.most_leaves < SMALL_LEAVES


@dataclass(frozen=True)
class TableKey:
    """A table, by the folder its files lie in: two data directories may hold tables of one name."""

    folder: str
    schema: str | None
    name: str

    @property
    def label(self) -> str:
        return f"{self.schema}/{self.name}" if self.schema else self.name


def key_of(row: FileRow) -> TableKey:
    """The table of a file; of a file of no table, the file itself."""
    folder, name = os.path.split(row.path)
    return TableKey(folder, row.schema, (row.table or name) if row.kind == "table" else name)


class TableSums(Sums):
    """One table, its partitions summed."""

    def __init__(self, row: FileRow) -> None:
        super().__init__()
        self.key = key_of(row)
        self.kind = row.kind
        self.path = row.path
        """Of its first file."""
        self.mode = row.mode
        self.add(row)


def _none_last(value: float | None) -> float:
    return float("-inf") if value is None else -value


SORTS: dict[str, Callable[[TableSums | FileRow], float]] = {
    "saved": lambda t: t.file_saved_bytes,
    "size": lambda t: t.bytes,
    "allocated": lambda t: t.bytes if t.allocated_bytes is None else t.allocated_bytes,
    "free": lambda t: t.free_bytes,
    "reserved-unused": lambda t: t.reserved_unused_bytes,
    "slack": lambda t: t.slack_bytes,
    "waste": lambda t: t.wasted_bytes,
    "records": lambda t: t.records,
    "fill": lambda t: _none_last(t.fill),
    "order": lambda t: _none_last(t.contiguous),
}
"""``--sort``: largest first; ``fill`` and ``order`` worst first."""
JUDGING = ("saved", "fill", "order")
"""Sorts that say a table is worse than another: tables too small to judge are left out of them."""


class Ranking:
    """The first ``top`` tables by one measure (0: all), whatever their number."""

    def __init__(self, sort: str, top: int) -> None:
        self._value, self._top, self._judging = SORTS[sort], top, sort in JUDGING
        self._least = 1 if sort == "saved" else float("-inf")
        self._heap: list[tuple[float, int, TableSums]] = []
        self._n = 0

    def wants(self, table: TableSums | FileRow) -> bool:
        """Whether it can be judged, and is among the first as far as is known."""
        if self._judging and table.too_small_to_judge and table.mode == "full":
            return False
        value = self._value(table)
        if value < self._least or value == float("-inf"):
            return False
        return not self._top or len(self._heap) < self._top or value >= self._heap[0][0]

    def add(self, table: TableSums) -> None:
        """Take a table in, if it is among the first."""
        if not self.wants(table):
            return
        value = self._value(table)
        self._n += 1
        entry = (value, -self._n, table)
        if not self._top or len(self._heap) < self._top:
            heapq.heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)

    def tables(self) -> list[TableSums]:
        """In order."""
        return [table for _, _, table in sorted(self._heap, reverse=True, key=lambda e: e[:2])]


@dataclass
class Report:
    """Everything a scan knows when it is over, or was interrupted."""

    sort: str = "saved"
    top: int = 20
    quick: bool = False
    total: Sums = field(default_factory=Sums)
    tables_only: Sums = field(default_factory=Sums)
    """The tables' own files: no system, undo, shared or temporary tablespaces."""
    minimal: Sums = field(default_factory=Sums)
    small: Sums = field(default_factory=Sums)
    schemas: dict[tuple[str, str | None], Sums] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    problems: list[FileRow] = field(default_factory=list)
    n_problems: int = 0
    n_tables: int = 0
    page_size: int = 0
    interrupted: bool = False
    _partitioned: dict[TableKey, TableSums] = field(default_factory=dict)

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self.sort, self.top)

    def add(self, row: FileRow) -> None:
        """Take one file in."""
        self.statuses[row.status] += 1
        if row.status != "ok" or row.n_findings or row.changed:
            self.n_problems += 1
            if len(self.problems) < MAX_PROBLEMS:
                self.problems.append(row)
        if not row.is_read:
            return
        self.total.add(row)
        self.kinds[row.kind] += 1
        folder = os.path.dirname(row.path)
        self.schemas.setdefault((folder, row.schema), Sums()).add(row)
        if row.kind == "table":
            self.page_size = max(self.page_size, row.page_size)
            self.tables_only.add(row)
            if row.is_minimal:
                self.minimal.add(row)
            elif row.too_small_to_judge and row.mode == "full":
                self.small.add(row)
        if row.partition is None:
            self.n_tables += row.kind == "table"
            if self._ranking.wants(row):
                self._ranking.add(TableSums(row))
            return
        key = key_of(row)
        if key in self._partitioned:
            self._partitioned[key].add(row)
        else:
            self.n_tables += 1
            self._partitioned[key] = TableSums(row)

    def tables(self) -> list[TableSums]:
        """The first tables by the chosen measure, partitions summed."""
        ranking = Ranking(self.sort, self.top)
        for table in [*self._ranking.tables(), *self._partitioned.values()]:
            ranking.add(table)
        return ranking.tables()

    @property
    def shared_bytes(self) -> int:
        """What the tables would take in one shared tablespace: the pages their segments hold, their dictionary
        information packed, one INODE page for 85 segments, two pages in 16,384 for descriptors and bitmaps."""
        page = self.page_size or 1
        tables = self.tables_only
        held = tables.segment_bytes
        pages = -(-held // page) + -(-tables.sdi_bytes // page) + -(-tables.n_segments // INODES_A_PAGE)
        return (pages + 2 * -(-pages // page)) * page

    @property
    def own_files_cost_bytes(self) -> int | None:
        """What the tables' files take beyond that, but for the free space that a rebuild gives back: that is
        no matter of where tables lie. A quick scan does not know it."""
        if self.quick:
            return None
        tables = self.tables_only
        free = max(0, tables.file_saved_bytes - tables.saved_bytes)
        return max(0, tables.bytes - free - self.shared_bytes)


MAX_PROBLEMS = 1000
"""Files with findings that the text report can list; the saved rows have them all."""
