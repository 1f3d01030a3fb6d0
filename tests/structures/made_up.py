"""Made-up header columns, for laws about chains and trees."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.page.columns import PageColumns

KINDS: dict[str, type] = {"written": np.bool_, "is_index": np.bool_, "encrypted": np.bool_, "unread": np.bool_}


def columns_of(n: int, **given: npt.NDArray[Any]) -> PageColumns:
    """Columns of ``n`` pages; what is not given is zero, links are none."""
    arrays: dict[str, Any] = {}
    for field in fields(PageColumns):
        if field.name in given:
            arrays[field.name] = given[field.name]
        elif field.name in ("prev", "next"):
            arrays[field.name] = np.full(n, FIL_NULL, np.uint32)
        elif field.name not in ("doublewrite", "forms"):
            arrays[field.name] = np.zeros(n, KINDS.get(field.name, np.uint32))
    return PageColumns(**arrays)


def linked(chain: list[int], n: int) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """``prev`` and ``next`` of ``n`` pages of which those in ``chain`` are linked in its order."""
    prev, following = np.full(n, FIL_NULL, np.uint32), np.full(n, FIL_NULL, np.uint32)
    prev[chain[1:]] = chain[:-1]
    following[chain[:-1]] = chain[1:]
    return prev, following
