"""The manual of the on-disk structures, from the layouts themselves."""

from __future__ import annotations

from typing import Any

from ibdscan.errors import UsageError
from ibdscan.layout.bridge import manual_rows
from ibdscan.layout.catalogue import Entry, catalogue
from ibdscan.layout.geometry import Geometry
from ibdscan.views.table.tables import Column, Table


def manual_entries(page_size: int, name: str | None) -> list[Entry]:
    """The layouts of that name, or all. Raises UsageError for an unknown name."""
    entries = catalogue(Geometry(page_size, page_size))
    chosen = [e for e in entries if name is None or e.name == name.lower()]
    if not chosen:
        raise UsageError(f"no layout {name!r}; there are: {', '.join(e.name for e in entries)}")
    return chosen


def manual_tables(page_size: int, name: str | None = None) -> list[Table]:
    """One table a layout; offsets are those in the page where they are fixed, else from the layout's start."""
    tables = []
    for entry in manual_entries(page_size, name):
        title = f"{entry.name}: {entry.where} ({entry.layout.sizeof()} bytes)"
        columns = [
            Column("layout", "layout"),
            Column("offset", "offset", "count"),
            Column("size", "size", "count"),
            Column("field", "field"),
            Column("meaning", "meaning"),
        ]
        rows: list[list[Any]] = [[entry.name, *row] for row in manual_rows(entry.layout, entry.offset or 0)]
        tables.append(Table(columns, rows, title))
    return tables


def manual_data(page_size: int, name: str | None = None) -> list[dict[str, Any]]:
    """The same as plain objects."""
    return [
        {
            "name": e.name,
            "where": e.where,
            "bytes": int(e.layout.sizeof()),
            "offset": e.offset,
            "fields": [
                {"offset": o, "size": n, "name": f, "meaning": m}
                for o, n, f, m in manual_rows(e.layout, e.offset or 0)
            ],
        }
        for e in manual_entries(page_size, name)
    ]
