"""Rebuild estimates against real rebuilds: what ibdscan says before, what the server has made after.

    python -m benchmarks.rebuild [--family mysql97|mariadb1011]... [--rows N] [--write docs/rebuild.md]

Starts servers of its own (see ``tests.server.engines``), makes each table, surveys its file, rebuilds it with
``ALTER TABLE ... FORCE`` and surveys it again. Leaf pages and reserved pages of each index are compared, and the
size of the file; of tables that have no estimate the reason is kept.
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
    only: str = ""


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
    Load(
        "large and small in turn",
        "id int primary key, pay varchar(8000)",
        (_insert("n, repeat('x', if(n % 2, {page} * 2 / 5, {page} / 14))", "crc32(n)"),),
        rows=0.1,
    ),
    Load(
        "large and small by fifty",
        "id int primary key, pay varchar(8000)",
        (_insert("n, repeat('x', if(floor(n / 50) % 2, {page} * 6 / 13, 100))", "crc32(n)"),),
        rows=0.1,
    ),
    Load(
        "one in twenty large",
        "id int primary key, pay varchar(8000)",
        (_insert("n, repeat('x', if(crc32(n) % 20, 60, {page} * 6 / 13))"), "delete from t where id % 3 = 0"),
        rows=0.4,
    ),
    Load(
        "large insert rolled back",
        "id int primary key, pay varchar(300)",
        (
            _insert(f"n, {_PAY}").replace("n <=", "n * 2 <="),
            "start transaction",
            _insert(f"n, {_PAY}").replace("n <=", "n * 2 >"),
            "rollback",
        ),
        rows=2,
    ),
    Load(
        "all deleted but a few",
        "id int primary key, pay varchar(300)",
        (_insert(f"n, {_PAY}"), "delete from t where id > 50"),
    ),
    Load("one row", "id int primary key, pay varchar(300)", ("insert into t values (1, 'x')",)),
    *(
        Load(
            f"AUTOEXTEND_SIZE {size} MB",
            "id binary(16) primary key, pay varchar(300)",
            (_insert(f"{_UUID}, {_PAY}", "crc32(n)"),),
            rows=3,
            options=f"autoextend_size={size}M",
            only="mysql97",
        )
        for size in (4, 8, 64)
    ),
    Load(
        "spatial",
        "id int primary key, g geometry not null, spatial key g (g)",
        (_insert("n, point(n % 100, n)"),),
        rows=0.1,
    ),
    Load(
        "added instantly",
        "id int primary key, pay varchar(300)",
        (_insert(f"n, {_PAY}"), "alter table t add x int not null default 7, algorithm=instant"),
    ),
    Load("in order", "id int primary key, pay varchar(300)", (_insert(f"n, {_PAY}"),)),
)


@dataclass(frozen=True)
class Row:
    """One index: estimated and measured."""

    index: str
    leaves_before: int
    estimated: int
    rebuilt: int
    reserved_low: int
    reserved_high: int
    reserved: int

    @property
    def error(self) -> float:
        return self.estimated / self.rebuilt - 1

    @property
    def is_judged(self) -> bool:
        return self.rebuilt >= JUDGED_LEAVES


@dataclass(frozen=True)
class Case:
    """One table: its file before, as estimated (None with the ``reason``), and after; its indexes."""

    family: str
    page_size: int
    load: str
    before: int
    estimated: int | None
    after: int
    step: int
    """Bytes that the server adds to the file at a time."""
    reason: str | None
    rows: tuple[Row, ...]

    @property
    def steps_off(self) -> float:
        return abs((self.estimated or 0) - self.after) / self.step


def make_numbers(server: Server, n: int) -> None:
    """Database d with a table ``num`` of the numbers 1 to n."""
    server.sql("create database d", "use d", "create table num (n int primary key)", "insert into num values (1)")
    have = 1
    while have < n:
        server.sql(f"insert into num select n + {have} from num where n + {have} <= {n}")
        have = min(n, have * 2)


def measure(server: Server, load: Load, rows: int) -> Case:
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
    found = []
    for index in before.user_indexes:
        estimate, now = index.rebuild_at(load.fill_factor), real[index.name]
        if estimate is not None:
            low, high = estimate.reserved_pages_low, estimate.reserved_pages_high
            leaves = (index.leaf.pages, estimate.leaf_pages, now.leaf.pages)
            found.append(Row(index.name, *leaves, low, high, now.reserved_pages))
    whole = before.rebuild_at(load.fill_factor)
    physical = before.space.geometry.physical
    step = max(4 * before.space.geometry.extent_pages * physical, _autoextend(load))
    return Case(
        server.family, before.page_size, load.name, before.n_pages * physical, whole.bytes,
        after.n_pages * physical, step, whole.reason, tuple(found),
    )  # fmt: skip


def _autoextend(load: Load) -> int:
    _, found, size = load.options.partition("autoextend_size=")
    return int(size[:-1]) << 20 if found else 0


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


def run(family: str, page_size: str, rows: int, loads: tuple[Load, ...] = LOADS) -> Iterator[Case]:
    """All loads on one server of one page size."""
    make = Server.mysql97 if family == "mysql97" else Server.mariadb
    with tempfile.TemporaryDirectory() as folder, make(Path(folder), innodb_page_size=page_size) as server:
        make_numbers(server, int(rows * max(load.rows for load in loads)))
        for load in loads:
            if load.only in ("", family):
                yield measure(server, load, rows)


HEAD = """# Rebuilds: estimated and done

