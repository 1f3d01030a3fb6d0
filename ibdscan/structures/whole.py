"""All structures of a file, read and held against each other: the part of a survey that measures nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.pages.columns import PageColumns
from ibdscan.pages.tablespace import Tablespace
from ibdscan.structures.btree import Tree, find_trees, owners_of_pages, walk_levels
from ibdscan.structures.check import check_pages, check_segments
from ibdscan.structures.extents import Extents, read_extents
from ibdscan.structures.finding import Findings
from ibdscan.structures.sdi import read_sdi
from ibdscan.structures.segments import Segment, read_segments, segment_of_pages
from ibdscan.structures.states import page_states


@dataclass(frozen=True)
class Structures:
    """What a survey measures. Per-page arrays have the shape (n_pages,)."""

    columns: PageColumns
    extents: Extents
    segments: list[Segment]
    trees: list[Tree]
    tree_of: npt.NDArray[np.int32]
    """Ordinal (in ``trees``) of the index of every live index page, -1 for all other pages."""
    state: npt.NDArray[np.uint8]
    """:class:`~ibdscan.structures.states.PageState`."""

    @property
    def is_blind(self) -> bool:
        """Pages could not be read for want of a key or a codec."""
        return self.columns.forms.is_blind


def read_structures(space: Tablespace, columns: PageColumns, findings: Findings) -> Structures:
    """Extents, segments and trees, and the self-checks of a survey; what is broken becomes a finding."""
    blind = columns.forms.is_blind
    extents = read_extents(space, columns, findings)
    segments = read_segments(space, columns, extents, findings)
    segment_of = segment_of_pages(segments, extents, space.n_pages, Findings() if blind else findings)
    trees = [] if blind else find_trees(space, columns, extents.used, segments, findings)
    tree_of = owners_of_pages(trees, columns, extents.used & columns.is_index)
    walk_levels(trees, columns, tree_of, findings)
    check_pages(space, columns, extents, tree_of, findings)
    if not blind:
        check_segments(space, segments, extents, segment_of, findings)
    for tree in trees:
        if tree.kind == "sdi" and 0 in tree.levels:
            read_sdi(space, tree.levels[0].order, findings)
    return Structures(columns, extents, segments, trees, tree_of, page_states(space, columns, extents))
