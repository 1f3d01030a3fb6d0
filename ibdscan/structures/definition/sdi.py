"""Serialized dictionary information of MySQL 8.0+: table and index names (ibd2sdi.cc)."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from construct import ConstructError

from ibdscan.errors import UnreadPageError
from ibdscan.layout.bridge import reader_of
from ibdscan.layout.fil import FIL_HEADER_BYTES
from ibdscan.layout.index import INFIMUM_COMPACT, SDI_RECORD, SUPREMUM_COMPACT
from ibdscan.layout.lob import BLOB_HEADER, EXTERN_REF
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.decode.inflate import InflateError
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings

_DELETED = 0x20
_EXTERN = 0x40
_TWO_BYTES = 0x80
_MAX_DOCUMENT = 1 << 30
_MAX_ID_DIGITS = 20
_RECORD_BYTES = SDI_RECORD.sizeof()


@dataclass(frozen=True)
class SdiObject:
    """One SDI record: ``type`` 1 table, 2 tablespace; ``text`` is its JSON as stored."""

    type: int
    id: int
    text: bytes

    @cached_property
    def document(self) -> dict[str, Any]:
        """The parsed JSON. Raises ValueError where it is none, or not an object."""
        document = json.loads(self.text)
        if not isinstance(document, dict):
            raise ValueError("the document is not an object")
        return document


@dataclass(frozen=True)
class IndexName:
    """What the dictionary says of one index."""

    table: str
    name: str
    clustered: bool
    kind: str
    """``btree``, ``rtree`` or ``fulltext``."""
    merge_threshold: int = 50
    """MERGE_THRESHOLD, in percent of the page."""


def read_sdi(
    space: Tablespace, leaves: npt.NDArray[np.int64], findings: Findings, *, check_only: bool = False
) -> list[SdiObject]:
    """The SDI records on the given leaf pages of the SDI index, in their order. A record that can not be
    read is a finding. ``check_only``: they are inflated, which checks their sums, and not parsed yet."""
    out = []
    for page_no in leaves:
        try:
            body = leaf_image(space, int(page_no))
        except (UnreadPageError, InflateError) as e:
            findings.add("sdi-page", f"a page of the SDI can not be read: {e}", int(page_no))
            continue
        for origin in record_origins(body):
            try:
                out.append(_read_record(space, body, origin, check_only))
            except (ValueError, IndexError, zlib.error, RecursionError, ConstructError, UnreadPageError) as e:
                why = str(e).splitlines()[-1] if str(e) else type(e).__name__
                findings.add("sdi-record", f"an SDI record can not be read: {why}", int(page_no), origin)
    return out


def leaf_image(space: Tablespace, page_no: int) -> bytes:
    """A page of the SDI index, of ROW_FORMAT=COMPRESSED inflated. Raises UnreadPageError or InflateError."""
    body = space.read_page(page_no)
    if not space.flags.is_zip:
        return body
    from ibdscan.pages.page.zip_page import inflate_zip_page

    return inflate_zip_page(body, space.geometry).image


def record_origins(body: bytes) -> Iterator[int]:
    """Origins of the user records of a compact page, by their NEXT offsets; ends on a revisit."""
    origin = INFIMUM_COMPACT
    seen = set()
    while True:
        step = int.from_bytes(body[origin - 2 : origin], "big")
        origin = (origin + step) % 65536
        if origin in seen or not SUPREMUM_COMPACT < origin < len(body) - 33:
            return
        seen.add(origin)
        if not body[origin - 5] & _DELETED:
            yield origin


def _read_record(space: Tablespace, body: bytes, origin: int, check_only: bool = False) -> SdiObject:
    record = reader_of(SDI_RECORD)(body, origin)
    if record.uncompressed_bytes > _MAX_DOCUMENT:
        raise ValueError(f"claims a document of {record.uncompressed_bytes} bytes")
    start = origin + _RECORD_BYTES
    length_byte = body[origin - 6]
    if length_byte & _TWO_BYTES and length_byte & _EXTERN:
        local = (length_byte & 0x3F) << 8 | body[origin - 7]
        prefix = local - EXTERN_REF.sizeof()
        if prefix < 0:
            raise ValueError("too short for an off-page reference")
        ref = EXTERN_REF.parse(body[start + prefix : start + local])
        data = body[start : start + prefix] + _read_blob(space, ref.page_no, record.compressed_bytes)
    else:
        data = body[start : start + record.compressed_bytes]
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(data[: record.compressed_bytes], record.uncompressed_bytes + 1)
    found = SdiObject(record.type, record.id, text)
    if not (check_only and unpacker.eof):
        _ = found.document
    return found


def _read_blob(space: Tablespace, page_no: int, n: int) -> bytes:
    """Parts of an old-style BLOB chain (SDI_BLOB pages), at most ``n`` bytes; of a compressed one (SDI_ZBLOB)
    the pages hold one zlib stream and link to each other in the FIL header."""
    parts: list[bytes] = []
    got, seen = 0, set()
    while page_no != FIL_NULL and got < n:
        if page_no in seen or page_no >= space.n_pages:
            raise ValueError(f"its off-page chain leads to page {page_no}")
        seen.add(page_no)
        body = space.read_page(page_no)
        if space.flags.is_zip:
            parts.append(body[FIL_HEADER_BYTES:])
            page_no = int.from_bytes(body[12:16], "big")
            continue
        head = BLOB_HEADER.parse(body[FIL_HEADER_BYTES:])
        start = FIL_HEADER_BYTES + BLOB_HEADER.sizeof()
        parts.append(body[start : start + head.part_bytes])
        got += len(parts[-1])
        page_no = head.next_page_no
    data = b"".join(parts)
    return zlib.decompressobj().decompress(data, n) if space.flags.is_zip else data


_INDEX_TYPES = {4: "fulltext", 5: "rtree"}
"""``dd::Index::enum_index_type``: 1 PRIMARY, 2 UNIQUE, 3 MULTIPLE, 4 FULLTEXT, 5 SPATIAL."""


def index_names(objects: list[SdiObject]) -> tuple[dict[int, IndexName], list[IndexName]]:
    """Names by index id, and the FULLTEXT indexes, which have no tree in this file.

    ``se_private_data`` of each dd index (and of each partition's index) holds ``id=N;root=M``.
    """
    names: dict[int, IndexName] = {}
    fulltext: list[IndexName] = []
    for entry in objects:
        table = entry.document.get("dd_object")
        if entry.type != 1 or not isinstance(table, dict):
            continue
        full_name = _text(f"{table.get('schema_ref', '')}/{table.get('name', '')}")
        indexes = _objects(table.get("indexes"))
        for position, index in enumerate(indexes):
            threshold = _merge_threshold(index, table)
            found = IndexName(full_name, _index_name(index), position == 0, _kind(index), threshold)
            index_id = _private(index)
            if found.kind == "fulltext":
                fulltext.append(found)
            elif index_id is not None:
                names[index_id] = found
        for partition in _partitions(table):
            _name_partition(partition, full_name, table, indexes, names)
    return names, fulltext


_AUTOEXTEND = re.compile(rb'"options": ?"[^"]*autoextend_size=([0-9]{1,19})')
_INSTANT = re.compile(rb'"se_private_data": ?"[^"]*(?:version_added|version_dropped|instant_col)=')


def autoextend_bytes(objects: Iterable[SdiObject]) -> int:
    """AUTOEXTEND_SIZE of the tablespace, bytes; 0 where none is set. By the text, which spares a scan of many
    files the parsing."""
    sizes = [int(found[1]) for entry in objects if entry.type == 2 and (found := _AUTOEXTEND.search(entry.text))]
    return max(sizes, default=0)


def has_instant_columns(objects: list[SdiObject], index_id: int) -> bool:
    """Whether columns of the table of that index were added or dropped instantly since it was last rebuilt: its
    rows are of several shapes, and a rebuild writes them in one (``dd_table_has_instant_cols``)."""
    own = b"id=%d;" % index_id
    return any(entry.type == 1 and own in entry.text and _INSTANT.search(entry.text) for entry in objects)


def index_places(objects: list[SdiObject]) -> dict[int, tuple[int, int]]:
    """Index id -> space id and root page of the indexes of partitions."""
    out = {}
    for entry in objects:
        table = entry.document.get("dd_object")
        for partition in _partitions(table) if isinstance(table, dict) else ():
            for index in _objects(partition.get("indexes")):
                index_id, space_id, root = (_private(index, name) for name in ("id", "space_id", "root"))
                if index_id is not None and space_id is not None and root is not None:
                    out[index_id] = space_id, root
    return out


def _merge_threshold(index: dict[str, Any], table: dict[str, Any]) -> int:
    """From the index's comment if it has one, else the table's (``innobase_parse_hint_from_comment``)."""
    return parse_merge_threshold(str(index.get("comment") or table.get("comment") or ""))


def parse_merge_threshold(comment: str) -> int:
    """As the server reads it: the number after the first label by C's ``atoi``, if it is 1 to 50; else 50."""
    found = _MERGE_THRESHOLD.search(comment)
    number = int(found[1] or 0) if found else 0
    number = max(-_LONG, min(_LONG - 1, number)) & 0xFFFFFFFF  # strtol's long, cut to an int
    return number if 1 <= number <= DEFAULT_MERGE_THRESHOLD else DEFAULT_MERGE_THRESHOLD


DEFAULT_MERGE_THRESHOLD = 50
_MERGE_THRESHOLD = re.compile(r"MERGE_THRESHOLD=[ \t\n\v\f\r]*([-+]?[0-9]{1,1024})?")
_LONG = 1 << 63


def _kind(index: dict[str, Any]) -> str:
    number = index.get("type")
    return _INDEX_TYPES.get(number, "btree") if isinstance(number, int) else "btree"


def _index_name(index: dict[str, Any]) -> str:
    """The SDI calls the clustered index of a table without a key PRIMARY, and hidden; InnoDB has another name."""
    name = _text(index.get("name"))
    return "GEN_CLUST_INDEX" if name == "PRIMARY" and index.get("hidden") is True else name


def _name_partition(
    partition: dict[str, Any],
    full_name: str,
    table: dict[str, Any],
    indexes: list[dict[str, Any]],
    names: dict[int, IndexName],
) -> None:
    part_name = _text(f"{full_name}#p#{partition.get('name')}")
    for entry in _objects(partition.get("indexes")):
        index_id, position = _private(entry), entry.get("index_opx")
        if index_id is None or not isinstance(position, int) or not 0 <= position < len(indexes):
            continue
        index = indexes[position]
        threshold = _merge_threshold(index, table)
        names[index_id] = IndexName(part_name, _index_name(index), position == 0, _kind(index), threshold)


def _partitions(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for partition in _objects(table.get("partitions")):
        yield partition
        for sub in _objects(partition.get("subpartitions")):
            yield {**sub, "name": f"{partition.get('name')}#sp#{sub.get('name')}"}


def _objects(value: Any) -> list[dict[str, Any]]:
    """The objects of a JSON list; nothing where the document is not as the server writes it."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    """A name as text that can be printed: lone surrogates, which JSON can hold, become question marks."""
    return str(value).encode("utf-8", "replace").decode()


def _private(entry: dict[str, Any], name: str = "id") -> int | None:
    """A number in ``se_private_data``: ``id=N;root=M;...``."""
    pairs = (item.partition("=") for item in str(entry.get("se_private_data") or "").split(";"))
    number = {key: value for key, _, value in pairs}.get(name, "")
    return int(number) if number.isdecimal() and len(number) <= _MAX_ID_DIGITS else None
