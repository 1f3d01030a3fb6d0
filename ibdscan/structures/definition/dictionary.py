"""Names from the system tables in ``ibdata1``: SYS_TABLES, SYS_INDEXES, SYS_FIELDS, SYS_COLUMNS (MySQL up to 5.7,
MariaDB; dict0boot.h). Only the pages of these trees are read.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator
from dataclasses import dataclass

from ibdscan.errors import IbdError, UsageError
from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.index import INDEX_HEADER, INDEX_HEADER_OFFSET
from ibdscan.layout.numbers import FIL_NULL, IBUF_INDEX_ID, PageType
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.definition.sdi import IndexName
from ibdscan.structures.rows.redundant import record_fields, record_origins

SYSTEM_FILE = "ibdata1"
PACKED = ("", ".xz", ".gz")
HEADER_PAGE = 7
_ROOTS_OFFSET = 38 + 32
_TREES = {"SYS_TABLES": (0, 1), "SYS_COLUMNS": (2, 2), "SYS_INDEXES": (3, 3), "SYS_FIELDS": (4, 4)}
"""Place of the root in the header (``DICT_HDR_TABLES`` and on), index id (``DICT_TABLES_ID`` and on)."""
_OWN = {
    1: ("SYS_TABLES", "CLUST_IND"),
    2: ("SYS_COLUMNS", "CLUST_IND"),
    3: ("SYS_INDEXES", "CLUST_IND"),
    4: ("SYS_FIELDS", "CLUST_IND"),
    5: ("SYS_TABLES", "ID_IND"),
    IBUF_INDEX_ID: ("SYS_IBUF", "CLUST_IND"),
}
"""Indexes that no table lists."""
_CLUSTERED, _FULLTEXT, _SPATIAL = 1, 32, 64
_UNFINISHED = 0xFF
"""First byte of the name of an index that is being built (``TEMP_INDEX_PREFIX``)."""
_DELETED = 0x20
_MAX_LEVELS = 10


@dataclass(frozen=True)
class DictIndex:
    """A row of SYS_INDEXES with its table's name."""

    index_id: int
    table: str
    name: str
    type: int
    space_id: int
    root_page_no: int
    merge_threshold: int
    fields: tuple[str, ...]

    @property
    def kind(self) -> str:
        return "fulltext" if self.type & _FULLTEXT else "rtree" if self.type & _SPATIAL else "btree"

    def as_name(self) -> IndexName:
        return IndexName(self.table, self.name, bool(self.type & _CLUSTERED), self.kind, self.merge_threshold)


Dictionary = dict[int, list[DictIndex]]
"""Space id -> its indexes."""


def find_system_file(path: str) -> str | None:
    """``ibdata1`` in the folder of the file or the one above it (the data directory), None without one."""
    folder = os.path.dirname(os.path.abspath(path))
    for place in (folder, os.path.dirname(folder)):
        for suffix in PACKED:
            candidate = os.path.join(place, SYSTEM_FILE + suffix)
            if os.path.isfile(candidate):
                return candidate
    return None


def load_dictionary(path: str) -> Dictionary:
    """The indexes by space id, kept for the next file of the same server. Raises IbdError where the file can
    not be read, UsageError where it has no dictionary."""
    try:
        status = os.stat(path)
    except OSError as e:
        raise UsageError(f"can not read the system tablespace: {e.strerror}", path=path) from e
    return _load(path, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=4)
def _load(path: str, _mtime: int, _size: int) -> Dictionary:
    with Source(path) as source:
        return read_dictionary(read_tablespace(source))


def has_dictionary(space: Tablespace) -> bool:
    """Whether it is a system tablespace with the old dictionary (MySQL 8.0+ keeps its own elsewhere)."""
    return space.space_id == 0 and space.n_pages > HEADER_PAGE and _root(space, "SYS_TABLES") is not None


