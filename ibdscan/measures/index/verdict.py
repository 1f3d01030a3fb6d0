"""What made the leaves of an index look as they do, in words. Small indexes are never judged.

The rules are fixed on loads whose making is known: see ``tests/deeper/test_verdicts.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.measures.index.index import Index, Leaf
from ibdscan.measures.index.reservation import reserved_after_build
from ibdscan.measures.index.splits import History

NO_TREE, SMALL = "no-tree", "too-small"
ORDERED, DESCENDING, INTERLEAVED = "ordered-inserts", "descending-inserts", "interleaved-inserts"
RANDOM, BUILT = "random-inserts", "sorted-build"
MODIFIED, DELETED, UNCLEAR = "built-then-modified", "mass-delete", "unclear"

WORDS = {
    ORDERED: "ordered inserts",
    DESCENDING: "ordered inserts, descending",
    INTERLEAVED: "ordered inserts of several connections or streams, interleaved",
    RANDOM: "random inserts",
    BUILT: "sorted build",
    MODIFIED: "built or inserted, then modified",
    DELETED: "mass delete",
    UNCLEAR: "no single kind of load explains these leaves",
}

MOST, MANY, SOME, FEW = 0.9, 0.5, 0.2, 0.1
RANDOM_FILL = (0.65, 0.72)
"""Steady state of random inserts; ln 2 = 69 %."""
RANDOM_FILL_WIDE = (0.55, 0.85)
"""With few records a page."""
WIDE_RECORDS = 8
RANDOM_LOWEST = 0.50
"""Just after all leaves were split; with deletes it falls below."""
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
    text = f"{words}: {_fill_words(kind, leaf.fill, expected)}; {_order_words(leaf)}"
    return Verdict(kind, text, expected, tuple(reasons))


def _kind(index: Index, leaf: Leaf, history: History) -> _Kind:
    return (
        _built_kind(leaf, history)
        or _undirected_kind(index, leaf, history)
        or _deleted_kind(index, leaf, history)
        or _directed_kind(leaf, history)
        or (UNCLEAR, [])
    )


def _built_kind(leaf: Leaf, history: History) -> _Kind | None:
    """The leaves say so themselves, however few, and whatever their fill; one of eight is no evidence."""
    untouched = round(history.built * leaf.pages)
    if leaf.pages - untouched > max(1, leaf.pages * FEW) or (leaf.out_of_order or 0.0) > MANY:
        return None
    return BUILT, [f"{untouched:,} of {leaf.pages:,} leaves are as a sorted build wrote them, untouched since"]


def _undirected_kind(index: Index, leaf: Leaf, history: History) -> _Kind | None:
    """Leaves without runs of inserts that no build wrote: random inserts."""
    if history.undirected < MOST or (leaf.out_of_order or 0.0) < MANY:
        return None
    reasons = [f"{_percent(history.undirected)} of the leaves have no direction of inserts"]
    if index.build is not None and (leaf.fill or 0.0) < RANDOM_LOWEST and not history.near_half:
        return DELETED, [*reasons, "emptier than inserts leave them"]
    return RANDOM, reasons


def _deleted_kind(index: Index, leaf: Leaf, history: History) -> _Kind | None:
    reasons = _delete_reasons(index, leaf, history)
    return (DELETED, reasons) if reasons else None


def _directed_kind(leaf: Leaf, history: History) -> _Kind | None:
    out_of_order = leaf.out_of_order or 0.0
    if history.directed >= MOST and (out_of_order < MANY or history.with_garbage < MOST):
        return _ordered_kind(leaf, history)
    if out_of_order >= MANY:
        return _torn_kind(leaf, history)
    if history.undirected >= MANY and out_of_order <= SOME:
        return MODIFIED, ["leaves in order, most without a run of inserts, not alike"]
    if out_of_order <= SOME and history.directed >= MANY:
        return MODIFIED, [f"{_percent(history.undirected)} of the leaves were split or filled out of turn"]
    return None


def _ordered_kind(leaf: Leaf, history: History) -> _Kind:
    out_of_order, backward = leaf.out_of_order or 0.0, leaf.backward or 0.0
    runs = f"{_percent(history.directed)} of the leaves were filled by runs of inserts in one direction"
    if history.left >= MOST:
        return DESCENDING, [runs]
    if history.left >= SOME:
        return INTERLEAVED, [runs, "ascending and descending ones"]
    if out_of_order > FEW:
        return INTERLEAVED, [runs, f"{_percent(out_of_order)} of them out of order, {_percent(backward)} backward"]
    return ORDERED, [runs]


def _torn_kind(leaf: Leaf, history: History) -> _Kind:
    """Out of order, and with and without runs: interleaved streams have part runs, modified leaves spent ones.
    Inserts alone leave garbage only where a page was split."""
    if history.with_garbage >= MOST:
        return MODIFIED, [f"records were deleted from, or grew in, {_percent(history.with_garbage)} of the leaves"]
    if history.spent_runs > history.part_runs and history.directed >= SOME:
        return MODIFIED, [
            f"{_percent(history.spent_runs)} of the leaves hold fewer records than were inserted in a run"
        ]
    if history.directed >= MANY or (history.directed >= SOME and history.part_runs >= history.undirected / 2):
        return INTERLEAVED, [f"{_percent(history.part_runs)} of the leaves were filled by several runs of inserts"]
    return RANDOM, [f"{_percent(history.undirected)} of the leaves have no direction of inserts"]


def _delete_reasons(index: Index, leaf: Leaf, history: History) -> list[str]:
    """Why a mass delete must have been, empty if nothing says so. Leaves that were freed, or whose neighbours
    were, or that hold far fewer records than were once inserted; in an index that is otherwise in order."""
    reasons = []
    in_order = (leaf.out_of_order or 0.0) <= SOME
    freed_share = history.freed_leaves / (history.freed_leaves + leaf.pages)
    excess = _excess_share(index)
    if freed_share >= SOME:
        reasons.append(f"{history.freed_leaves:,} leaves of it were freed")
    elif excess >= SOME and in_order:
        reasons.append(
            f"{_percent(excess)} of its reserved pages are unused beyond what the server reserves ahead"
        )
    segment = index.leaf_segment
    if segment is not None and in_order and segment.not_full_extents >= PARTLY_USED_EXTENTS:
        unused = 1 - segment.used_pages / segment.reserved_pages
        if unused >= PARTLY_UNUSED:
            partly = f"{segment.not_full_extents} of its extents are partly used"
            reasons.append(f"{partly}, {_percent(unused)} of its reserved pages are unused")
    if in_order and history.directed >= MANY:
        # compressed pages are split, and records move out, whenever a page does not compress any more
        if history.spent_runs >= MANY and history.with_garbage >= MANY and index.build is not None:
            reasons.append(
                f"{_percent(history.spent_runs)} of the leaves hold fewer records than were inserted in a run"
            )
        if (leaf.contiguous or 0.0) <= SOME and history.with_garbage >= MANY:
            reasons.append("leaves in order, with gaps between them, and records purged from most")
    return reasons


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
    if build is None or not leaf.records:
        return 100
    page, record = build.geometry.logical, leaf.data_bytes / leaf.records
    free = build.capacity * (1 - history.typical_fill) - record / 2
    factor = max(10, round(100 - 100 * free / page))
    default = 94 if build.clustered else 100
    return 100 if factor >= default - BUILT_FACTOR_STEP else factor


def _expected_fill(kind: str, index: Index, fill_factor: int) -> tuple[float, float] | None:
    leaf, rebuild = index.leaf, index.rebuild_at(fill_factor)
    if kind == RANDOM:
        few = leaf.records / leaf.pages <= WIDE_RECORDS
        return RANDOM_FILL_WIDE if few else RANDOM_FILL
    if kind not in (ORDERED, DESCENDING, INTERLEAVED, BUILT) or rebuild is None or not leaf.fill:
        return None
    packed = leaf.fill * leaf.pages / rebuild.leaf_pages
    return (max(0.0, packed - TOLERANCE), min(1.0, packed + TOLERANCE))


def _fill_words(kind: str, fill: float, expected: tuple[float, float] | None) -> str:
    measured = f"{_percent(fill, 1)} full"
    if expected is None:
        return measured
    low, high = expected
    usual = f"{100 * low:.0f}-{100 * high:.0f} % expected"
    if kind == RANDOM and RANDOM_LOWEST <= fill < low:  # leaves of one age are split at one time
        return f"{measured} ({usual} in the long run)"
    if low <= fill <= high:
        return f"{measured} ({usual})"
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
