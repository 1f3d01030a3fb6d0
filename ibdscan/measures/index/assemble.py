"""From trees, names and segments to indexes as measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibdscan.layout.filename import decode_table
from ibdscan.layout.index import SUPREMUM_END_REDUNDANT, capacity
from ibdscan.measures.index.fill import measure_fill
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.mergeable import DEFAULT_THRESHOLD
from ibdscan.measures.index.order import measure_order
from ibdscan.measures.index.rebuild import BuildInput, measure_load
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.definition.dictionary import dictionary_names
from ibdscan.structures.definition.frm import frm_names
from ibdscan.structures.definition.partitions import partition_names
from ibdscan.structures.definition.sdi import IndexName, SdiObject, index_names
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.space.states import PageState
from ibdscan.structures.tree.btree import Tree, owners_of_pages


@dataclass(frozen=True)
class Names:
    """Names by index id, the FULLTEXT indexes, and where they are from: ``sdi``, ``partition`` (the SDI of
    another partition's file), ``dictionary`` or ``frm``."""

    by_id: dict[int, IndexName]
    fulltext: list[IndexName]
    source: str


def measure_indexes(
    space: Tablespace,
    columns: PageColumns,
    trees: list[Tree],
    segments: list[Segment],
    names: Names,
    off_page: npt.NDArray[np.int64],
    freed: npt.NDArray[np.int64],
) -> list[Index]:
    """One index a tree, in their order, then the FULLTEXT ones; ``off_page`` and ``freed`` are pages by tree."""
    clustered = _clustered_ids(trees, names.by_id)
    measured = [
        _measure_tree(space, columns, tree, i, names, clustered, segments, int(off_page[i]), int(freed[i]))
        for i, tree in enumerate(trees)
    ]
    return _with_fulltext(measured, names)


def find_names(
    space: Tablespace, trees: list[Tree], sdi: list[SdiObject], system: str | None, *, lean: bool = False
) -> Names:
    """Names from the SDI, of the file or of the table's first partition beside it, else the dictionary in
    ``ibdata1``, else the ``.frm`` beside the file. ``lean``: not
    from another tablespace, whose dictionary may be that of 100,000 tables, and none for a single tree."""
    names, fulltext = index_names(sdi)
    if names or (lean and sdi):
        return Names(names, fulltext, "sdi")
    roots = {t.index_id: t.root_page_no for t in trees}
    if sdi:
        return Names(partition_names(space, roots), [], "partition")
    lean = lean and system is None and space.space_id != 0
    if lean and sum(t.kind != "sdi" for t in trees) < 2:
        return Names({}, [], "frm")
    names, fulltext = ({}, []) if lean else dictionary_names(space, roots, system)
    if names or space.space_id == 0:
        return _decoded(names, fulltext, "dictionary")
    names, fulltext = frm_names(space.path, [(t.index_id, t.kind) for t in trees])
    return _decoded(names, fulltext, "frm")


def _decoded(names: dict[int, IndexName], fulltext: list[IndexName], source: str) -> Names:
    """Tables named as people name them: the dictionary and file names have InnoDB's encoded form."""
    by_id = {i: replace(name, table=decode_table(name.table)) for i, name in names.items()}
    return Names(by_id, [replace(name, table=decode_table(name.table)) for name in fulltext], source)


def freed_leaves(trees: list[Tree], columns: PageColumns, state: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Stale pages that still carry the header of a leaf, by tree."""
    if not (state == PageState.STALE).any():
        return np.zeros(len(trees), np.int64)
    owner = owners_of_pages(trees, columns, (state == PageState.STALE) & columns.is_index & (columns.level == 0))
    return np.bincount(owner[owner >= 0], minlength=len(trees))


def _clustered_ids(trees: list[Tree], names: dict[int, IndexName]) -> dict[int, bool]:
    """Index id -> certain, for the clustered indexes: by the SDI, else the lowest id of the file."""
    named = {t.index_id: True for t in trees if t.index_id in names and names[t.index_id].clustered}
    if named:
        return named
    user = [t.index_id for t in trees if t.kind != "sdi"]
    return {user[0]: False} if user else {}


def _measure_tree(
    space: Tablespace,
    columns: PageColumns,
    tree: Tree,
    ordinal: int,
    names: Names,
    clustered: dict[int, bool],
    segments: list[Segment],
    off_page: int,
    freed: int,
) -> Index:
    name = names.by_id.get(tree.index_id)
    page_size = space.geometry.logical
    levels = tuple(
        Level(level, measure_fill(columns, c.pages, page_size), measure_order(c.order), c.pages, c.order)
        for level, c in tree.levels.items()
    )
    top = segments[tree.top_segment]
    leaf = segments[tree.leaf_segment] if tree.leaf_segment >= 0 else None
    is_clustered = tree.index_id in clustered
    reserved = top.reserved_pages + (leaf.reserved_pages if leaf else 0)
    sdi = tree.kind == "sdi"
    return Index(
        ordinal=ordinal,
        index_id=tree.index_id,
        name="SDI" if sdi else name.name if name else f"index {tree.index_id}",
        table=name.table if name else None,
        clustered=is_clustered,
        clustered_is_certain=clustered.get(tree.index_id, True),
        kind=tree.kind,
        root_page_no=tree.root_page_no,
        height=tree.height,
        levels=levels,
        leaf_segment=leaf,
        top_segment=top,
        off_page_pages=off_page,
        build=_build_input(space, columns, levels, reserved, off_page, is_clustered),
        columns=columns,
        page_size=page_size,
        freed_leaves=freed,
        merge_threshold=name.merge_threshold if name else DEFAULT_THRESHOLD,
        name_source="sdi" if sdi else names.source if name else None,
    )


def _build_input(
    space: Tablespace,
    columns: PageColumns,
    levels: tuple[Level, ...],
    reserved: int,
    off_page: int,
    clustered: bool,
) -> BuildInput | None:
    if not levels or levels[-1].level != 0:
        return None
    if space.flags.is_zip:
        return None  # how many records fit in a page, compressed, is not in the headers
    leaf = levels[-1]
    above = levels[-2] if len(levels) > 1 else None
    pointer = above.fill.data_bytes / above.records if above and above.records else SUPREMUM_END_REDUNDANT
    return BuildInput(
        space.geometry,
        measure_load(columns, leaf.chain if len(leaf.chain) == leaf.pages else leaf.page_nos),
        pointer,
        capacity=int(capacity(space.geometry.logical, int(columns.n_heap[leaf.page_nos[0]]))),
        clustered=clustered,
        off_page_pages=off_page,
        reserved_pages=reserved,
    )


def _with_fulltext(indexes: list[Index], names: Names) -> list[Index]:
    """FULLTEXT indexes as rows of their own, before the SDI index; ordinals of trees stay as they are."""
    extra = [
        Index(
            ordinal=len(indexes) + i,
            index_id=None,
            name=name.name,
            table=name.table,
            clustered=False,
            clustered_is_certain=True,
            kind="fulltext",
            root_page_no=None,
            height=0,
            levels=(),
            leaf_segment=None,
            top_segment=None,
            off_page_pages=0,
            build=None,
            name_source=names.source,
        )
        for i, name in enumerate(names.fulltext)
    ]
    return indexes + extra