def read_dictionary(space: Tablespace) -> Dictionary:
    """Read the dictionary's trees of an open system tablespace."""
    if not has_dictionary(space):
        raise UsageError(
            "no dictionary in it: it is not the system tablespace of MySQL up to 5.7 or MariaDB", path=space.path
        )
    tables = {_int(f[3]): _text(f[0]) for f in _rows(space, "SYS_TABLES", 10)}
    fields: dict[int, dict[int, str]] = {}
    for f in _rows(space, "SYS_FIELDS", 5):
        fields.setdefault(_int(f[0]), {})[_int(f[1])] = _text(f[4])
    out: Dictionary = {}
    for f in _rows(space, "SYS_INDEXES", 9):
        name = f[4] or b""
        if name[:1] == bytes([_UNFINISHED]) or _int(f[0]) not in tables:
            continue
        threshold = _int(f[9]) if len(f) > 9 and f[9] else 50
        columns = fields.get(_int(f[1]), {})
        entry = DictIndex(
            index_id=_int(f[1]),
            table=tables[_int(f[0])],
            name=_text(name),
            type=_int(f[6]),
            space_id=_int(f[7]),
            root_page_no=_int(f[8]),
            merge_threshold=threshold if 1 <= threshold <= 50 else 50,
            fields=tuple(columns[i] for i in sorted(columns)),
        )
        out.setdefault(entry.space_id, []).append(entry)
    return out


def names_of(
    dictionary: Dictionary, space_id: int, roots: dict[int, int]
) -> tuple[dict[int, IndexName], list[IndexName]]:
    """Names by index id, and the FULLTEXT indexes, for the trees of one file (index id -> root page). An entry
    that names another root is of another server, or of another time, and is not used."""
    entries = dictionary.get(space_id, [])
    names = {e.index_id: e.as_name() for e in entries if roots.get(e.index_id) == e.root_page_no}
    tables = {n.table for n in names.values()}
    fulltext = [e.as_name() for e in entries if e.kind == "fulltext" and e.table in tables]
    if space_id == 0:
        own = {
            i: IndexName(table, name, name == "CLUST_IND", "btree")
            for i, (table, name) in _OWN.items()
            if i in roots
        }
        names = own | names
    return names, fulltext


def _root(space: Tablespace, table: str) -> int | None:
    place, index_id = _TREES[table]
    at = _ROOTS_OFFSET + 4 * place
    root = int.from_bytes(space.read_page(HEADER_PAGE)[at : at + 4], "big")
    page = _index_page(space, root)
    return None if page is None or INDEX_HEADER.parse(page[INDEX_HEADER_OFFSET:]).index_id != index_id else root


def _index_page(space: Tablespace, page_no: int) -> bytes | None:
    if not 0 < page_no < space.n_pages:
        return None
    page = space.read_page(page_no)
    return page if FIL_HEADER.parse(page).type == PageType.INDEX else None


def _rows(space: Tablespace, table: str, n_fields: int) -> Iterator[list[bytes | None]]:
    """Records of the leaves, delete-marked and damaged ones left out; ends on a revisit."""
    page_no = _leftmost(space, _root(space, table))
    seen: set[int] = set()
    while page_no is not None and page_no != FIL_NULL and page_no not in seen:
        seen.add(page_no)
        page = _index_page(space, page_no)
        if page is None:
            return
        for origin in record_origins(page):
            if page[origin - 6] & _DELETED:
                continue
            try:
                fields = record_fields(page, origin)
            except ValueError:
                continue
            if len(fields) >= n_fields:
                yield fields
        page_no = FIL_HEADER.parse(page).next


def _leftmost(space: Tablespace, root: int | None) -> int | None:
    page_no = root
    for _ in range(_MAX_LEVELS):
        page = None if page_no is None else _index_page(space, page_no)
        if page is None:
            return None
        if INDEX_HEADER.parse(page[INDEX_HEADER_OFFSET:]).level == 0:
            return page_no
        origin = next(record_origins(page), None)
        fields = record_fields(page, origin) if origin is not None else []
        page_no = _int(fields[-1]) if fields else None
    return None


def _int(value: bytes | None) -> int:
    return int.from_bytes(value or b"", "big")


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", "backslashreplace")


def dictionary_names(
    space: Tablespace, roots: dict[int, int], system: str | None
) -> tuple[dict[int, IndexName], list[IndexName]]:
    """Names for the trees of ``space`` from its own dictionary, the given system tablespace, or the one beside
    the file. One that was not asked for and can not be read gives no names; one that was raises IbdError."""
    if system is not None:
        return names_of(load_dictionary(system), space.space_id, roots)
    try:
        if has_dictionary(space):
            return names_of(read_dictionary(space), space.space_id, roots)
        beside = find_system_file(space.path) if roots else None
        if beside is None:
            return {}, []
        names, fulltext = names_of(load_dictionary(beside), space.space_id, roots)
    except IbdError:
        return {}, []
    # ids and roots of small servers are alike: only a table of the file's own name is taken
    stem = os.path.basename(space.path).partition(".ibd")[0].casefold()
    names = {i: n for i, n in names.items() if n.table.rpartition("/")[2].casefold() == stem}
    return names, fulltext if names else []
