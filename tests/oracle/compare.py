"""A survey against its oracle, check by check.

Every function of ``CHECKS`` yields one comparison for each thing compared. Nothing is skipped because it would
differ: what the oracle has is compared, and an accepted difference carries the key of its reason.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from ibdscan.layout.numbers import IBUF_INDEX_ID
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageState
from tests.corpus import Oracle, OracleIndex
from tests.oracle import innochecksum
from tests.oracle.reasons import (
    explain_flags,
    explain_n_leaf_pages,
    explain_root,
    explain_row_count,
    explain_sdi,
    explain_stored_form,
    explain_tree_counts,
    explain_unvisited,
    explain_visited,
    tree_counts,
)
from tests.oracle.verdict import Comparison

INDEX_TYPES = ("INDEX", "RTREE_INDEX", "SDI_INDEX")
UNNAMED = "?.?"
SDI_TABLE = 1


class Case:
    """One file under comparison, and what the checks share."""

    def __init__(self, file: str, survey: Survey, oracle: Oracle) -> None:
        self.file = file
        self.survey = survey
        self.oracle = oracle
        self.is_mysql = survey.space.family == "mysql"
        self._by_id = {i.index_id: i for i in survey.indexes if i.index_id is not None}
        self._name_of_page = {page: name for page, _, name, *_ in oracle.buffer_pages}

    def same(self, check: str, where: str, ours: object, theirs: object, reason: str = "") -> Comparison:
        return Comparison(check, self.file, where, ours, theirs, "" if ours == theirs else reason)

    def ours(self, index: OracleIndex) -> Index | None:
        """Our index of the same id. The ids of some tables of MySQL (partitions, tables of mysql.ibd) were not
        asked: there it is the index of that name, or on whose root page the server's buffer pool has that name."""
        if index.index_id is not None:
            return self._by_id.get(index.index_id)
        named = [i for i in self.survey.indexes if (i.table, i.name) == (index.table, index.name)]
        named = named or [
            i for i in self.survey.indexes if self._name_of_page.get(i.root_page_no or 0) == index.name
        ]
        return named[0] if len(named) == 1 else None

    def trees(self) -> list[OracleIndex]:
        """Indexes of the oracle that have a tree."""
        return [i for i in self.oracle.indexes if not i.is_fulltext]

    def live_pages(self, index: OracleIndex) -> set[int]:
        found = self.ours(index)
        return {int(p) for level in found.levels for p in level.page_nos} if found else set()


def name_of(index: OracleIndex) -> str:
    return f"{index.table}.{index.name}"


def check_header(case: Case) -> Iterator[Comparison]:
    """Page 0, and the row of INNODB_TABLESPACES."""
    space, header = case.survey.space, case.oracle.header
    for name, ours, theirs in (
        ("space id", space.space_id, header["fsp_space_id"]),
        ("FSP_SIZE", space.fsp.size, header["fsp_size"]),
        ("FREE_LIMIT", space.fsp.free_limit, header["free_limit"]),
        ("flags", space.flags.raw, header["flags"]),
        ("FRAG_N_USED", space.fsp.frag_n_used, header["frag_n_used"]),
        ("LSN", space.fil.lsn, header["lsn"]),
    ):
        yield case.same("header", name, ours, theirs)
    if case.oracle.file_bytes is not None:
        yield case.same("header", "bytes", space.source.size, case.oracle.file_bytes)
    if case.oracle.page_size is not None:
        yield case.same("header", "page size", space.geometry.logical, case.oracle.page_size)
    if case.oracle.server_version is not None:
        mysql = case.oracle.server_version.partition("-")[0]
        told = space.server_version if case.is_mysql else None
        yield case.same("header", "server version", told, mysql if case.is_mysql else None)
        family = "mariadb" if "MariaDB" in case.oracle.server_version else "mysql"
        yield case.same("header", "family", space.family, family)
    row = case.oracle.tablespace
    if row is None:
        return
    yield case.same("header", "SPACE", space.space_id, row["SPACE"])
    yield case.same("header", "FLAG", space.flags.raw, row["FLAG"], explain_flags(space.flags.raw, row["FLAG"]))
    zipped = row.get("ZIP_PAGE_SIZE") or 0
    physical = zipped if zipped and zipped < row["PAGE_SIZE"] else row["PAGE_SIZE"]
    # MariaDB 10.5 takes its own flags in memory for a ZIP_SSIZE
    memory = "mariadb-memory-flags" if physical != row["PAGE_SIZE"] and not space.flags.is_zip else ""
    yield case.same("header", "PAGE_SIZE", space.geometry.physical, physical, memory)
    if row.get("SERVER_VERSION"):
        yield case.same("header", "SERVER_VERSION", space.server_version, row["SERVER_VERSION"])


