"""Built files before the judges: innochecksum passes them, and real servers import, check and use them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ibdscan.testing import IndexSpec, build_space
from tests.server.conftest import StartServer
from tests.testing.test_build import RICH

INNOCHECKSUM = shutil.which("innochecksum")
needs_innochecksum = pytest.mark.skipif(INNOCHECKSUM is None, reason="innochecksum is not installed")


def innochecksum(path: Path) -> int:
    assert INNOCHECKSUM is not None
    return subprocess.run([INNOCHECKSUM, str(path)], capture_output=True, check=False).returncode


@needs_innochecksum
@pytest.mark.parametrize("page_size", [4096, 16384, 65536])
@pytest.mark.parametrize(("family", "sdi"), [("mysql", True), ("mysql", False), ("mariadb", False)])
def test_innochecksum_passes(tmp_path: Path, page_size: int, family: str, sdi: bool) -> None:
    built = build_space(RICH, page_size=page_size, family=family, sdi=sdi, free_extents=1)
    path = built.write(tmp_path / "t.ibd")
    assert innochecksum(path) == 0
    data = bytearray(built.data)
    data[built.index("PRIMARY").leaf_pages[0] * page_size + 500] ^= 1
    path.write_bytes(data)
    assert innochecksum(path) != 0


SPECS = {
    "a": IndexSpec("PRIMARY", leaves=200, fill=0.7, order="random", stale=20, garbage=0.05, fanout=40),
    "b": IndexSpec("PRIMARY", fill=0),
    "c": IndexSpec("PRIMARY", leaves=20, fill=0.9, record_bytes=3000, order="interleaved", reserved_extents=1),
}


@pytest.mark.server
@pytest.mark.parametrize(("server_family", "family"), [("mariadb1011", "mariadb"), ("mysql97", "mysql")])
def test_a_server_imports_built_files(start_server: StartServer, server_family: str, family: str) -> None:
    server = start_server(server_family)
    server.sql("create database d")
    for table, spec in SPECS.items():
        n = 8000 if spec.record_bytes > 200 else 255
        server.sql(
            f"create table d.{table} (id int unsigned not null primary key, pad varbinary({n}) not null) "
            "engine=innodb row_format=dynamic",
            f"alter table d.{table} discard tablespace",
        )
        built = build_space([spec], family=family, table=f"d/{table}", free_extents=1)
        built.write(server.datadir / "d" / f"{table}.ibd")
        server.sql(f"alter table d.{table} import tablespace")
        assert server.query(f"check table d.{table} extended")[0][3] == "OK"
        assert server.query(f"select count(*) from d.{table}")[0][0] == built.index("PRIMARY").records
        server.sql(
            f"insert into d.{table} values (4000000, 'x')",
            f"delete from d.{table} where id % 3 = 0",
            f"alter table d.{table} force",
        )
        assert server.query(f"check table d.{table}")[0][3] == "OK"
