"""The server tools' words for page types, and what innochecksum prints."""

from __future__ import annotations

import re

from ibdscan.layout.numbers import IBUF_INDEX_ID, TYPE_INSTANT, PageType

_SUMMARY_LINE = re.compile(r"^ *(\d+)\t([A-Z][A-Za-z ]+)$", re.MULTILINE)
_DETAILS = re.compile(r"index id=(\d+), page level=(\d+), No\. of records=(\d+), garbage=(\d+)")
_TREE_LINE = re.compile(r"^(-?\d+)\t\t(\d+)\t\t(\d+)\t\t(\d+)\t\t(\d+)$", re.MULTILINE)
_OTHER = "Other type of page"

_COMMON: dict[int, str] = {
    PageType.ALLOCATED: "Freshly allocated page",
    PageType.UNDO_LOG: "Undo log page",
    PageType.INODE: "Inode page",
    PageType.IBUF_FREE_LIST: "Insert buffer free list page",
    PageType.IBUF_BITMAP: "Insert buffer bitmap",
    PageType.SYS: "System page",
    PageType.TRX_SYS: "Transaction system page",
    PageType.FSP_HDR: "File Space Header",
    PageType.XDES: "Extent descriptor page",
    PageType.BLOB: "BLOB page",
    PageType.ZBLOB: "Compressed BLOB page",
    PageType.INDEX: "Index page",
}
_MYSQL: dict[int, str] = {
    PageType.ZBLOB2: "Subsequent Compressed BLOB page",
    PageType.SDI_BLOB: "SDI BLOB page",
    PageType.SDI_ZBLOB: "Compressed SDI BLOB page",
    PageType.SDI: "SDI Index page",
}
_MARIADB: dict[int, str] = {
    PageType.ZBLOB2: "Compressed BLOB page",
    PageType.PAGE_COMPRESSED: "Page compressed page",
    PageType.PAGE_COMPRESSED_ENCRYPTED: "Page compressed encrypted page",
}
_BUFFER = {
    PageType.FSP_HDR: "FILE_SPACE_HEADER",
    PageType.RTREE: "RTREE_INDEX",
    PageType.SDI: "SDI_INDEX",
    PageType.SYS: "SYSTEM",
    PageType.TRX_SYS: "TRX_SYSTEM",
    PageType.XDES: "EXTENT_DESCRIPTOR",
    PageType.LEGACY_DBLWR: "FIL_PAGE_TYPE_LEGACY_DBLWR",
}


def summary_label(page_type: int, *, mysql: bool) -> str:
    """The line of innochecksum's summary that counts a page of this type."""
    labels = {**_COMMON, **(_MYSQL if mysql else _MARIADB)}
    return labels.get(page_type, _OTHER)


def parse_summary(text: str) -> dict[str, int]:
    """Label -> pages; empty when the tool printed no summary."""
    return {label: int(n) for n, label in _SUMMARY_LINE.findall(text)}


def parse_details(text: str | None) -> tuple[int, int, int, int] | None:
    """(index id, level, records, garbage) of innochecksum's line for one page."""
    found = _DETAILS.search(text or "")
    return (int(found[1]), int(found[2]), int(found[3]), int(found[4])) if found else None


def parse_tree_counts(text: str) -> dict[int, tuple[int, int, int, int]]:
    """Index id -> (pages, leaf pages, mean records, mean bytes of record data a leaf page)."""
    table = text.partition("index_id\t#pages")[2].partition("\n\n")[0]
    found = {}
    for line in _TREE_LINE.finditer(table):
        index_id, pages, leaves, records, size = (int(n) for n in line.groups())
        found[index_id % (1 << 64)] = (pages, leaves, records, size)
    return found


def buffer_type(page_type: int, index_id: int, *, mysql: bool) -> str:
    """PAGE_TYPE of INNODB_BUFFER_PAGE."""
    if page_type == PageType.INDEX and index_id == IBUF_INDEX_ID:
        return "IBUF_INDEX"
    if page_type == TYPE_INSTANT and not mysql:
        return "INDEX"
    try:
        known = PageType(page_type)
    except ValueError:
        return "UNKNOWN"
    return _BUFFER.get(known, known.name)
