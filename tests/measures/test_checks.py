"""Limits and checks: what ``assert`` and the assertions of ``ibdscan.testing`` say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.errors import UsageError
from ibdscan.measures.file.limits import check_fill, check_order, clustered_index, parse_limit
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.testing import IndexSpec, build_space


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    specs = [IndexSpec("PRIMARY", leaves=40, fill=0.7, order="interleaved"), IndexSpec("k", leaves=2, fill=0.9)]
    found = open_survey(str(build_space(specs, page_size=4096).write(tmp_path / "t.ibd")))
    found.close()
    return found


@pytest.mark.parametrize(
    ("text", "value"), [(0, 0), (1, 1), (0.85, 0.85), ("85%", 0.85), (" 92.5 % ", 0.925), ("1", 1), ("100%", 1)]
)
def test_limits(text: str | float, value: float) -> None:
    assert parse_limit(text) == pytest.approx(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("much", "is no limit"),
        ("", "is no limit"),
        ("%", "is no limit"),
        (85, "did you mean 85%"),
        ("-1", "not between"),
        ("101%", "not between"),
        ("nan", "not between"),
        ("inf", "not between"),
    ],
)
def test_wrong_limits(text: str | float, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_limit(text)


def test_one_check_a_limit(survey: Survey) -> None:
    low, high = check_fill(survey, minimum="60%", maximum=0.65)
    assert (low.kind, low.limit, low.ok) == ("min", 0.6, True)
    assert (high.kind, high.limit, high.ok) == ("max", 0.65, False)
    assert low.measured == high.measured == survey.index("PRIMARY").leaf.fill
    assert low.reason == "fill of PRIMARY is 70.0 %, at least 60.0 %"
    assert high.reason == "fill of PRIMARY is 70.0 %, above the maximum of 65.0 %"


def test_other_measures_and_levels(survey: Survey) -> None:
    (check,) = check_fill(survey, "PRIMARY", minimum=0.7, measure="dir_fill")
    assert check.measured == survey.index("PRIMARY").leaf.dir_fill
    (check,) = check_fill(survey, "PRIMARY", minimum=0.7, level=1)
    assert check.measured == survey.index("PRIMARY").levels[0].fill.fill
    assert "level 1" in check.reason
    with pytest.raises(UsageError, match="no pages of level 5"):
        check_fill(survey, minimum=0.1, level=5)
    with pytest.raises(UsageError, match="fill or dir_fill"):
        check_fill(survey, minimum=0.1, measure="beauty")


def test_order(survey: Survey) -> None:
    checks = check_order(survey, min_contiguous=0.9, max_out_of_order="5 %", max_backward=0.5)
    assert [(c.measure, c.ok) for c in checks] == [
        ("contiguous", False),
        ("out_of_order", False),
        ("backward", True),
    ]


def test_small_is_said(survey: Survey) -> None:
    (check,) = check_fill(survey, "k", minimum=0.95)
    assert check.is_small
    assert not check.ok
    assert "too small to judge" in check.reason
    (check,) = check_fill(survey, "k", minimum=0.5)
    assert check.ok
    assert "small" not in check.reason


def test_a_near_miss_shows_enough_digits(survey: Survey) -> None:
    fill = survey.index("PRIMARY").leaf.fill
    assert fill is not None
    (check,) = check_fill(survey, minimum=fill + 1e-5)
    assert not check.ok
    assert "70.005 %, below the minimum of 70.006 %" in check.reason


def test_one_leaf_has_no_order(tmp_path: Path) -> None:
    built = build_space([IndexSpec("PRIMARY", fill=0.3)], page_size=4096)
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    (check,) = check_order(survey, min_contiguous=1)
    assert check.ok
    assert check.measured is None
    assert "can not be measured" in check.reason


def test_a_file_without_an_index(tmp_path: Path) -> None:
    survey = open_survey(str(build_space([], page_size=4096).write(tmp_path / "t.ibd")))
    survey.close()
    with pytest.raises(UsageError, match="no clustered index"):
        clustered_index(survey)
