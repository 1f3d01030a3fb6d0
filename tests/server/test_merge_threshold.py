"""MERGE_THRESHOLD in comments: what the server says of each text, and what ibdscan reads of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import ibdscan
from tests.structures.test_merge_threshold import MERGE_COMMENTS

from .conftest import StartServer

pytestmark = pytest.mark.server

KEYS = "(a int primary key, b int, c int, d int, key b (b), key c (c) comment '{}', key d (d) comment 'x')"


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_comments_are_read_as_the_server_reads_them(family: str, start_server: StartServer) -> None:
    """MySQL lets the indexes of a new table inherit the table's value, until it opens the table again."""
    server = start_server(family)
    server.sql("create database live", "use live")
    tables = []
    for i, (text, _) in enumerate(MERGE_COMMENTS):
        server.sql(f"create table i{i} {KEYS.format(text)} comment='MERGE_THRESHOLD=33'")
        server.sql(f"create table t{i} {KEYS.format('MERGE_THRESHOLD=21')} comment='{text}'")
        tables += [f"i{i}", f"t{i}"]
    server.stop(slow=True)
    server.start()
    for table in tables:
        server.query(f"select * from live.{table}")
    view = "information_schema.innodb_" + ("" if server.is_mysql else "sys_")
    said = server.query(
        f"select t.name, i.name, i.merge_threshold from {view}indexes i join {view}tables t using (table_id)"
        " where t.name like 'live/%'"
    )
    server.stop(slow=True)
    found: dict[tuple[str, str | None], int] = {}
    for path in sorted((Path(server.datadir) / "live").glob("*.ibd")):
        with ibdscan.open(path) as space:
            found |= {(str(i.table), i.name): i.merge_threshold for i in space.user_indexes}
    assert found == {(table, index): n for table, index, n in said}
    assert len(found) == 4 * len(tables)
