"""Verdicts on loads whose making is known: made on real servers, kept, and judged from their files.

    python -m benchmarks.verdicts [--family mysql97|maria118|maria105]... [--cache DIR] [--write docs/verdicts.md]

The tables of ``benchmarks.loads`` are made on servers unpacked by ``engine.sh`` (see ``tests.server.engines``;
about ten minutes each), which are then shut down slowly: everything is purged and flushed. The files stay in the
cache, and a second run only judges them again. ``--wrong`` shows each verdict that is not right, ``--write``
makes the page of all loads and verdicts.
"""

from __future__ import annotations

import argparse
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import ibdscan
from benchmarks.loads import LEAVES, LETTERS, LOADS, SHAPES, AtOnce, Load, Parts, Step
from ibdscan.measures.index.verdict import Verdict, judge
from tests.server.engines import Option, Server

FAMILIES = ("mysql97", "maria118", "maria105")
OLD_LOADS = ("defragmented", "random", "ascending", "rebuilt")
"""Of 10.5 the loads that only it has, and the plain ones."""
MOST_LEAVES = 2500
UNDECIDED = ("too-small", "unclear", "too-few-leaves")


@dataclass(frozen=True)
class Case:
    """One table: a load, a row shape, about so many leaves, a run."""

    load: Load
    shape: str
    leaves: int
    run: int

    @property
    def table(self) -> str:
        number = zlib.crc32(self.load.name.encode())
        return f"l{number:08x}_{self.shape}_{self.leaves}_{self.run}"

    @property
    def rows(self) -> int:
        leaves = min(self.leaves * self.load.grow, max(MOST_LEAVES, self.leaves))
        return int(leaves * SHAPES[self.shape].rows * (1 + 0.037 * (self.run - 1)))


