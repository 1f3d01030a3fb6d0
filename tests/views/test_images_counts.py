"""Legends equal the pixels: every page has a kind, the legend's numbers sum, and the cells say the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import ibdscan
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageClass
from ibdscan.views.images.map import MapPicture, map_picture
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.painting import Scope, hue_ranks
from ibdscan.views.images.parts.theme import RAMP_STEPS, hue, theme_named
from tests.fixture_files import fixture_files, fixture_id
from tests.views.images_made import made_survey

ALL = tuple(MODES)


def pixels_at_cells(picture: MapPicture, dx: int = 0, dy: int = 0) -> npt.NDArray[np.uint8]:
    """Colour of one pixel of each page's cell, uint8 (n_pages, 3)."""
    grid, (x0, y0) = picture.grid, picture.origin
    at = np.array([grid.cell_xy(p) for p in range(grid.start, grid.stop)])
    pixels: npt.NDArray[np.uint8] = np.asarray(picture.canvas.image)[at[:, 1] + y0 + dy, at[:, 0] + x0 + dx]
    return pixels


def count_of_color(pixels: npt.NDArray[np.uint8], color: Any) -> int:
    return int((pixels == np.array(color, np.uint8)).all(axis=1).sum())


@pytest.mark.parametrize("by", ALL)
@pytest.mark.parametrize("path", fixture_files(), ids=fixture_id)
def test_every_page_of_a_real_file_has_one_kind(path: Any, by: str) -> None:
    with ibdscan.open(path) as survey:
        theme = theme_named("light")
        painting = MODES[by].paint(Scope(survey, 0, survey.n_pages, None, theme, hue_ranks(survey)))
        assert len(painting.codes) == survey.n_pages
        assert painting.n_scaled + sum(n for _, n in painting.legend()) == survey.n_pages


# with few indexes, small cells show fill as the strength of the hue: see the tests of bars and of strength
@pytest.mark.parametrize(
    ("by", "n_indexes"), [(by, n) for by in ALL for n in (1, 9, 40) if by != "index" or n > 7]
)
def test_cells_of_the_picture_equal_the_legend(by: str, n_indexes: int) -> None:
    picture = map_picture(made_survey(3000, n_indexes=n_indexes, torn=True), by, cell=4)
    assert picture.grid.per_cell == 1
    painting = picture.painting
    pixels = pixels_at_cells(picture)
    counted = 0
    for swatch, n in painting.legend():
        assert count_of_color(pixels, swatch.color) == n, swatch.label
        counted += n
    on_scale = {tuple(c) for c in painting.scale.colors} if painting.scale else set()
    assert sum(tuple(p) in on_scale for p in pixels) == painting.n_scaled
    assert counted + painting.n_scaled == 3000


def test_bars_are_as_tall_as_the_pages_are_full() -> None:
    survey = made_survey(640, n_indexes=2, torn=True, stale_pages=[])
    picture = map_picture(survey, "index", cell=10)
    for row in range(10):
        pixels = pixels_at_cells(picture, 2, 9 - row)  # from the bottom up
        for rank in (0, 1):
            owned = (survey.owner == rank) & (survey.page_class == PageClass.LEAF)
            level = np.arange(640) * 7919 % 1000 / 1000
            clear = owned & (abs(level * 10 - round_half(level * 10)) < 0.4)
            filled = np.round(level * 10) > row
            is_hue = (pixels == np.array(hue(rank, theme_named("light")))).all(axis=1)
            assert (is_hue[clear] == filled[clear]).all()
            assert clear.any()


