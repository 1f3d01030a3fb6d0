"""Tables with a key of each type, for both servers: columns, random values, and how to ask for them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

_chooser = random.Random(20261205)
_WORDS = ("a", "ab", "abc", "b", "ba", "Zoo", "a!", "~", "aa", "z", "zz", "zebra", "1", "12")
_WIDE = ("ä", "Äpfel", "ß", "日本語", "語", "ж", "жук", "a", "b")


@dataclass(frozen=True)
class Column:
    """``value`` gives SQL literals; ``said`` is the SQL expression for the value as text."""

    name: str
    type: str
    value: Callable[[], str]
    said: str = "cast({} as char)"
    prefix: int | None = None

    @property
    def part(self) -> str:
        return self.name if self.prefix is None else f"{self.name}({self.prefix})"

    @property
    def asked(self) -> str:
        name = self.name if self.prefix is None else f"left({self.name},{self.prefix})"
        return self.said.format(name)


def _int(low: int, high: int) -> Callable[[], str]:
    return lambda: str(_chooser.choice((low, high, 0, _chooser.randint(low, high), _chooser.randint(low, high))))


def _pick(*texts: str) -> Callable[[], str]:
    return lambda: "'" + _chooser.choice(texts) + "'"


def _blanks(words: tuple[str, ...], blank: str = " ") -> Callable[[], str]:
    return lambda: "'" + _chooser.choice(words) + blank * _chooser.choice((0, 0, 1, 2)) + "'"


def _moment(low: int, high: int, digits: int) -> Callable[[], str]:
    def made() -> str:
        year, month, day = _chooser.randint(low, high), _chooser.randint(1, 12), _chooser.randint(1, 28)
        clock = f"{_chooser.randint(0, 23):02d}:{_chooser.randint(0, 59):02d}:{_chooser.randint(0, 59):02d}"
        fraction = f".{_chooser.randint(0, 10**digits - 1):0{digits}d}" if digits else ""
        zero = "0000-00-00 00:00:00"
        return "'" + _chooser.choice((zero, *[f"{year}-{month:02d}-{day:02d} {clock}{fraction}"] * 5)) + "'"

    return made


def _time(digits: int) -> Callable[[], str]:
    def made() -> str:
        sign, hours = _chooser.choice(("", "-")), _chooser.choice((0, 0, 7, 99, 100, 837))
        fraction = f".{_chooser.randint(0, 10**digits - 1):0{digits}d}" if digits else ""
        return f"'{sign}{hours:02d}:{_chooser.randint(0, 59):02d}:{_chooser.randint(0, 59):02d}{fraction}'"

    return made


def _decimal(whole: int, scale: int, sign: str = "-") -> Callable[[], str]:
    def made() -> str:
        n = _chooser.choice((0, 1, whole))
        left = "".join(_chooser.choice("0123456789") for _ in range(n)) or "0"
        right = "".join(_chooser.choice("0123456789") for _ in range(scale))
        return _chooser.choice(("", sign)) + left + ("." + right if scale else "")

    return made


def _set(n: int) -> Callable[[], str]:
    return lambda: "'" + ",".join(f"m{i}" for i in sorted(_chooser.sample(range(n), _chooser.randint(0, 3)))) + "'"


def _names(prefix: str, n: int) -> str:
    return ",".join(f"'{prefix}{i}'" for i in range(n))


HEX = "concat('0x', lower(hex({})))"
NUMBER = "{}+0"
U16, U32, UCS2 = (f"character set {name}" for name in ("utf16", "utf32", "ucs2"))
COLUMNS = (
    Column("ti", "tinyint", _int(-128, 127)),
    Column("tu", "tinyint unsigned", _int(0, 255)),
    Column("si", "smallint", _int(-(1 << 15), (1 << 15) - 1)),
    Column("mi", "mediumint", _int(-(1 << 23), (1 << 23) - 1)),
    Column("mu", "mediumint unsigned", _int(0, (1 << 24) - 1)),
    Column("bi", "bigint", _int(-(1 << 63), (1 << 63) - 1)),
    Column("bu", "bigint unsigned", _int(0, (1 << 64) - 1)),
    Column("fl", "float", lambda: str(_chooser.choice((-1, 1)) * _chooser.randint(0, 4000) / 8)),
    Column("db", "double", lambda: str(_chooser.choice((-1, 1)) * _chooser.randint(0, 1 << 40) / 1024)),
    Column("d1", "decimal(10,2)", _decimal(8, 2)),
    Column("d2", "decimal(30,12)", _decimal(18, 12)),
    Column("d3", "decimal(9,9)", _decimal(0, 9)),
    Column("d4", "decimal(20,0) unsigned", _decimal(20, 0, "")),
    Column("d5", "decimal(65,30)", _decimal(35, 30)),
    Column("ye", "year", _pick("0000", "1901", "1999", "2026", "2155"), NUMBER),
    Column(
        "da", "date", _pick("0000-00-00", "1000-01-01", "1969-12-31", "2026-12-05", "9999-12-31", "2020-00-00")
    ),
    *[Column(f"dt{n}", f"datetime({n})", _moment(1000, 9999, n)) for n in range(7)],
    *[Column(f"ts{n}", f"timestamp({n})", _moment(1971, 2037, n)) for n in range(7)],
    *[Column(f"tm{n}", f"time({n})", _time(n)) for n in range(7)],
    Column("b1", "bit(1)", lambda: f"b'{_chooser.randint(0, 1):b}'", NUMBER),
    Column("b9", "bit(9)", lambda: f"b'{_chooser.getrandbits(9):b}'", NUMBER),
    Column("b64", "bit(64)", lambda: f"b'{_chooser.getrandbits(64):b}'", NUMBER),
    Column("en", "enum('x','y z','ä')", _pick("x", "y z", "ä")),
    Column("e3", f"enum({_names('l', 300)})", lambda: f"'l{_chooser.randint(0, 299)}'"),
    Column("eu", f"enum('ж','b') {U16}", _pick("ж", "b")),
    Column("s3", f"set({_names('m', 3)})", _set(3)),
    Column("s9", f"set({_names('m', 9)})", _set(9)),
    Column("s40", f"set({_names('m', 40)})", _set(40)),
)
TEXTS = (
    Column("cl", "char(9) character set latin1", _blanks(("a", "b", "ä", "é", "zz"))),
    Column("cu", "char(9) character set utf8mb4", _blanks(_WIDE)),
    Column("c3", "char(9) character set utf8mb3", _blanks(_WIDE)),
    Column("c16", f"char(9) {U16}", _blanks(_WIDE)),
    Column("c32", f"char(9) {U32}", _blanks(_WIDE)),
    Column("c2", f"char(9) {UCS2}", _blanks(_WIDE)),
    Column("cg", "char(9) character set gbk", _blanks(("a", "日本語", "ж"))),
    Column("cp", "char(9) character set utf8mb4", _blanks(_WIDE), prefix=2),
    Column("clp", "char(9) character set latin1", _blanks(_WORDS), prefix=2),
    Column("vl", "varchar(300) character set latin1", _blanks(_WORDS)),
    Column("vu", "varchar(60) character set utf8mb4", _blanks(_WIDE)),
    Column("v16", f"varchar(60) {U16}", _blanks(_WIDE)),
    Column("vp", "varchar(60) character set utf8mb4", _blanks(_WIDE), prefix=2),
    Column(
        "vlong",
        "varchar(500) character set latin1",
        lambda: f"repeat('{_chooser.choice('abc')}',{_chooser.choice((1, 127, 128, 300))})",
    ),
    Column("bn", "binary(5)", _pick("a", "a ", "bcdef", "\\0\\1"), HEX),
    Column("vb", "varbinary(60)", _pick("", "a", "a ", "\\0\\0"), HEX),
    Column("bp", "binary(5)", _pick("a", "a ", "bcdef"), HEX, 2),
    Column(
        "tx",
        "text character set utf8mb4",
        lambda: f"repeat('{_chooser.choice(_WIDE)}',{_chooser.choice((1, 50, 3000))})",
        prefix=90,
    ),
    Column("bl", "blob", _pick("", "a", "a ", "xyz"), HEX, 2),
)


def rows(columns: tuple[Column, ...], n: int, nulls: float) -> list[str]:
    """SQL tuples with an ascending id; with ``nulls`` the share of NULL."""
    return [
        f"({i}," + ",".join("NULL" if _chooser.random() < nulls else c.value() for c in columns) + ")"
        for i in range(1, n + 1)
    ]


@dataclass(frozen=True)
class Shape:
    """A table whose keys are put together in some way: ``indexes`` by name: columns as read, as asked, order."""

    name: str
    columns: str
    insert: Callable[[int], str]
    indexes: dict[str, tuple[str, str, str]]
    options: str = ""


def shapes(no_pad: str) -> list[Shape]:
    """Tables of composed, descending, prefix, generated and missing keys; ``no_pad`` is a NO PAD collation."""
    words = [w + blank for w in ("a", "b", "c!", "zz") for blank in ("", " ", "  ", "! ")]
    return [
        Shape(
            "no_pad",
            f"s varchar(30) character set utf8mb4 collate {no_pad}, d decimal(12,3), e enum('q','r') not null,"
            " n int, v varchar(20), g int generated always as (n+1) virtual,"
            " st int generated always as (n*2) stored, primary key (s, d), key kg (g), key kv (v(3), n),"
            " key kd (n desc, d), key kst (st), unique u (e, s, d)",
            lambda i: (
                f"insert into no_pad (s,d,e,n,v) values ('{words[i % 16]}', {i // 16}.25, '{'qr'[i % 2]}',"
                f" {i * 7 % 31 if i % 5 else 'null'}, {repr('v' * (i % 9)) if i % 4 else 'null'})"
            ),
            {
                "PRIMARY": ("s d", "s,d", "s,d"),
                "kg": ("g s d", "g,s,d", "g,s,d"),
                "kv": ("v n s d", "left(v,3),n,s,d", "left(v,3),n,s,d"),
                "kd": ("n d s", "n,d,s", "n desc,d,s"),
                "kst": ("st s d", "st,s,d", "st,s,d"),
                "u": ("e s d", "e,s,d", "e+0,s,d"),
            },
        ),
        Shape(
            "no_key",
            "a int, b varchar(9), key kb (b), key ka (a desc, b)",
            lambda i: f"insert into no_key values ({i}, {repr('x' * (i % 9)) if i % 3 else 'null'})",
            {"kb": ("b DB_ROW_ID", "b", "b,a"), "ka": ("a b DB_ROW_ID", "a,b", "a desc,b")},
        ),
        Shape(
            "unique_key",
            "a int, b int not null, c varchar(5) not null, unique cu (c, b), key ka (a), key kb (b, a)",
            lambda i: f"insert into unique_key values ({i % 7 if i % 6 else 'null'}, {i}, '{'xyz'[i % 3]}')",
            {
                "cu": ("c b", "c,b", "c,b"),
                "ka": ("a c b", "a,c,b", "a,c,b"),
                "kb": ("b a c", "b,a,c", "b,a,c"),
            },
        ),
        Shape(
            "prefix_key",
            "c varchar(40) not null, t text, n int, primary key (c(4)), key kt (t(2), n), key kn (n)",
            lambda i: (
                f"insert into prefix_key values ('{i:04d}{'p' * (i % 9)}',"
                f" repeat('{'tu'[i % 2]}', {i % 5}), {i % 6})"
            ),
            {
                "PRIMARY": ("c", "left(c,4)", "c"),
                "kt": ("t n c", "left(t,2),n,left(c,4)", "left(t,2),n,c"),
                "kn": ("n c", "n,left(c,4)", "n,c"),
            },
        ),
    ]