def cases(family: str) -> Iterator[Case]:
    """All shapes up to 20 leaves, two of them with 100, one with 1,000; a second run of half of them."""
    for load in LOADS:
        if load.only not in ("", family) or (family == "maria105" and not load.name.endswith(OLD_LOADS)):
            continue
        turn = zlib.crc32(load.name.encode())
        for leaves in LEAVES:
            if leaves > load.largest:
                continue
            shapes = [s for s in load.shapes if s != "tiny" or leaves < 100]
            shapes = [shapes[(turn + leaves + i) % len(shapes)] for i in range(len(shapes))]
            most = len(shapes) if leaves <= 20 else 2 if leaves < 1000 else 1
            yield from (Case(load, s, leaves, 1) for s in shapes[:most])
            if leaves < 1000:
                yield from (Case(load, s, leaves, 2) for s in shapes[: -(-most // 2)])


def words(case: Case, folder: Path) -> dict[str, str]:
    """What the names in the statements stand for."""
    shape = SHAPES[case.shape]
    return {
        "t": case.table, "n": str(case.rows), "seed": str(case.run), "k": "({h} % (4 * {n}))", "f": shape.f,
        "pay": shape.pay, "grown": shape.grown, "h": _hash("n"),
        "k_of_id": f"({_hash('id')} % (4 * {{n}}))", "file": str(folder / f"{case.table}.txt"),
    }  # fmt: skip


def _hash(column: str) -> str:
    """SQL of 32 bits that know no order: a CRC of the digits would be linear, and its order full of strides."""
    return f"cast(conv(left(sha2(concat({column}, 's', {{seed}}), 256), 8), 16, 10) as unsigned)"


def filled(sql: str, known: dict[str, str]) -> str:
    while "{" in sql:
        for name, value in known.items():
            sql = sql.replace("{" + name + "}", value)
    return sql


def make(server: Server, case: Case) -> None:
    """One table, from its creation to its last statement."""
    known = words(case, server.tmpdir)
    load = case.load
    create = (
        f"create table {{t}} (id {load.id_type} not null primary key, k int not null, f varchar(60) not null, "
    )
    create += f"pay varchar(8000) not null, key k (k, f)) charset latin1 {load.options}"
    for step in (f"drop table if exists {known['t']}", create, *load.steps):
        _do(server, case, step, known)
    (server.tmpdir / f"{case.table}.txt").unlink(missing_ok=True)


def _do(server: Server, case: Case, step: Step, known: dict[str, str]) -> None:
    if isinstance(step, str):
        server.sql(filled(step, known))
    elif isinstance(step, Parts):
        size = step.size or -(-case.rows // step.parts)
        server.sql("start transaction")
        for low in range(1, case.rows + 1, size):
            part = known | {"a": str(low), "b": str(low + size - 1)}
            server.sql(*(filled(s, part) for s in step.statements))
        server.sql("commit")
    else:
        _do_at_once(server, step, known)


def _do_at_once(server: Server, step: AtOnce, known: dict[str, str]) -> None:
    def work(sql: str) -> None:
        connection = server.connect("d")
        with connection.cursor() as cursor:
            cursor.execute(filled(sql, known))
        connection.close()

    threads = [threading.Thread(target=work, args=(s,)) for s in step.statements]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def make_all(family: str, cache: Path) -> list[tuple[Case, Path]]:
    """The files of all cases; those that are not there yet are made."""
    wanted = list(cases(family))
    done = cache / family / "made"
    made = set(done.read_text().split("\n")) if done.exists() else set()
    most = max(c.rows for c in wanted)
    for leaves, run in ((8, 1), (100, 1), (100, 2), (1000, 1)):
        missing = [c for c in wanted if c.leaves <= leaves and c.run == run and _stamp(c) not in made]
        if missing:
            made |= set(map(_stamp, _make_missing(family, cache / family, missing, most)))
            done.write_text("\n".join(sorted(made)))
    return [(c, cache / family / "data" / "d" / f"{c.table}.ibd") for c in wanted if _stamp(c) in made]


def _stamp(case: Case) -> str:
    """Changes with the load's statements, so that a changed load is made anew."""
    made_of = repr((case.load.steps, case.load.id_type, case.load.options, words(case, Path())))
    return f"{case.table} {zlib.crc32(made_of.encode()):08x}"


def _make_missing(family: str, folder: Path, missing: list[Case], most: int) -> list[Case]:
    """The cases that could be made; the others are told."""
    made = []
    log: dict[str, Option] = {
        "innodb_redo_log_capacity" if family == "mysql97" else "innodb_log_file_size": "512M"
    }
    quick: dict[str, Option] = {"innodb_buffer_pool_size": "1G", "innodb_flush_method": "nosync"}
    with Server.unpacked(family, folder, **quick, **log) as server:
        _make_numbers(server, most)
        for case in missing:
            try:
                make(server, case)
                made.append(case)
            except server.refusal as error:
                print(f"{family}, {case.load.name} {case.shape}: {error}", file=sys.stderr)
                server.sql("rollback")
        server.stop(slow=True)
    return made


def _make_numbers(server: Server, most: int) -> None:
    server.sql("create database if not exists d", "use d", "create table if not exists num (n int primary key)")
    have = int(server.query("select count(*) from num")[0][0])
    if not have:
        server.sql("insert into num values (1)")
        have = 1
    while have < most:
        server.sql(f"insert into num select n + {have} from num where n + {have} <= {most}")
        have = min(most, have * 2)


@dataclass(frozen=True)
class Judged:
    """One index of one case, and what was said of it."""

    family: str
    case: Case
    index: str
    leaves: int
    verdict: Verdict

    @property
    def right(self) -> set[str]:
        clustered, second = self.case.load.right.split()
        return {LETTERS[x] for x in (clustered if self.index == "id" else second)}

    @property
    def outcome(self) -> str:
        if self.verdict.kind in UNDECIDED:
            return "unclear"
        return "wrong" if self.verdict.kind not in self.right or self.false_words else "right"

    @property
    def false_words(self) -> bool:
        """A fill called unusual that is what the load leaves, or a fill factor that was not set."""
        text, load = self.verdict.text, self.case.load
        usual = not (load.sound and "than usual" in text)
        if load.fill_factor == 100:
            return not usual or "innodb_fill_factor" in text
        said = int(text.split("about ")[1].split(":")[0]) if "innodb_fill_factor" in text else load.fill_factor
        return not usual or abs(said - load.fill_factor) > 3


def judge_all(family: str, files: Iterable[tuple[Case, Path]]) -> Iterator[Judged]:
    for case, path in files:
        with ibdscan.open(path) as space:
            for name, index in zip(("id", "k"), space.user_indexes, strict=True):
                yield Judged(family, case, name, index.leaf.pages, judge(index))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", action="append", choices=FAMILIES)
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "ibdscan-verdicts")
    parser.add_argument("--write", type=Path, help="the page to make")
    parser.add_argument("--wrong", choices=("tuned", "held-out", "all"))
    arguments = parser.parse_args()
    judged: list[Judged] = []
    for family in arguments.family or FAMILIES:
        judged += judge_all(family, make_all(family, arguments.cache.absolute()))
    for j in judged:
        held = "held-out" if j.case.load.is_held_out else "tuned"
        if j.outcome == "wrong" and arguments.wrong in ("all", held):
            print(
                f"{j.family} {j.case.load.name} / {j.case.shape} {j.case.leaves} run {j.case.run}: {j.index} "
                f"{j.leaves} leaves: {j.verdict.text} <{'; '.join(j.verdict.reasons)}> {j.case.table}"
            )
    for name, outcomes in by_family(judged):
        print(name, dict(outcomes))
    if arguments.write:
        arguments.write.write_text(page(judged), encoding="utf-8")
    return 0


def by_family(judged: list[Judged]) -> Iterator[tuple[str, Counter[str]]]:
    """What came out for each server, the loads that were held out of the tuning apart."""
    for family in dict.fromkeys(j.family for j in judged):
        for out in (False, True):
            of = Counter(j.outcome for j in judged if j.family == family and j.case.load.is_held_out == out)
            yield f"{family}, {'held out' if out else 'tuned'}", of


OUTCOMES = ("right", "unclear", "wrong")
HEAD = """# Verdicts on loads whose making is known

Tables made on real servers by the statements of `benchmarks/loads.py`, shut down slowly, and judged from their
files alone. This page is made by `python -m benchmarks.verdicts --write docs/verdicts.md`, which starts the
servers and takes a quarter of an hour.

*Unclear* is a verdict that says it can not tell: fewer than 8 leaves, fewer than 20 that no sorted build wrote,
or no single kind of load that explains them. The rules prefer that to a guess. The thresholds were set on two
thirds of the loads; a third, by a hash of their names, was *held out*, but what was wrong there was read once
before the last change: it is no blind test any more.

Each load is made with 8, 12, 20, 100 and 1,000 leaves and rows of several shapes: *tiny* (a few bytes), *fixed*
(about 200), *varied* (40 to 330), *large* (two or three a page); *text* for ROW_FORMAT=COMPRESSED. Half of them
twice, with other random numbers.
"""
TABLE = """
## By load

What is right is given for the clustered index and for the secondary one.

| load | right: clustered; secondary | right | unclear | wrong | said wrongly |
|---|---|--:|--:|--:|---|"""


def page(judged: list[Judged]) -> str:
    """Markdown: sums by server, by kind of verdict, and a line for each load."""
    lines = [
        HEAD,
        "## By server",
        "",
        "| server | right | unclear | wrong | wrong, share |",
        "|---|--:|--:|--:|--:|",
    ]
    whole = Counter(j.outcome for j in judged)
    for name, of in [*by_family(judged), ("**all**", whole)]:
        lines.append(f"| {name} {_counted(of)} | {100 * of['wrong'] / max(1, of.total()):.1f} % |")
    lines += ["", "## By what was said", "", "| verdict | right | unclear | wrong |", "|---|--:|--:|--:|"]
    said = Counter((j.verdict.kind, j.outcome) for j in judged)
    for kind in sorted({j.verdict.kind for j in judged}, key=lambda k: (k in UNDECIDED, k)):
        lines.append(f"| `{kind}` {_counted({o: said[kind, o] for o in OUTCOMES})} |")
    lines.append(TABLE)
    for load in LOADS:
        of_load = [j for j in judged if j.case.load.name == load.name]
        if not of_load:
            continue
        allowed = "; ".join(", ".join(LETTERS[x] for x in part) for part in load.right.split())
        wrong = Counter(f"{j.verdict.kind} ({j.case.shape})" for j in of_load if j.outcome == "wrong")
        words = ", ".join(f"{kind}: {n}" for kind, n in wrong.items())
        held = " (held out)" if load.is_held_out else ""
        lines.append(
            f"| {load.name}{held} | {allowed} {_counted(Counter(j.outcome for j in of_load))} | {words} |"
        )
    return "\n".join(lines) + "\n"


def _counted(of: Mapping[str, int]) -> str:
    return "".join(f"| {of[o]:,} " for o in OUTCOMES).rstrip()


if __name__ == "__main__":
    sys.exit(main())
