"""One page in full: what is to be shown of it, gathered once; as plain objects and as flat rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibdscan.errors import UnreadPageError
from ibdscan.layout.numbers import type_name
from ibdscan.measures.detail.keys import key_reader
from ibdscan.measures.detail.page import PageAccount, account_for_page
from ibdscan.measures.file.survey import Survey
from ibdscan.pages.page.fields import FieldValue, Part
from ibdscan.pages.page.full import is_index_page, read_parts
from ibdscan.pages.page.heap import Heap, HeapRecord, read_heap
from ibdscan.structures.rows.keys import KeyReader
from ibdscan.views.table.tables import Column, Table


@dataclass(frozen=True)
class FullPage:
    """A page with all that is known of it."""

    survey: Survey
    account: PageAccount
    type: str
    body: bytes
    """The page as the server sees it (decrypted, inflated), or as stored where ``unknown`` says why not."""
    unknown: str
    parts: list[Part]
    heap: Heap | None
    """None for pages without readable records."""
    keys: KeyReader | None

    @property
    def page_no(self) -> int:
        return self.account.page_no


def full_page(survey: Survey, page_no: int) -> FullPage:
    """Read one page. Raises IbdError for a page outside the file."""
    account = account_for_page(survey, page_no)
    space = survey.space
    try:
        body, unknown = space.read_page(page_no), ""
    except UnreadPageError as e:  # a key or a codec is missing: the header is still readable
        body, unknown = space.read_raw(page_no), e.message
    kind = int.from_bytes(body[24:26], "big")
    parts = read_parts(space, page_no, body, unknown=unknown)
    readable = not unknown and is_index_page(kind, space.family) and not space.flags.is_zip and page_no != 0
    heap = read_heap(body) if readable else None
    index = account.index if account.level is not None else None
    keys = key_reader(survey, index) if index and heap else None
    name = type_name(kind, space.family, full_crc32=space.flags.full_crc32)
    return FullPage(survey, account, name, body, unknown, parts, heap, keys)


def account_data(account: PageAccount) -> dict[str, Any]:
    """What the file says of the page."""
    owner = account.owner
    return {
        "state": account.state,
        "class": account.page_class,
        "extent_no": account.extent_no,
        "extent_state": account.extent_state,
        "descriptor_page_no": account.descriptor_page_no,
        "descriptor_offset": account.descriptor_offset,
        "is_free": account.is_free,
        "is_clean": account.is_clean,
        "segment_id": owner.segment.segment_id if owner else None,
        "inode_page_no": owner.segment.page_no if owner else None,
        "inode_offset": owner.segment.offset if owner else None,
        "role": owner.role if owner else None,
        "fragment_slot": account.fragment_slot,
        "table": account.index.table if account.index else None,
        "index": account.index.name if account.index else None,
        "index_id": account.index.index_id if account.index else None,
        "level": account.level,
        "rank": account.rank,
    }


def page_data(page: FullPage, *, records: bool, hexdump: bool) -> dict[str, Any]:
    """What ``ibdscan page N --format json`` prints."""
    out: dict[str, Any] = {
        "path": page.survey.path,
        "page_no": page.page_no,
        "type": page.type,
        "unknown": page.unknown or None,
        "account": account_data(page.account),
        "parts": [
            {
                "name": part.name,
                "offset": part.offset,
                "size": part.size,
                "note": part.note or None,
                "fields": [_field_data(f) for f in part.fields],
            }
            for part in page.parts
        ],
    }
    if records:
        heap = page.heap
        out["records"] = [record_data(page, r) for r in heap.records] if heap else None
        out["free_records"] = [record_data(page, r) for r in heap.free] if heap else None
        out["directory"] = (
            [{"slot": s.slot, "offset": s.offset, "record": s.record, "n_owned": s.n_owned} for s in heap.slots]
            if heap
            else None
        )
        out["problems"] = heap.problems if heap else []
    if hexdump:
        out["hex"] = page.body.hex()
    return out


def _field_data(field: FieldValue) -> dict[str, Any]:
    return {
        "offset": field.offset,
        "size": field.size,
        "bytes": field.raw.hex(),
        "name": field.name,
        "value": field.value,
        "note": field.note or None,
        "meaning": field.meaning,
    }


def record_data(page: FullPage, record: HeapRecord) -> dict[str, Any]:
    """One record: its header, and its key columns where their types are known."""
    return {
        "offset": record.origin,
        "heap_no": record.heap_no,
        "status": record.status_name,
        "flags": record.flags,
        "n_owned": record.n_owned,
        "n_fields": record.n_fields,
        "next": record.next or None,
        "key": record_key(page, record),
    }


def record_key(page: FullPage, record: HeapRecord) -> dict[str, Any] | None:
    """The leading key columns by name, as far as they can be decoded."""
    heap = page.heap
    if heap is None or page.keys is None or record.origin < heap.heap_start:
        return None
    return page.keys.read(page.body, record.origin, compact=heap.is_compact)


FIELD_COLUMNS = (
    Column("part", "part"),
    Column("offset", "offset", right=True),
    Column("size", "size", right=True),
    Column("bytes", "bytes"),
    Column("name", "field"),
    Column("value", "value", right=True),
    Column("note", "note"),
    Column("meaning", "meaning"),
)


def field_table(page: FullPage) -> Table:
    """All fields of the page as flat rows; a part without fields has one row."""
    table = Table(FIELD_COLUMNS)
    for part in page.parts:
        for f in part.fields:
            value = " ".join(map(str, f.value)) if isinstance(f.value, list) else f.value
            table.add(part.name, f.offset, f.size, f.raw.hex(), f.name, value, f.note or None, f.meaning)
        if not part.fields:
            table.add(part.name, part.offset, part.size, None, None, None, part.note or None, None)
    return table


RECORD_COLUMNS = (
    Column("offset", "offset", right=True),
    Column("heap_no", "heap no", right=True),
    Column("status", "status"),
    Column("flags", "flags"),
    Column("n_owned", "owned", right=True),
    Column("next", "next", right=True),
    Column("key", "key"),
)


def record_table(page: FullPage, records: list[HeapRecord], title: str) -> Table:
    """Records as rows, in the order given."""
    table = Table(RECORD_COLUMNS, title=title)
    for record in records:
        key = record_key(page, record)
        words = ", ".join(f"{name}={value}" for name, value in key.items()) if key else None
        status = record.status_name or f"{record.n_fields} fields"
        flags = " ".join(record.flags) or None
        table.add(record.origin, record.heap_no, status, flags, record.n_owned, record.next or None, words)
    return table
