"""From trees, names and segments to indexes as measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ibdscan.errors import NotKeptError
from ibdscan.layout.filename import decode_table
from ibdscan.layout.index import SUPREMUM_END_REDUNDANT, capacity
from ibdscan.layout.numbers import TYPE_INSTANT
from ibdscan.measures.index.fill import measure_fill
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.mergeable import DEFAULT_THRESHOLD
from ibdscan.measures.index.order import measure_order
from ibdscan.measures.index.rebuild import COMPRESSED, BuildInput, measure_load
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.definition.dictionary import dictionary_names
from ibdscan.structures.definition.frm import frm_names
from ibdscan.structures.definition.partitions import partition_has_instant_columns, partition_names
from ibdscan.structures.definition.sdi import IndexName, SdiObject, has_instant_columns, index_names
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


@dataclass(frozen=True)
class Assembly:
    """What the indexes of a file are put together from; ``off_page`` and ``freed`` are pages by tree."""

    space: Tablespace
    columns: PageColumns
    trees: list[Tree]
    segments: list[Segment]
    names: Names
    sdi: list[SdiObject]
    off_page: npt.NDArray[np.int64]
    freed: npt.NDArray[np.int64]


def measure_indexes(assembly: Assembly) -> list[Index]:
    """One index a tree, in their order, then the FULLTEXT ones."""
    clustered = _clustered_ids(assembly.trees, assembly.names.by_id)
    measured = [_measure_tree(assembly, ordinal, clustered) for ordinal in range(len(assembly.trees))]
    return _with_fulltext(measured, assembly.names)


def find_names(
    space: Tablespace, trees: list[Tree], sdi: list[SdiObject], system: str | None, *, lean: bool = False
) -> Names:
    """Names from the SDI, of the file or of the table's first partition beside it, else the dictionary in
    ``ibdata1``, else the ``.frm`` beside the file. ``lean``: not
    from another tablespace, whose dictionary may be that of 100,000 tables, and none for a single tree."""
    single = sum(t.kind != "sdi" for t in trees) < 2
    if lean and single and sdi:
        return Names({}, [], "sdi")
    names, fulltext = index_names(sdi)
    if names:
        return Names(names, fulltext, "sdi")
    roots = {t.index_id: t.root_page_no for t in trees}
    if sdi:
        return Names(partition_names(space, roots), [], "partition")
    lean = lean and system is None and space.space_id != 0
    if lean and single:
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


def _measure_tree(assembly: Assembly, ordinal: int, clustered: dict[int, bool]) -> Index:
    columns, tree, names = assembly.columns, assembly.trees[ordinal], assembly.names
    name = names.by_id.get(tree.index_id)
    page_size = assembly.space.geometry.logical
    levels = tuple(
        Level(level, measure_fill(columns, c.pages, page_size), measure_order(c.order), c.pages, c.order)
        for level, c in tree.levels.items()
    )
    sdi = tree.kind == "sdi"
    index = Index(
        ordinal=ordinal,
        index_id=tree.index_id,
        name="SDI" if sdi else name.name if name else f"index {tree.index_id}",
        table=name.table if name else None,
        clustered=tree.index_id in clustered,
        clustered_is_certain=clustered.get(tree.index_id, True),
        kind=tree.kind,
        root_page_no=tree.root_page_no,
        height=tree.height,
        levels=levels,
        leaf_segment=assembly.segments[tree.leaf_segment] if tree.leaf_segment >= 0 else None,
        top_segment=assembly.segments[tree.top_segment],
        off_page_pages=int(assembly.off_page[ordinal]),
        build=None,
        columns=columns,
        page_size=page_size,
        freed_leaves=int(assembly.freed[ordinal]),
        merge_threshold=name.merge_threshold if name else DEFAULT_THRESHOLD,
        name_source="sdi" if sdi else names.source if name else None,
    )
    try:
        return replace(index, build=_build_input(assembly.space, index), no_estimate=_no_estimate(assembly, index))
    except NotKeptError:
        return replace(
            index, no_estimate="rows of unlike sizes take a second look at the leaves, a stream gives one"
        )


def _build_input(space: Tablespace, index: Index) -> BuildInput | None:
    columns, levels = index.columns, index.levels
    if columns is None or not index.has_leaf or space.flags.is_zip:
        return None
    leaf = levels[-1]
    above = levels[-2] if len(levels) > 1 else None
    pointer = above.fill.data_bytes / above.records if above and above.records else SUPREMUM_END_REDUNDANT
    return BuildInput(
        space.geometry,
        measure_load(space, columns, leaf.chain if len(leaf.chain) == leaf.pages else leaf.page_nos),
        pointer,
        capacity=int(capacity(space.geometry.logical, int(columns.n_heap[leaf.page_nos[0]]))),
        clustered=index.clustered,
        off_page_pages=index.off_page_pages,
        reserved_pages=index.reserved_pages,
        mariadb=space.family == "mariadb",
    )


def _no_estimate(assembly: Assembly, index: Index) -> str | None:
    """Why what a sorted build would make of the index can not be told."""
    if not index.has_leaf:
        return "its leaf level was not found"
    if assembly.space.flags.is_zip:
        return COMPRESSED
    if index.kind == "rtree":
        return "the server builds a spatial index row by row"
    if index.clustered and _has_instant_columns(assembly, index):
        return "columns were added or dropped instantly, a rebuild changes the size of the rows"
    return None


def _has_instant_columns(assembly: Assembly, index: Index) -> bool:
    """By the SDI; MariaDB marks the root of such a table."""
    if not assembly.space.flags.sdi or index.index_id is None:
        return bool(assembly.columns.type[index.root_page_no] == TYPE_INSTANT)
    if any(entry.type == 1 for entry in assembly.sdi):
        return has_instant_columns(assembly.sdi, index.index_id)
    return partition_has_instant_columns(assembly.space, index.index_id)


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
