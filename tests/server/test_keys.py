"""Keys in the pages against SELECT ... ORDER BY of the same rows, for each type, row format and server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ibdscan
from ibdscan.api import Space
from ibdscan.views.data.page import full_page, record_key

from .conftest import StartServer
from .engines import Row, Server
from .key_tables import COLUMNS, TEXTS, Column, rows, shapes

pytestmark = pytest.mark.server

ROWS = 300
FORMATS = ("dynamic", "compact", "redundant")
Asked = dict[tuple[str, str], tuple[list[str], list[Row]]]


def keys_of(space: Space, index: str, level: int) -> list[dict[str, Any] | None]:
    """The keys of all records of a level, in their order."""
    found = space.index(index)
    out: list[dict[str, Any] | None] = []
    for page_no in (found.leaf.chain if level == 0 else found.levels[-1 - level].page_nos).tolist():
        page = full_page(space, page_no)
        assert page.heap is not None
        out += [record_key(page, r) for r in page.heap.user_records]
    return out


def as_said(value: Any) -> str | None:
    return None if value is None else str(value).removesuffix(".0")


def load_types(server: Server, asked: Asked) -> None:
    """Tables with one secondary key a column: all NOT NULL, or a fifth NULL."""
    for kind, columns in (("n", COLUMNS), ("t", TEXTS)):
        for nulls in (0.0, 0.2):
            lines = rows(columns, ROWS, nulls)
            for row_format in FORMATS:
                table = f"{kind}{int(nulls * 10)}_{row_format}"
                defined = ",".join(
                    f"{c.name} {c.type} {'null' if nulls else 'not null'}, key k_{c.name} ({c.part})"
                    for c in columns
                )
                server.sql(
                    f"create table {table} (id int primary key, {defined}) row_format={row_format}",
                    f"insert into {table} values {','.join(lines)}",
                )
                for c in columns:
                    ask(server, asked, table, f"k_{c.name}", [c.name, "id"], [c.asked, "id"], f"{_order(c)}, id")


def _order(column: Column) -> str:
    return column.name if column.prefix is None else f"left({column.name},{column.prefix})"


def load_shapes(server: Server, asked: Asked) -> None:
    no_pad = "utf8mb4_0900_ai_ci" if server.is_mysql else "utf8mb4_nopad_bin"
    for row_format in FORMATS:
        for shape in shapes(no_pad):
            server.sql(
                f"create table {shape.name} ({shape.columns}) row_format={row_format}",
                *[shape.insert(i) for i in range(ROWS)],
            )
            table = f"{shape.name}_{row_format}"
            for index, (names, said, order) in shape.indexes.items():
                ask(server, asked, shape.name, index, names.split(), said.split(","), order)
                asked[table, index] = asked.pop((shape.name, index))
            server.sql(f"rename table {shape.name} to {table}")


def ask(
    server: Server, asked: Asked, table: str, index: str, names: list[str], said: list[str], order: str
) -> None:
    found = server.query(f"select {','.join(said)} from {table} order by {order}")
    asked[table, index] = names, [tuple(as_said(v) for v in row) for row in found]


def differences(space: Space, index: str, names: list[str], said: list[Row]) -> list[str]:
    """Keys of the leaves, and node pointers, that are not what the server selects."""
    keys = keys_of(space, index, 0)
    out = [f"{index}: {k} for {row}" for k, row in zip(keys, said, strict=True) if not _is(k, names, row)]
    leaves = [k for k in keys if k]
    for level in range(1, len(space.index(index).levels)):
        pointers = keys_of(space, index, level)
        out += [f"{index}: node pointer {k}" for k in pointers[1:] if k is None or not _begins(k, leaves)]
    return out


def _is(key: dict[str, Any] | None, names: list[str], row: Row) -> bool:
    """A row id is in no row: it only must be there."""
    found = {} if key is None else key
    return list(found) == names and tuple(as_said(v) for n, v in found.items() if n != "DB_ROW_ID") == row


def _begins(pointer: dict[str, Any], leaves: list[dict[str, Any]]) -> bool:
    """A node pointer of a unique key has its own columns only."""
    return any(all(leaf.get(n) == v for n, v in pointer.items()) for leaf in leaves)


@pytest.mark.parametrize("family", ["mysql97"])
def test_keys_are_what_the_server_selects(family: str, start_server: StartServer) -> None:
    server = start_server(family, innodb_page_size="8k", innodb_strict_mode=False)
    server.sql(
        "set time_zone='+00:00'", "set sql_mode='no_engine_substitution'", "create database live", "use live"
    )
    asked: Asked = {}
    load_types(server, asked)
    load_shapes(server, asked)
    server.stop(slow=True)
    wrong = []
    for (table, index), (names, said) in asked.items():
        with ibdscan.open(Path(server.datadir) / "live" / f"{table}.ibd") as space:
            wrong += [f"{table} {text}" for text in differences(space, index, names, said)]
    assert not wrong
    assert len(asked) == 2 * 3 * (len(COLUMNS) + len(TEXTS)) + 3 * 14
