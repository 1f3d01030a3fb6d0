"""A real server loads tables, says what it has, and closes; ibdscan must read the same to the last record."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import ibdscan
from ibdscan.api import Space

from . import oracle
from .conftest import StartServer
from .engines import Server

pytestmark = pytest.mark.server

FAMILIES = ("mariadb1011", "mysql97")
DATABASE = "live"
ROWS = 4000
MARIADB_SMALL = 1
"""MariaDB writes n_leaf_pages = 1 for small indexes; its size is right (corpus of real files)."""


def load(server: Server) -> list[str]:
    """Tables of different shapes; returns their names."""
    chooser = random.Random(20261130)
    server.sql(
        f"create database {DATABASE}",
        f"use {DATABASE}",
        "create table ordered (id int primary key, k int, v varchar(300), key k (k)) engine=innodb",
        "create table shuffled (id int primary key, v varchar(300)) engine=innodb row_format=compact",
        "create table deleted (id int primary key, k int, v varchar(300), key k (k)) engine=innodb",
        "create table old_rows (id int primary key, v varchar(300)) engine=innodb row_format=redundant",
        "create table off_page (id int primary key, v longtext) engine=innodb",
        "create table rebuilt (id int primary key, v varchar(300)) engine=innodb",
    )
    order = list(range(ROWS))
    chooser.shuffle(order)
    widths = [chooser.randint(20, 290) for _ in range(ROWS)]
    for table, ids, keyed in (
        ("ordered", range(ROWS), True),
        ("deleted", range(ROWS), True),
        ("shuffled", order, False),
        ("rebuilt", order, False),
        ("old_rows", order[: ROWS // 2], False),
    ):
        values = [
            f"({i},{i * 7919 % ROWS},'{'x' * widths[i]}')" if keyed else f"({i},'{'x' * widths[i]}')" for i in ids
        ]
        for at in range(0, len(values), 500):
            server.sql(f"insert into {table} values {','.join(values[at : at + 500])}")
    server.sql(*(f"insert into off_page values ({i}, repeat('y', {20000 * (i + 1)}))" for i in range(8)))
    server.sql(f"delete from deleted where id < {ROWS // 2} or id % 3 = 0")
    server.query("optimize table rebuilt")
    return ["ordered", "shuffled", "deleted", "old_rows", "off_page", "rebuilt"]


@pytest.mark.parametrize("family", FAMILIES)
def test_survey_equals_the_server(family: str, start_server: StartServer) -> None:
    server = start_server(family)
    tables = load(server)
    oracle.wait_for_purge(server)
    stats = {table: oracle.index_stats(server, DATABASE, table) for table in tables}
    server.stop(slow=True)
    server.start()
    # once started, what the server loads into its buffer pool by walking a table is what is live
    for table in tables:
        oracle.walk_table(server, DATABASE, table)
        facts = oracle.indexes(server, DATABASE, table)
        pages = oracle.buffer_pages(server, DATABASE, table)
        rows = oracle.row_count(server, DATABASE, table)
        free = oracle.data_free(server, DATABASE, table)
        with ibdscan.open(Path(server.datadir) / DATABASE / f"{table}.ibd") as space:
            assert space.findings == []
            check_indexes(space, facts, stats[table], family)
            check_pages(space, pages, facts)
            assert space.indexes[0].clustered
            assert space.indexes[0].leaf.records == rows
            assert space.data_free_bytes == free


def check_indexes(
    space: Space, facts: list[oracle.IndexFacts], stats: dict[str, oracle.IndexStats], family: str
) -> None:
    """Ids, roots, and pages used and reserved by each index."""
    found = {i.index_id: i for i in space.user_indexes}
    assert list(found) == [fact.index_id for fact in facts]
    for fact in facts:
        index = found[fact.index_id]
        assert index.root_page_no == fact.root_page_no
        if family == "mysql97":
            assert index.name == fact.name
        said = stats[fact.name]
        assert index.reserved_pages == said.size
        if family == "mysql97" or said.n_leaf_pages != MARIADB_SMALL:
            assert index.leaf_segment is not None
            # a single-page tree has its only leaf in the top segment
            assert said.n_leaf_pages == (index.leaf_segment.used_pages or 1)


def check_pages(space: Space, pages: list[oracle.PageFacts], facts: list[oracle.IndexFacts]) -> None:
    """Records and data size of every live page, and that just those are live."""
    names = {fact.name for fact in facts}
    said = {p.page_no: (p.n_recs, p.data_size) for p in pages if p.index in names}
    ours: dict[int, tuple[int, int]] = {}
    for index in space.user_indexes:
        for level in index.levels:
            sizes = space.columns.data_bytes(level.page_nos)
            recs = space.columns.n_recs[level.page_nos]
            ours |= {int(no): (int(n), int(size)) for no, n, size in zip(level.page_nos, recs, sizes, strict=True)}
    assert ours == said


@pytest.mark.parametrize("family", FAMILIES)
def test_four_connections_are_told_from_one(family: str, start_server: StartServer) -> None:
    """Ascending rows dealt over four ranges, interleaved in one connection so that the result is the same
    each time: fill hardly moves, the order is lost."""
    server = start_server(family)
    columns = "(id int primary key, v varchar(200)) engine=innodb"
    server.sql(
        f"create database {DATABASE}",
        f"use {DATABASE}",
        f"create table one {columns}",
        f"create table four {columns}",
    )
    step = 200
    for start in range(0, ROWS * 2, step):
        server.sql(_insert("one", range(start, start + step)))
    quarter = ROWS * 2 // 4
    for start in range(0, quarter, step // 4):
        for stream in range(4):
            low = stream * quarter + start
            server.sql(_insert("four", range(low, low + step // 4)))
    server.stop(slow=True)
    folder = Path(server.datadir) / DATABASE
    comparison = ibdscan.compare(folder / "one.ibd", folder / "four.ibd")
    pair = comparison.indexes[0]
    contiguous, fill = pair.row("leaf.contiguous"), pair.row("leaf.fill")
    assert contiguous.a is not None
    assert contiguous.a > 0.95
    assert contiguous.b is not None
    assert contiguous.b < 0.5
    assert fill.a is not None
    assert fill.a > 0.9
    assert fill.b is not None
    assert fill.b > 0.8
    assert any("less in order" in sentence for sentence in comparison.summary)
    ibdscan.testing.assert_order(folder / "one.ibd", min_contiguous=0.95)
    with pytest.raises(AssertionError, match="contiguous"):
        ibdscan.testing.assert_order(folder / "four.ibd", min_contiguous=0.95)


def _insert(table: str, ids: range) -> str:
    return f"insert into {table} values " + ",".join(f"({i},'{'z' * 150}')" for i in ids)
