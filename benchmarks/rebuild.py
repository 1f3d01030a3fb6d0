"""Rebuild estimates against real rebuilds: what ibdscan says before, what the server has made after.

    python -m benchmarks.rebuild [--family mysql97|mariadb1011]... [--rows N]

Starts servers of its own (see ``tests.server.engines``), makes each table, surveys its file, rebuilds it with
``ALTER TABLE ... FORCE`` and surveys it again. Leaf pages, all pages of both segments, and reserved pages are
compared.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import ibdscan
from tests.server import oracle
from tests.server.engines import Server

FAMILIES = ("mysql97", "mariadb1011")
JUDGED_LEAVES = 100
"""Indexes with fewer leaves after the rebuild are shown, not judged."""
TOLERANCE = 0.03


@dataclass(frozen=True)
class Load:
    """A table, and what is done to it. ``rows`` is a share of the run's rows; ``{n}`` in the statements is their
    number, ``{page}`` the page size; table ``num`` has the numbers."""

    name: str
    create: str
    statements: tuple[str, ...]
    rows: float = 1.0
    fill_factor: int = 100
    options: str = ""


def _insert(columns: str, order: str = "n") -> str:
    return f"insert into t select {columns} from num where n <= {{n}} order by {order}"


_UUID = "unhex(left(sha2(n, 256), 32))"
_PAY = "repeat('x', 60 + crc32(n) % 120)"
LOADS = (
    Load("random", "id binary(16) primary key, pay varchar(300)", (_insert(f"{_UUID}, {_PAY}", "crc32(n)"),)),
    Load(
        "deleted, 3 of 4",
        "id int primary key, pay varchar(300)",
        (_insert(f"n, {_PAY}"), "delete from t where crc32(id) % 4 > 0"),
        rows=2,
    ),
    Load(
        "updated to grow",
        "id int primary key, pay varchar(400)",
        (_insert("n, repeat('x', 40)"), "update t set pay = repeat('y', 100 + crc32(id) % 200) where id % 3 = 0"),
    ),
    Load(
        "fixed rows",
        "id binary(16) primary key, a int, b bigint",
        (_insert(f"{_UUID}, n, n", "crc32(n)"),),
        rows=3,
    ),
    Load(
        "wide rows",
        "id binary(16) primary key, pay varchar(6000)",
        (_insert(f"{_UUID}, repeat('x', {{page}} / 6 + crc32(n) % ({{page}} / 6))", "crc32(n)"),),
        rows=0.1,
    ),
    Load(
        "mixed sizes",
        "id binary(16) primary key, pay varchar(4000)",
        (_insert(f"{_UUID}, repeat('x', if(crc32(n) % 10 = 0, {{page}} / 5, 20))", "crc32(n)"),),
        rows=0.5,
    ),
    Load(
        "sizes drift",
        "id int primary key, pay varchar(4000)",
        (_insert("n, repeat('x', if(n < {n}/2, 30, {page} / 11))", "crc32(n)"),),
        rows=0.3,
    ),
    Load(
        "secondary keys",
        "id int primary key, k int, c varchar(60), key k (k), key c (c)",
        (_insert("n, crc32(n) >> 1, repeat(left(sha2(n, 256), 28), 1 + n % 2)"),),
        rows=3,
    ),
    Load(
        "LOBs",
        "id int primary key, pay varchar(300), doc longtext",
        (_insert(f"n, {_PAY}, if(n % 100 = 0, repeat('z', 20000 + n), 'short')", "crc32(n)"),),
    ),
    Load(
        "redundant",
        "id binary(16) primary key, pay varchar(300)",
        (_insert(f"{_UUID}, {_PAY}", "crc32(n)"),),
        options="row_format=redundant",
    ),
    Load(
        "fill factor 80",
        "id binary(16) primary key, k int, pay varchar(300), key k (k, pay)",
        (_insert(f"{_UUID}, crc32(n) >> 1, {_PAY}", "crc32(n)"),),
        fill_factor=80,
    ),
    Load("in order", "id int primary key, pay varchar(300)", (_insert(f"n, {_PAY}"),)),
)


@dataclass(frozen=True)
class Row:
    """One index: estimated and measured."""

    family: str
    page_size: int
    load: str
    index: str
    leaves_before: int
    estimated: int
    rebuilt: int
    estimated_pages: int
    rebuilt_pages: int
    reserved_low: int
    reserved_high: int
    reserved: int

    @property
    def error(self) -> float:
        return self.estimated / self.rebuilt - 1

    @property
    def is_judged(self) -> bool:
        return self.rebuilt >= JUDGED_LEAVES


def make_numbers(server: Server, n: int) -> None:
    """Database d with a table ``num`` of the numbers 1 to n."""
    server.sql("create database d", "use d", "create table num (n int primary key)", "insert into num values (1)")
    have = 1
    while have < n:
        server.sql(f"insert into num select n + {have} from num where n + {have} <= {n}")
        have = min(n, have * 2)


def measure(server: Server, load: Load, rows: int) -> Iterator[Row]:
    """Make the table, survey it, rebuild it, survey it again."""
    n = int(rows * load.rows)
    server.sql("drop table if exists t", f"create table t ({load.create}) charset latin1 {load.options}")
    size = str(server.query("select @@innodb_page_size")[0][0])
    server.sql(*(s.replace("{n}", str(n)).replace("{page}", size) for s in load.statements))
    oracle.wait_for_purge(server)
    path = server.datadir / "d" / "t.ibd"
    before = survey(server, path)
    server.sql(f"set global innodb_fill_factor={load.fill_factor}", "alter table t force")
    server.sql("set global innodb_fill_factor=100")
    after = survey(server, path)
    real = {i.name: i for i in after.user_indexes}
    if set(real) != {i.name for i in before.user_indexes}:  # no names in the file: by position
        real = {a.name: b for a, b in zip(before.user_indexes, after.user_indexes, strict=True)}
    for index in before.user_indexes:
        estimate, now = index.rebuild_at(load.fill_factor), real[index.name]
        assert estimate is not None
        yield Row(
            server.family,
            before.page_size,
            load.name,
            index.name,
            index.leaf.pages,
            estimate.leaf_pages,
            now.leaf.pages,
            estimate.pages,
            now.used_pages,
            estimate.reserved_pages_low,
            estimate.reserved_pages_high,
            now.reserved_pages,
        )


def survey(server: Server, path: Path, *, close: bool = True) -> ibdscan.Space:
    """A survey of the table's flushed file."""
    server.sql("flush tables t for export")
    try:
        space = ibdscan.open(path)
    finally:
        server.sql("unlock tables")
    assert not space.findings, space.findings
    if close:
        space.close()
    return space


