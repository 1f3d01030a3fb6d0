"""What the leaves tell of their past, neighbours that could be merged, off-page data: lines of text."""

from __future__ import annotations

from collections.abc import Iterable

from ibdscan.measures.detail.index import DeepIndex
from ibdscan.measures.index.index import Index
from ibdscan.views.table.units import bytes_text, count_text, number_text, ratio_text

_STEPS = "▁▂▃▄▅▆▇█"


def history_lines(index: Index) -> list[str]:
    """Direction and length of insert runs, how full the leaves are beside what splits leave, along the chain."""
    history = index.history
    if history is None or index.is_small:
        return []
    right, left, other, one, several, spent, full, near, half, empty, garbage = (
        ratio_text(share)
        for share in (
            history.right,
            history.left,
            history.undirected,
            history.whole_runs,
            history.part_runs,
            history.spent_runs,
            history.full,
            history.near_full,
            history.near_half,
            history.near_empty,
            history.with_garbage,
        )
    )
    lines = [
        f"last inserts: {right} of the leaves ascending, {left} descending, {other} in no direction (random, or a "
        "sorted build)"
    ]
    if history.directed:
        lines.append(
            f"runs of inserts, {number_text(history.avg_run_records)} records on average: {one} of the leaves "
            f"filled by one run, {several} by several, {spent} hold fewer records than their run had"
        )
    lines.append(
        f"leaves fuller than 15/16: {full}, near 15/16: {near}, near 1/2 (split in the middle): {half}, "
        f"below 10 %: {empty}; with garbage: {garbage}"
    )
    lines += _chain_lines(index)
    if history.one_record_pages or history.two_record_pages:
        lines.append(
            f"leaves with one record: {count_text(history.one_record_pages)}, with two: "
            f"{count_text(history.two_record_pages)}"
        )
    if history.empty_runs:
        pages, runs, longest = history.empty_run_pages, history.empty_runs, history.longest_empty_run
        lines.append(
            f"nearly empty leaves side by side: {count_text(pages)} in {count_text(runs)} runs, the longest "
            f"{count_text(longest)} (as in MySQL bugs 67718 and 119043)"
        )
    if history.freed_leaves:
        lines.append(f"freed leaves that still carry their header: {count_text(history.freed_leaves)}")
    return lines


def _chain_lines(index: Index) -> list[str]:
    history = index.history
    if history is None:
        return []
    parts = history.parts
    fill = f"along the chain, fill in {len(parts)} parts: {sparkline(p.fill for p in parts)}"
    if 0 < history.directed < 1:
        fill += f", share with runs of inserts: {sparkline(p.directed for p in parts)}"
    return [fill]


def sparkline(ratios: Iterable[float]) -> str:
    """Ratios 0..1 as a line of block characters.

    >>> sparkline([0, 0.5, 1])
    '▁▅█'
    """
    return "".join(_STEPS[min(7, max(0, int(r * 8)))] for r in ratios)


def mergeable_lines(index: Index) -> list[str]:
    """Leaves below MERGE_THRESHOLD, and those that a neighbour could take."""
    found = index.mergeable
    if found is None or index.is_small:
        return []
    if not found.below_pages:
        return [f"no leaf holds less than MERGE_THRESHOLD ({found.threshold} % of the page)"]
    below, takeable, pairs = (count_text(n) for n in (found.below_pages, found.mergeable_pages, found.pairs))
    return [
        f"leaves below MERGE_THRESHOLD ({found.threshold} %): {below}, of them a neighbour could take {takeable}; "
        f"merging two by two would free {pairs} pages"
    ]


def lob_lines(deep: DeepIndex) -> list[str]:
    """Off-page data: pages, bytes, slack, order."""
    lobs, index = deep.lobs, deep.index
    if lobs is None:
        return [f"{count_text(index.off_page_pages)} off-page (LOB) pages"] if index.off_page_pages else []
    data, slack, last = (bytes_text(n) for n in (lobs.data_bytes, lobs.slack_bytes, lobs.last_page_slack_bytes))
    lines = [
        f"off-page: {count_text(lobs.values)} values in {count_text(lobs.pages)} pages, {data} of data, "
        f"{slack} slack ({last} of it in last pages)"
    ]
    if lobs.index_pages:
        lines.append(f"  {count_text(lobs.index_pages)} of the pages only say where the parts of a value are")
    if lobs.unknown_pages:
        lines.append(
            f"  {count_text(lobs.unknown_pages)} of the pages are compressed and do not say how much they hold"
        )
    if lobs.links:
        lines.append(
            f"  from one page of a value to the next: {ratio_text(lobs.contiguous)} contiguous, "
            f"{ratio_text(lobs.backward)} backward"
        )
    return lines
