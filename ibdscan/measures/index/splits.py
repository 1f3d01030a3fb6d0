"""The history that leaves carry: how their last inserts came, how full the splits left them, what has gone since.

Every index page keeps the direction of its last inserts and how many came in a row (PAGE_DIRECTION,
PAGE_N_DIRECTION). Together with fill and order along the chain they tell ordered from random inserts, one
stream from several, and a sorted build from both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.index import COMPACT_BIT, directory_bytes
from ibdscan.layout.numbers import Direction
from ibdscan.measures.index.percentiles import percentiles_of
from ibdscan.pages.page.columns import PageColumns

NEAR_FULL = 15 / 16
"""In-order inserts leave 1/16 of a clustered leaf free (``dict_index_get_space_reserve``)."""
NEAR_EMPTY = 0.10
NEAR_HALF = (0.42, 0.58)
WHOLE_RUN = (0.8, 1.1)
"""Run length / records of a leaf that one run of inserts filled; above: records have gone since."""
PARTS = 20
"""The chain is shown in this many parts."""

_Leaves = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class ChainPart:
    """A stretch of the chain: mean fill, and the share of its leaves whose last inserts came in a direction."""

    pages: int
    fill: float
    directed: float
    near_half: float
    near_empty: float


@dataclass(frozen=True)
class History:
    """Leaves of one index by what their headers say of the past. Shares are 0..1 of ``pages``.

    - ``right``, ``left``: last inserts ascending, descending, at least one in a row; ``undirected``: the others
      (random inserts, and pages that a sorted build wrote)
    - ``whole_runs``: one run of inserts filled the leaf; ``part_runs``: several runs, or records moved in by a
      split; ``spent_runs``: fewer records than the run had: deleted or moved out since
    - ``avg_run_records``: mean run length of the directed leaves
    - ``near_full``: 15/16 full, give or take a record; ``full``: fuller; ``near_half``: 42 to 58 %, as just split
      in the middle; ``near_empty``: below 10 %; all by data and directory
    - ``with_garbage``: leaves with purged, moved or shrunk records not yet cleaned up
    - ``ascending_lsn``: links on which the LSN does not fall: 1 for a chain written from left to right
    - ``spread``: fill from the 5th to the 95th percentile, a measure of how alike the leaves are
    """

    pages: int
    right: float
    left: float
    undirected: float
    whole_runs: float
    part_runs: float
    spent_runs: float
    avg_run_records: float
    full: float
    near_full: float
    near_half: float
    near_empty: float
    with_garbage: float
    ascending_lsn: float | None
    spread: float
    typical_fill: float
    """Median fill of data and directory."""
    built: float
    """Leaves as a sorted build wrote them, never touched since: see :func:`built_leaves`."""
    one_record_pages: int
    two_record_pages: int
    empty_runs: int
    """Runs of three and more nearly empty leaves side by side (bugs 67718, 119043)."""
    empty_run_pages: int
    longest_empty_run: int
    freed_leaves: int
    """Stale pages that were leaves of this index: freed by deletes or merges, and not used again yet."""
    parts: tuple[ChainPart, ...]

    @property
    def directed(self) -> float:
        return self.right + self.left


MIN_EMPTY_RUN = 3


def built_leaves(columns: PageColumns, pages: _Leaves) -> _Mask:
    """Which of the pages a sorted build wrote and nothing has touched since, bool (n,).

    MySQL's build (5.7 and newer) leaves PAGE_DIRECTION "right" with no run, MariaDB's no direction and no
    last insert. An insert starts a run or resets the direction, a delete or an update that moves a record
    leaves garbage. Otherwise only the new page of a split looks like MariaDB's, until its first insert.
    """
    direction, last = columns.direction[pages], columns.last_insert[pages]
    sign = (direction == Direction.RIGHT) | ((direction == Direction.NO_DIRECTION) & (last == 0))
    whole = (columns.n_heap[pages] & (COMPACT_BIT - 1)) - 2 == columns.n_recs[pages]
    found: _Mask = sign & whole & (columns.n_direction[pages] == 0) & (columns.garbage[pages] == 0)
    return found


def measure_history(columns: PageColumns, chain: _Leaves, page_size: int, freed_leaves: int = 0) -> History:
    """Measure the leaves of ``chain`` (page numbers in link order, at least one)."""
    n = len(chain)
    room = columns.capacity(chain, page_size)
    data = columns.data_bytes(chain)
    fill = np.clip((data + directory_bytes(columns.n_dir_slots[chain].astype(np.int32))) / room, 0.0, 1.0)
    records = columns.n_recs[chain].astype(np.int32)
    length = columns.n_direction[chain].astype(np.int32)
    direction = columns.direction[chain]
    right = (direction == Direction.RIGHT) & (length > 0)
    left = (direction == Direction.LEFT) & (length > 0)
    directed = right | left
    # the first record of a page starts no run: PAGE_N_DIRECTION counts from the second
    run = (length + 1) / np.maximum(1, records)
    sizes = data / np.maximum(1, records) / room
    slack = np.clip(sizes, 0.05, 0.5, out=sizes)
    del data, room
    nearly_empty = fill < NEAR_EMPTY
    half = (fill >= NEAR_HALF[0]) & (fill <= NEAR_HALF[1])
    runs = _run_lengths(nearly_empty)
    long_runs = runs[runs >= MIN_EMPTY_RUN]
    lsn = columns.lsn[chain]
    marks = percentiles_of(fill, (5, 50, 95))

    def share(mask: _Mask) -> float:
        return float(np.count_nonzero(mask)) / n

    return History(
        pages=n,
        right=share(right),
        left=share(left),
        undirected=share(~directed),
        whole_runs=share(directed & (run >= WHOLE_RUN[0]) & (run <= WHOLE_RUN[1])),
        part_runs=share(directed & (run < WHOLE_RUN[0])),
        spent_runs=share(directed & (run > WHOLE_RUN[1])),
        avg_run_records=float(length[directed].mean()) if directed.any() else 0.0,
        full=share(fill > NEAR_FULL + 0.01),
        near_full=share((fill <= NEAR_FULL + 0.01) & (fill > NEAR_FULL - slack)),
        near_half=share(half),
        near_empty=share(nearly_empty),
        with_garbage=share(columns.garbage[chain] > 0),
        ascending_lsn=float(np.mean(lsn[1:] >= lsn[:-1])) if n > 1 else None,
        spread=float(marks[2] - marks[0]),
        typical_fill=float(marks[1]),
        built=share(built_leaves(columns, chain)),
        one_record_pages=int(np.count_nonzero(records == 1)),
        two_record_pages=int(np.count_nonzero(records == 2)),
        empty_runs=len(long_runs),
        empty_run_pages=int(long_runs.sum()),
        longest_empty_run=int(long_runs.max()) if len(long_runs) else 0,
        freed_leaves=freed_leaves,
        parts=_parts(fill, directed, half, nearly_empty),
    )


def _run_lengths(mask: _Mask) -> npt.NDArray[np.int64]:
    """Lengths of the runs of True."""
    edges = np.diff(np.concatenate(([0], mask.astype(np.int8), [0])))
    lengths: npt.NDArray[np.int64] = np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)
    return lengths


def _parts(fill: npt.NDArray[np.float64], directed: _Mask, half: _Mask, empty: _Mask) -> tuple[ChainPart, ...]:
    n = len(fill)
    edges = np.linspace(0, n, min(PARTS, n) + 1).astype(np.int64)
    sizes = np.diff(edges)
    columns = [
        np.add.reduceat(values.astype(np.float64), edges[:-1]) / sizes for values in (fill, directed, half, empty)
    ]
    return tuple(
        ChainPart(int(k), *(float(v) for v in values)) for k, *values in zip(sizes, *columns, strict=True)
    )
