"""Neighbours that could be one page: leaves below MERGE_THRESHOLD whose sibling has room (btr_compress)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.index import capacity, directory_reserved_bytes
from ibdscan.pages.page.columns import PageColumns

DEFAULT_THRESHOLD = 50
"""``DICT_INDEX_MERGE_THRESHOLD_DEFAULT``, in percent of the page."""


@dataclass(frozen=True)
class Mergeable:
    """Leaves whose data is below ``threshold`` percent of the page, those of them that a sibling could take
    whole, and how many pages merging neighbours two by two would free."""

    threshold: int
    below_pages: int
    mergeable_pages: int
    pairs: int


def measure_mergeable(
    columns: PageColumns, chain: npt.NDArray[np.int64], page_size: int, threshold: int = DEFAULT_THRESHOLD
) -> Mergeable:
    """The server's rule, applied to every leaf of ``chain`` (in link order): page_get_data_size below
    S * threshold / 100, and no more than the sibling's room after a reorganisation. The server tries it
    only when a record of the page is deleted or shrinks."""
    data = columns.data_bytes(chain)
    records = columns.n_recs[chain].astype(np.int64)
    room = capacity(np.int64(page_size), columns.n_heap[chain].astype(np.int64))
    below = data < page_size * threshold // 100
    both = data[:-1] + data[1:] + directory_reserved_bytes(records[:-1] + records[1:])
    fits = both <= room[:-1]
    usable = fits & (below[:-1] | below[1:])
    taken = np.zeros(len(chain), np.bool_)
    taken[:-1] |= fits
    taken[1:] |= fits
    return Mergeable(threshold, int(below.sum()), int((below & taken).sum()), _disjoint_pairs(usable))


def _disjoint_pairs(usable: npt.NDArray[np.bool_]) -> int:
    """Most links of ``usable`` that share no page: every second one of each run."""
    edges = np.diff(np.concatenate(([0], usable.astype(np.int8), [0])))
    runs = np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)
    return int(((runs + 1) // 2).sum())