def check_page_headers(case: Case) -> Iterator[Comparison]:
    """NUMBER_RECORDS and DATA_SIZE of every index page that the server loaded, live or stale."""
    columns = case.survey.columns
    for page, kind, _, n_recs, data_size in case.oracle.buffer_pages:
        if page >= len(columns):
            yield case.same("records", f"page {page}", None, n_recs)
        elif kind in INDEX_TYPES or columns.is_index[page]:
            is_index = bool(columns.is_index[page])
            yield case.same("records", f"page {page}", int(columns.n_recs[page]) if is_index else None, n_recs)
            size = int(columns.data_bytes(np.array([page]))[0]) if is_index else None
            yield case.same("data size", f"page {page}", size, data_size)


def check_loaded_types(case: Case) -> Iterator[Comparison]:
    """The type of every page that the server loaded."""
    columns = case.survey.columns
    for page, kind, *_ in case.oracle.buffer_pages:
        ours = None
        if page < len(columns):
            ours = innochecksum.buffer_type(
                int(columns.type[page]), int(columns.index_id[page]), mysql=case.is_mysql
            )
        yield case.same("type of page", f"page {page}", ours, kind)


def check_live_pages(case: Case) -> Iterator[Comparison]:
    """Live pages of each index against the pages that the server walked; all that it walked is live."""
    visited = case.oracle.visited
    if not visited:
        return
    unnamed: set[int] = set()
    for index in case.trees():
        key = next((name for name in index.visited_names if name in visited), None)
        if key is not None:
            reason = explain_unvisited(case.survey, case.ours(index), visited[key])
            yield case.same(
                "live pages", name_of(index), sorted(case.live_pages(index)), sorted(visited[key]), reason
            )
        elif index.schema is not None:  # tables of the dictionary itself were not walked, only users' tables
            unnamed |= case.live_pages(index)
    # MariaDB has no name for the pages of R-trees; the change buffer's root is there too
    theirs = {p for p in visited.get(UNNAMED, ()) if case.survey.columns.index_id[p] != IBUF_INDEX_ID}
    if unnamed or theirs:
        yield case.same("live pages", "R-trees", sorted(unnamed), sorted(theirs))
    state = case.survey.state
    for name, pages in visited.items():
        dead = sorted(p for p in pages if p >= len(state) or state[p] != PageState.LIVE)
        reason = explain_visited(case.survey, dead, case.oracle.unchanged)
        yield case.same("visited is live", name, dead, [], reason)


def check_indexes(case: Case) -> Iterator[Comparison]:
    """The same indexes with the same roots, no more and no fewer."""
    theirs = {i.index_id: i.root_page_no for i in case.trees() if i.index_id is not None}
    if not theirs:
        return
    ours = {i.index_id: i.root_page_no for i in case.survey.user_indexes if i.index_id is not None}
    for index_id in sorted(ours.keys() | theirs.keys()):
        root = ours.get(index_id)
        reason = "" if index_id in theirs else explain_root(case.survey, index_id, root)
        yield case.same("root", f"index {index_id}", root, theirs.get(index_id), reason)


