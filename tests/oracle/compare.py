"""A survey against its oracle, check by check.

Every function of ``CHECKS`` yields one comparison for each thing compared. Nothing is skipped here because it would
differ: what the oracle has is compared, and an accepted difference carries the key of its reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from ibdscan.layout.numbers import PageType
from ibdscan.measures.index import Index
from ibdscan.measures.survey import Survey
from ibdscan.structures.states import PageState
from tests.corpus import Oracle, OracleIndex
from tests.oracle import innochecksum
from tests.oracle.verdict import Comparison

INDEX_TYPES = ("INDEX", "RTREE_INDEX", "SDI_INDEX")
FULLTEXT = 32


class Case:
    """One file under comparison, and what the checks share."""

    def __init__(self, file: str, survey: Survey, oracle: Oracle) -> None:
        self.file = file
        self.survey = survey
        self.oracle = oracle
        self.is_mysql = survey.space.family == "mysql"
        self._by_id = {i.index_id: i for i in survey.indexes if i.index_id is not None}

    def same(self, check: str, where: str, ours: object, theirs: object, reason: str = "") -> Comparison:
        return Comparison(check, self.file, where, ours, theirs, reason if ours != theirs else "")

    def ours(self, index: OracleIndex) -> Index | None:
        """Our index of the same id; for a partition of MySQL, whose ids were not asked, of the same name."""
        if index.index_id is not None:
            return self._by_id.get(index.index_id)
        named = [i for i in self.survey.indexes if (i.table, i.name) == (index.table, index.name)]
        return named[0] if len(named) == 1 else None

    def trees(self) -> list[OracleIndex]:
        """Indexes of the oracle that have a tree."""
        return [i for i in self.oracle.indexes if not i.is_fulltext]

    def live_pages(self, index: Index | None) -> frozenset[int]:
        if index is None:
            return frozenset()
        return frozenset(int(p) for level in index.levels for p in level.page_nos)


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
    yield case.same("header", "FLAG", space.flags.raw, row["FLAG"], flags_reason(space.flags.raw, row["FLAG"]))
    zipped = row.get("ZIP_PAGE_SIZE") or 0
    physical = zipped if zipped and zipped < row["PAGE_SIZE"] else row["PAGE_SIZE"]
    yield case.same("header", "PAGE_SIZE", space.geometry.physical, physical)
    if row.get("SERVER_VERSION"):
        yield case.same("header", "SERVER_VERSION", space.server_version, row["SERVER_VERSION"])


def flags_reason(ours: int, theirs: int) -> str:
    return ""


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
        ours = innochecksum.buffer_type(int(columns.type[page])) if page < len(columns) else None
        yield case.same("type of page", f"page {page}", ours, kind)


def check_live_pages(case: Case) -> Iterator[Comparison]:
    """Live pages of each index against the pages that the server walked; nothing of another index was."""
    if not case.oracle.visited:
        return
    known = set()
    for index in case.trees():
        known.add(index.visited_name)
        walked = case.oracle.visited.get(index.visited_name, frozenset())
        live = case.live_pages(case.ours(index))
        yield case.same("live pages", name_of(index), sorted(live), sorted(walked))
    state = case.survey.state
    for name, pages in case.oracle.visited.items():
        dead = sorted(p for p in pages if p >= len(state) or state[p] != PageState.LIVE)
        yield case.same("visited is live", name, dead, [])


def check_indexes(case: Case) -> Iterator[Comparison]:
    """The same indexes with the same roots, no more and no fewer; the same names where the file has them."""
    theirs = {(i.index_id, i.root_page_no) for i in case.trees() if i.index_id is not None}
    if not theirs:
        return
    ours = {(i.index_id, i.root_page_no) for i in case.survey.user_indexes if i.kind != "fulltext"}
    for pair in sorted(ours | theirs):
        where = f"index {pair[0]}"
        yield case.same("root", where, pair if pair in ours else None, pair if pair in theirs else None)


def check_names(case: Case) -> Iterator[Comparison]:
    """Names of tables and indexes, and which index is clustered, where the file has an SDI."""
    if not case.survey.sdi:
        return
    for index in case.oracle.indexes:
        if index.is_fulltext:
            names = [(i.table, i.name) for i in case.survey.indexes if i.kind == "fulltext"]
            table = f"{index.schema}/{index.table_name}"
            yield case.same("names", name_of(index), (table, index.name) in names, True)
            continue
        ours = case.ours(index)
        told = (ours.table, ours.name) if ours else None
        yield case.same("names", name_of(index), told, (f"{index.schema}/{index.table_name}", index.name))
        if index.index_id is not None:
            yield case.same("clustered", name_of(index), ours and ours.clustered, index.clustered)


def check_segments(case: Case) -> Iterator[Comparison]:
    """Used and reserved pages against n_leaf_pages and size of innodb_index_stats."""
    for index in case.trees():
        ours = case.ours(index)
        if index.n_leaf_pages is not None:
            used = ours.leaf_segment.used_pages if ours and ours.leaf_segment else None
            # a tree of one page has nothing in its leaf segment; the server says 1
            used = max(1, used) if used is not None else None
            yield case.same("n_leaf_pages", name_of(index), used, index.n_leaf_pages)
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
        yield case.same("row count", table.full_name, ours, table.row_count)


def check_page_types(case: Case) -> Iterator[Comparison]:
    """Pages by type against innochecksum's summary, which counts every page of the file, live or not."""
    theirs = innochecksum.parse_summary(case.oracle.innochecksum.summary)
    if not theirs:
        return
    ours: Counter[str] = Counter()
    types, counts = np.unique(case.survey.columns.type, return_counts=True)
    for kind, n in zip(types, counts, strict=True):
        ours[innochecksum.summary_label(int(kind), mysql=case.is_mysql)] += int(n)
    for label in sorted(set(theirs) | set(ours)):
        yield case.same("page types", label, ours.get(label, 0), theirs.get(label, 0))


def check_page_details(case: Case) -> Iterator[Comparison]:
    """innochecksum's line for every index page: index id, level, records, garbage."""
    columns = case.survey.columns
    for page, _, details in case.oracle.innochecksum.page_types:
        theirs = innochecksum.parse_details(details)
        if theirs is None:
            continue
        ours = (
            (int(columns.index_id[page]), int(columns.level[page]), int(columns.n_recs[page]), int(columns.garbage[page]))
            if page < len(columns)
            else None
        )
        yield case.same("page details", f"page {page}", ours, theirs)


def check_findings(case: Case) -> Iterator[Comparison]:
    """A healthy file has no findings."""
    yield case.same("findings", "", [str(f.message) for f in case.survey.findings], [])


CHECKS: tuple[Callable[[Case], Iterator[Comparison]], ...] = (
    check_header,
    check_page_headers,
    check_loaded_types,
    check_live_pages,
    check_indexes,
    check_names,
    check_segments,
    check_data_free,
    check_row_count,
    check_page_types,
    check_page_details,
    check_findings,
)


def compare(file: str, survey: Survey, oracle: Oracle) -> list[Comparison]:
    """Every comparison of one file."""
    case = Case(file, survey, oracle)
    return [comparison for check in CHECKS for comparison in check(case)]
