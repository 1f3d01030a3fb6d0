"""A server starts, makes a table, answers and stops; a failed start says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from . import oracle
from .conftest import StartServer
from .engines import EngineError

pytestmark = pytest.mark.server

FAMILIES = ("mariadb1011", "mysql97")
VERSIONS = {"mariadb1011": "10.11.", "mysql97": "9.7."}
PAGE_BYTES = 16384


def file_pages(path: Path) -> int:
    return path.stat().st_size // PAGE_BYTES


@pytest.mark.parametrize("family", FAMILIES)
def test_server_answers_and_stops(family: str, start_server: StartServer) -> None:
    server = start_server(family)
    assert str(server.query("select version()")[0][0]).startswith(VERSIONS[family])
    server.sql(
        "create database d",
        "create table d.t (id int primary key, v varchar(20), key v (v)) engine=innodb",
        "insert into d.t values (1,'a'),(2,'b'),(3,'c')",
        "delete from d.t where id=2",
    )
    oracle.wait_for_purge(server)
    server.stop(slow=True)
    assert not server.running
    n_pages = file_pages(server.datadir / "d" / "t.ibd")

    server.start()
    assert oracle.row_count(server, "d", "t") == 2
    oracle.walk_table(server, "d", "t")
    facts = {index.name: index for index in oracle.indexes(server, "d", "t")}
    assert list(facts) == ["PRIMARY", "v"]
    pages = {page.index: page for page in oracle.buffer_pages(server, "d", "t") if page.index}
    assert {name: page.page_no for name, page in pages.items()} == {n: i.root_page_no for n, i in facts.items()}
    assert [page.n_recs for page in pages.values()] == [2, 2]
    assert {stats.size for stats in oracle.index_stats(server, "d", "t").values()} == {1}
    assert oracle.data_free(server, "d", "t") == 0
    oracle.load_pages(server, "d", "t", n_pages)
    assert [page.page_no for page in oracle.buffer_pages(server, "d", "t")][:3] == [0, 1, 2]
    server.kill()
    assert not server.running


@pytest.mark.parametrize("family", FAMILIES)
def test_failed_start_says_why(family: str, start_server: StartServer) -> None:
    with pytest.raises(EngineError, match=r"no.such.variable"):
        start_server(family, no_such_variable=1)
