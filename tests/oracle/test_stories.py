"""What the corpus's loads must look like: the stories that numbers have to tell."""

from __future__ import annotations

import numpy as np
import pytest

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageState
from tests.oracle.conftest import SurveyOf

pytestmark = pytest.mark.corpus

ENGINES = ("mysql97", "maria1011")
INDEX_TYPE = 17855


def clustered(survey: Survey) -> Index:
    (index,) = [i for i in survey.user_indexes if i.clustered]
    return index


def ratio(value: float | None) -> float:
    assert value is not None
    return value


def test_all_deleted_table_of_mysql_is_one_empty_root_and_stale_pages(survey_of: SurveyOf) -> None:
    survey = survey_of("mysql97", "frag", "del_all")
    by_type = int((survey.columns.type == INDEX_TYPE).sum())
    assert by_type == 390  # what counting by page type says
    for index in survey.user_indexes:
        assert (index.height, index.leaf.pages, index.leaf.records, index.leaf.fill) == (1, 1, 0, 0.0)
        assert index.leaf.contiguous is None
        assert index.is_small
    assert survey.page_states["stale"] == by_type - 2


@pytest.mark.parametrize("engine", ENGINES)
def test_flushed_then_deleted_pages_are_stale(engine: str, survey_of: SurveyOf) -> None:
    """Nine of ten rows deleted: the leaves by type are 237, the live ones 36; both servers leave the old pages."""
    survey = survey_of(engine, "frag", "del_flushed")
    index = clustered(survey)
    typed = (survey.columns.type == INDEX_TYPE) & (survey.columns.level == 0)
    typed &= survey.columns.index_id == np.uint64(index.index_id or 0)
    assert int(typed.sum()) > 200
    assert index.leaf.pages == 36
    assert survey.page_states["stale"] == 349
    assert not (typed & (survey.state == PageState.LIVE))[
        ~np.isin(np.arange(survey.n_pages), index.leaf.page_nos)
    ].any()


@pytest.mark.parametrize("engine", ENGINES)
def test_dropped_index_is_gone(engine: str, survey_of: SurveyOf) -> None:
    """An index was dropped and others were built in its place: its id is on stale pages only."""
    survey = survey_of(engine, "frag", "idx_dropped")
    ids = {i.index_id for i in survey.user_indexes}
    assert len(ids) == 5
    live_ids = {
        int(i) for i in survey.columns.index_id[(survey.state == PageState.LIVE) & survey.columns.is_index]
    }
    assert live_ids == {i.index_id for i in survey.indexes if i.has_leaf}
    if engine == "mysql97":
        stale = (survey.state == PageState.STALE) & survey.columns.is_index
        assert {int(i) for i in survey.columns.index_id[stale]} - live_ids, (
            "no trace of the dropped index in the file"
        )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rebuilt", ["uuid_optimize", "uuid_force"])
def test_random_key_before_and_after_a_rebuild(engine: str, rebuilt: str, survey_of: SurveyOf) -> None:
    before, after = (clustered(survey_of(engine, "frag", name)).leaf for name in ("uuid_random", rebuilt))
    assert before.records == after.records
    assert before.contiguous == 0.0
    assert ratio(after.contiguous) == pytest.approx(0.956, abs=0.005)
    assert ratio(before.fill) == pytest.approx(0.657, abs=0.01)
    assert ratio(after.fill) == pytest.approx(0.928, abs=0.005)
    assert (before.pages, after.pages) == (357, 253)
    assert ratio(before.backward) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_connection_against_four(engine: str, survey_of: SurveyOf) -> None:
    """200,000 equal rows: fill and order both tell how they were loaded."""
    single, multi, small = (
        survey_of(engine, "seed", f"{name}/sbtest1") for name in ("single", "multi", "multi_small")
    )
    leaves = [clustered(s).leaf for s in (single, multi, small)]
    assert {leaf.records for leaf in leaves} == {200_000}
    fill = [ratio(leaf.fill) for leaf in leaves]
    contiguous = [ratio(leaf.contiguous) for leaf in leaves]
    assert fill[0] > fill[1] + 0.015 > fill[2] + 0.25
    assert contiguous[0] > 0.99
    assert 0.9 > contiguous[1] > 0.5 > contiguous[2]
    assert [leaf.pages for leaf in leaves] == sorted(leaf.pages for leaf in leaves)
    assert ratio(leaves[0].backward) == 0.0


@pytest.mark.parametrize("engine", ENGINES)
def test_direction_of_an_ordered_load_is_in_the_order(engine: str, survey_of: SurveyOf) -> None:
    """Ascending and descending rows fill the pages alike; only the order tells them apart."""
    up, down = (clustered(survey_of(engine, "frag", name)).leaf for name in ("ord_asc", "ord_desc"))
    assert up.fill == pytest.approx(down.fill)
    assert (up.pages, down.pages) == (238, 238)
    assert ratio(up.backward) == 0.0
    assert ratio(down.backward) == pytest.approx(0.143, abs=0.001)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("factor", [50, 70])
def test_fill_factor_is_data_and_directory(engine: str, factor: int, survey_of: SurveyOf) -> None:
    """innodb_fill_factor steers record bytes and directory together."""
    leaf = clustered(survey_of(engine, "frag", f"ff{factor}")).leaf
    assert ratio(leaf.dir_fill) == pytest.approx(factor / 100, abs=0.015)


@pytest.mark.parametrize("engine", ENGINES)
def test_scattered_deletes_become_reserved_pages(engine: str, survey_of: SurveyOf) -> None:
    """Every second row deleted and merged: leaves stay full, the segment keeps the extents."""
    leaf_segment = clustered(survey_of(engine, "frag", "merge_t50")).leaf_segment
    assert leaf_segment is not None
    assert (leaf_segment.used_pages, leaf_segment.reserved_pages) == (172, 399)


@pytest.mark.parametrize("engine", ENGINES)
def test_deep_tree(engine: str, survey_of: SurveyOf) -> None:
    index = clustered(survey_of(engine, "frag", "deep"))
    assert [level.level for level in index.levels] == list(range(index.height - 1, -1, -1))
    for above, below in zip(index.levels, index.levels[1:], strict=False):
        assert above.records == below.pages  # a node pointer for each page of the level below
