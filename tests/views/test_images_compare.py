"""Comparisons: one cell size, the same colours and scales for all files, the curve, the numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import Survey
from ibdscan.views.images import draw_compare, draw_map
from ibdscan.views.images.compare import compare_picture, labels
from ibdscan.views.images.parts.charts import scatter
from ibdscan.views.images.parts.painting import Scope
from tests.views.images_made import made_survey


def two() -> list[Survey]:
    return [made_survey(3840, n_indexes=2, name="a.ibd"), made_survey(5632, n_indexes=2, torn=True, name="b.ibd")]


def test_all_maps_have_one_cell_size() -> None:
    picture = compare_picture(two())
    assert [row.mode.name for row in picture.rows] == ["fill", "order"]
    a, b = picture.grids
    assert (a.cell, a.per_cell, a.row_cells, a.strip_rows) == (b.cell, b.per_cell, b.row_cells, b.strip_rows)
    assert (a.stop, b.stop) == (3840, 5632)


def test_a_comparison_shows_the_main_index_alone() -> None:
    surveys = two()
    for row in compare_picture(surveys).rows:
        for survey, painting in zip(surveys, row.paintings, strict=True):
            assert painting.n_scaled == survey.index("PRIMARY").leaf.pages
    for row in compare_picture(surveys, index="k_1").rows:
        assert row.paintings[0].n_scaled == surveys[0].index("k_1").leaf.pages


def test_an_index_has_one_hue_in_all_files_by_name() -> None:
    first = made_survey(3000, n_indexes=3, index_names=["PRIMARY", "k_1", "k_2"])
    second = made_survey(3000, n_indexes=3, index_names=["PRIMARY", "k_2", "k_new"])
    (row,) = compare_picture([first, second], "index").rows
    colors = [{s.label: s.color for s, _ in p.legend()} for p in row.paintings]
    assert colors[0]["k_2"] == colors[1]["k_2"]
    assert colors[0]["PRIMARY"] == colors[1]["PRIMARY"]
    assert colors[1]["k_new"] not in (colors[0]["k_1"], colors[0]["k_2"], colors[0]["PRIMARY"])


def test_an_index_has_one_hue_in_all_files_by_rank() -> None:
    first = made_survey(3000, n_indexes=2, index_names=["index 10", "index 11"])
    second = made_survey(3000, n_indexes=2, index_names=["index 20", "index 21"])
    (row,) = compare_picture([first, second], "index").rows
    colors = [[s.color for s, _ in p.legend()][:2] for p in row.paintings]
    assert colors[0] == colors[1]


def test_the_numbers_and_differences_are_on_the_picture() -> None:
    surveys = two()
    texts = [t for t, _ in compare_picture(surveys).canvas.texts]
    a, b = (s.index("PRIMARY").leaf for s in surveys)
    assert a.pages != b.pages
    for wanted in (f"{a.pages:,}", f"{b.pages:,}", f"{b.pages - a.pages:+,}", "B - A", "a.ibd", "b.ibd"):
        assert wanted in texts


def test_two_to_six_files() -> None:
    survey = made_survey(640)
    for n in (1, 7):
        with pytest.raises(UsageError, match="2 to 6 files"):
            draw_compare([survey] * n)
    assert draw_compare([survey] * 6, width=1600).width == 1600


def test_files_without_indexes_are_compared_by_class() -> None:
    picture = compare_picture([made_survey(640, all_free=True), made_survey(1000, only_system=True)])
    assert [row.mode.name for row in picture.rows] == ["index"]


def test_files_of_different_page_sizes() -> None:
    picture = compare_picture([made_survey(2000, page_size=4096), made_survey(640, page_size=65536)])
    a, b = picture.grids
    assert a.cell == b.cell
    assert (a.extent_pages, b.extent_pages) == (256, 64)


def test_labels_tell_files_apart() -> None:
    assert labels(["/x/single/t.ibd", "/x/multi/t.ibd"]) == ["single/t.ibd", "multi/t.ibd"]
    assert labels(["a.ibd", "dir/b.ibd"]) == ["a.ibd", "b.ibd"]
    assert labels(["/x/1/a/t.ibd", "/x/2/a/t.ibd"]) == ["1/a/t.ibd", "2/a/t.ibd"]
    assert labels(["t.ibd", "t.ibd"]) == ["t.ibd", "t.ibd"]


def test_the_curve_of_a_file_in_order_is_a_line() -> None:
    dots = scatter(np.arange(10_000), 10_000, 100, 100)
    assert (dots > 0).sum() == 100
    assert (np.fliplr(dots).diagonal() > 0).all(), "from the bottom left to the top right"


def test_the_curve_of_a_random_file_is_a_cloud() -> None:
    dots = scatter(np.random.default_rng(1).permutation(10_000), 10_000, 50, 50)
    assert (dots > 0).mean() > 0.9
    assert dots.max() <= 3


def test_a_single_leaf_is_to_be_seen() -> None:
    assert (scatter(np.array([4]), 7, 200, 100) > 0).any()
    assert not (scatter(np.empty(0, np.int64), 7, 200, 100) > 0).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": "colour"}, "no map by 'colour'"),
        ({"theme": "pink"}, "no theme 'pink'"),
        ({"width": 100}, "480 to 20000 pixels"),
        ({"cell": 0}, "1 to 64"),
        ({"pages": (700, 800)}, "the file has pages 0 to 639"),
        ({"pages": (5, 5)}, "no pages"),
        ({"index": "nope"}, "no index 'nope'"),
        ({"cell": 64}, "do not fit"),
    ],
)
def test_what_can_not_be_drawn_is_said(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        draw_map(made_survey(640), **options)  # type: ignore[arg-type]


def test_maps_that_do_not_fit_side_by_side() -> None:
    with pytest.raises(UsageError, match="do not fit"):
        draw_compare([made_survey(640)] * 6, width=500)


def test_a_scope_without_ranks_draws_no_hues() -> None:
    survey = made_survey(640)
    from ibdscan.views.images.modes import MODES
    from ibdscan.views.images.parts.theme import theme_named

    scope = Scope(survey, 0, 640, None, theme_named("light"), {})
    assert "PRIMARY" not in [s.label for s, _ in MODES["index"].paint(replace(scope)).legend()]