def run(family: str, page_size: str, rows: int, loads: tuple[Load, ...] = LOADS) -> Iterator[Row]:
    """All loads on one server of one page size."""
    make = Server.mysql97 if family == "mysql97" else Server.mariadb
    with tempfile.TemporaryDirectory() as folder, make(Path(folder), innodb_page_size=page_size) as server:
        make_numbers(server, int(rows * max(load.rows for load in loads)))
        for load in loads:
            yield from measure(server, load, rows)


HEAD = ("server", "page", "load", "index", "leaves", "estimate", "rebuilt", "error", "pages", "reserved")


def cells(row: Row) -> tuple[str, ...]:
    error = f"{100 * row.error:+.1f} %" if row.is_judged else "small"
    return (
        row.family, f"{row.page_size // 1024}K", row.load, row.index, f"{row.leaves_before:,}",
        f"{row.estimated:,}", f"{row.rebuilt:,}", error, f"{row.estimated_pages:,} / {row.rebuilt_pages:,}",
        f"{row.reserved_low:,}-{row.reserved_high:,} / {row.reserved:,}",
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--page-size", action="append", choices=("4k", "8k", "16k", "32k", "64k"))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--load", action="append", help="by name; all without it")
    arguments = parser.parse_args()
    loads = tuple(x for x in LOADS if not arguments.load or x.name in arguments.load)
    rows = []
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for family in arguments.family or FAMILIES:
        for page_size in arguments.page_size or ("4k", "16k"):
            for row in run(family, page_size, arguments.rows, loads):
                rows.append(row)
                print("| " + " | ".join(cells(row)) + " |", flush=True)
    judged = [abs(r.error) for r in rows if r.is_judged]
    worst = max(judged, default=0)
    print(f"\n{len(judged)} indexes of {JUDGED_LEAVES} leaves and more: largest error {100 * worst:.1f} %")
    return 0 if max(judged, default=0) <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
