"""One page in full: every structure that its type says it holds, field by field, from the layouts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ibdscan.layout import fil, fsp, index, lob, trx
from ibdscan.layout.numbers import TYPE_INSTANT, ExtentState, PageType
from ibdscan.pages.page.fields import FieldValue, Part, read_fields
from ibdscan.pages.page.notes import note_of
from ibdscan.pages.space.tablespace import Tablespace

INDEX_TYPES = (PageType.INDEX, PageType.RTREE, PageType.SDI)
_BLOB_TYPES = (PageType.BLOB, PageType.SDI_BLOB)
_PACKED_TYPES = (PageType.COMPRESSED, PageType.COMPRESSED_AND_ENCRYPTED)
_MYSQL_MAGIC = b"lC", b"PS"
_MARIADB_MAGIC = bytes.fromhex("730e0c524574")
_BITMAP_OFFSET = 94


def is_index_page(value: int, family: str) -> bool:
    """Whether a page of that type has an index header."""
    return value in INDEX_TYPES or (family == "mariadb" and value == TYPE_INSTANT)


def read_parts(space: Tablespace, page_no: int, body: bytes, *, unknown: str = "") -> list[Part]:
    """The structures of a page in the order of their offsets. ``body`` is the page as it is to be read
    (inflated, say). With ``unknown`` (as ``encrypted``) only the FIL header is read."""
    head = _part("FIL header", fil.FIL_HEADER, body, 0, space, page_no)
    parts = [head]
    if unknown:
        rest = Part("body", head.end, len(body) - head.end, note=f"{unknown}: nothing is known of it")
        return [head, rest]
    kind = int.from_bytes(body[24:26], "big")
    parts += _parts_of_type(space, page_no, body, kind)
    if not space.flags.is_zip:
        at = len(body) - fil.FIL_TRAILER_BYTES
        parts.append(_part("FIL trailer", fil.FIL_TRAILER, body, at, space, page_no))
    return sorted(parts, key=lambda part: part.offset)


def _parts_of_type(space: Tablespace, page_no: int, body: bytes, kind: int) -> Iterator[Part]:
    if page_no == 0:  # of type ALLOCATED in files of MySQL before 5.1.7
        yield from _page_zero(space, body)
    elif kind == PageType.XDES:
        yield from _descriptors(space, page_no, body)
    elif kind == PageType.INODE:
        yield from _inodes(space, page_no, body)
    elif is_index_page(kind, space.family):
        yield _part("index header", index.INDEX_HEADER, body, index.INDEX_HEADER_OFFSET, space, page_no)
        yield _segments(space, page_no, body)
    elif kind == PageType.IBUF_BITMAP:
        yield _ibuf_bitmap(space, body)
    elif kind == PageType.TRX_SYS:
        at = len(body) - trx.DOUBLEWRITE_FROM_END
        yield _part("doublewrite header", trx.DOUBLEWRITE, body, at, space, page_no)
    elif kind in _PACKED_TYPES:
        yield _part("page compression", fil.PAGE_COMPRESSION_INFO, body, 26, space, page_no)
    else:
        yield from _off_page(space, page_no, body, kind)


def _off_page(space: Tablespace, page_no: int, body: bytes, kind: int) -> Iterator[Part]:
    at = lob.LOB_HEADER_OFFSET
    if kind in _BLOB_TYPES:
        head = _part("BLOB header", lob.BLOB_HEADER, body, at, space, page_no)
        yield head
        yield _data("BLOB data", head.end, int.from_bytes(body[at : at + 4], "big"), body)
    elif kind == PageType.LOB_FIRST:
        head = _part("LOB first page header", lob.LOB_FIRST, body, at, space, page_no)
        yield head
        yield from _lob_entries(space, page_no, body, lob.LOB_FIRST_ENTRIES_OFFSET, lob.LOB_FIRST_ENTRIES)
        used = lob.LOB_FIRST.parse(body[at:]).data_bytes
        yield _data("LOB data", lob.LOB_FIRST_DATA_OFFSET, used, body)
    elif kind == PageType.LOB_DATA:
        head = _part("LOB data page header", lob.LOB_DATA, body, at, space, page_no)
        yield head
        yield _data("LOB data", head.end, lob.LOB_DATA.parse(body[at:]).data_bytes, body)
    elif kind == PageType.LOB_INDEX:
        first = at + 1  # after the version byte
        room = (len(body) - fil.FIL_TRAILER_BYTES - first) // lob.LOB_INDEX_ENTRY.sizeof()
        yield from _lob_entries(space, page_no, body, first, room)


def _lob_entries(space: Tablespace, page_no: int, body: bytes, first: int, count: int) -> Iterator[Part]:
    size = lob.LOB_INDEX_ENTRY.sizeof()
    for i in range(count):
        at = first + i * size
        if any(body[at + fsp.LIST_NODE.sizeof() : at + size]):
            yield _part(f"LOB index entry {i}", lob.LOB_INDEX_ENTRY, body, at, space, page_no)


def _data(name: str, at: int, size: int, body: bytes) -> Part:
    room = max(0, len(body) - fil.FIL_TRAILER_BYTES - at)
    note = f"the header claims {size} bytes, the page has room for {room}" if size > room else ""
    return Part(name, at, min(size, room), note=note)


def _page_zero(space: Tablespace, body: bytes) -> Iterator[Part]:
    yield _part("FSP header", fsp.FSP_HEADER, body, fsp.FSP_HEADER_OFFSET, space, 0)
    yield from _descriptors(space, 0, body)
    geometry = space.geometry
    if space.family == "mysql":
        at = fsp.xdes_array_end(geometry)
        if body[at : at + 2] in _MYSQL_MAGIC:
            magic = body[at : at + 3].decode("ascii", "replace")
            yield Part("encryption information", at, fsp.MYSQL_ENCRYPTION_BYTES, note=f"magic {magic}; not read")
        if space.flags.sdi:
            yield _part("SDI header", fsp.SDI_HEADER, body, fsp.sdi_header_offset(geometry), space, 0)
            at = fsp.encryption_progress_offset(geometry)
            if any(body[at : at + fsp.ENCRYPTION_PROGRESS.sizeof()]):
                yield _part("encryption progress", fsp.ENCRYPTION_PROGRESS, body, at, space, 0)
    else:
        at = fsp.mariadb_crypt_offset(geometry)
        if body[at : at + 6] == _MARIADB_MAGIC:
            yield Part("encryption information", at, 6 + 2 + 16 + 4 + 4 + 1, note="MariaDB's; not read")


def _descriptors(space: Tablespace, page_no: int, body: bytes) -> Iterator[Part]:
    geometry = space.geometry
    layout = fsp.xdes_entry(geometry)
    for i in range(geometry.xdes_entries):
        at = fsp.XDES_ARRAY_OFFSET + i * geometry.xdes_entry_bytes
        state = int.from_bytes(body[at + 20 : at + 24], "big")
        if state == ExtentState.NOT_INITIALISED:
            continue
        first = page_no + i * geometry.extent_pages
        part = _part(f"XDES entry {i}", layout, body, at, space, page_no)
        yield replace(part, note=f"the extent of pages {first} to {first + geometry.extent_pages - 1}")


def _inodes(space: Tablespace, page_no: int, body: bytes) -> Iterator[Part]:
    yield _part("list node", fsp.LIST_NODE, body, fsp.INODE_LIST_NODE_OFFSET, space, page_no)
    layout = fsp.inode(space.geometry)
    for slot in range(space.geometry.inodes_per_page):
        at = fsp.INODE_ARRAY_OFFSET + slot * space.geometry.inode_bytes
        if any(body[at : at + 8]):
            yield _part(f"inode {slot}", layout, body, at, space, page_no)


def _segments(space: Tablespace, page_no: int, body: bytes) -> Part:
    part = _part("segment headers", index.INDEX_SEGMENTS, body, index.SEG_LEAF_OFFSET, space, page_no)
    is_root = any(body[part.offset : part.end])
    return part if is_root else replace(part, note="not a root: they are kept in the root page only")


def _ibuf_bitmap(space: Tablespace, body: bytes) -> Part:
    size = space.geometry.descriptor_interval // 2  # four bits a page
    end = min(_BITMAP_OFFSET + size, len(body))
    bits = body[_BITMAP_OFFSET:end]
    used = sum((b & 0x0F != 0) + (b & 0xF0 != 0) for b in bits)
    note = f"four bits a page: free-space class, buffered, change buffer; {used} pages have bits set"
    return Part("change buffer bitmap", _BITMAP_OFFSET, len(bits), note=note)


def _part(name: str, layout: Any, body: bytes, at: int, space: Tablespace, page_no: int) -> Part:
    fields = [_noted(f, name, space, page_no, body) for f in read_fields(layout, body, at)]
    return Part(name, at, int(layout.sizeof()), fields)


def _noted(field: FieldValue, part: str, space: Tablespace, page_no: int, body: bytes) -> FieldValue:
    return replace(field, note=note_of(field, part, space, page_no, body))
