"""The corpus of real files and what the server itself said of each (the oracle).

The corpus is found by the environment variable ``IBDSCAN_CORPUS`` only: a directory
``<engine>/<instance>/.../<table>.ibd.xz`` with ``<table>.ibd.oracle.json.xz`` beside each (both may also lie there
unpacked). Without it the tests marked ``corpus`` are skipped, saying so; where ``CI`` is set they fail.
"""

from __future__ import annotations

import json
import lzma
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

VARIABLE = "IBDSCAN_CORPUS"
ENGINES = ("mysql97", "maria105", "maria1011", "maria118")
_ORACLE_SUFFIXES = (".oracle.json.xz", ".oracle.json")
_PACKED = ".xz"
_PARTITION = re.compile(r"(?P<table>.+?)#[pP]#(?P<part>.+?)(?:#(?:sp|SP)#(?P<sub>.+))?")


@dataclass(frozen=True, order=True)
class CorpusFile:
    """One file that has an oracle. ``name`` is its path in the instance, without ``.xz``."""

    engine: str
    instance: str
    name: str
    path: Path
    oracle_path: Path

    @property
    def id(self) -> str:
        return f"{self.engine}/{self.instance}/{self.name}"

    @property
    def stem(self) -> str:
        """Name of the table's file without folder and extension."""
        return Path(self.name).name.removesuffix(".ibd")


@dataclass(frozen=True)
class OracleIndex:
    """One index as INNODB_INDEXES (INNODB_SYS_INDEXES) has it, and its statistics right after ANALYZE."""

    table: str
    """``schema/table``, as the server keeps it."""
    schema: str | None
    table_name: str
    name: str
    index_id: int | None
    """None for partitions of MySQL, whose statistics alone were kept."""
    root_page_no: int | None
    type: int
    """Bits: 1 clustered, 2 unique, 32 FULLTEXT, 64 spatial, 128 virtual."""
    n_fields: int
    n_leaf_pages: int | None
    size: int | None

    @property
    def clustered(self) -> bool:
        return bool(self.type & 1)

    @property
    def is_fulltext(self) -> bool:
        """It has no tree of its own."""
        return bool(self.type & 32)

    @property
    def has_statistics(self) -> bool:
        """The server keeps none of FULLTEXT and spatial indexes."""
        return not self.type & (32 | 64)

    @property
    def visited_names(self) -> tuple[str, ...]:
        """Its possible keys in ``visited``.

        A partition's is ``schema.table /* Partition p[, Subpartition sp] */.index``; backquotes and odd
        characters of a name were lost on the way into the oracle.
        """
        if self.schema is None:
            return (f"{self.table_name}.{self.name}",)
        spellings = [self.table_name, self.table.partition("/")[2], re.sub("[`\0]", "", self.table_name)]
        found = _PARTITION.fullmatch(self.table_name)
        if found:
            sub = f", Subpartition {found['sub']}" if found["sub"] else ""
            spellings.append(f"{found['table']} /* Partition {found['part']}{sub} */")
        return tuple(f"{self.schema}.{spelling}.{self.name}" for spelling in spellings)


@dataclass(frozen=True)
class OracleTable:
    full_name: str
    schema: str | None
    name: str
    indexes: tuple[OracleIndex, ...]
    row_count: int | None
    """COUNT(*)."""
    table_rows: int | None
    """TABLE_ROWS of INFORMATION_SCHEMA.TABLES, counted from the index pages by ANALYZE."""
    data_free: int | None
    """DATA_FREE of INFORMATION_SCHEMA.TABLES."""
    create_table: str
    clustered_size: int | None
    """``clustered_index_size`` of innodb_table_stats."""
    other_sizes: int | None
    """``sum_of_other_index_sizes`` of innodb_table_stats."""

    @property
    def clustered(self) -> OracleIndex | None:
        return next((i for i in self.indexes if i.clustered), None)


@dataclass(frozen=True)
class Innochecksum:
    """What innochecksum printed: the page type summary, and a line for each page."""

    summary: str
    page_types: tuple[tuple[int, str, str | None], ...]
    """(page, type, details)."""
    has_tree_counts: bool
    """MariaDB's summary also counts the pages of each B+tree, freed pages left out."""


@dataclass(frozen=True)
class Oracle:
    """What the server said of one file. None or empty where it was not asked."""

    server_version: str | None
    page_size: int | None
    tablespace: dict[str, Any] | None
    """The row of INNODB_TABLESPACES."""
    datafile_free: int | None
    """DATA_FREE of INFORMATION_SCHEMA.FILES (MySQL)."""
    tables: tuple[OracleTable, ...]
    visited: dict[str, frozenset[int]]
    """Page type, or schema.table.index -> the pages that the server walked."""
    buffer_pages: tuple[tuple[int, str, str | None, int, int], ...]
    """(page, type, index, NUMBER_RECORDS, DATA_SIZE)."""
    header: dict[str, Any]
    innochecksum: Innochecksum
    sdi: dict[tuple[int, int], Any] | None
    """(type, id) -> document, as ibd2sdi printed it; None where it was not asked or failed."""
    file_bytes: int | None
    unchanged: bool
    """The file that the oracle was asked of is byte for byte the one kept."""
    encrypts_all: bool
    """innodb_encrypt_tables was on: MariaDB encrypted every tablespace that no table's option exempts."""
    is_live_copy: bool
    """Copied while the server was writing."""

    @property
    def indexes(self) -> list[OracleIndex]:
        return [i for t in self.tables for i in t.indexes]


