"""The assertions: silent when it holds; else what was measured, against what, and where it is worst."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ibdscan
from ibdscan.errors import UnreadableError, UsageError
from ibdscan.testing import (
    BuiltSpace,
    IndexSpec,
    assert_fill,
    assert_height,
    assert_no_findings,
    assert_order,
    build_space,
)
from tests.files import fixture

FILLS = [0.9] * 37 + [0.35, 0.2, 0.9]


def built() -> BuiltSpace:
    specs = [IndexSpec("PRIMARY", leaves=40, fill=FILLS, order="interleaved"), IndexSpec("k", leaves=3, fill=0.5)]
    return build_space(specs, page_size=4096)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return built().write(tmp_path / "t.ibd")


def test_what_holds_is_silent(path: Path) -> None:
    assert_fill(path, min=0.8)
    assert_fill(str(path), min="80 %", max=0.95)
    assert_fill(path, index="k", max=0.6, measure="dir_fill")
    assert_fill(path, index=101, min=0.4)
    assert_order(path, max_backward=0.5)
    assert_height(path, max=2)
    assert_no_findings(path)
    with ibdscan.open(path) as space:
        assert_fill(space, min=0.8)
        assert_fill(space, min=0.1, level=1, max=0.5)


def test_a_failed_fill_says_what_was_measured_and_where(path: Path) -> None:
    with pytest.raises(AssertionError) as e:
        assert_fill(path, min=0.95)
    text = str(e.value)
    leaves = built().index("PRIMARY").leaf_pages
    assert text.startswith(f"{path}: PRIMARY of test/t\n")
    assert "fill of PRIMARY is 86.9 %, below the minimum of 95.0 %" in text
    assert "40 leaf pages" in text
    assert "\n     80-90 % 0\n" in text
    assert "90-100 % ████████████████████████████████████████ 38" in text
    assert f"emptiest: page {leaves[38]} 20.0 %, page {leaves[37]} 35.0 %, page " in text
    assert len(re.findall(r"(?m)^ +\d+-\d+ % ", text)) == 10


def test_too_full_shows_the_fullest(path: Path) -> None:
    with pytest.raises(AssertionError, match=r"above the maximum of 50\.0 %") as e:
        assert_fill(path, max="50%")
    assert "fullest: page " in str(e.value)


def test_a_failed_order_shows_the_longest_seeks(path: Path) -> None:
    with pytest.raises(AssertionError) as e:
        assert_order(path, min_contiguous=0.9, max_out_of_order=0.1, max_backward=0.9)
    text = str(e.value)
    assert "contiguous of PRIMARY is 0.0 %, below the minimum of 90.0 %" in text
    assert "out_of_order of PRIMARY is" in text
    assert "backward of PRIMARY" not in text
    assert "40 leaf pages in 40 runs" in text
    assert "(-" in text.split("longest: ")[1].splitlines()[0]


def test_small_indexes(path: Path) -> None:
    with pytest.raises(AssertionError, match="only 3 leaf pages: too small to judge") as e:
        assert_fill(path, index="k", min=0.9)
    assert "allow_small=True" in str(e.value)
    assert_fill(path, index="k", min=0.9, allow_small=True)
    with pytest.raises(AssertionError):
        assert_fill(path, min=0.95, allow_small=True)


def test_height_and_findings(path: Path) -> None:
    with pytest.raises(AssertionError, match=r"height of PRIMARY of test/t is 2, above the maximum of 1"):
        assert_height(path, max=1)
    data = bytearray(path.read_bytes())
    leaf = built().index("PRIMARY").leaf_pages[5]
    data[leaf * 4096 + 4 : leaf * 4096 + 8] = bytes(4)
    path.write_bytes(data)
    with pytest.raises(AssertionError, match=f"page-number: page {leaf} carries page number 0"):
        assert_no_findings(path)


def test_many_findings_are_cut(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for leaf in built().index("PRIMARY").leaf_pages:
        data[leaf * 4096 + 4] = 1
    path.write_bytes(data)
    with pytest.raises(AssertionError, match="and 30 more") as e:
        assert_no_findings(path)
    assert len(str(e.value).splitlines()) == 12


def test_a_wrong_question_is_no_failed_assertion(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="needs min or max"):
        assert_fill(path)
    with pytest.raises(UsageError, match="assert_order needs"):
        assert_order(path)
    with pytest.raises(UsageError, match="did you mean 85%"):
        assert_fill(path, min=85)
    with pytest.raises(UsageError, match="no index 'nope'"):
        assert_fill(path, index="nope", min=0.5)
    with pytest.raises(UnreadableError):
        assert_fill(tmp_path / "none.ibd", min=0.5)


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_the_import_pair(family: str) -> None:
    one, four = fixture(f"{family}/import_single"), fixture(f"{family}/import_multi")
    assert_fill(one, min=0.9)
    assert_order(one, min_contiguous=0.9)
    with pytest.raises(AssertionError, match="below the minimum"):
        assert_fill(four, min=0.9)
    with pytest.raises(AssertionError, match="below the minimum"):
        assert_order(four, min_contiguous=0.9)