def round_half(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    rounded: npt.NDArray[np.float64] = np.round(x)
    return rounded


def test_stronger_colour_is_fuller() -> None:
    picture = map_picture(made_survey(640, torn=True, stale_pages=[]), "index", cell=3)
    pixels = pixels_at_cells(picture).astype(int)[3:560]
    level = (np.arange(640) * 7919 % 1000 / 1000)[3:560]
    away = np.abs(pixels - np.array(hue(0, theme_named("light")))).sum(axis=1)
    full, empty = away[level > 0.9], away[level < 0.1]
    assert full.max() < empty.min()


def test_a_window_counts_its_own_pages() -> None:
    picture = map_picture(made_survey(3000, n_indexes=3), "index", pages=(1000, 1500))
    assert sum(n for _, n in picture.painting.legend()) == 500
    assert (picture.grid.start, picture.grid.stop) == (1000, 1500)
    assert picture.grid.first_page == 960
    assert "960" in [text for text, _ in picture.canvas.texts]
    assert any("pages 1,000 to 1,499" in text for text, _ in picture.canvas.texts)


def test_legend_on_the_picture_says_the_counts() -> None:
    picture = map_picture(made_survey(3000, n_indexes=3), "state")
    texts = [text for text, _ in picture.canvas.texts]
    for swatch, n in picture.painting.legend():
        at = texts.index(swatch.label)
        assert texts[at - 2] == f"{n:,}"
        assert texts[at - 1] == f"{100 * n / 3000:.1f} %"


def test_fill_is_on_its_scale() -> None:
    survey = made_survey(640)
    painting = map_picture(survey, "fill").painting
    leaf = survey.page_class == PageClass.LEAF
    assert set(painting.codes[leaf].tolist()) == {round(0.92 * (RAMP_STEPS - 1))}
    assert (painting.codes[~leaf] >= RAMP_STEPS).all()


def test_an_import_in_order_is_a_gradient_and_a_torn_one_is_not() -> None:
    def steps(survey: Survey) -> npt.NDArray[np.int64]:
        codes = map_picture(survey, "order").painting.codes
        on_scale: npt.NDArray[np.int64] = codes[survey.page_class == PageClass.LEAF].astype(np.int64)
        return np.diff(on_scale)

    ordered, torn = steps(made_survey(3000)), steps(made_survey(3000, torn=True))
    assert ordered.min() == 0
    assert ordered.max() == 1
    assert np.median(abs(torn)) > RAMP_STEPS / 5


def test_order_starts_at_the_first_leaf_and_ends_at_the_last() -> None:
    survey = made_survey(640)
    painting = map_picture(survey, "order").painting
    chain = survey.indexes[0].leaf.chain
    assert painting.codes[chain[0]] == 0
    assert painting.codes[chain[-1]] == RAMP_STEPS - 1


def test_one_old_page_does_not_eat_the_lsn_scale() -> None:
    survey = made_survey(3000, stale_pages=[])
    survey.columns.lsn[5] = 1
    survey.columns.lsn[6:] += np.uint64(10**12)
    painting = map_picture(survey, "lsn").painting
    codes = painting.codes[survey.page_class <= PageClass.OTHER]
    assert len(set(codes.tolist())) == RAMP_STEPS
    counts = np.bincount(codes)
    assert counts.max() - counts.min() <= 2  # equal numbers of pages a colour
    assert painting.scale is not None
    assert painting.scale.ticks[0].label == "1"
    assert painting.scale.ticks[-1].label == f"{int(survey.columns.lsn[2624]):,}"


def test_an_index_chosen_is_alone_on_the_scale() -> None:
    survey = made_survey(3000, n_indexes=3)
    for by in ("fill", "order"):
        assert map_picture(survey, by, index="k_1").painting.n_scaled == survey.index("k_1").leaf.pages
    legend = {s.label: n for s, n in map_picture(survey, "index", index="k_1").painting.legend()}
    assert legend["k_1"] == survey.index("k_1").leaf.pages
    others = sum(survey.index(name).leaf.pages for name in ("PRIMARY", "k_2"))
    assert legend["other indexes"] == others


def test_forty_indexes_are_named_as_far_as_there_are_hues() -> None:
    survey = made_survey(20_000, n_indexes=40)
    legend = [(s.label, n) for s, n in map_picture(survey, "index").painting.legend()]
    assert ("20 more indexes", sum(i.leaf.pages for i in survey.indexes[20:])) in legend
    named = [label for label, _ in legend if label.startswith("k_")]
    assert named == [f"k_{i}" for i in range(1, 20)]
    colors = [s.color for s, _ in map_picture(survey, "index").painting.legend()]
    assert len(set(colors)) == len(colors)
