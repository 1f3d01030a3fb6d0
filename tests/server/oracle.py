"""Ask a running server what it thinks of one table.

What to know before comparing: `buffer_pages` shows only pages in the buffer pool.  A server that has just
started and then checked the table (`walk_table`) has exactly the live pages of its indexes in there;
`load_pages` brings in every page of the file, stale ones too.  `n_leaf_pages` is the used pages of the leaf
*segment* (LOB pages are in it), and MariaDB writes 1 for small indexes.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path

from .engines import EngineError, Server

SCHEMA = "information_schema"


@dataclass(frozen=True)
class IndexFacts:
    """A row of INNODB_INDEXES / INNODB_SYS_INDEXES."""

    name: str
    index_id: int
    root_page_no: int


@dataclass(frozen=True)
class IndexStats:
    """What mysql.innodb_index_stats says, in pages."""

    n_leaf_pages: int
    size: int


@dataclass(frozen=True)
class PageFacts:
    """A row of INNODB_BUFFER_PAGE."""

    page_no: int
    page_type: str
    index: str | None
    n_recs: int
    data_size: int


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def qualified(database: str, table: str) -> str:
    return f"{quoted(database)}.{quoted(table)}"


def history_length(server: Server) -> int:
    """Undo log records that purge has not yet dealt with."""
    if server.is_mysql and server.family != "mysql55":
        sql = f"select count from {SCHEMA}.innodb_metrics where name='trx_rseg_history_len'"
        return int(server.query(sql)[0][0])
    found = re.search(r"History list length (\d+)", server.query("show engine innodb status")[0][2])
    if found is None:
        raise EngineError("no history list length in SHOW ENGINE INNODB STATUS")
    return int(found.group(1))


def wait_for_purge(server: Server, timeout: float = 120) -> None:
    """Return when the history list is empty: every deleted row is gone, every empty page freed."""
    if not server.is_mysql:
        server.sql("set global innodb_max_purge_lag_wait=0")
    until = time.monotonic() + timeout
    while history_length(server):
        if time.monotonic() > until:
            raise EngineError(f"purge left {history_length(server)} records after {timeout:.0f} s")
        time.sleep(0.2)


def table_and_space_id(server: Server, database: str, table: str) -> tuple[int, int]:
    """The server's ids.  A name that needs encoding is found as the only table of its database."""
    source = f"{SCHEMA}.{'innodb_tables' if server.is_mysql else 'innodb_sys_tables'}"
    sql = f"select name, table_id, space from {source} where name like '%%/%%' and substring_index(name,'/',1)=%s"
    rows = server.query(sql, database)
    exact = [row for row in rows if row[0] == f"{database}/{table}"]
    if not exact and len(rows) == 1:
        exact = rows
    if not exact:
        raise EngineError(f"{server.family} knows no table {database}/{table}")
    return int(exact[0][1]), int(exact[0][2])


def indexes(server: Server, database: str, table: str) -> list[IndexFacts]:
    """Names, ids and root pages, in the order of their ids."""
    table_id, _ = table_and_space_id(server, database, table)
    source = f"{SCHEMA}.{'innodb_indexes' if server.is_mysql else 'innodb_sys_indexes'}"
    sql = f"select name, index_id, page_no from {source} where table_id=%s order by index_id"
    return [IndexFacts(str(n), int(i), int(p)) for n, i, p in server.query(sql, table_id)]


def index_stats(server: Server, database: str, table: str) -> dict[str, IndexStats]:
    """ANALYZE TABLE, then pages per index as the persistent statistics have them."""
    server.query(f"analyze table {qualified(database, table)}")
    sql = (
        "select index_name, stat_name, stat_value from mysql.innodb_index_stats"
        " where database_name=%s and table_name=%s and stat_name in ('n_leaf_pages','size')"
    )
    values: dict[str, dict[str, int]] = {}
    for index, stat, value in server.query(sql, database, table):
        values.setdefault(index, {})[stat] = int(value)
    return {index: IndexStats(v["n_leaf_pages"], v["size"]) for index, v in values.items()}


def row_count(server: Server, database: str, table: str) -> int:
    return int(server.query(f"select count(*) from {qualified(database, table)}")[0][0])


def data_free(server: Server, database: str, table: str) -> int:
    """DATA_FREE in bytes, now (MySQL would otherwise answer from a cache)."""
    if server.is_mysql and server.family != "mysql55":
        server.sql("set information_schema_stats_expiry=0")
    sql = f"select data_free from {SCHEMA}.tables where table_schema=%s and table_name=%s"
    return int(server.query(sql, database, table)[0][0])


def create_table(server: Server, database: str, table: str) -> str:
    return str(server.query(f"show create table {qualified(database, table)}")[0][1])


def walk_table(server: Server, database: str, table: str) -> None:
    """Have the server visit every page of every index; an error it finds raises.

    MariaDB's CHECK TABLE does not read every page above the leaves; one lookup per distinct key does.
    """
    name = qualified(database, table)
    for row in server.query(f"check table {name}" + ("" if server.is_mysql else " extended")):
        if row[2] == "error" or (row[2] == "status" and row[3] != "OK"):
            raise EngineError(f"check table {name}: {row[3]}")
    if server.is_mysql:
        return
    keys: dict[str, list[str]] = {}
    sql = (
        f"select index_name, column_name from {SCHEMA}.statistics where table_schema=%s and table_name=%s"
        " and index_type='BTREE' order by index_name, seq_in_index"
    )
    for index, column in server.query(sql, database, table):
        keys.setdefault(index, []).append(quoted(column))
    for index, columns in keys.items():
        same = " and ".join(f"b.{c}=a.{c}" for c in columns)
        distinct = f"select distinct {','.join(columns)} from {name}"
        joined = f"({distinct}) a straight_join {name} b force index ({quoted(index)}) on {same}"
        server.query(f"select count(*) from {joined}")


def load_pages(server: Server, database: str, table: str, n_pages: int, timeout: float = 60) -> None:
    """Bring every page of the table's file into the buffer pool, live or not."""
    _, space_id = table_and_space_id(server, database, table)
    wanted = Path(server.datadir) / "ib_buffer_pool"
    wanted.write_text("".join(f"{space_id},{page_no}\n" for page_no in range(n_pages)))
    server.sql("set global innodb_buffer_pool_load_now=ON")
    until = time.monotonic() + timeout
    while "completed" not in server.query("show status like 'Innodb_buffer_pool_load_status'")[0][1]:
        if time.monotonic() > until:
            raise EngineError("the buffer pool load did not complete")
        time.sleep(0.1)


def buffer_pages(server: Server, database: str, table: str) -> list[PageFacts]:
    """The table's pages that are in the buffer pool, by page number."""
    _, space_id = table_and_space_id(server, database, table)
    sql = (
        "select page_number, page_type, index_name, number_records, data_size"
        f" from {SCHEMA}.innodb_buffer_page"
        " where space=%s and page_type is not null and page_state='FILE_PAGE' order by page_number"
    )
    return [
        PageFacts(int(no), str(kind), (index or "").replace("`", "") or None, int(recs), int(size))
        for no, kind, index, recs, size in server.query(sql, space_id)
    ]
