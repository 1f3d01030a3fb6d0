"""What the numbers of an index say, in words. Small indexes are never judged."""

from __future__ import annotations

from ibdscan.measures.index import Index, Leaf

SEQUENTIAL_FILL = 0.90
STEADY_FILL = 0.75
RANDOM_FILL = 0.60
IN_ORDER = 0.10
TORN = 0.50
CONTIGUOUS = 0.75


def verdict(index: Index) -> str:
    """One sentence on fill and order of the leaves; the two are always given together.

    Expected fills (reference loads on MySQL 9.7 and MariaDB 10.11): in-order inserts 90-94 %, rebuilt 92-97 %,
    random inserts 65-72 %; below 50 % only after deletes or splits at the wrong point.
    """
    if index.kind == "fulltext":
        return "its data is in the FTS_ auxiliary tables' files"
    if not index.has_leaf:
        return "no leaf pages found"
    leaf = index.leaf
    if index.is_small or leaf.fill is None or leaf.contiguous is None:
        return f"too small to judge ({leaf.pages} leaf page{'s' if leaf.pages != 1 else ''})"
    return f"{_fill_words(leaf.fill)}; {_order_words(leaf)}"


def _fill_words(fill: float) -> str:
    if fill >= SEQUENTIAL_FILL:
        return "full, as after in-order inserts or a rebuild"
    if fill >= STEADY_FILL:
        return "less full than in-order inserts or a rebuild leave it"
    if fill >= RANDOM_FILL:
        return "as full as random inserts leave it"
    return "emptier than random inserts leave it"


def _order_words(leaf: Leaf) -> str:
    out_of_order, contiguous = leaf.out_of_order or 0.0, leaf.contiguous or 0.0
    if out_of_order <= IN_ORDER:
        return "leaves in order" if contiguous >= CONTIGUOUS else "leaves in order, with gaps between them"
    if out_of_order <= TORN:
        return "leaves partly out of order"
    if (leaf.backward or 0.0) <= IN_ORDER:
        return "leaves out of order: ascending, but other leaves of the index lie between neighbours"
    return "leaves out of order"
