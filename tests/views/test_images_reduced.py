"""Files larger than the picture: cells of several pages keep their shares, and nothing vanishes."""

from __future__ import annotations

import time

import numpy as np
import pytest

from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.images.map import MapPicture, map_picture
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.raster import draw_cells
from ibdscan.views.images.parts.theme import theme_named
from tests.views.images_made import made_survey

LIGHT = theme_named("light")


def cell_colors(picture: MapPicture, page_no: int) -> list[tuple[int, ...]]:
    """Colours of the pixels of the cell that holds a page."""
    (x0, y0), (x, y), size = picture.origin, picture.grid.cell_xy(page_no), picture.grid.cell
    cell = np.asarray(picture.canvas.image)[y0 + y : y0 + y + size, x0 + x : x0 + x + size]
    return [tuple(int(v) for v in p) for p in cell.reshape(-1, 3)]


@pytest.mark.parametrize("by", list(MODES))
def test_a_single_stale_page_of_a_million_is_to_be_seen(by: str) -> None:
    page = 300_000
    picture = map_picture(made_survey(1_000_000, n_indexes=2, stale_pages=[page]), by, width=800)
    assert picture.grid.per_cell > 16
    (swatch,) = [s for s, n in picture.painting.legend() if s.label.startswith(("stale", "STALE"))]
    assert cell_colors(picture, page).count(swatch.color) == 1
    whole = np.asarray(picture.canvas.image)[: picture.origin[1] + picture.grid.height]
    assert (whole == np.array(swatch.color)).all(axis=2).sum() == 1


def test_a_cell_shows_the_shares_of_its_pages() -> None:
    survey = made_survey(1_000_000, stale_pages=[])
    picture = map_picture(survey, "state", width=800)
    per_cell, first = picture.grid.per_cell, 512_000 // picture.grid.per_cell * picture.grid.per_cell
    survey.state[first : first + per_cell // 4] = PageState.FREE
    picture = map_picture(survey, "state", width=800)
    colors = cell_colors(picture, first)
    live, free = LIGHT.background, LIGHT.free_fragment
    live = picture.painting.swatches[int(PageState.LIVE)].color
    assert colors.count(free) == 4
    assert colors.count(live) == 12
    assert colors[-4:] == [live] * 4, "sorted by colour from the bottom up"


def test_all_pages_of_a_reduced_picture_have_a_cell() -> None:
    n = 400_001
    picture = map_picture(made_survey(n, stale_pages=[]), "type", width=600)
    grid = picture.grid
    assert grid.per_cell > 1
    assert grid.n_rows * grid.row_pages >= n > (grid.n_rows - 1) * grid.row_pages
    colors = {s.color for s, _ in picture.painting.legend()}
    assert set(cell_colors(picture, n - 1)) & colors
    assert set(cell_colors(picture, 0)) & {s.color for s, _ in picture.painting.legend()}


def test_the_caption_says_what_a_cell_stands_for() -> None:
    picture = map_picture(made_survey(1_000_000), "fill", width=800)
    text = " ".join(t for t, _ in picture.canvas.texts)
    assert f"is {picture.grid.per_cell} pages" in text
    assert "nothing vanishes" in text
    small = " ".join(t for t, _ in map_picture(made_survey(640), "fill").canvas.texts)
    assert "One cell is one page" in small


def test_rows_begin_at_extents() -> None:
    for n, size in ((3000, 16384), (3000, 8192), (20_000, 4096)):
        grid = map_picture(made_survey(n, page_size=size), "state").grid
        assert grid.row_pages % grid.extent_pages == 0 or grid.extent_pages % grid.row_pages == 0
        assert grid.strip_rows % grid.extent_rows == 0


def test_the_borders_of_extents_are_background() -> None:
    picture = map_picture(made_survey(640), "fill", cell=8)
    grid, (x0, y0) = picture.grid, picture.origin
    pixels = next(draw_cells(picture.painting, grid, LIGHT))
    for row in range(1, grid.strip_rows):
        border = pixels[grid.row_y(row) - grid.row_gap : grid.row_y(row)]
        assert (border == np.array(LIGHT.background)).all()
    assert grid.row_gap > 0
    assert (x0, y0) > (0, 0)


def test_an_extent_of_several_rows_has_borders_around_it_only() -> None:
    picture = map_picture(made_survey(5000, page_size=4096, stale_pages=[]), "state", width=700)
    grid = picture.grid
    assert (grid.extent_pages, grid.row_cells, grid.extent_rows) == (256, 64, 4)
    pixels = next(draw_cells(picture.painting, grid, LIGHT))
    empty = (pixels[:, : grid.cell // 2] == np.array(LIGHT.background)).all(axis=(1, 2))
    assert np.flatnonzero(empty).tolist() == [
        n * (4 * grid.cell + grid.row_gap) - 1 - k
        for n in range(1, (grid.strip_rows - 1) // 4 + 1)
        for k in reversed(range(grid.row_gap))
    ]


@pytest.mark.parametrize("n", [640, 3840, 96_000, 1_000_000])
@pytest.mark.parametrize("width", [800, 1600])
def test_pictures_fit_a_page(n: int, width: int) -> None:
    image = map_picture(made_survey(n, n_indexes=2), "index", width=width).canvas.image
    assert image.width == width
    assert image.height <= 1.6 * width


def test_a_hundred_thousand_pages_are_quick() -> None:
    survey = made_survey(100_000, n_indexes=3)
    for by in ("index", "fill", "order", "lsn"):
        start = time.perf_counter()
        map_picture(survey, by)
        assert time.perf_counter() - start < 4  # 0.2 s on an idle core


def test_two_million_pages_take_little_memory_and_time() -> None:
    survey = made_survey(2_000_000, n_indexes=3)
    assert survey.rank.max() > 0
    start = time.perf_counter()
    picture = map_picture(survey, "index")
    assert time.perf_counter() - start < 10  # 0.4 s on an idle core
    assert picture.painting.codes.nbytes == 2_000_000
    assert (survey.page_class == PageClass.LEAF).any()
