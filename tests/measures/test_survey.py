"""The account adds up on every real file; pages, records and names are those that the server named."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import open_survey
from ibdscan.structures.space.states import PageState
from ibdscan.testing import IndexSpec, build_space
from tests.files import every_fixture, facts, fixture, surveyed


@every_fixture
def test_every_page_is_counted_once(path: Path) -> None:
    with surveyed(path) as survey:
        n = survey.n_pages
        assert sum(survey.page_states.values()) == n
        assert sum(survey.page_classes.values()) == n
        assert sum(survey.page_types.values()) == survey.page_states["live"]
        by_levels = sum(level.pages for i in survey.indexes for level in i.levels)
        classes = survey.page_classes
        assert by_levels == classes["leaf"] + classes["non_leaf"] + classes["sdi"] - sdi_lobs(survey.page_types)
        assert not survey.findings


def sdi_lobs(types: dict[int, int]) -> int:
    return types.get(18, 0) + types.get(19, 0)


@every_fixture
def test_records_and_bytes_of_every_page_are_the_servers(path: Path) -> None:
    said = facts(path)
    names = said["page_columns"]
    with surveyed(path) as survey:
        by_name = {i["name"]: i["index_id"] for i in said["indexes"]}
        for name, rows in said["pages"].items():
            index = survey.index(by_name[name])
            pages = {int(p) for level in index.levels for p in level.page_nos}
            page_nos = [dict(zip(names, row, strict=True)) for row in rows]
            assert pages == {row["page_no"] for row in page_nos}
            for row in page_nos:
                page = row["page_no"]
                assert survey.columns.n_recs[page] == row["n_recs"]
                assert survey.columns.data_bytes(np.array([page]))[0] == row["data_size"]


@every_fixture
def test_row_counts_are_the_servers(path: Path) -> None:
    with surveyed(path) as survey:
        clustered = [i for i in survey.user_indexes if i.clustered]
        assert len(clustered) == 1
        assert clustered[0].leaf.records == facts(path)["row_count"]


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_a_rebuild_is_foretold(family: str) -> None:
    with (
        surveyed(fixture(f"{family}/uuid_random")) as before,
        surveyed(fixture(f"{family}/uuid_rebuilt")) as after,
    ):
        (now,) = [i for i in before.user_indexes if i.clustered]
        (real,) = [i for i in after.user_indexes if i.clustered]
        assert now.rebuild is not None
        assert now.rebuild.leaf_pages == pytest.approx(real.leaf.pages, rel=0.03)
        assert real.rebuild is not None
        assert real.rebuild.leaf_pages == pytest.approx(real.leaf.pages, rel=0.03)
        assert (now.leaf.contiguous or 0) < 0.01
        assert (real.leaf.contiguous or 0) > 0.94


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_the_laws_of_the_house_on_real_files(family: str) -> None:
    with surveyed(fixture(f"{family}/all_deleted")) as survey:
        assert [i.leaf.pages for i in survey.user_indexes] == [1, 1]
        assert survey.page_states["stale"] == (135 if family == "mysql97" else 0)
        assert all(i.is_small for i in survey.user_indexes)
    with surveyed(fixture(f"{family}/idx_dropped")) as survey:
        assert len(survey.user_indexes) == len(facts(fixture(f"{family}/idx_dropped"))["indexes"])
        assert survey.page_states["stale"] >= 42
    with surveyed(fixture(f"{family}/import_single")) as one, surveyed(fixture(f"{family}/import_multi")) as four:
        a, b = (next(i for i in s.user_indexes if i.clustered).leaf for s in (one, four))
        assert a.records == b.records == 10_000
        assert (a.fill or 0) > (b.fill or 0) + 0.15
        assert (a.contiguous or 0) > (b.contiguous or 0) + 0.6


def test_an_index_is_found_by_any_of_its_names(tmp_path: Path) -> None:
    built = build_space([IndexSpec("PRIMARY"), IndexSpec("k")], page_size=4096, table="db/t")
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    for name in ("k", "t.k", "db/t.k", "101", 101):
        assert survey.index(name).index_id == 101
    with pytest.raises(UsageError, match="no index 'nope'; the file has: PRIMARY, k, SDI"):
        survey.index("nope")


def test_without_a_dictionary_indexes_have_their_ids(tmp_path: Path) -> None:
    built = build_space([IndexSpec("PRIMARY"), IndexSpec("k")], page_size=4096, family="mariadb")
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    assert [i.name for i in survey.user_indexes] == ["index 100", "index 101"]
    assert survey.index(100).clustered
    assert not survey.index(100).clustered_is_certain


def test_a_dropped_index_does_not_come_back(tmp_path: Path) -> None:
    specs = [IndexSpec("PRIMARY", leaves=20), IndexSpec("gone", leaves=300, dropped=True)]
    built = build_space(specs, page_size=4096)
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    assert [i.name for i in survey.user_indexes] == ["PRIMARY"]
    assert survey.page_states["stale"] > 300
    typed = np.count_nonzero(survey.columns.is_index)
    live = np.count_nonzero(survey.columns.is_index & (survey.state == PageState.LIVE))
    assert typed - live == survey.page_states["stale"]
    assert not survey.findings
