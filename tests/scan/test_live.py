"""A directory in which a server makes, drops, truncates and fills tables while it is scanned, again and again."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest

from ibdscan.measures.scan.row import FileRow
from ibdscan.measures.scan.run import scan
from tests.server.conftest import start_server  # noqa: F401 - a fixture
from tests.server.engines import Server

SECONDS = float(os.environ.get("IBDSCAN_LIVE_SECONDS", "10"))
ALLOWED = {"ok", "vanished", "cut-short", "not-a-tablespace"}
"""A table that is being made may have an empty file, or one whose first page was not yet written."""


def churn(server: Server, stop: threading.Event, errors: list[BaseException]) -> None:
    """Make, fill, truncate and drop tables until told to stop."""
    try:
        connection = server.connect("d")
        with connection.cursor() as cursor:
            i = 0
            while not stop.is_set():
                name = f"churn{i % 20}"
                cursor.execute(f"drop table if exists {name}")
                cursor.execute(
                    f"create table {name} (id int primary key auto_increment, v varchar(500)) engine=innodb"
                )
                cursor.execute(f"insert into {name} (v) select repeat('x', 400) from seq_1_to_2000")
                if i % 2:
                    cursor.execute(f"truncate table {name}")
                i += 1
        connection.close()
    except BaseException as e:
        errors.append(e)


@pytest.mark.server
def test_scanning_while_a_server_works(start_server: Callable[..., Server]) -> None:  # noqa: F811
    server = start_server("mariadb1011", innodb_flush_method="fsync")
    server.sql("create database d", "create database still")
    server.sql(
        "use still",
        "create table fixed (id int primary key auto_increment, u char(36), v varchar(300), key (u))",
        "insert into fixed (u, v) select uuid(), repeat('y', 200) from seq_1_to_20000",
        "flush tables fixed for export",
    )
    fixed = str(server.datadir / "still" / "fixed.ibd")
    (expected,) = scan(fixed, jobs=1)
    assert (expected.status, expected.records, expected.n_findings) == ("ok", 40000, 0)
    stop, errors = threading.Event(), list[BaseException]()
    worker = threading.Thread(target=churn, args=(server, stop, errors))
    worker.start()
    rounds, statuses = 0, set[str]()
    try:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until and not errors:
            rows = list(scan(server.datadir, jobs=1 + rounds % 2))
            statuses |= {row.status for row in rows}
            assert statuses <= ALLOWED, [row for row in rows if row.status not in ALLOWED]
            (row,) = [row for row in rows if row.path == fixed]
            assert _timeless(row) == _timeless(expected)
            rounds += 1
    finally:
        stop.set()
        worker.join(60)
    assert not errors
    assert rounds >= 2
    server.sql("unlock tables")


def _timeless(row: FileRow) -> FileRow:
    return row._replace(mtime_ns=0)
