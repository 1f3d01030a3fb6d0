"""Files of MySQL 5.5, MariaDB 10.1, 10.2 and 11.4 against what those servers said of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ibdscan
from ibdscan.measures.index.index import Index
from ibdscan.measures.verify import verify_file
from ibdscan.pages.space.version import server_words

from .real import header_of_page

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "older"
OLD_CRC32 = "MySQL 5.6 or 5.7 (or MariaDB 10.0 to 10.4: the file does not say)"
OLD = "MySQL up to 5.7 (or MariaDB up to 10.4: the file does not say)"
WORDS = {
    "mysql55": {"compact": OLD},
    "maria101": {"compact": OLD, "packed": "MariaDB 10.1.21 or later"},
    "maria102": {"compact": OLD_CRC32, "zip8": OLD, "packed": "MariaDB 10.1.21 or later"},
    "maria114": {"compact": "MariaDB 10.4.3 or later", "zip8": "MariaDB (classic format)"},
}
EMPTY = {"size": 1, "n_leaf_pages": 1}


@cache
def facts(family: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / family / "facts.json").read_text("utf-8"))["tables"]
    return found


def tables() -> Iterator[tuple[str, str, str]]:
    """Family, the table as made, and one file of it: ``d/split#p#`` has two."""
    for family in WORDS:
        for made, said in facts(family).items():
            yield from ((family, made, file) for file in said["indexes"] if file.partition("/")[0] in "ds")


ALL = list(tables())
OWN = [t for t in ALL if t[2].startswith("d/")]


def path_of(family: str, file: str) -> Path:
    return FOLDER / family / (f"{file[2:]}.ibd.xz" if file.startswith("d/") else "ibdata1.xz")


def said_of(path: Path) -> list[tuple[int, int, int]]:
    """What the server said of the index pages of one file: page, records, data size."""
    schema = "s/" if path.name.startswith("ibdata1") else "d/"
    name = path.name.partition(".ibd")[0]
    return [
        (int(page), *row)
        for said in facts(path.parent.name).values()
        for file, pages in said.get("pages", {}).items()
        if file.startswith(schema) and schema + name in (file, schema + "ibdata1.xz")
        for page, row in pages.items()
    ]


def by_id(space: ibdscan.Space) -> dict[int | None, Index]:
    return {index.index_id: index for index in space.user_indexes}


def test_each_server_has_what_it_can_have() -> None:
    assert {f: len([t for t in ALL if t[0] == f]) for f in WORDS} == {
        "mysql55": 13, "maria101": 15, "maria102": 15, "maria114": 15,
    }  # fmt: skip


@pytest.mark.parametrize(("family", "made", "file"), ALL)
def test_indexes_are_the_servers(family: str, made: str, file: str) -> None:
    """Ids, roots, pages reserved, pages used by the leaf segment; names by the system tablespace beside."""
    with ibdscan.open(path_of(family, file)) as space:
        found = by_id(space)
        for name, said in facts(family)[made]["indexes"][file].items():
            if said["root_page_no"] in (None, -1, 0xFFFFFFFF):
                continue  # a FULLTEXT index: it has no tree of its own
            index = found[said["index_id"]]
            assert (index.name, index.root_page_no) == (name, said["root_page_no"])
            if said["size"] is not None:
                assert index.reserved_pages == said["size"]
                used = index.leaf_segment.used_pages if index.leaf_segment else 0
                # a tree of one page: its root is the leaf, and the leaf segment is empty
                assert said["n_leaf_pages"] in (used, 1)
        assert space.findings == []


@pytest.mark.parametrize(("family", "made", "file"), [t for t in ALL if t[0] != "mysql55"])
def test_each_index_page_has_the_servers_records_and_data_size(family: str, made: str, file: str) -> None:
    said = {int(page): row for page, row in facts(family)[made]["pages"][file].items()}
    assert said
    with ibdscan.open(path_of(family, file)) as space:
        assert {page: header_of_page(space, page) for page in said} == said


@pytest.mark.parametrize(("family", "made", "file"), [t for t in OWN if "#" not in t[1]])
def test_rows_and_free_space_are_the_servers(family: str, made: str, file: str) -> None:
    said = facts(family)[made]
    with ibdscan.open(path_of(family, file)) as space:
        for index in space.user_indexes:
            if index.has_leaf:
                assert index.leaf.records == said["rows"]
        assert space.data_free_bytes == said["data_free"]


@pytest.mark.parametrize(("family", "made", "file"), OWN)
def test_checksums_hold(family: str, made: str, file: str) -> None:
    assert verify_file(str(path_of(family, file))).findings == []


@pytest.mark.parametrize(("family", "name"), [(f, n) for f, names in WORDS.items() for n in names])
def test_the_servers_name_is_not_more_precise_than_the_file(family: str, name: str) -> None:
    with ibdscan.open(path_of(family, f"d/{name}")) as space:
        assert server_words(space.space) == WORDS[family][name]
