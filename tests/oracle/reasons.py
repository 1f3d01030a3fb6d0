"""Accepted differences: when one is accepted, and why. Each rule looks at the evidence, none at a file's name."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageState
from tests.corpus import OracleIndex, OracleTable
from tests.oracle.records import Uncounted, count_uncounted

REASONS = {
    "mariadb-n-leaf-pages": (
        "MariaDB counts the leaf pages of an index only when it samples it: where the tree is one page, or 20"
        " (`innodb_stats_persistent_sample_pages`) x the columns that make an entry unique exceed its leaf "
        "pages, it reads the whole index and leaves `n_leaf_pages` at 1. Accepted only by that rule; `size` "
        "is compared as for any other index, and innochecksum's own count of leaf pages too."
    ),
    "delete-marked": (
        "COUNT(*) leaves out delete-marked records, PAGE_N_RECS counts them until they are purged. Accepted "
        "when the records with the delete mark, counted one by one, are exactly the difference."
    ),
    "instant-metadata": (
        "After an instant ALTER, MariaDB keeps one hidden metadata record in front of the first row of the "
        "clustered index. Accepted when that record is found and the difference is 1."
    ),
    "system-versioning": (
        "COUNT(*) of a system-versioned table (MariaDB) counts the current rows, its index holds the history "
        "as well. Accepted when the table is declared so and the server's own TABLE_ROWS equals our count."
    ),
    "mariadb-memory-flags": (
        "INNODB_SYS_TABLESPACES.FLAG of MariaDB adds flags that are kept in memory only (bits 25 and up: DATA"
        " DIRECTORY and others). Accepted when the lower bits, those of the file, are equal."
    ),
    "dictionary-trees": (
        "INNODB_SYS_INDEXES does not list the indexes of the dictionary's own tables (SYS_TABLES, "
        "SYS_COLUMNS, SYS_INDEXES, SYS_FIELDS). Accepted for indexes 1 to 5 of the system tablespace when the"
        " dictionary header (page 7) names the same root."
    ),
    "doublewrite-copies": (
        "MariaDB's innochecksum counts the copies in the doublewrite area of the system tablespace as pages "
        "of their indexes (MDEV-37138). Accepted when the copies there, counted one by one, are exactly the "
        "difference."
    ),
    "innochecksum-instant-root": (
        "After an instant ALTER, MariaDB gives the root of the clustered index the page type 18, and "
        "innochecksum's count of B+tree pages leaves it out. Accepted when our counts without that page are "
        "equal."
    ),
    "stored-form": (
        "innochecksum does not decrypt or inflate: it counts page-compressed and encrypted pages by the type that "
        "is stored, and leaves them out of its B+trees. Accepted only in files that have such pages, when the "
        "file's pages are the same in number, or the index is not there at all."
    ),
    "visited-upper-levels": (
        "CHECK TABLE of MariaDB 10.5 and 11.8 does not always load the upper levels of a tree. Accepted when all "
        "pages that it walked are ours and those that it left out are not leaves."
    ),
    "corpus-path": (
        "The SDI holds the absolute path of a table with DATA DIRECTORY; in the corpus's copy of ibd2sdi's "
        "output the beginning of that path was replaced by `$ENGINES`. Accepted when all else is equal."
    ),
    "clustered-unknown": (
        "The system tablespace of MariaDB holds several tables and no SDI: nothing in the file says which "
        "index is clustered. ibdscan takes the lowest id and says that it is not certain "
        "(`clustered_is_certain`)."
    ),
    "live-copy": (
        "Copied while the server was writing: pages not yet flushed are missing or old. ibdscan must report "
        "that, and does."
    ),
    "freed-at-shutdown": (
        "Undo tablespaces and mysql.ibd change whenever the server runs: the kept file is of the shutdown "
        "after the server was asked, and purge freed these pages in between. Accepted when the file changed "
        "while the server was asked and every one of these pages is stale: free by its extent's bit, its old "
        "header still there."
    ),
}

N_SAMPLE_PAGES = 20
"""Default of innodb_stats_persistent_sample_pages, which the corpus uses."""
_DICTIONARY_HEADER, _DICTIONARY_ROOTS = 7, 38 + 32
_MEMORY_FLAGS_FROM_BIT = 25


def explain_n_leaf_pages(
    survey: Survey, ours: Index | None, theirs: OracleIndex, clustered: OracleIndex | None
) -> str:
    """The rule of dict_stats_analyze_index of MariaDB."""
    if survey.space.family != "mariadb" or theirs.n_leaf_pages != 1 or ours is None or ours.leaf_segment is None:
        return ""
    unique = bool(theirs.type & 2) or theirs.clustered
    n_uniq = theirs.n_fields + (0 if unique or clustered is None else max(1, clustered.n_fields))
    is_small = ours.height == 1 or N_SAMPLE_PAGES * max(1, n_uniq) > ours.leaf_segment.used_pages
    return "mariadb-n-leaf-pages" if is_small else ""


def explain_row_count(survey: Survey, index: Index | None, table: OracleTable) -> str:
    if index is None or not index.has_leaf or table.row_count is None:
        return ""
    more = index.leaf.records - table.row_count
    found = Uncounted()
    for page_no in index.leaf.page_nos:
        count_uncounted(survey.space.read_page(int(page_no)), found)
    if more == found.delete_marked + found.metadata:
        return "delete-marked" if found.delete_marked else "instant-metadata"
    versioned = "WITH SYSTEM VERSIONING" in table.create_table
    return "system-versioning" if versioned and index.leaf.records == table.table_rows else ""


def explain_stored_form(survey: Survey, same_total: bool) -> str:
    """innochecksum on pages that are not stored as the server sees them."""
    forms = survey.columns.forms
    return "stored-form" if same_total and (forms.packed_pages or forms.encrypted_pages) else ""


def explain_unvisited(survey: Survey, index: Index | None, visited: frozenset[int]) -> str:
    """Pages of a tree that the server did not walk."""
    if survey.space.family != "mariadb" or index is None:
        return ""
    ours = {int(p) for level in index.levels for p in level.page_nos}
    leaves = {int(p) for p in index.leaf.page_nos}
    return "visited-upper-levels" if visited <= ours and not (ours - visited) & leaves else ""


def explain_visited(survey: Survey, dead: list[int], unchanged: bool) -> str:
    """Pages that the server walked and that are not live in the file."""
    is_stale = all(p < survey.n_pages and survey.state[p] == PageState.STALE for p in dead)
    return "freed-at-shutdown" if is_stale and not unchanged else ""


def explain_flags(ours: int, theirs: int) -> str:
    return "mariadb-memory-flags" if ours == theirs & ((1 << _MEMORY_FLAGS_FROM_BIT) - 1) else ""


def explain_root(survey: Survey, index_id: int, root: int | None) -> str:
    """Roots by the dictionary header: SYS_TABLES, its ID_IND, SYS_COLUMNS, SYS_INDEXES, SYS_FIELDS."""
    if survey.space.space_id != 0 or index_id not in _DICTIONARY_ORDER:
        return ""
    page = survey.space.read_page(_DICTIONARY_HEADER)
    at = _DICTIONARY_ROOTS + 4 * _DICTIONARY_ORDER.index(index_id)
    return "dictionary-trees" if int.from_bytes(page[at : at + 4], "big") == root else ""


_DICTIONARY_ORDER = (1, 5, 2, 3, 4)
"""Index ids in the order of the header: TABLES, TABLE_IDS, COLUMNS, INDEXES, FIELDS (dict0boot.h)."""


TreeCounts = tuple[int, int, int, int]
"""Pages, leaf pages, mean records and mean bytes of record data a page."""


def tree_counts(survey: Survey, pages: npt.NDArray[np.int64]) -> TreeCounts | None:
    """As innochecksum counts them; None without pages."""
    n = len(pages)
    if not n:
        return None
    columns = survey.columns
    leaves = int((columns.level[pages] == 0).sum())
    return n, leaves, int(columns.n_recs[pages].sum()) // n, int(columns.data_bytes(pages).sum()) // n


def explain_tree_counts(
    survey: Survey, index_id: int, live: npt.NDArray[np.int64], theirs: TreeCounts | None
) -> str:
    """``live`` are the index's pages. Its copies in the doublewrite area are counted, a root of type 18 is not."""
    columns = survey.columns
    if columns.doublewrite is not None:
        copies = columns.doublewrite & (columns.type == _INDEX_TYPE) & (columns.index_id == np.uint64(index_id))
        together = np.concatenate((live, np.flatnonzero(copies)))
        return "doublewrite-copies" if copies.any() and tree_counts(survey, together) == theirs else ""
    of_type_index = live[columns.type[live] == _INDEX_TYPE]
    return "innochecksum-instant-root" if tree_counts(survey, of_type_index) == theirs else ""


def explain_sdi(ours: Any, theirs: Any) -> str:
    """The same but for the beginning of one path."""
    told, wanted = (json.dumps(d, sort_keys=True) for d in (ours, theirs))
    before, mark, after = wanted.partition(_CORPUS_MARK)
    return "corpus-path" if mark and told.startswith(before + "/") and told.endswith(after) else ""


_CORPUS_MARK = "$ENGINES"


_INDEX_TYPE = 17855
