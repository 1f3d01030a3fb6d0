"""B+trees (and R-trees): roots through the segment inodes, levels, sibling chains."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ibdscan.errors import NotKeptError
from ibdscan.layout.bridge import reader_of
from ibdscan.layout.index import INDEX_DATA_OFFSET, INDEX_SEGMENTS, SEG_LEAF_OFFSET
from ibdscan.layout.numbers import FIL_NULL, SDI_INDEX_ID, PageType
from ibdscan.pages.page.columns import PageColumns, where
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.tree.chains import Chain, place_table, walk_chain

_LEVEL_BITS = 7
_LEVEL_MASK = (1 << _LEVEL_BITS) - 1
MAX_LEVEL = 64
"""``BTR_MAX_NODE_LEVEL`` is 50; anything above is damage."""


@dataclass
class Tree:
    """One index tree as the file has it."""

    index_id: int
    root_page_no: int
    kind: str
    """``btree``, ``rtree`` or ``sdi``."""
    root_level: int
    top_segment: int
    """Ordinal in the list of segments; the root and the other non-leaf pages."""
    leaf_segment: int
    """Ordinal in the list of segments, -1 where the root's pointer leads nowhere."""
    levels: dict[int, Chain] = field(default_factory=dict)
    """Level -> its pages; 0 is the leaf level. A single-page tree has its root as level 0."""

    @property
    def height(self) -> int:
        return self.root_level + 1


def find_trees(
    space: Tablespace,
    columns: PageColumns,
    used: npt.NDArray[np.bool_],
    segments: list[Segment],
    findings: Findings,
) -> list[Tree]:
    """Trees by the rule: a segment's first fragment page is a root if it is live, an index page, and its
    PAGE_BTR_SEG_TOP points back at that segment's inode. Ordered by index id, the SDI index last.
    """
    by_place = {(s.page_no, s.offset): i for i, s in enumerate(segments)}
    trees: dict[int, Tree] = {}
    for ordinal, segment in enumerate(segments):
        root = segment.first_fragment
        if root == FIL_NULL or not used[root] or not columns.is_index[root] or columns.unread[root]:
            continue
        try:
            links = reader_of(INDEX_SEGMENTS)(space.read_head(root, INDEX_DATA_OFFSET), SEG_LEAF_OFFSET)
        except NotKeptError:  # a stream keeps the pages that name segments
            continue
        top, leaf = links.seg_top, links.seg_leaf
        if (top.space_id, top.page_no, top.offset) != (space.space_id, segment.page_no, segment.offset):
            continue
        index_id = int(columns.index_id[root])
        level = int(columns.level[root])
        leaf_ordinal = by_place.get((leaf.page_no, leaf.offset), -1)
        if leaf_ordinal < 0 or leaf.space_id != space.space_id:
            leaf_ordinal = -1
            findings.add(
                "segment-pointer",
                f"the root of index {index_id} names a leaf segment at page {leaf.page_no}, offset "
                f"{leaf.offset}, where no inode is",
                root,
                SEG_LEAF_OFFSET,
            )
        if level > MAX_LEVEL:
            findings.add("root-level", f"the root of index {index_id} claims level {level}", root, 64)
            level = 0
        if index_id in trees:
            findings.add(
                "two-roots",
                f"index {index_id} has two roots, pages {trees[index_id].root_page_no} and {root}",
                root,
                66,
            )
            continue
        trees[index_id] = Tree(index_id, root, _kind(columns, root), level, ordinal, leaf_ordinal)
    return [trees[i] for i in sorted(trees)]


def _kind(columns: PageColumns, root: int) -> str:
    kind = int(columns.type[root])
    if kind == PageType.RTREE:
        return "rtree"
    if kind == PageType.SDI or int(columns.index_id[root]) == SDI_INDEX_ID:
        return "sdi"
    return "btree"


def owners_of_pages(
    trees: list[Tree], columns: PageColumns, live_index: npt.NDArray[np.bool_]
) -> npt.NDArray[np.int32]:
    """Ordinal (in ``trees``) of the index of every live index page, -1 for all other pages; int32 (n_pages,)."""
    owner = np.full(len(columns), -1, np.int32)
    if not trees:
        return owner
    ids = np.array([t.index_id for t in trees], np.uint64)  # ascending, as find_trees returns them
    pages = where(live_index)
    index_id = columns.index_id[pages]
    is_first = np.ones(len(pages), np.bool_)  # of pages one after the other with the same id
    np.not_equal(index_id[1:], index_id[:-1], out=is_first[1:])
    some = index_id[is_first]
    at = np.minimum(ids.searchsorted(some), len(ids) - 1)
    at[ids[at] != some] = -1
    owner[pages] = at[is_first.cumsum() - 1]
    return owner


def walk_levels(trees: list[Tree], columns: PageColumns, owner: npt.NDArray[np.int32], findings: Findings) -> None:
    """Fill in ``levels`` of each tree from its live pages. Levels from 127 on are damage, and are one."""
    # four-byte page numbers and keys: what is sorted here is what a survey of many pages needs most memory for
    pages = where(owner >= 0).astype(np.uint32)
    key = owner[pages] << _LEVEL_BITS | np.minimum(columns.level[pages], _LEVEL_MASK)
    order = np.argsort(key, kind="stable")
    pages, key = pages[order], key[order]
    del order
    places = place_table(columns)
    bounds = [0, *(where(key[1:] != key[:-1]) + 1).tolist(), len(key)]
    for start, end in pairwise(bounds) if len(key) else ():
        tree, level = trees[int(key[start]) >> _LEVEL_BITS], int(key[start]) & _LEVEL_MASK
        of_level = pages[start:end].astype(np.int64)
        label = f"index {tree.index_id}, level {level}"
        if level > tree.root_level:
            findings.add_pages(
                "wrong-level",
                of_level,
                f"{label}: page {{page}} lies above the root's level {tree.root_level}",
                64,
            )
        tree.levels[level] = walk_chain(columns, of_level, label, findings, places)
    for tree in trees:
        tree.levels = dict(sorted(tree.levels.items(), reverse=True))
        for level in range(tree.root_level + 1):
            if level not in tree.levels:
                findings.add(
                    "missing-level", f"index {tree.index_id} has no pages of level {level}", tree.root_page_no, 64
                )
