"""The definition of the tables in a file, from the SDI: as ibd2sdi prints it, and as a summary for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ibdscan.measures.file.survey import Survey
from ibdscan.structures.definition.sdi import SdiObject
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.text.head import head_lines

_TABLE = 1
_ROW_FORMATS = {1: "fixed", 2: "dynamic", 3: "compressed", 4: "redundant", 5: "compact", 6: "paged"}
"""``dd::Table::enum_row_format``."""
_TEXT_TYPES = frozenset((16, 25, 26, 27, 28, 29))
"""``dd::enum_column_types``: VARCHAR, the BLOB and TEXT types, CHAR."""
_INDEX_KINDS = {1: "primary", 2: "unique", 3: "", 4: "fulltext", 5: "spatial"}


def sdi_data(survey: Survey) -> list[Any]:
    """What ibd2sdi prints: its name, then one object a record, keys in the document's order."""
    records = [{"type": o.type, "id": o.id, "object": o.document} for o in survey.sdi]
    return ["ibd2sdi", *records]


def sdi_text(survey: Survey, style: Style) -> str:
    """Tables, columns and indexes for people; a file without SDI says so."""
    lines = [*head_lines(survey, style), ""]
    tables = [t for o in survey.sdi if (t := _table_of(o)) is not None]
    if not survey.sdi:
        lines.append("the file has no SDI: MySQL 8.0 and later write it, MariaDB and MySQL up to 5.7 do not")
    elif not tables:
        lines.append("the SDI describes no table")
    for table in tables:
        lines += _table_lines(table, style)
    return "\n".join(lines).rstrip("\n") + "\n"


def _table_of(entry: SdiObject) -> dict[str, Any] | None:
    table = entry.document.get("dd_object")
    return table if entry.type == _TABLE and isinstance(table, dict) else None


def _table_lines(table: dict[str, Any], style: Style) -> Iterator[str]:
    name = printable(f"{table.get('schema_ref')}/{table.get('name')}")
    row_format = _ROW_FORMATS.get(table.get("row_format") or 0, str(table.get("row_format")))
    columns = _dicts(table.get("columns"))
    yield style.bold(f"table {name}") + f": engine {table.get('engine')}, row format {row_format}"
    yield style.table(_columns(columns))
    yield style.table(_indexes(_dicts(table.get("indexes")), columns))
    partitions = _dicts(table.get("partitions"))
    if partitions:
        yield f"{len(partitions)} partitions: {printable(', '.join(str(p.get('name')) for p in partitions))}"
    keys = _dicts(table.get("foreign_keys"))
    if keys:
        yield f"{len(keys)} foreign keys: {printable(', '.join(str(k.get('name')) for k in keys))}"


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _columns(columns: list[dict[str, Any]]) -> Table:
    table = Table([Column("column", "column"), Column("type", "type"), Column("null", "null"), Column("more", "")])
    for column in columns:
        more = []
        if column.get("is_auto_increment"):
            more.append("auto_increment")
        if column.get("is_virtual"):
            more.append("virtual")
        if column.get("hidden") not in (None, 1):  # dd::Column::enum_hidden_type: 1 = visible
            more.append("hidden")
        null = "null" if column.get("is_nullable") else "not null"
        kind = column.get("column_type_utf8") or None
        table.add(str(column.get("name")), kind, null, ", ".join(more) or " ")
    return table


def _indexes(indexes: list[dict[str, Any]], columns: list[dict[str, Any]]) -> Table:
    table = Table([Column("index", "index"), Column("kind", "kind"), Column("columns", "columns")])
    for index in indexes:
        parts = []
        for element in _dicts(index.get("elements")):
            position = element.get("column_opx")
            if element.get("hidden") or not isinstance(position, int) or not 0 <= position < len(columns):
                continue
            descending = " desc" if element.get("order") == 3 else ""
            parts.append(_element(columns[position], element) + descending)
        kind = _INDEX_KINDS.get(index.get("type") or 0, str(index.get("type")))
        hidden = "hidden" if index.get("hidden") else ""
        table.add(str(index.get("name")), " ".join(filter(None, (kind, hidden))) or " ", ", ".join(parts) or None)
    return table


def _element(column: dict[str, Any], element: dict[str, Any]) -> str:
    """A key part; the length of a prefix in bytes."""
    length, whole = element.get("length"), column.get("char_length")
    is_text = column.get("type") in _TEXT_TYPES
    is_prefix = is_text and isinstance(length, int) and isinstance(whole, int) and 0 < length < whole
    return f"{column.get('name')}({length} bytes)" if is_prefix else str(column.get("name"))
