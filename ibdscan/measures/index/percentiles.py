"""Percentiles as ``np.percentile`` defines them (linear), without what that loads: ``numpy.ma``, for nothing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def percentiles_of(values: npt.NDArray[np.float64], marks: Sequence[int]) -> list[float]:
    """The values at the given percentiles (0..100), linear between neighbours; ``values`` has at least one."""
    at = np.array(marks) / 100 * (len(values) - 1)
    low = np.floor(at).astype(np.int64)
    high = np.minimum(low + 1, len(values) - 1)
    placed = np.partition(values, sorted({*low.tolist(), *high.tolist()}))
    found: list[float] = (placed[low] + (placed[high] - placed[low]) * (at - low)).tolist()
    return found
