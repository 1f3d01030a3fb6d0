"""What made the leaves of an index look as they do, in words. Small indexes are never judged.

The rules are fixed on loads whose making is known: see ``tests/deeper/test_verdicts.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.measures.index.index import Index, Leaf
from ibdscan.measures.index.reservation import reserved_after_build
from ibdscan.measures.index.splits import History

NO_TREE, SMALL, FEW_LEAVES = "no-tree", "too-small", "too-few-leaves"
ORDERED, DESCENDING, INTERLEAVED = "ordered-inserts", "descending-inserts", "interleaved-inserts"
RANDOM, BUILT = "random-inserts", "sorted-build"
MODIFIED, MOVED, UNCLEAR = "built-then-modified", "moved-or-deleted", "unclear"

WORDS = {
    ORDERED: "ordered inserts",
    DESCENDING: "ordered inserts, descending",
    INTERLEAVED: "ordered inserts of several connections or streams, interleaved",
    RANDOM: "random inserts",
    BUILT: "sorted build",
    MODIFIED: "built or inserted, then modified",
    MOVED: "entries moved or deleted",
    FEW_LEAVES: "too few leaves to tell how they were filled",
    UNCLEAR: "no single kind of load explains these leaves",
}

MOST, MANY, SOME, FEW = 0.9, 0.5, 0.2, 0.1
ENOUGH_LEAVES = 20
"""Below, the part-filled last leaf and one split are a tenth of the evidence; only a sorted build is told."""
ENOUGH_FOR_FILL = 100
"""Below, the last leaf moves the mean by more than the range is wide."""
WIDE_RECORDS = 8
"""With fewer records a page two inserts make a run, and a page is half empty by chance."""
FREED = 0.05
"""Inserts free no leaves."""
SPLIT_ONCE = 0.8
"""So many leaves about half full: they were all split lately, whatever came before."""
RANDOM_FILL = (0.65, 0.72)
"""Steady state of random inserts; ln 2 = 69 %."""
RANDOM_LOWEST = 0.50
"""Just after all leaves were split."""
RANDOM_SPREAD = 0.12
"""Leaves that random inserts fill differ more than this."""
STREAM_RUNS, STREAM_FORWARD = (0.6, 0.2), 0.6
"""Of interleaved streams: leaves with a run, with a whole one; links on which the LSN does not fall."""
STREAM_BACKWARD = 0.4
"""A stream that fills leaf after leaf goes forward; a link leads back only from stream to stream. Where whole runs
lie in no order, something put them there later (MariaDB's defragment)."""
RANDOM_LSN = 0.8
"""Random inserts write their leaves in no order."""
WAVE_LSN = 0.42
"""Leaves alike that random inserts split in one wave: fewer links than this on which the LSN does not fall."""
PARTLY_USED_EXTENTS, PARTLY_UNUSED = 3, 0.25
"""A segment that only grows has one or two partly used extents."""
AHEAD_EXTENTS, AHEAD_EXTENTS_LARGE, LARGE_EXTENTS = 1, 4, 40
"""Extents that a segment may have reserved ahead besides the server's rule; more from 40 extents on."""
TOLERANCE = 0.025
BUILT_FACTOR_STEP = 4


_Kind = tuple[str, list[str]]


@dataclass(frozen=True)
class Verdict:
    """``kind`` is a stable word, ``text`` one sentence for people, ``expected_fill`` the usual range for a load
    of that kind with records of this size (None where none is known), ``reasons`` what was gone by."""

    kind: str
    text: str
    expected_fill: tuple[float, float] | None = None
    reasons: tuple[str, ...] = ()


def verdict(index: Index) -> str:
    """One sentence on what the leaves tell of their past, with fill and order, which are always given together."""
    return judge(index).text


def judge(index: Index) -> Verdict:
    """The verdict on one index with its reasons."""
    if index.kind == "fulltext":
        return Verdict(NO_TREE, "its data is in the FTS_ auxiliary tables' files")
    if not index.has_leaf:
        return Verdict(NO_TREE, "no leaf pages found")
    leaf, history = index.leaf, index.history
    freed = index.freed_leaves
    if history is None:
        return Verdict(NO_TREE, "its leaves are not linked: no chain to judge")
    if index.is_small or leaf.fill is None or leaf.contiguous is None:
        few = f"too small to judge ({leaf.pages} leaf page{'s' if leaf.pages != 1 else ''})"
        return Verdict(SMALL, few + (f"; {freed:,} freed leaves are still to be seen" if freed else ""))
    kind, reasons = _kind(index, leaf, history)
    factor = _fill_factor(index, history) if kind == BUILT else 100
    expected = _expected_fill(kind, index, factor)
    words = WORDS[kind] + (f" at an innodb_fill_factor of about {factor}" if factor != 100 else "")
    text = f"{words}: {_fill_words(kind, leaf.fill, expected, leaf.pages)}; {_order_words(leaf)}"
    return Verdict(kind, text, expected, tuple(reasons))


def _kind(index: Index, leaf: Leaf, history: History) -> _Kind:
    built = round(history.built * leaf.pages)
    if history.built >= MOST or leaf.pages - built <= 1:
        return BUILT, [f"{built:,} of {leaf.pages:,} leaves are as a sorted build wrote them, untouched since"]
    if leaf.pages < ENOUGH_LEAVES:
        return FEW_LEAVES, []
    if moved := _moved_reasons(index, leaf, history):
        return MOVED, moved
    return _directed_kind(leaf, history) or _undirected_kind(leaf, history) or (UNCLEAR, [])


def _moved_reasons(index: Index, leaf: Leaf, history: History) -> list[str]:
    """Why entries must have left leaves, empty if nothing says so. An update of a key is a delete and an insert,
    and a rolled back insert a delete: what took them away can not be told."""
    reasons = []
    if history.freed_leaves >= FREED * (history.freed_leaves + leaf.pages):
        reasons.append(f"{history.freed_leaves:,} leaves of it were freed")
    if (leaf.out_of_order or 0.0) > SOME:
        return reasons
    excess, segment = _excess_share(index), index.leaf_segment
    if excess >= SOME and not reasons:
        reasons.append(
            f"{_percent(excess)} of its reserved pages are unused beyond what the server reserves ahead"
        )
    if segment is not None and segment.not_full_extents >= PARTLY_USED_EXTENTS:
        unused = 1 - segment.used_pages / segment.reserved_pages
        if unused >= PARTLY_UNUSED:
            partly = f"{segment.not_full_extents} of its extents are partly used"
            reasons.append(f"{partly}, {_percent(unused)} of its reserved pages are unused")
    # compressed pages are split, and records move out, whenever a page does not compress any more
    if history.directed >= MANY and history.spent_runs >= FEW and index.build is not None:
        reasons.append(
            f"{_percent(history.spent_runs)} of the leaves hold fewer records than were inserted in a run"
        )
    return reasons


def _directed_kind(leaf: Leaf, history: History) -> _Kind | None:
    """Leaves filled by runs of inserts, or in order and modified since."""
    out_of_order, backward = leaf.out_of_order or 0.0, leaf.backward or 0.0
    runs = f"{_percent(history.directed)} of the leaves were filled by runs of inserts in one direction"
    alike = history.directed >= 1 - FEW and history.whole_runs >= MANY
    if alike and history.left >= MOST:
        return DESCENDING, [runs]
    if alike and out_of_order <= FEW and history.right >= MOST and history.with_garbage <= SOME:
        return ORDERED, [runs]
    if out_of_order > FEW and _is_of_streams(leaf, history) and not _is_wide(leaf):
        return INTERLEAVED, [runs, f"{_percent(out_of_order)} of them out of order, {_percent(backward)} backward"]
    if out_of_order <= SOME and history.undirected > FEW and not _is_wide(leaf):
        return MODIFIED, [f"leaves in order, {_percent(history.undirected)} of them split or filled out of turn"]
    return None


def _undirected_kind(leaf: Leaf, history: History) -> _Kind | None:
    """Leaves without runs of inserts, out of order and unlike: random inserts."""
    if history.undirected < MOST or (leaf.out_of_order or 0.0) < MANY or _is_wide(leaf):
        return None
    alike = history.near_half >= SPLIT_ONCE or history.spread < RANDOM_SPREAD
    ascending = history.ascending_lsn or 0.0
    if history.built >= FEW or ascending > RANDOM_LSN:
        return None
    if alike and (ascending > WAVE_LSN or (leaf.fill or 0.0) < RANDOM_LOWEST):
        return None
    return RANDOM, [f"{_percent(history.undirected)} of the leaves have no direction of inserts"]


def _is_of_streams(leaf: Leaf, history: History) -> bool:
    """Runs, written forward, and none cut short; where streams met, leaves were split between them."""
    runs = history.directed >= STREAM_RUNS[0] and history.whole_runs >= STREAM_RUNS[1]
    if (leaf.backward or 0.0) > STREAM_BACKWARD and history.whole_runs >= MANY:
        return False
    return runs and (history.ascending_lsn or 0.0) >= STREAM_FORWARD and history.spent_runs < FREED


def _is_wide(leaf: Leaf) -> bool:
    return leaf.records < WIDE_RECORDS * leaf.pages


def _excess_share(index: Index) -> float:
    """Share of the leaf segment's pages that are reserved beyond what its used pages ever needed at once."""
    segment, build = index.leaf_segment, index.build
    if segment is None or build is None or not segment.reserved_pages:
        return 0.0
    extents = segment.reserved_pages // segment.extent_pages
    ahead = AHEAD_EXTENTS_LARGE if extents >= LARGE_EXTENTS else AHEAD_EXTENTS
    normal = reserved_after_build(segment.used_pages, build.geometry) + ahead * segment.extent_pages
    return max(0, segment.reserved_pages - normal) / segment.reserved_pages


def _fill_factor(index: Index, history: History) -> int:
    """The innodb_fill_factor that a sorted build was made with, as near as the leaves tell; 100 for a full one."""
    build, leaf = index.build, index.leaf
    if build is None or not leaf.records or _is_wide(leaf) or leaf.pages < ENOUGH_LEAVES:
        return 100
    page, record = build.geometry.logical, leaf.data_bytes / leaf.records
    free = build.capacity * (1 - history.typical_fill) - record / 2
    factor = max(10, round(100 - 100 * free / page))
    default = 94 if build.clustered else 100
    return 100 if factor >= default - BUILT_FACTOR_STEP else factor


def _expected_fill(kind: str, index: Index, fill_factor: int) -> tuple[float, float] | None:
    leaf, rebuild = index.leaf, index.rebuild_at(fill_factor)
    if kind == RANDOM:
        return RANDOM_FILL
    if kind not in (ORDERED, DESCENDING, INTERLEAVED, BUILT) or rebuild is None or not leaf.fill:
        return None
    if leaf.pages < ENOUGH_LEAVES or _is_wide(leaf):
        return None
    packed = leaf.fill * leaf.pages / rebuild.leaf_pages
    return (max(0.0, packed - TOLERANCE), min(1.0, packed + TOLERANCE))


def _fill_words(kind: str, fill: float, expected: tuple[float, float] | None, leaves: int) -> str:
    measured = f"{_percent(fill, 1)} full"
    if expected is None:
        return measured
    low, high = expected
    usual = f"{100 * low:.0f}-{100 * high:.0f} % expected"
    if kind == RANDOM and RANDOM_LOWEST <= fill < low:  # leaves of one age are split at one time
        return f"{measured} ({usual} in the long run)"
    if low <= fill <= high:
        return f"{measured} ({usual})"
    if leaves < ENOUGH_FOR_FILL or kind == BUILT:
        return measured
    return f"{measured}, {'less' if fill < low else 'more'} than usual ({usual})"


def _order_words(leaf: Leaf) -> str:
    out_of_order, contiguous = leaf.out_of_order or 0.0, leaf.contiguous or 0.0
    if out_of_order <= FEW:
        return "leaves in order" if contiguous >= 0.75 else "leaves in order, with gaps between them"
    if out_of_order <= MANY:
        return "leaves partly out of order"
    if (leaf.backward or 0.0) <= FEW:
        return "leaves out of order: ascending, but other leaves of the index lie between neighbours"
    return "leaves out of order"


def _percent(share: float, digits: int = 0) -> str:
    return f"{100 * share:.{digits}f} %"
