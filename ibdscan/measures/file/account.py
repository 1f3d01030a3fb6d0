"""The account: every page of the file in one class, every byte of a live index page in one part.

Three wastes are told apart, and each one-number tool sees only one of them: free space of the file
(what DATA_FREE sees), pages that a segment has reserved but not used (what innodb_index_stats sees),
and slack inside pages (what page readers see).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageClass

FREE_CLASSES = (
    PageClass.FREE_IN_FRAGMENT_EXTENT,
    PageClass.FREE_EXTENT,
    PageClass.ABOVE_FREE_LIMIT,
    PageClass.BEYOND_SIZE,
)


@dataclass(frozen=True)
class IndexBytes:
    """Bytes of the live index pages of a file (the SDI's left out); they sum to ``pages`` * page size.

    ``overhead_bytes``: page headers, infimum and supremum, directory, trailer.
    """

    pages: int
    data_bytes: int
    garbage_bytes: int
    slack_bytes: int
    overhead_bytes: int


@dataclass(frozen=True)
class Wastes:
    """The three wastes of a file, in bytes."""

    free_bytes: int
    """Pages free at the level of the file."""
    reserved_unused_bytes: int
    slack_bytes: int
    """Slack and garbage inside live index pages."""


def measure_index_bytes(indexes: list[Index], page_size: int) -> IndexBytes:
    """Sum over all levels of the given indexes; ``page_size`` is the logical one."""
    fills = [level.fill for index in indexes for level in index.levels]
    pages = sum(f.pages for f in fills)
    data = sum(f.data_bytes for f in fills)
    garbage = sum(f.garbage_bytes for f in fills)
    slack = sum(f.slack_bytes for f in fills)
    return IndexBytes(pages, data, garbage, slack, pages * page_size - data - garbage - slack)


def classes_by_index(
    owner: npt.NDArray[np.int32], page_class: npt.NDArray[np.uint8], n_indexes: int
) -> npt.NDArray[np.int64]:
    """Pages by index and class, int64 (n_indexes + 1, n_classes); the last row is of no index."""
    n_classes = len(PageClass)
    out = np.zeros((n_indexes + 1, n_classes), np.int64)
    for page_class_no in np.flatnonzero(np.bincount(page_class)):
        of_class = owner[page_class == page_class_no] + 1  # -1, no index, is counted first
        counts = np.bincount(of_class, minlength=n_indexes + 1)
        out[:, page_class_no] = np.roll(counts, -1)
    return out