def check_names(case: Case) -> Iterator[Comparison]:
    """Names of tables and indexes where the file has them; which index is clustered everywhere."""
    has_names = any(o.type == SDI_TABLE for o in case.survey.sdi)
    fulltext = {(i.table, i.name) for i in case.survey.indexes if i.kind == "fulltext"}
    for index in case.oracle.indexes:
        wanted = (f"{index.schema}/{index.table_name}", index.name)
        ours = case.ours(index)
        if has_names and index.is_fulltext:
            yield case.same("names", name_of(index), wanted if wanted in fulltext else None, wanted)
        elif has_names:
            yield case.same("names", name_of(index), (ours.table, ours.name) if ours else None, wanted)
        if index.index_id is not None and not index.is_fulltext:
            is_guess = not has_names and len(case.oracle.tables) > 1
            reason = "clustered-unknown" if is_guess and not case.is_mysql else ""
            yield case.same("clustered", name_of(index), ours.clustered if ours else None, index.clustered, reason)


def check_sdi(case: Case) -> Iterator[Comparison]:
    """Every SDI document against ibd2sdi's."""
    if case.oracle.sdi is None:
        return
    ours = {(o.type, o.id): o.document for o in case.survey.sdi}
    for key in sorted(ours.keys() | case.oracle.sdi.keys()):
        told, wanted = ours.get(key), case.oracle.sdi.get(key)
        reason = explain_sdi(told, wanted)
        yield case.same("SDI", f"type {key[0]}, id {key[1]}", _digest(told), _digest(wanted), reason)


def _digest(document: object) -> str | None:
    if document is None:
        return None
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()[:12]


def check_segments(case: Case) -> Iterator[Comparison]:
    """Used and reserved pages against innodb_index_stats, reserved ones against innodb_table_stats too."""
    for table in case.oracle.tables:
        for index in table.indexes:
            if not index.is_fulltext:
                yield from _check_segments_of(case, index, table.clustered)
        others = [i for i in table.indexes if not i.clustered and i.has_statistics and i.index_id is not None]
        if table.clustered is None or table.clustered_size is None:
            continue
        sizes = [i.reserved_pages for i in map(case.ours, [table.clustered, *others]) if i is not None]
        yield case.same("size", f"{table.full_name}, clustered", sizes[0], table.clustered_size)
        yield case.same("size", f"{table.full_name}, others", sum(sizes[1:]), table.other_sizes)


def _check_segments_of(case: Case, index: OracleIndex, clustered: OracleIndex | None) -> Iterator[Comparison]:
    ours = case.ours(index)
    if index.n_leaf_pages is not None:
        used = ours.leaf_segment.used_pages if ours and ours.leaf_segment else None
        # a tree of one page has nothing in its leaf segment; the server says 1
        used = max(1, used) if used is not None else None
        reason = explain_n_leaf_pages(case.survey, ours, index, clustered)
        yield case.same("n_leaf_pages", name_of(index), used, index.n_leaf_pages, reason)
    if index.size is not None:
        yield case.same("size", name_of(index), ours.reserved_pages if ours else None, index.size)


def check_data_free(case: Case) -> Iterator[Comparison]:
    """DATA_FREE of INFORMATION_SCHEMA.TABLES and FILES."""
    ours = case.survey.data_free_bytes
    for table in case.oracle.tables:
        if table.data_free is not None:
            yield case.same("data_free", table.full_name, ours, table.data_free)
    if case.oracle.datafile_free is not None:
        yield case.same("data_free", "FILES", ours, case.oracle.datafile_free)


def check_row_count(case: Case) -> Iterator[Comparison]:
    """Records of the clustered index's leaves against COUNT(*)."""
    for table in case.oracle.tables:
        if table.row_count is None or table.clustered is None:
            continue
        index = case.ours(table.clustered)
        ours = index.leaf.records if index and index.has_leaf else None
        reason = "" if ours == table.row_count else explain_row_count(case.survey, index, table)
        yield case.same("row count", table.full_name, ours, table.row_count, reason)


