"""A real nightly backup: mariabackup's stream of a running server, scanned as it goes by."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ibdscan.measures.scan.row import FileRow
from ibdscan.measures.scan.run import scan

from .conftest import StartServer

pytestmark = pytest.mark.server
TABLES = 40
SAME = ("path", "schema", "allocated_bytes", "mtime_ns", "row_format", "file_saved_bytes", "n_without_estimate")
"""Of the file, what a stream does not have; rows of unlike sizes have no estimate there."""


def comparable(row: FileRow) -> dict[str, object]:
    estimates = ("rebuild_leaf_pages", "rebuild_pages", "rebuild_bytes", "saved_bytes")
    left = {k: v for k, v in row._asdict().items() if k not in SAME}
    return {k: v for k, v in left.items() if not row.n_without_estimate or k not in estimates}


def test_a_backup_stream(start_server: StartServer, tmp_path: Path) -> None:
    if shutil.which("mariabackup") is None or shutil.which("mbstream") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("mariabackup is not installed")
    server = start_server("mariadb1011")
    server.sql("create database shop", "use shop")
    for i in range(TABLES):
        name = f"t{i}"
        server.sql(
            f"create table {name} (id int primary key, k int, pad varchar(200), key k (k))",
            f"insert into {name} select seq, crc32(seq) >> 1, repeat('x', 90) from seq_1_to_{1 + i * 97}",
        )
        if i % 5 == 0:
            server.sql(f"delete from {name} where id % 3")
    server.sql(
        "create table packed (id int primary key, pad varchar(200)) page_compressed=1",
        "insert into packed select seq, repeat('y', 150) from seq_1_to_20000",
    )
    server.stop(slow=True)  # all is flushed: the copies are whole
    server.start()
    command = [
        "mariabackup", "--no-defaults", "--backup", "--stream=xbstream", "--parallel=3", "--user=root",
        f"--socket={server.socket}", f"--datadir={server.datadir}", f"--target-dir={tmp_path / 'work'}",
    ]  # fmt: skip
    stream = tmp_path / "nightly.xb"
    with stream.open("wb") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    folder = tmp_path / "copied"
    folder.mkdir()
    with stream.open("rb") as data:
        subprocess.run(["mbstream", "-x", "-C", str(folder)], stdin=data, check=True)
    as_copied = {r.path.removeprefix(f"{folder}/"): r for r in scan(folder, jobs=1)}
    streamed = {r.path.removeprefix(f"{stream}/"): r for r in scan(stream, jobs=1)}
    assert {p for p in streamed if p.startswith("shop/")} >= {f"shop/t{i}.ibd" for i in range(TABLES)}
    assert streamed.keys() == as_copied.keys()
    for path, row in streamed.items():
        file = comparable(as_copied[path])
        assert {k: v for k, v in comparable(row).items() if file[k] != v} == {}, path
    assert sum(r.records for p, r in streamed.items() if p == "shop/packed.ibd") == 20_000