What `ibdscan` says of a file before `ALTER TABLE ... FORCE`, and what the server has made after. This page is
made by `python -m benchmarks.rebuild --write docs/rebuild.md`, with servers of its own. Of an index with
fewer than 100 leaves the error is not given. The file is compared with the step by which the server makes it
grow: four extents, or AUTOEXTEND_SIZE.

"""
COLUMNS = (
    "server", "page", "load", "file before, MiB", "estimated", "after", "index", "leaves before", "estimated",
    "after", "error", "reserved, estimated", "after",
)  # fmt: skip


def lines(case: Case) -> Iterator[str]:
    """A line for each index; the file's numbers in the first."""
    mib = [f"{n / 2**20:.2f}" for n in (case.before, case.estimated or 0, case.after)]
    if case.estimated is None:
        mib[1] = f"none: {case.reason}"
    head = [case.family, f"{case.page_size // 1024}K", case.load, *mib]
    for row in case.rows or (None,):
        cells = [""] * 7
        if row is not None:
            error = f"{100 * row.error:+.1f} %" if row.is_judged else ""
            reserved = f"{row.reserved_low:,} to {row.reserved_high:,}"
            counts = [f"{n:,}" for n in (row.leaves_before, row.estimated, row.rebuilt)]
            cells = [row.index, *counts, error, reserved, f"{row.reserved:,}"]
        yield "| " + " | ".join([*head, *cells]) + " |"
        head = [""] * 6


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--page-size", action="append", choices=("4k", "8k", "16k", "32k", "64k"))
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--load", action="append", help="by name; all without it")
    parser.add_argument("--write", type=Path, help="the page to make")
    arguments = parser.parse_args()
    loads = tuple(x for x in LOADS if not arguments.load or x.name in arguments.load)
    cases = []
    out = [HEAD + "| " + " | ".join(COLUMNS) + " |", "|---|---|---|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|"]
    for family in arguments.family or FAMILIES:
        for page_size in arguments.page_size or ("4k", "16k"):
            for case in run(family, page_size, arguments.rows, loads):
                cases.append(case)
                out += lines(case)
                print("\n".join(lines(case)), flush=True)
    out += ["", *(summary := list(_summary(cases)))]
    print("\n".join(summary))
    if arguments.write:
        arguments.write.write_text("\n".join(out) + "\n", encoding="utf-8")
    worst = max((abs(r.error) for c in cases for r in c.rows if r.is_judged), default=0)
    return 0 if worst <= TOLERANCE else 1


def _summary(cases: list[Case]) -> Iterator[str]:
    errors = sorted(abs(r.error) for c in cases for r in c.rows if r.is_judged)
    if errors:
        yield (
            f"{len(errors)} indexes of {JUDGED_LEAVES} leaves and more: largest error {100 * errors[-1]:.1f} %, "
            f"median {100 * errors[len(errors) // 2]:.1f} %."
        )
    known = [c for c in cases if c.estimated is not None]
    same = sum(c.estimated == c.after for c in known)
    within = sum(c.steps_off <= 1 for c in known)
    yield (
        f"{len(cases)} files: {same} as large as estimated, {within - same} more within one step, "
        f"{len(known) - within} further off, {len(cases) - len(known)} without an estimate."
    )


if __name__ == "__main__":
    sys.exit(main())