def check_page_types(case: Case) -> Iterator[Comparison]:
    """Pages by type against innochecksum's summary, which counts every page of the file, live or not."""
    theirs = innochecksum.parse_summary(case.oracle.innochecksum.summary)
    if not theirs:
        return
    ours: Counter[str] = Counter()
    types, counts = np.unique(case.survey.columns.type, return_counts=True)
    for kind, n in zip(types, counts, strict=True):
        ours[innochecksum.summary_label(int(kind), mysql=case.is_mysql)] += int(n)
    reason = explain_stored_form(case.survey, sum(theirs.values()) == sum(ours.values()))
    for label in sorted(set(theirs) | set(ours)):
        yield case.same("page types", label, ours.get(label, 0), theirs.get(label, 0), reason)


def check_page_details(case: Case) -> Iterator[Comparison]:
    """innochecksum's line for every index page: index id, level, records, garbage."""
    columns = case.survey.columns
    for page, _, details in case.oracle.innochecksum.page_types:
        theirs = innochecksum.parse_details(details)
        if theirs is None:
            continue
        ours = (
            (
                int(columns.index_id[page]),
                int(columns.level[page]),
                int(columns.n_recs[page]),
                int(columns.garbage[page]),
            )
            if page < len(columns)
            else None
        )
        yield case.same("page details", f"page {page}", ours, theirs)


def check_tree_counts(case: Case) -> Iterator[Comparison]:
    """MariaDB's innochecksum counts pages and leaves of each B+tree, and the mean records and bytes of its pages;
    freed pages are left out."""
    if not case.oracle.innochecksum.has_tree_counts:
        return
    theirs = innochecksum.parse_tree_counts(case.oracle.innochecksum.summary)
    trees = {i.index_id: i for i in case.survey.user_indexes if i.kind == "btree" and i.index_id is not None}
    for index_id in sorted(theirs.keys() | trees.keys()):
        if index_id == IBUF_INDEX_ID:  # the change buffer is no index of a table
            continue
        levels = trees[index_id].levels if index_id in trees else ()
        live = np.concatenate([np.empty(0, np.int64), *(level.page_nos for level in levels)])
        wanted = theirs.get(index_id)
        reason = explain_tree_counts(case.survey, index_id, live, wanted)
        reason = reason or explain_stored_form(case.survey, wanted is None)
        if case.oracle.is_live_copy:
            reason = "live-copy"
        yield case.same("tree counts", f"index {index_id}", tree_counts(case.survey, live), wanted, reason)


def check_account(case: Case) -> Iterator[Comparison]:
    """Every page of the file is in exactly one class and one state."""
    if case.oracle.file_bytes is None:
        return
    pages = case.oracle.file_bytes // case.survey.page_size
    yield case.same("account", "classes", sum(case.survey.page_classes.values()), pages)
    yield case.same("account", "states", sum(case.survey.page_states.values()), pages)


def check_findings(case: Case) -> Iterator[Comparison]:
    """A healthy file has no findings."""
    reason = "live-copy" if case.oracle.is_live_copy else ""
    yield case.same("findings", "", [f.message for f in case.survey.findings], [], reason)


CHECKS: tuple[Callable[[Case], Iterator[Comparison]], ...] = (
    check_header,
    check_page_headers,
    check_loaded_types,
    check_live_pages,
    check_indexes,
    check_names,
    check_sdi,
    check_segments,
    check_data_free,
    check_row_count,
    check_page_types,
    check_page_details,
    check_tree_counts,
    check_account,
    check_findings,
)


def compare(file: str, survey: Survey, oracle: Oracle) -> list[Comparison]:
    """Every comparison of one file."""
    case = Case(file, survey, oracle)
    return [comparison for check in CHECKS for comparison in check(case)]
