"""Sibling chains: the pages of one B+tree level in the order of their NEXT links."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.page.columns import PageColumns
from ibdscan.structures.finding import Findings

_Pages = npt.NDArray[np.int64]
_Places = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Chain:
    """One level of one index. ``pages`` ascending, ``order`` in link order (orphans left out)."""

    pages: _Pages
    order: _Pages

    @property
    def is_whole(self) -> bool:
        """Whether every page of the level was reached."""
        return len(self.pages) == len(self.order)


def place_table(columns: PageColumns) -> _Places:
    """What :func:`walk_chain` notes in, int32 (n_pages,); one serves the levels of a file one after the other."""
    return np.zeros(len(columns), np.int32)


def walk_chain(columns: PageColumns, pages: _Pages, label: str, findings: Findings, places: _Places) -> Chain:
    """Follow NEXT from the leftmost page over ``pages`` (int64, ascending: the live pages of one index
    and level). Links that lead out of the set, back, or past pages are findings; the walk always ends.
    """
    if not len(pages):
        return Chain(pages, pages)
    if len(pages) == 1 and columns.prev[pages[0]] == columns.next[pages[0]] == FIL_NULL:
        return Chain(pages, pages)
    prev = columns.prev[pages]
    starts = np.flatnonzero(prev == FIL_NULL)
    if len(starts) != 1:
        what = "no page without" if not len(starts) else f"{len(starts)} pages without"
        findings.add(
            "level-start", f"{label}: {what} a left sibling", int(pages[starts[0]] if len(starts) else pages[0]), 8
        )
        if not len(starts):
            return Chain(pages, pages[:0])
    succ = _successors(columns, pages, places)
    local = _follow(succ, int(starts[0]))
    last = int(succ[local[-1]])
    del succ
    order = pages[local]
    del local
    _check_links(columns, pages, last, order, label, findings)
    return Chain(pages, order)


def _successors(columns: PageColumns, pages: _Pages, places: _Places) -> _Places:
    """For each page the position in ``pages`` of its NEXT; -1 for none, -2 for a page outside the set."""
    following = columns.next[pages]
    places[pages] = np.arange(len(pages), dtype=np.int32)
    at = places[np.minimum(following, len(places) - 1)]
    at[at >= len(pages)] = 0  # noted for an earlier level
    outside = pages[at] != following
    at[outside] = np.where(following[outside] == FIL_NULL, -1, -2)
    return at


def _follow(succ: _Places, start: int) -> npt.NDArray[np.int64]:
    """Positions in link order from ``start``. Stops at the end, at a link outside, or at a revisit.

    Runs of successive positions are folded first, so the step by step part is one step a run: an
    ordered chain of a million pages is a few steps, and only a torn one costs a step a page; of one that is
    mostly torn folding would cost more than it saves.
    """
    n = len(succ)
    breaks = np.flatnonzero(succ[:-1] != np.arange(1, n, dtype=np.int32))
    if 2 * len(breaks) > n:
        return np.frombuffer(_visit(array("i", succ.tobytes()), start), np.int32).astype(np.int64)
    targets = succ[np.append(breaks, n - 1)]
    is_start = np.zeros(n, np.bool_)
    is_start[breaks + 1] = True
    is_start[targets[targets >= 0]] = True  # on a damaged chain a link may lead into the middle of a run
    is_start[[0, start]] = True
    run_start = np.flatnonzero(is_start)
    run_of = np.cumsum(is_start, dtype=np.int32)
    run_of -= 1
    del breaks, targets, is_start
    run_end = np.append(run_start[1:] - 1, n - 1)
    leaves_to = succ[run_end]
    target = run_of[np.maximum(leaves_to, 0)]
    target[leaves_to < 0] = -1
    first_run = int(run_of[start])
    del leaves_to, run_of
    runs = np.frombuffer(_visit(array("i", target.tobytes()), first_run), np.int32)
    first = run_start[runs]
    length = run_end[runs] - first + 1
    offset = np.cumsum(length) - length
    out = np.repeat(first - offset, length)
    out += np.arange(len(out))
    return out


def _visit(target: array[int], run: int) -> array[int]:
    """Runs in the order of their links, from ``run`` to a link of -1 or up to a revisit."""
    runs = array("i", bytes(target.itemsize * len(target)))  # a quarter of the memory of a list
    for i in range(len(target)):
        runs[i] = run
        run = target[run]
        if run < 0:
            return runs[: i + 1]
    return runs[: _first_repeat(runs)]


def _first_repeat(runs: array[int]) -> int:
    seen: set[int] = set()
    for i, run in enumerate(runs):
        if run in seen:
            return i
        seen.add(run)
    return len(runs)


def _check_links(
    columns: PageColumns,
    pages: _Pages,
    last: int,
    order: _Pages,
    label: str,
    findings: Findings,
) -> None:
    """``last`` is the successor of the last page reached: a position in ``pages``, -1 or -2."""
    page = int(order[-1])
    if last == -2:
        to = int(columns.next[page])
        findings.add("broken-link", f"{label}: page {page} links to page {to}, not a page of this level", page, 12)
    elif last >= 0:
        findings.add("link-cycle", f"{label}: page {page} links back to page {int(pages[last])}", page, 12)
    back = columns.prev[order[1:]] != order[:-1]
    for i in np.flatnonzero(back):
        findings.add(
            "back-link",
            f"{label}: page {order[i]} links to page {order[i + 1]}, which links back to "
            f"{columns.prev[order[i + 1]]}",
            int(order[i + 1]),
            8,
        )
    if len(order) != len(pages):
        orphans = np.setdiff1d(pages, order, assume_unique=True)
        findings.add_pages("orphan-page", orphans, f"{label}: page {{page}} is not reached by the sibling links")
