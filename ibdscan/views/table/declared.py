"""The columns of each command's table, declared once: key, title, unit, meaning.

Text, CSV, JSON lines and Parquet have them from here, and so have ``--help`` and the docs. Imports nothing heavy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ibdscan.measures.file.metrics import FILE_METRICS, INDEX_METRICS
from ibdscan.views.table.tables import Column


def _number(key: str, title: str, meaning: str) -> Column:
    """A number that names something: not summed, without separators."""
    return Column(key, title, right=True, meaning=meaning)


def _word(key: str, meaning: str) -> Column:
    return Column(key, key, meaning=meaning)


_SEGMENT = _number("segment_id", "segment", "the segment that owns it (FSEG_ID)")
_TABLE = _word("table", "table of that index; not in text where the file has one table")
_INDEX = _word("index", "the index that owns it: of its tree, off-page, or reserved by one of its segments")
_ROLE = _word("role", "what the segment is for: leaf, top, undo log, rollback segment, doublewrite, ...")
_STATE = _word(
    "state",
    "live: the extent descriptor says that it is in use; stale: freed, an old header is still there; free: "
    "nothing in it; unused: at or above the free limit; unknown: the descriptor could not be read",
)
_TYPE = _word("type", "the type in its header (FIL_PAGE_TYPE), of a freed page the old one")
_CLASS = _word("class", "its place in the account of the file (docs/measures.md)")

INFO_COLUMNS = (
    _word("path", "the file, as it was named"),
    _word("family", "mysql or mariadb"),
    _word("server_version", "of MySQL 8.0 and later, which writes it into page 0"),
    _word("space_id", "number of the tablespace"),
    _word("page_size", "bytes of a page in the file"),
    *(Column(m.key, m.key, meaning=m.meaning) for m in FILE_METRICS),
    _word("table", "schema/table"),
    _word("name", "name of the index"),
    _word("index_id", "number of the index"),
    _word("kind", "btree, rtree, fulltext or sdi"),
    _word("clustered", "whether it holds the rows"),
    _word("root_page_no", "page of its root"),
    *(Column(m.key, m.key, meaning=m.meaning) for m in INDEX_METRICS),
)
SEGMENT_COLUMNS = (
    _number("segment_id", "segment", "number of the segment (FSEG_ID)"),
    _number("inode_page_no", "INODE\npage", "page that its inode lies in"),
    _number("inode_slot", "slot", "its place among the inodes of that page"),
    _TABLE,
    _INDEX,
    _ROLE,
    Column("used_pages", "used", "pages", meaning="pages in use"),
    Column("reserved_pages", "reserved", "pages", meaning="pages of its extents, and its fragment pages"),
    Column("fill", "used/\nreserved", "ratio", meaning="used / reserved pages"),
    Column("free_extents", "free\nextents", "count", meaning="extents of which no page is used"),
    Column("not_full_extents", "not full\nextents", "count", meaning="extents of which some pages are used"),
    Column("full_extents", "full\nextents", "count", meaning="extents of which all pages are used"),
    Column("fragment_pages", "fragment\npages", "count", meaning="single pages in shared extents, at most 32"),
    _number("first_page_no", "first\npage", "the lowest page that it uses"),
)
EXTENT_COLUMNS = (
    _number("extent_no", "extent", "number of the extent"),
    _number("page_no", "page", "its first page"),
    _word("state", "state in its descriptor: free, free_frag, full_frag, fseg, ... (XDES_STATE)"),
    _SEGMENT,
    _TABLE,
    _INDEX,
    _ROLE,
    Column("used_pages", "used", "count", meaning="pages in use by its bitmap"),
    Column("stale_pages", "stale", "count", meaning="pages freed, an old header is still there"),
    Column("bitmap", "pages", meaning="a character a page: # in use, o stale, . free, ? not known"),
)
LIST_COLUMNS = (
    _word("list", "name of the list: FSP_FREE, FSEG_NOT_FULL, ..."),
    _SEGMENT,
    _INDEX,
    _ROLE,
    _number("base_page_no", "base page", "page of its base node"),
    _number("base_offset", "offset", "where in that page"),
    Column("length", "length", "count", meaning="length in the base node (FLST_LEN)"),
    Column(
        "extents",
        "extents, or INODE pages, in list order",
        meaning="numbers of the extents on it, or of INODE pages, in list order",
    ),
    _word("problem", "why the list could not be followed to its end"),
)
REGION_COLUMNS = (
    _number("start", "start", "first page of the run"),
    _number("end", "end", "last page of the run"),
    Column("count", "pages", "count", meaning="pages of the run"),
    _TYPE,
    _STATE,
    _CLASS,
    _TABLE,
    _INDEX,
)
PAGE_COLUMNS = (
    _number("page_no", "page", "number of the page, counted in pages of the file"),
    _TYPE,
    _STATE,
    _CLASS,
    _TABLE,
    _INDEX,
    _number("index_id", "index id", "number of that index; not in text"),
    _SEGMENT,
    _number("level", "level", "of live index pages, as all figures of content; 0 is a leaf"),
    Column("records", "records", "count", meaning="user records (PAGE_N_RECS)"),
    Column("data_bytes", "data", "count", meaning="bytes of records"),
    Column("garbage_bytes", "garbage", "count", meaning="bytes of deleted records, reusable (PAGE_GARBAGE)"),
    Column("fill", "fill", "ratio", meaning="data bytes / what an empty page holds"),
    _number("lsn", "LSN", "of its last change (FIL_PAGE_LSN)"),
    _number("prev", "prev", "the page before it on its level, none at the end (FIL_PAGE_PREV)"),
    _number("next", "next", "the page after it on its level, none at the end (FIL_PAGE_NEXT)"),
    _number("rank", "rank", "place of a leaf along its chain, from 0"),
)
COLUMNS: Mapping[str, Sequence[Column]] = {
    "info": INFO_COLUMNS,
    "segments": SEGMENT_COLUMNS,
    "extents": EXTENT_COLUMNS,
    "lists": LIST_COLUMNS,
    "regions": REGION_COLUMNS,
    "pages": PAGE_COLUMNS,
}
"""By command."""
