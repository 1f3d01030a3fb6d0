"""The SDI index of a built tablespace: one table, one tablespace document (dd/impl/sdi.cc)."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any

from ibdscan.layout.index import SDI_RECORD
from ibdscan.testing.records import Record

_SMALL_LENGTH = 127


def sdi_records(
    table: str, indexes: Iterable[tuple[str, int, int]], *, space_id: int, version: int
) -> list[Record]:
    """Records of the SDI index. ``table`` is ``schema/name``; an index is name, id and root page."""
    schema, _, name = table.rpartition("/")
    head = {"mysqld_version_id": version, "dd_version": 90200, "sdi_version": 80019}
    dd_indexes: list[dict[str, Any]] = [
        {
            "name": index,
            "hidden": False,
            "ordinal_position": i,
            "type": 1 if i == 1 else 3,
            "se_private_data": f"id={index_id};root={root};space_id={space_id};table_id=1000;trx_id=1;",
            "engine": "InnoDB",
            "elements": [],
        }
        for i, (index, index_id, root) in enumerate(indexes, start=1)
    ]
    body = {
        "name": name, "schema_ref": schema, "engine": "InnoDB", "se_private_id": 1000, "row_format": 2,
        "columns": [], "indexes": dd_indexes, "partitions": [],
    }  # fmt: skip
    space = {"name": table, "engine": "InnoDB", "se_private_data": f"id={space_id};server_version={version};"}
    return [
        _record(1, 1000, head | {"dd_object_type": "Table", "dd_object": body}),
        _record(2, space_id, head | {"dd_object_type": "Tablespace", "dd_object": space}),
    ]


def _record(kind: int, object_id: int, document: dict[str, Any]) -> Record:
    text = json.dumps(document, ensure_ascii=False).encode()
    packed = zlib.compress(text)
    fields = {
        "type": kind, "id": object_id, "trx_id": bytes(5) + b"\x01", "roll_ptr": b"\x80" + bytes(6),
        "uncompressed_bytes": len(text), "compressed_bytes": len(packed),
    }  # fmt: skip
    n = len(packed)
    before = bytes([n]) if n <= _SMALL_LENGTH else bytes([n & 0xFF, 0x80 | n >> 8])
    return Record(before, SDI_RECORD.build(fields) + packed)
