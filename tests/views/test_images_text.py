"""Text on pictures: names of any script and length, nothing cut off, nothing on top of anything else."""

from __future__ import annotations

import pytest
from PIL import Image

from ibdscan.views.images.compare import compare_picture
from ibdscan.views.images.map import map_picture
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.canvas import Canvas, _font_of, fit, is_escaped, spell, text_width, wrap
from tests.views.images_made import EMOJI, HEBREW, JAPANESE, LONG, made_survey

NAMES = [
    LONG,
    JAPANESE * 4,
    EMOJI,
    HEBREW,
    "W" * 64,
    "naïve_Größe",
    "таблица_заказов",
    "\x00\n\ud800<b>&amp;",
    "🚚" * 32,
]


def assert_clean(canvas: Canvas, grids: list[tuple[int, int, int, int]]) -> None:
    """All text lies inside the picture, and no text lies on other text or on a map's cells."""
    assert canvas.texts
    boxes = [(text, box) for text, box in canvas.texts]
    for text, (x0, y0, x1, y1) in boxes:
        assert x0 >= 0, text
        assert y0 >= 0, text
        assert x1 <= canvas.image.width, text
        assert y1 <= canvas.image.height, text
    for i, (text, a) in enumerate(boxes):
        for other, b in [*boxes[:i], *(("the map", g) for g in grids)]:
            apart = a[2] <= b[0] + 1 or b[2] <= a[0] + 1 or a[3] <= b[1] + 1 or b[3] <= a[1] + 1
            assert apart, f"{text!r} {a} lies on {other!r} {b}"


def check_map(survey: object, by: str, width: int, **options: object) -> Canvas:
    picture = map_picture(survey, by, width=width, **options)  # type: ignore[arg-type]
    grid, (x, y) = picture.grid, picture.origin
    cells = []
    for strip in range(grid.n_strips):
        left, top = x + grid.strip_x(strip), y + grid.axis_height + 1
        cells.append((left, top, left + grid.strip_width, top + grid.strip_height))
    assert_clean(picture.canvas, cells)
    return picture.canvas


@pytest.mark.parametrize("width", [480, 1000, 1600])
@pytest.mark.parametrize("n", [1, 7, 640, 3840, 96_000])
@pytest.mark.parametrize("by", ["index", "fill", "order", "lsn", "segment"])
def test_maps_of_all_sizes(n: int, by: str, width: int) -> None:
    check_map(made_survey(n, n_indexes=3), by, width)


@pytest.mark.parametrize("by", list(MODES))
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_maps_of_names_of_all_scripts(by: str, theme: str) -> None:
    survey = made_survey(
        3000,
        n_indexes=len(NAMES),
        name=JAPANESE * 5 + ".ibd",
        table=f"{HEBREW * 3}/{EMOJI * 4}",
        index_names=NAMES,
        n_findings=3,
    )
    for width in (480, 1600):
        canvas = check_map(survey, by, width, index=NAMES[1] if by in ("fill", "lsn") else None, theme=theme)
        assert any("3 findings" in text for text, _ in canvas.texts)
        assert "@xxxx" in " ".join(text for text, _ in canvas.texts)


@pytest.mark.parametrize("options", [{"all_free": True}, {"only_system": True}, {"n_indexes": 40}])
@pytest.mark.parametrize("by", list(MODES))
def test_maps_of_odd_files(by: str, options: dict[str, int]) -> None:
    for width in (480, 1600):
        check_map(made_survey(1000, **options), by, width)  # type: ignore[arg-type]


@pytest.mark.parametrize("cell", [1, 4, 20])
def test_maps_of_chosen_cells(cell: int) -> None:
    check_map(made_survey(3000, n_indexes=2), "index", 1600, cell=cell, title="A title " * 40)


@pytest.mark.parametrize(("n_files", "width"), [(2, 600), (2, 1600), (3, 800), (4, 1000), (5, 1600), (6, 1600)])
@pytest.mark.parametrize("by", [None, "index", "lsn"])
def test_comparisons(n_files: int, width: int, by: str | None) -> None:
    surveys = [
        made_survey(700 * (n + 1), n_indexes=len(NAMES), torn=n == 1, name=f"{n}/{LONG}.ibd", index_names=NAMES)
        for n in range(n_files)
    ]
    picture = compare_picture(surveys, by, width=width)
    cells = []
    for origins in picture.origins:
        for grid, (x, y) in zip(picture.grids, origins, strict=True):
            left, top = x + grid.strip_x(0), y + grid.axis_height + 1
            cells.append((left, top, left + grid.strip_width, top + grid.strip_height))
    assert_clean(picture.canvas, cells)


def test_names_survive() -> None:
    canvas = check_map(made_survey(640, n_indexes=9, index_names=NAMES), "index", 1600)
    drawn = "".join(text for text, _ in canvas.texts)
    for name in NAMES:
        assert spell(name) in drawn, name


def test_spelling() -> None:
    assert spell("日本") == "@65e5@672c"
    assert spell("Größe, Ωμέγα, таблица") == "Größe, Ωμέγα, таблица"
    assert spell("e\u0301") == "é"
    assert spell("\U0001f69a") == "@d83d@de9a"
    assert spell("a\nb\u202e\x00") == "a@000ab@202e@0000"
    assert spell("\ud800") == "@d800"
    assert is_escaped("日")
    assert not is_escaped("Größe")


def test_no_character_is_drawn_that_the_fonts_lack() -> None:
    for name in NAMES:
        assert all(_font_of(char) >= 0 for char in spell(name))
    assert _font_of("日") < 0
    assert _font_of("é") == 1


def test_lines_are_no_wider_than_asked() -> None:
    text = " ".join(NAMES)
    lines = wrap(text, 15, 200)
    assert max(text_width(line, 15) for line in lines) <= 200
    assert "".join(lines).replace(" ", "") == spell(text).replace(" ", "")


def test_fitting_leaves_out_the_middle() -> None:
    assert fit("short", 15, 200) == "short"
    cut = fit("first_part_of_a_name_that_is_too_long_last", 15, 150)
    assert text_width(cut, 15) <= 150
    assert cut.startswith("first")
    assert cut.endswith("last")
    assert "…" in cut


def test_the_recorded_boxes_are_where_the_ink_is() -> None:
    """The other tests lean on the boxes: ink lies inside them, but for descenders."""
    from ibdscan.views.images.parts.theme import theme_named

    canvas = Canvas.blank(400, 100, theme_named("light"))
    canvas.text(200, 30, "Größe 日 HIW", 20, align="center")
    ((_, (x0, y0, x1, y1)),) = canvas.texts
    ink = Image.eval(canvas.image.convert("L"), lambda v: 255 - v).getbbox()
    assert ink is not None
    assert ink[0] >= x0 - 1
    assert ink[2] <= x1 + 1
    assert ink[1] >= y0 - 2
    assert ink[3] <= y1 + 2
    assert ink[2] - ink[0] > 0.9 * (x1 - x0)
