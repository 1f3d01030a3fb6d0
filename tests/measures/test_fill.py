"""Fill of leaves: by hand, and on built files with every page's fill known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.measures.file.survey import open_survey
from ibdscan.measures.index.fill import measure_fill
from ibdscan.testing import IndexSpec, build_space
from tests.structures.made_up import columns_of


def test_by_hand() -> None:
    # 16 KiB, compact: capacity 16,252; one page with 10,000 bytes of which 126 are garbage, one empty
    columns = columns_of(
        2,
        heap_top=np.array([10_120, 120], np.uint16),
        n_heap=np.array([0x8066, 0x8002], np.uint16),
        garbage=np.array([126, 0], np.uint16),
        n_dir_slots=np.array([27, 2], np.uint16),
        n_recs=np.array([100, 0], np.uint16),
    )
    fill = measure_fill(columns, np.array([0, 1]), 16384)
    assert (fill.pages, fill.records, fill.data_bytes) == (2, 100, 9_874)
    assert fill.capacity_bytes == 2 * 16_252
    assert fill.fill == 9_874 / 32_504
    assert fill.dir_fill == (9_874 + 50) / 32_504
    assert fill.garbage == 126 / 32_504
    assert fill.slack_bytes == 32_504 - 9_874 - 126 - 50
    assert fill.histogram == (1, 0, 0, 0, 0, 0, 1, 0, 0, 0)


def test_redundant_pages_have_less_room() -> None:
    columns = columns_of(1, heap_top=np.array([1_125], np.uint16), n_heap=np.array([5], np.uint16))
    fill = measure_fill(columns, np.array([0]), 16384)
    assert fill.fill == 1_000 / 16_247


def test_no_pages() -> None:
    fill = measure_fill(columns_of(1), np.empty(0, np.int64), 16384)
    assert fill.fill is fill.dir_fill is fill.garbage is None
    assert not fill.percentiles
    assert sum(fill.histogram) == 0


def test_a_full_page_is_in_the_last_bin() -> None:
    columns = columns_of(1, heap_top=np.array([120 + 16_252], np.uint16), n_heap=np.array([0x8002], np.uint16))
    assert measure_fill(columns, np.array([0]), 16384).histogram[-1] == 1


@given(st.lists(st.floats(0.05, 0.98), min_size=2, max_size=12), st.floats(0, 0.01))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_each_leaf_as_built(tmp_path_factory: pytest.TempPathFactory, fills: list[float], garbage: float) -> None:
    path = tmp_path_factory.mktemp("fill") / "t.ibd"
    spec = IndexSpec("PRIMARY", leaves=len(fills), fill=fills, garbage=round(garbage, 1), order="random")
    built = build_space([spec], page_size=4096)
    survey = open_survey(str(built.write(path)))
    survey.close()
    leaf = survey.index("PRIMARY").leaf
    expected = built.index("PRIMARY")
    assert leaf.fill == expected.fill
    assert leaf.fill == pytest.approx(sum(fills) / len(fills), abs=0.001)
    assert leaf.histogram == tuple(int(n) for n in np.histogram(expected.fills, 10, (0, 1))[0])
    assert leaf.percentiles[0] == pytest.approx(min(expected.fills))
    assert leaf.percentiles[100] == pytest.approx(max(expected.fills))


def test_inner_levels_are_not_averaged_in(tmp_path: Path) -> None:
    spec = IndexSpec("PRIMARY", leaves=60, fill=0.8, fanout=4, record_bytes=190, stale=9)
    built = build_space([spec], page_size=4096)
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    index = survey.index("PRIMARY")
    assert index.height == built.index("PRIMARY").height == 4
    assert [level.pages for level in index.levels] == [1, 4, 15, 60]
    assert index.leaf.fill == pytest.approx(0.8, abs=0.001)
    assert index.levels[0].fill.fill == pytest.approx(4 * 13 / (4096 - 132))
    assert survey.page_states["stale"] == 9
