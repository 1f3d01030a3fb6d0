"""Columns of a million numbers as short text: byte planes, deltas or a dictionary; DEFLATE; base64.

Every packed column is a plain dict that ``pack.js`` turns back into the same numbers. Nothing is rounded.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Packed = dict[str, Any]
LARGEST = (1 << 53) - 1
"""The largest number that JavaScript counts exactly."""
QUICK = 1
_BYTE = 256


def pack(values: npt.NDArray[Any]) -> Packed:
    """Pack whole numbers, 0 to :data:`LARGEST`, in the way that takes least room."""
    whole = values.astype(np.int64)
    n = len(whole)
    largest = int(whole.max()) if n else 0
    if not 0 <= (int(whole.min()) if n else 0) <= largest <= LARGEST:
        raise ValueError(f"a packed column holds 0 to {LARGEST}")
    head: Packed = {"n": n, "max": largest}
    if not largest:
        return head | {"planes": 0, "z": ""}
    ways: list[tuple[Packed, Ints]] = [({}, whole)]
    if largest >= _BYTE:
        ways.append(({"delta": 1}, _zigzag(np.diff(whole, prepend=0))))
        names, codes = np.unique(whole, return_inverse=True)
        if len(names) <= _BYTE:
            ways.append(({"dict": names.tolist()}, codes.astype(np.int64)))
    packed = [(how, *_planes(column)) for how, column in ways]
    sizes = [len(zlib.compress(raw, QUICK)) for _, _, raw in packed] if len(packed) > 1 else [0]
    how, n_planes, raw = packed[sizes.index(min(sizes))]
    return head | how | {"planes": n_planes, "z": base64.b64encode(zlib.compress(raw, 6)).decode("ascii")}


def _zigzag(steps: Ints) -> Ints:
    """Small steps up or down as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ..."""
    folded: Ints = (steps << 1) ^ (steps >> 63)
    return folded


def _planes(column: Ints) -> tuple[int, bytes]:
    """All lowest bytes, then all second bytes, and so on: like bytes lie together."""
    n_planes = max(1, (int(column.max()).bit_length() + 7) // 8)
    as_bytes = column.astype("<i8").view(np.uint8).reshape(-1, 8)
    return n_planes, np.ascontiguousarray(as_bytes[:, :n_planes].T).tobytes()


def pack_sparse(values: npt.NDArray[Any], expected: npt.NDArray[Any]) -> Packed:
    """Only the places where ``values`` differs from what the page expects there."""
    at = np.flatnonzero(values != expected)
    return {"at": pack(at), "value": pack(values[at])}


def pack_steps(
    values: npt.NDArray[Any],
    of: npt.NDArray[Any],
    mask: npt.NDArray[np.bool_],
    group: npt.NDArray[Any] | None = None,
) -> Packed:
    """``values`` (where ``mask``) as a table of steps over another column: between two edges of ``of`` there is
    one value. With ``group`` each group has edges of its own. What a table can not say is listed page by page."""
    pages = np.flatnonzero(mask)
    groups = np.zeros(len(pages), np.int64) if group is None else group[pages].astype(np.int64)
    given, wanted = of[pages].astype(np.int64), values[pages].astype(np.int64)
    told = np.zeros(len(pages), np.int64)
    tables = {}
    for number in np.flatnonzero(np.bincount(groups)).tolist() if len(groups) else ():
        at = np.flatnonzero(groups == number)
        steps, edges = _steps(given[at], wanted[at])
        told[at] = steps[np.searchsorted(edges, given[at], "right") - 1]
        tables[str(number)] = {"edges": edges.tolist(), "values": steps.tolist()}
    wrong = told != wanted
    return {"steps": tables, "at": pack(pages[wrong]), "value": pack(wanted[wrong])}


def _steps(given: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """The values that occur, and the lowest ``given`` of each; ascending edges, the first is the lowest of all."""
    steps, first = np.unique(wanted, return_inverse=True)
    edges = np.full(len(steps), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(edges, first, given)
    order = np.argsort(edges, kind="stable")
    return steps[order], edges[order]
