"""Loads whose making is known: what is done to a table, and which verdicts are right for its two indexes.

A table has the columns ``id`` (primary key), ``k``, ``f`` and ``pay``, and ``key k (k, f)``. Its rows come from a
table of numbers ``num``. In the statements ``{t}`` is the table, ``{n}`` the number of rows, ``{h}`` a hash of n
that differs from run to run, ``{f}`` and ``{pay}`` what the row shape puts there, ``{grown}`` a longer ``pay``,
``{k}`` a random key; ``{a}`` and ``{b}`` are the bounds of one part of :class:`Parts`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

LETTERS = {
    "B": "sorted-build",
    "O": "ordered-inserts",
    "D": "descending-inserts",
    "I": "interleaved-inserts",
    "R": "random-inserts",
    "M": "built-then-modified",
    "V": "moved-or-deleted",
}
"""``right`` names kinds of verdicts by these letters, the clustered index's before the blank, k's after it."""


@dataclass(frozen=True)
class Shape:
    """What a row holds: SQL for f, pay, a grown pay; and about how many rows fill a clustered leaf."""

    f: str
    pay: str
    grown: str
    rows: float


SHAPES = {
    "tiny": Shape("''", "''", "repeat('g', 30)", 520),
    "fixed": Shape("repeat('f', 60)", "repeat('p', 120)", "repeat('g', 260)", 71),
    "varied": Shape(
        "repeat('f', 20 + {h} % 40)", "repeat('p', 20 + {h} % 250)", "repeat('g', 150 + {h} % 300)", 71
    ),
    "large": Shape("repeat('f', 30)", "repeat('p', 4500 + {h} % 3000)", "repeat('g', 7000 + {h} % 900)", 2.4),
    "text": Shape(
        "sha2(n, 224)", "left(concat(sha2(concat(n, {seed}), 512), sha2(n, 512)), 40 + {h} % 200)", "''", 71
    ),
}  # fmt: skip
"""``text`` is for ROW_FORMAT=COMPRESSED: the others compress to nothing."""
USUAL = ("tiny", "fixed", "varied", "large")
LEAVES = (8, 12, 20, 100, 1000)


@dataclass(frozen=True)
class Parts:
    """Statements that are done for one part of the numbers after another: ``size`` numbers each, or ``parts``."""

    statements: tuple[str, ...]
    size: int = 0
    parts: int = 1


@dataclass(frozen=True)
class AtOnce:
    """Statements that as many connections do at one time."""

    statements: tuple[str, ...]


Step = str | Parts | AtOnce


@dataclass(frozen=True)
class Load:
    """``right``: see LETTERS; ``sound``: the fill must not be called unusual; ``fill_factor`` what was set;
    ``grow``: so many times the rows, as the load takes some away again; ``only``: a server."""

    name: str
    steps: tuple[Step, ...]
    right: str
    sound: bool = False
    fill_factor: int = 100
    grow: float = 1.0
    shapes: tuple[str, ...] = USUAL
    id_type: str = "int"
    options: str = ""
    largest: int = 1000
    only: str = ""

    @property
    def is_held_out(self) -> bool:
        """A third of the loads, by a hash of their names: never looked at while the rules were tuned."""
        return zlib.crc32(self.name.encode()) % 3 == 0


K = "{k}"


def rows(where: str = "true", order: str = "n", *, key: str = "n", k: str = K) -> str:
    """Insert the numbers ``where``, in that order."""
    return (
        f"insert into {{t}} (id, k, f, pay) select {key}, {k}, {{f}}, {{pay}} from num "
        f"where n <= {{n}} and ({where}) order by {order}"
    )


def streams(count: int, batch: int = 1) -> str:
    """The order in which ``count`` streams, each with a range of its own, take turns of ``batch`` rows."""
    return f"floor(((n - 1) % ceil({{n}} / {count})) / {batch}), n"


FORCE = "alter table {t} force"
SHUFFLED = "{h}"
UUID = "unhex(left(sha2(concat(n, {seed}), 256), 32))"
ASC, RANDOM = rows(), rows(order=SHUFFLED)
UUIDS = rows(key=UUID, k="n")


def _part(low: float, high: float) -> str:
    return f"n > {{n}} * {low} and n <= {{n}} * {high}"


def _all() -> Iterator[Load]:
    yield from _built()
    yield from _inserted()
    yield from _modified()
    yield from _removed()


def _built() -> Iterator[Load]:
    for name, first in (("ordered", ASC), ("random", RANDOM)):
        yield Load(f"{name}, rebuilt", (first, FORCE), "B B", sound=True)
    yield Load("uuid, optimized", (UUIDS, "optimize table {t}"), "B B", sound=True, id_type="binary(16)")
    for factor in (95, 90, 80, 70, 50):
        ready = f"set global innodb_fill_factor = {factor}"
        steps = (RANDOM, ready, FORCE, "set global innodb_fill_factor = 100")
        yield Load(f"rebuilt, fill factor {factor}", steps, "B B", sound=True, fill_factor=factor)
    yield Load(
        "key added later", ("alter table {t} drop key k", ASC, "alter table {t} add key k (k, f)"), "O B", True
    )
    yield Load(
        "key added later to random rows",
        ("alter table {t} drop key k", RANDOM, "alter table {t} add key k (k, f)"),
        "R B",
    )
    yield Load("descending, rebuilt", (rows(order="n desc"), FORCE), "B B", True)
    for size in (8, 4):
        yield Load(
            f"compressed {size}K, rebuilt", (RANDOM, FORCE), "B B", True,
            options=f"row_format=compressed key_block_size={size}", shapes=("text", "tiny"),
        )  # fmt: skip
    yield Load("redundant rows, rebuilt", (RANDOM, FORCE), "B B", True, options="row_format=redundant")
    yield Load("deleted from, then rebuilt", (ASC, "delete from {t} where id % 3 > 0", FORCE), "B B", True, grow=3)
    checks = (
        "set unique_checks = 0, foreign_key_checks = 0",
        ASC,
        "set unique_checks = 1, foreign_key_checks = 1",
    )
    yield Load("inserted without checks", checks, "O R", only="mysql97")
    yield Load("bulk insert of MariaDB", checks, "B B", True, only="maria118")


def _inserted() -> Iterator[Load]:
    yield Load("ascending, one statement", (ASC,), "O R", True)
    yield Load("ascending, statements of 40 rows", (Parts((rows("n between {a} and {b}"),), 40),), "O R", True)
    yield Load("ascending, one row each", (Parts((rows("n = {a}"),), 1),), "O R", True, largest=100)
    yield Load("ascending, key ascending", (rows(k="n"),), "O O", True)
    yield Load("ascending, key descending", (rows(k="-n"),), "O D", True)
    yield Load("descending", (rows(order="n desc"),), "D R", True)
    yield Load("descending, key too", (rows(order="n desc", k="n"),), "D D", True)
    yield Load("random", (RANDOM,), "R R")
    yield Load("random, key by id", (rows(order=SHUFFLED, k="n"),), "R R")
    yield Load("uuid", (UUIDS,), "R O", id_type="binary(16)")
    yield Load("uuid as text", (rows(key=f"hex({UUID})", k="n"),), "R O", id_type="varchar(40)")
    yield Load("uuid, random key", (rows(key=UUID),), "R R", id_type="binary(16)")
    for count in (2, 4, 16):
        yield Load(f"{count} streams, row by row", (rows(order=streams(count)),), "I R")
        # a large row's stream would be through in one turn
        turns = (rows(order=streams(count, 50)),)
        yield Load(f"{count} streams, 50 rows in turn", turns, "I R", shapes=USUAL[:3])
    at_once = tuple(rows(_part(i / 4, (i + 1) / 4)) for i in range(4))
    yield Load("4 connections at once", (AtOnce(at_once),), "IO R")
    yield Load("key of 5 values", (rows(k="n % 5"),), "O I")
    yield Load("key of 40 values", (rows(k="n % 40"),), "O I")
    yield Load("numbers as text", (rows(key="concat('u', n)", k="n"),), "IOR O", id_type="varchar(40)")
    yield Load("key nearly ascending", (rows(k="n + {h} % 30"),), "O O")
    yield Load("ascending from a middle, then below", (rows(_part(0.5, 1)), rows(_part(0, 0.5))), "OI R")
    yield Load("one after the other from two ends", (rows(_part(0, 0.5)), rows(_part(0.5, 1), "n desc")), "IOD R")
    outfile = "select n, {k}, {f}, {pay} from num where n <= {n} order by n into outfile '{file}'"
    yield Load("load data", (outfile, "load data infile '{file}' into table {t} (id, k, f, pay)"), "O R", True)
    yield Load("truncated, filled again", (RANDOM, "truncate {t}", ASC), "O R", True)
    for size in (8, 4):
        packed = f"row_format=compressed key_block_size={size}"
        some = ("text",)
        yield Load(f"compressed {size}K, random", (RANDOM,), "R R", options=packed, shapes=some)
        yield Load(f"compressed {size}K, ascending", (ASC,), "O R", options=packed, shapes=some)
    yield Load("redundant rows, random", (RANDOM,), "R R", options="row_format=redundant")
    yield Load("one in ten in order first, then random", (rows("n % 10 = 0"), rows("n % 10", SHUFFLED)), "RM R")


def _modified() -> Iterator[Load]:
    grow = "update {t} join num on id = n set pay = {grown} where n %"
    yield Load("ascending, 10 % grew", (ASC, f"{grow} 10 = 3"), "M R")
    yield Load("ascending, 30 % grew", (ASC, f"{grow} 10 < 3"), "M R")
    yield Load("ascending, all grew", (ASC, f"{grow} 1 = 0"), "M R")
    yield Load("rebuilt, 10 % grew", (RANDOM, FORCE, f"{grow} 10 = 3"), "M B")
    yield Load("random, 20 % grew", (RANDOM, f"{grow} 5 = 3"), "RMV R")
    yield Load("ascending, 10 % inserted between", (rows("n % 11"), rows("n % 11 = 0", SHUFFLED)), "M R")
    yield Load("ascending, 10 % inserted between in order", (rows("n % 11"), rows("n % 11 = 0")), "M R")
    yield Load("ascending, as many inserted between", (rows("n % 2"), rows("n % 2 = 0", SHUFFLED)), "MR R")
    yield Load("rebuilt, 10 % inserted between", (rows("n % 11"), FORCE, rows("n % 11 = 0", SHUFFLED)), "M M")
    yield Load("rebuilt, as many inserted between", (rows("n % 2"), FORCE, rows("n % 2 = 0", SHUFFLED)), "MR MR")
    yield Load("rebuilt, 20 % appended", (rows(_part(0, 0.8)), FORCE, rows(_part(0.8, 1))), "MO M")
    yield Load("rebuilt, 1 % appended", (rows(_part(0, 0.99)), FORCE, rows(_part(0.99, 1))), "MOB MB")
    shrink = "update {t} set pay = left(pay, length(pay) / 6) where id % 10 <"
    some = ("fixed", "varied", "large")
    yield Load("ascending, 80 % shrank", (ASC, f"{shrink} 8"), "MV R", grow=2, shapes=some)
    yield Load("ascending, 30 % shrank", (ASC, f"{shrink} 3"), "MV R", grow=1.3, shapes=some)
    yield Load("random, 80 % shrank", (RANDOM, f"{shrink} 8"), "MVR R", grow=2, shapes=some)
    upsert = rows("n % 4 = 0").replace("{pay} from", "{grown} from") + " on duplicate key update pay = values(pay)"
    yield Load("upserts that grew a quarter", (ASC, upsert), "M R")
    yield Load(
        "random, defragmented", (RANDOM, "set global innodb_defragment = 1", "optimize table {t}",
        "set global innodb_defragment = 0"), "RM RM", only="maria105",
    )  # fmt: skip
    yield Load(
        "deleted from, defragmented", (ASC, "delete from {t} where id % 3 > 0", "set global innodb_defragment = 1",
        "optimize table {t}", "set global innodb_defragment = 0"), "VM VMR", grow=3, only="maria105",
    )  # fmt: skip


def _removed() -> Iterator[Load]:
    delete = "delete from {t} where"
    for name, condition, grow, right in (
        ("lower half deleted", "id <= {n} / 2", 2.0, "VO"),
        ("upper half deleted", "id > {n} / 2", 2.0, "VO"),
        ("middle third deleted", "id between {n} / 3 and {n} * 2 / 3", 1.5, "VO"),
        ("lowest tenth deleted", "id <= {n} / 10", 1.1, "VO"),
        ("every second deleted", "id % 2", 2.0, "VM"),
        ("9 of 10 deleted", "id % 10", 10.0, "VM"),
        ("3 of 4 deleted in clusters", "floor(id * 20 / {n}) % 4", 4.0, "VM"),
        ("every tenth deleted", "id % 10 = 0", 1.1, "VM"),
    ):
        yield Load(f"ascending, {name}", (ASC, f"{delete} {condition}"), f"{right} VMR", grow=grow)
    yield Load("rebuilt, every second deleted", (RANDOM, FORCE, f"{delete} id % 2"), "VM VM", grow=2)
    yield Load("rebuilt, lower half deleted", (RANDOM, FORCE, f"{delete} id <= {{n}} / 2"), "VMB VM", grow=2)
    yield Load("random, every second deleted", (RANDOM, f"{delete} id % 2"), "VMR VMR", grow=2)
    yield Load("random, 9 of 10 deleted", (RANDOM, f"{delete} id % 10"), "VMR VMR", grow=10)
    window = (rows("n between {a} and {b}"), f"{delete} id < {{a}} - {{n}} / 4")
    yield Load("queue: new rows in, old rows out", (Parts(window, parts=20),), "VMO VMR", grow=3)
    half = " where id % 2"
    yield Load("key + 17 of every second row", (ASC, f"update {{t}} set k = k + 17{half}"), "OM VMR")
    yield Load(
        "ordered key moved, every second row", (rows(k="n"), f"update {{t}} set k = k + {{n}}{half}"), "OM VM"
    )
    yield Load("ordered key moved, all rows", (rows(k="n"), "update {t} set k = k + {n} order by id"), "OM VMO")
    yield Load(
        "ordered key scattered, half the rows", (rows(k="n"), f"update {{t}} set k = {{k_of_id}}{half}"), "OM VMR"
    )
    yield Load("id moved, every second row", (ASC, f"update {{t}} set id = id + {{n}} * 2{half}"), "VM VMR")
    yield Load("id moved, 3 of 4 rows", (ASC, "update {t} set id = id + {n} * 2 where id % 4"), "VM VMR")
    replace = rows("n % 2", k="({h} % (3 * {n}))").replace("insert", "replace")
    yield Load("replaced, every second row", (ASC, replace), "OVM VMR")
    yield Load(
        "replaced, all rows at random",
        (ASC, rows(order=SHUFFLED, k="({h} % (3 * {n}))").replace("insert", "replace")),
        "OVM VMR",
    )
    # before purge comes the server takes the delete mark off the old record: leaves stay as the inserts left them
    yield Load("every second deleted and inserted again", (ASC, f"{delete} id % 2", rows("n % 2")), "VMO VMR")
    yield Load(
        "every second deleted and inserted at random",
        (ASC, f"{delete} id % 2", rows("n % 2", SHUFFLED)),
        "VMRO VMR",
    )
    generated = "alter table {t} add g int as (k * 2 % {n}) virtual, add key g (g), drop key k"
    yield Load("generated column updated", (ASC, generated, f"update {{t}} set k = k + 1001{half}"), "OM VM")
    begin, back = "start transaction", "rollback"
    yield Load(
        "large insert rolled back", (rows(_part(0, 0.5)), begin, rows(_part(0.5, 1)), back), "VO VMR", grow=2
    )
    yield Load("insert between rolled back", (rows("n % 2"), begin, rows("n % 2 = 0"), back), "VM VMR", grow=2)
    yield Load("insert into random rows rolled back",
               (rows("n % 2", SHUFFLED), begin, rows("n % 2 = 0", SHUFFLED), back),
               "VMR VMR", grow=2)  # fmt: skip
    yield Load("delete rolled back", (ASC, begin, f"{delete} id % 2", back), "OM R")
    yield Load("all deleted, filled again", (ASC, f"{delete} true", ASC), "VMO VMR")


LOADS = tuple(_all())