def corpus_root() -> Path | None:
    """The folder that IBDSCAN_CORPUS names, None without one."""
    value = os.environ.get(VARIABLE)
    root = Path(value) if value else None
    return root if root is not None and root.is_dir() else None


def require_corpus() -> Path:
    """The corpus, or the end of the test: skipped with the reason, failed where CI is set."""
    root = corpus_root()
    if root is not None:
        return root
    message = f"the corpus of real files is absent: {VARIABLE} is {os.environ.get(VARIABLE) or 'not set'}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def corpus_files(root: Path) -> list[CorpusFile]:
    """All files with an oracle, in the order of their names. Peers' samples have none."""
    found = []
    for engine in ENGINES:
        for oracle_path in (root / engine).rglob("*.oracle.json*"):
            plain = str(oracle_path).removesuffix(_PACKED).removesuffix(".oracle.json")
            path = next((p for p in (Path(plain), Path(plain + _PACKED)) if p.is_file()), None)
            if path is None:
                raise FileNotFoundError(f"{oracle_path} has no file beside it")
            instance, *rest = Path(plain).relative_to(root / engine).parts
            found.append(CorpusFile(engine, instance, "/".join(rest), path, oracle_path))
    return sorted(found)


def find_file(root: Path, engine: str, instance: str, stem: str) -> CorpusFile:
    """The one file of an instance with that table name, or path in the instance. Raises LookupError."""
    folder = root / engine / instance
    found = [f for f in _files_below(root, folder) if stem in (f.stem, f.name.removesuffix(".ibd"))]
    if len(found) != 1:
        raise LookupError(f"{len(found)} files {stem!r} in {folder}")
    return found[0]


def _files_below(root: Path, folder: Path) -> Iterator[CorpusFile]:
    return (f for f in corpus_files(root) if folder == root / f.engine / f.instance)


def load_oracle(file: CorpusFile) -> Oracle:
    """Read the oracle of one file."""
    raw = file.oracle_path.read_bytes()
    if file.oracle_path.name.endswith(_PACKED):
        raw = lzma.decompress(raw)
    return parse_oracle(json.loads(raw))


def parse_oracle(data: dict[str, Any]) -> Oracle:
    facts = data.get("file") or {}
    tools = data.get("innochecksum") or {}
    variables = data.get("variables") or {}
    page_size = variables.get("innodb_page_size")
    sdi = data.get("sdi")
    free = [f["DATA_FREE"] for f in data.get("datafile") or []]
    return Oracle(
        server_version=data.get("server_version"),
        page_size=int(page_size) if page_size else None,
        tablespace=data.get("tablespace"),
        datafile_free=free[0] if len(free) == 1 else None,
        tables=tuple(_table(t) for t in data.get("tables") or []),
        visited={k: _pages(v) for k, v in (data.get("visited_pages") or {}).items()},
        buffer_pages=tuple(
            (p, kind, index, n, size) for p, kind, index, n, size, _ in data.get("buffer_pages") or []
        ),
        header=data["header"]["page0"],
        innochecksum=Innochecksum(
            summary=(tools.get("summary") or {}).get("out") or "",
            page_types=tuple((p, kind, details) for p, kind, details in tools.get("page_types") or []),
            has_tree_counts="index_id\t#pages" in ((tools.get("summary") or {}).get("out") or ""),
        ),
        sdi={(o["type"], o["id"]): o["object"] for o in sdi[1:]} if sdi else None,
        file_bytes=facts.get("size", data.get("size_copied")),
        unchanged=bool(facts.get("unchanged_by_oracle")),
        encrypts_all=variables.get("innodb_encrypt_tables") == "ON",
        is_live_copy="note" in data,
    )


def _pages(ranges: list[list[int]]) -> frozenset[int]:
    return frozenset(p for first, last in ranges for p in range(first, last + 1))


def _table(data: dict[str, Any]) -> OracleTable:
    innodb = data["innodb"]
    statistics = {(s["index_name"], s["stat_name"]): int(s["stat_value"]) for s in data.get("index_stats") or []}
    schema, name = data.get("schema"), data["name"]
    named = {i["NAME"]: i for i in data.get("indexes") or []}
    names = dict.fromkeys([*named, *(index for index, _ in statistics)])
    indexes = tuple(
        OracleIndex(
            table=innodb["NAME"],
            schema=schema,
            table_name=name,
            name=index,
            index_id=named[index]["INDEX_ID"] if index in named else None,
            root_page_no=named[index]["PAGE_NO"] if index in named else None,
            type=named[index]["TYPE"] if index in named else 0,
            n_fields=named[index]["N_FIELDS"] if index in named else 0,
            n_leaf_pages=statistics.get((index, "n_leaf_pages")),
            size=statistics.get((index, "size")),
        )
        for index in names
    )
    facts = data.get("is_tables") or {}
    sizes = data.get("table_stats") or [{}]
    return OracleTable(
        full_name=innodb["NAME"],
        schema=schema,
        name=name,
        indexes=indexes,
        row_count=data.get("row_count"),
        table_rows=facts.get("TABLE_ROWS"),
        data_free=facts.get("DATA_FREE"),
        create_table=data.get("create_table") or "",
        clustered_size=sizes[0].get("clustered_index_size"),
        other_sizes=sizes[0].get("sum_of_other_index_sizes"),
    )
