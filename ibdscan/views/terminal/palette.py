"""The 256 colours of terminals: a cube of 6 x 6 x 6 and 24 greys (the first 16 are the user's own)."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

FIRST = 16


@cache
def colors_256() -> npt.NDArray[np.int64]:
    """Colours 16 to 255, (240, 3)."""
    steps = [0, 95, 135, 175, 215, 255]
    cube = [(r, g, b) for r in steps for g in steps for b in steps]
    greys = [(v, v, v) for v in range(8, 239, 10)]
    return np.array(cube + greys, np.int64)


def nearest_256(palette: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Numbers of the nearest of the 256 colours, (n,) for (n, 3)."""
    away = ((palette.astype(np.int64)[:, None, :] - colors_256()) ** 2).sum(axis=2)
    found: npt.NDArray[np.int64] = away.argmin(axis=1) + FIRST
    return found


def by_distance(color: npt.NDArray[np.uint8]) -> list[int]:
    """Numbers of all 256 colours, the nearest first."""
    away = ((colors_256() - color.astype(np.int64)) ** 2).sum(axis=1)
    return [int(n) + FIRST for n in np.argsort(away, kind="stable")]
