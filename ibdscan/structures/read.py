"""All structures of a file, read and held against each other: what a survey measures, and ``verify`` checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.definition.sdi import SdiObject, read_sdi
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.agreement import check_pages, check_segments
from ibdscan.structures.space.bookkeeping import classify, read_management
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.tree.btree import Tree, find_trees, owners_of_pages, walk_levels


@dataclass(frozen=True)
class Structures:
    """What the file is made of. Per-page arrays have the shape (n_pages,)."""

    columns: PageColumns
    extents: Extents
    segments: list[Segment]
    segment_of: npt.NDArray[np.int32]
    """Ordinal (in ``segments``) of the segment that owns each page, -1 for none."""
    trees: list[Tree]
    tree_of: npt.NDArray[np.int32]
    """Ordinal (in ``trees``) of the index of every live index page, -1 for all other pages."""
    state: npt.NDArray[np.uint8]
    """:class:`~ibdscan.structures.space.states.PageState`."""
    page_class: npt.NDArray[np.uint8]
    """:class:`~ibdscan.structures.space.states.PageClass`."""
    sdi: list[SdiObject]

    @property
    def is_blind(self) -> bool:
        """Pages could not be read for want of a key or a codec."""
        return self.columns.forms.is_blind


def read_structures(
    space: Tablespace, columns: PageColumns, findings: Findings, *, lean: bool = False
) -> Structures:
    """Extents, segments, trees, page states and classes, and their self-checks; what is broken becomes a
    finding. ``lean``: the SDI is checked, and parsed only where several indexes need its names."""
    blind = columns.forms.is_blind
    management = read_management(space, columns, findings)
    extents, segments, segment_of = management.extents, management.segments, management.segment_of
    trees = [] if blind else find_trees(space, columns, extents.used, segments, findings)
    tree_of = owners_of_pages(trees, columns, extents.used & columns.is_index)
    walk_levels(trees, columns, tree_of, findings)
    state, page_class = classify(space, columns, management, tree_of)
    check_pages(space, columns, extents, tree_of, findings)
    if not blind and not management.is_sound:
        check_segments(space, segments, extents, segment_of, findings)
    check_only = lean and sum(t.kind != "sdi" for t in trees) < 2
    sdi = _read_sdi(space, trees, findings, check_only=check_only)
    return Structures(columns, extents, segments, segment_of, trees, tree_of, state, page_class, sdi)


def _read_sdi(space: Tablespace, trees: list[Tree], findings: Findings, *, check_only: bool) -> list[SdiObject]:
    found: list[SdiObject] = []
    for tree in trees:
        if tree.kind == "sdi" and 0 in tree.levels:
            found += read_sdi(space, tree.levels[0].order, findings, check_only=check_only)
    return found
