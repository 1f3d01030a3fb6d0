"""The small real files of fixtures/ against what the server said of each. Needs neither corpus nor server."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from ibdscan.measures.file.survey import Survey, open_survey
from tests.fixture_files import (
    FAMILIES,
    FOLDER,
    fixture_bytes,
    fixture_facts,
    fixture_files,
    fixture_id,
    fixture_oracle,
)
from tests.oracle.compare import compare
from tests.oracle.verdict import DIFFERENT, EXACT, EXPLAINED

each_fixture = pytest.mark.parametrize("path", fixture_files(), ids=fixture_id)


def test_there_are_fixtures_of_both_families() -> None:
    names = Counter(path.name.removesuffix(".ibd.xz") for path in fixture_files())
    assert names["import_single"] == names["import_multi"] == len(FAMILIES)
    assert len(fixture_files()) >= 27
    assert {p.name for family in FAMILIES for p in (FOLDER / family).glob("*.json")} == {
        f"{n}.json" for n in names
    }


@each_fixture
def test_file_is_the_one_the_server_wrote(path: Path) -> None:
    facts, data = fixture_facts(path), fixture_bytes(path)
    assert len(data) == facts["bytes"]
    assert hashlib.sha256(data).hexdigest() == facts["sha256"]


@each_fixture
def test_fixture_agrees_with_the_server(path: Path) -> None:
    """Records and data size of each page, live pages, roots, names, used and reserved pages, data_free, rows."""
    oracle = fixture_oracle(path)
    found = open_survey(str(path))
    with found.space.source:
        comparisons = compare(fixture_id(path), found, oracle)
    assert [str(c) for c in comparisons if c.verdict == DIFFERENT] == []
    assert {c.reason for c in comparisons if c.verdict == EXPLAINED} <= {"mariadb-n-leaf-pages"}
    if "mysql" in fixture_id(path):
        assert not [c for c in comparisons if c.verdict == EXPLAINED]
    exact = Counter(c.check for c in comparisons if c.verdict == EXACT)
    n_pages = sum(map(len, fixture_facts(path)["pages"].values()))
    assert exact["records"] == exact["data size"] == n_pages
    assert exact["live pages"] == exact["root"] == exact["size"] == len(oracle.indexes)
    assert exact["row count"] == exact["data_free"] == 1
    assert exact["names"] == (len(oracle.indexes) if "mysql" in fixture_id(path) else 0)


@cache
def survey(family: str, name: str) -> Survey:
    found = open_survey(str(FOLDER / family / f"{name}.ibd.xz"))
    found.close()
    return found


@pytest.mark.parametrize("family", FAMILIES)
def test_imports_differ_in_fill_and_order(family: str) -> None:
    single, multi = (survey(family, name).user_indexes[0].leaf for name in ("import_single", "import_multi"))
    assert single.records == multi.records == 10_000
    assert single.fill is not None
    assert multi.fill is not None
    assert single.fill > 0.92
    assert multi.fill < 0.8
    assert single.contiguous is not None
    assert multi.contiguous is not None
    assert single.contiguous > 0.95
    assert multi.contiguous < 0.5


@pytest.mark.parametrize("family", FAMILIES)
def test_random_keys_before_and_after_a_rebuild(family: str) -> None:
    before, after = (survey(family, name).user_indexes[0].leaf for name in ("uuid_random", "uuid_rebuilt"))
    assert before.contiguous == 0.0
    assert after.contiguous == pytest.approx(0.952, abs=0.01)


def test_all_deleted_is_two_empty_roots_and_stale_pages() -> None:
    found = survey("mysql97", "all_deleted")
    assert [(i.height, i.leaf.pages, i.leaf.records) for i in found.user_indexes] == [(1, 1, 0), (1, 1, 0)]
    assert found.page_states["stale"] == 135


@pytest.mark.parametrize("family", FAMILIES)
def test_dropped_index_is_gone(family: str) -> None:
    found = survey(family, "idx_dropped")
    assert len(found.user_indexes) == 2
    assert found.page_states["stale"] >= 42
