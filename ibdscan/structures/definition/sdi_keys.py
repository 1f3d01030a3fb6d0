"""Key columns of MySQL 8.0's indexes by the table's definition in the SDI (dd0dd.cc, sql_table.cc)."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from ibdscan.structures.definition.sdi import SdiObject
from ibdscan.structures.rows.charsets import BINARY, charset_of
from ibdscan.structures.rows.key_values import BIT, ENUM, SET, ColumnType
from ibdscan.structures.rows.keys import ROW_ID, KeyColumn, KeyReader, key_column

_TABLE = 1
_TO_FIELD_TYPE = {number: number - 1 for number in range(1, 21)} | dict(
    zip(range(21, 32), range(246, 256), strict=False)
)
"""``dd::enum_column_types`` (dd/types/column.h) -> ``enum_field_types``."""
_BTREE_TYPES = (1, 2, 3)
_VERSIONED = ("version_added", "version_dropped", "default", "instant_col")


def sdi_key_reader(objects: list[SdiObject], index_id: int | None) -> KeyReader | None:
    """The reader for an index of one of the tables, None where the SDI does not describe it."""
    for entry in objects:
        table = entry.document.get("dd_object")
        if entry.type != _TABLE or not isinstance(table, dict):
            continue
        indexes = table.get("indexes") or []
        for index in indexes:
            if _is_of(index, index_id):
                return _reader(table, index)
        for partition in table.get("partitions") or []:
            for part in (partition, *(partition.get("subpartitions") or [])):
                for index in part.get("indexes") or []:
                    if _is_of(index, index_id):
                        return _reader(table, indexes[index["index_opx"]])
    return None


def _is_of(index: dict[str, Any], index_id: int | None) -> bool:
    return f";id={index_id};" in f";{index.get('se_private_data')};"


def _reader(table: dict[str, Any], index: dict[str, Any]) -> KeyReader | None:
    columns = table.get("columns") or []
    elements = [e for e in index.get("elements") or [] if isinstance(e.get("column_opx"), int)]
    if any(e["column_opx"] >= len(columns) for e in elements) or index.get("type") not in _BTREE_TYPES:
        return None
    is_clustered = (table.get("indexes") or [None])[0] is index
    keys = [e for e in elements if not e.get("hidden")] or elements[:1]
    if not is_clustered:  # its hidden elements are the columns of the clustered key
        keys = elements
    found = tuple(_column(columns[e["column_opx"]], e) for e in keys)
    return KeyReader(found, _n_nullable(table, elements, columns))


def _n_nullable(
    table: dict[str, Any], elements: list[dict[str, Any]], columns: list[dict[str, Any]]
) -> int | None:
    private = " ".join(str(c.get("se_private_data") or "") for c in columns) + str(table.get("se_private_data"))
    if any(mark in private for mark in _VERSIONED):
        return None
    return sum(bool(columns[e["column_opx"]].get("is_nullable")) for e in elements)


def _column(column: dict[str, Any], element: dict[str, Any]) -> KeyColumn:
    if column.get("name") == ROW_ID.name:
        return ROW_ID
    prefix = element.get("length")
    return key_column(column_type(column), prefix if isinstance(prefix, int) else None)


def column_type(column: dict[str, Any]) -> ColumnType:
    """A column of the SDI. Without a type that is known it has one that is not decoded."""
    kind = _TO_FIELD_TYPE.get(column.get("type") or 0, 0)
    collation = int(column.get("collation_id") or BINARY)
    octets = int(column.get("char_length") or 0)
    precision = int(column.get("numeric_precision") or 0)
    return ColumnType(
        name=str(column.get("name")),
        type=kind,
        nullable=bool(column.get("is_nullable")),
        octets=precision if kind == BIT else octets,
        collation=collation,
        unsigned=bool(column.get("is_unsigned")),
        precision=precision,
        scale=int(column.get("datetime_precision") or column.get("numeric_scale") or 0),
        labels=_labels(column, collation) if kind in (ENUM, SET) else (),
    )


def _labels(column: dict[str, Any], collation: int) -> tuple[str, ...]:
    """The SDI has them in the column's character set, in base64."""
    charset = charset_of(collation)
    out = []
    for element in column.get("elements") or []:
        try:
            raw = base64.b64decode(str(element.get("name")))
        except binascii.Error:
            out.append("?")
            continue
        out.append(charset.text(raw) if charset else "0x" + raw.hex())
    return tuple(out)
