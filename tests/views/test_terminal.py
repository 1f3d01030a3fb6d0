"""Maps in the terminal: what is drawn is what the legend counts, in its width, in the colours there are."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from rich.cells import cell_len

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageClass
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.painting import BLANK, Scope, hue_ranks
from ibdscan.views.images.parts.theme import theme_named
from ibdscan.views.terminal import Screen, draw_compare_text, draw_map_text, screen_of
from ibdscan.views.terminal.cells import dot_codes, fit_layout
from ibdscan.views.terminal.ink import ColorInk, Shared, folded
from ibdscan.views.terminal.palette import by_distance, colors_256, nearest_256
from tests.views.images_made import EMOJI, HEBREW, JAPANESE, LONG, made_survey

DARK = theme_named("dark")
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m")
NAMES = [LONG, JAPANESE * 4, EMOJI, HEBREW, "W" * 64, "naïve", "\x00\n\x1b[31m<b>", "🚚" * 32, "a % b"]


def screen(width: int = 80, colors: str = "never", lines: int = 40, theme: str = "dark") -> Screen:
    return Screen(width, lines, colors, theme_named(theme))


def bare(text: str) -> str:
    return ESCAPE.sub("", text)


def grid_of(text: str) -> list[str]:
    """The lines of the map: from the one after the offsets to the empty line; page numbers cut off."""
    lines = text.split("\n")
    first = next(n for n, line in enumerate(lines) if line.strip().startswith("+0")) + 1
    last = lines.index("", first)
    left = lines[first - 1].index("+")
    return [line[left:] for line in lines[first:last]]


def legend_of(text: str) -> dict[str, tuple[str, int]]:
    """Label -> (symbol, pages)."""
    rows = re.findall(r"^(\S\S?| ) +(\S.*?) +([\d,]+) +<?[\d.]+ %$", text, re.MULTILINE)
    return {label: (symbol, int(count.replace(",", ""))) for symbol, label, count in rows}


@pytest.mark.parametrize("by", list(MODES))
@pytest.mark.parametrize("options", [{}, {"torn": True, "n_indexes": 9}, {"n_indexes": 40}, {"all_free": True}])
def test_characters_are_as_many_as_the_legend_says(by: str, options: dict[str, int]) -> None:
    survey = made_survey(2500, **options)  # type: ignore[arg-type]
    text = draw_map_text(survey, screen(), by)
    drawn = Counter("".join(grid_of(text)).replace(" ", ""))
    legend = legend_of(text)
    total = legend.pop("total")[1]
    assert total == sum(drawn.values()) == 2500 == sum(n for _, n in legend.values())
    for symbol, n in legend.values():
        if symbol == "09":
            assert sum(drawn[digit] for digit in "0123456789") == n
        else:
            assert drawn[symbol] == n, symbol
    assert len({symbol for symbol, _ in legend.values()}) == len(legend)


def half_blocks(line: str) -> list[tuple[str, str]]:
    """(upper colour, lower colour) of each half block of a line, as the escapes give them."""
    fore = back = ""
    out = []
    for escape, char in re.findall(r"\x1b\[([0-9;]*)m|(.)", line):
        if not char:
            for which, color in re.findall(r"(38|48);((?:2;\d+;\d+|5);\d+)|(?:39|49|0)", escape):
                fore, back = (color, back) if which == "38" else (fore, color) if which == "48" else (fore, back)
            parts = escape.split(";")
            fore = "" if escape == "0" or "39" in parts[:1] else fore
            back = "" if escape == "0" or "49" in (parts[:1] + parts[-1:]) else back
        elif char == "▀":
            out.append((fore, back))
        elif char == "▄":
            out.append(("", fore))
        elif char == " ":
            out.append(("", ""))
    return out


@pytest.mark.parametrize("colors", ["true", "256"])
def test_half_blocks_are_the_pages(colors: str) -> None:
    survey = made_survey(600, n_indexes=2, stale_pages=[70])
    text = draw_map_text(survey, screen(colors=colors), "state")
    dots: list[str] = []
    for line in grid_of(text):
        blocks = half_blocks(line.ljust(1))
        dots += [upper for upper, _ in blocks] + [lower for _, lower in blocks]
    shown = Counter(dots)
    painting = MODES["state"].paint(Scope(survey, 0, 600, None, DARK, hue_ranks(survey)))
    for swatch, n in painting.legend():
        red, green, blue = swatch.color
        number = int(nearest_256(np.array([swatch.color], np.uint8))[0])
        assert shown[f"2;{red};{green};{blue}" if colors == "true" else f"5;{number}"] == n, swatch.label
    stale = next(s for s, _ in painting.legend() if s.label.startswith("stale"))
    number = int(nearest_256(np.array([stale.color], np.uint8))[0])
    wanted = "2;{};{};{}".format(*stale.color) if colors == "true" else f"5;{number}"
    assert dots.index(wanted) == 70


def test_page_numbers_stand_at_their_rows() -> None:
    lines = draw_map_text(made_survey(640), screen(), "state").split("\n")
    numbers = [line.split()[0] for line in lines if re.match(r" *\d+ \S{64}$", line)]
    assert numbers == [str(n) for n in range(0, 640, 64)]
    colored = bare(draw_map_text(made_survey(640), screen(colors="true"), "state"))
    assert re.findall(r"^ *(\d+) [▀▄]+$", colored, re.MULTILINE) == [str(n) for n in range(0, 640, 128)]


@pytest.mark.parametrize("n", [1, 7, 640, 3840, 96_000, 1_000_000])
@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("colors", ["never", "256", "true"])
def test_nothing_is_wider_than_the_terminal(n: int, width: int, colors: str) -> None:
    survey = made_survey(n, n_indexes=len(NAMES), index_names=NAMES, name=JAPANESE * 5, table=f"{HEBREW}/{EMOJI}")
    for by in ("index", "lsn", "fill"):
        for line in bare(draw_map_text(survey, screen(width, colors), by)).split("\n"):
            assert cell_len(line) <= width, line


@pytest.mark.parametrize("colors", ["never", "true"])
def test_a_map_is_as_long_as_allowed_and_holds_all_pages(colors: str) -> None:
    for n in (640, 5120, 5121, 96_000, 10_000_000):
        layout = fit_layout(0, n, 64, screen(80, colors))
        assert layout.n_lines <= 40
        assert layout.n_rows * layout.row_pages >= n > (layout.n_rows - 1) * layout.row_pages
        assert layout.row_pages % 64 == 0 or 64 % layout.row_pages == 0
        assert layout.columns + layout.label_width <= 80


def test_whole_pages_as_long_as_they_fit() -> None:
    assert fit_layout(0, 5120, 64, screen(80, "true")).per_cell == 1
    assert fit_layout(0, 5121, 64, screen(80, "true")).per_cell == 32
    assert fit_layout(0, 2561, 64, screen(80)).per_cell == 16
    wide = fit_layout(0, 7, 64, screen(80, "true"))
    assert (wide.wide, wide.high, wide.columns) == (4, 4, 28)


def test_a_cell_of_the_size_asked_for() -> None:
    layout = fit_layout(0, 640, 64, screen(140, "true"), cell=2)
    assert (layout.wide, layout.high, layout.row_cells) == (2, 2, 64)
    for cell in (0, 65):
        with pytest.raises(UsageError, match="1 to 64"):
            draw_map_text(made_survey(640), screen(), cell=cell)
    with pytest.raises(UsageError, match="does not fit 80 columns with cells of 30"):
        draw_map_text(made_survey(640), screen(), cell=30)


@pytest.mark.parametrize("colors", ["never", "true"])
def test_one_stale_page_of_a_million_is_to_be_seen(colors: str) -> None:
    survey = made_survey(1_000_000, n_indexes=2, stale_pages=[300_000])
    text = draw_map_text(survey, screen(colors=colors), "state")
    if colors == "never":
        assert "".join(grid_of(text)).count("!") == 1
    else:
        red, green, blue = DARK.stale
        dots = [dot for line in grid_of(text) for pair in half_blocks(line) for dot in pair]
        assert dots.count(f"2;{red};{green};{blue}") == 1


def test_a_reduced_cell_shows_the_shares_of_its_pages() -> None:
    layout = fit_layout(0, 96_000, 64, screen(80, "true"))
    codes = np.zeros(96_000, np.uint8)
    codes[: layout.per_cell // 4] = 1
    dots = dot_codes(codes, [(0, 0), (1, 1)], layout)[:4, :4]
    assert dots.tolist() == [[1] * 4, [0] * 4, [0] * 4, [0] * 4]


def test_cells_outside_the_window_are_blank() -> None:
    layout = fit_layout(70, 130, 64, screen(80, "true"))
    assert layout.first_page == 64
    dots = dot_codes(np.zeros(60, np.uint8), [(0, 0)], replace(layout, wide=1, high=1, row_cells=64))
    assert (dots[0, :6] == BLANK).all()
    assert (dots[0, 6:64] == 0).all()
    assert (dots[1] == 0).sum() == 2
    text = draw_map_text(made_survey(3000), screen(), pages=(1000, 1500))
    assert "pages 1,000 to 1,499" in text
    assert legend_of(text)["total"][1] == 500


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("by", list(MODES))
def test_kinds_of_page_stay_apart_in_256_colours(by: str, theme: str) -> None:
    survey = made_survey(6000, n_indexes=5)
    survey.page_class[100:108] = range(PageClass.OFF_PAGE, PageClass.OFF_PAGE + 8)
    look = screen(colors="256", theme=theme)
    painting = MODES[by].paint(Scope(survey, 0, 6000, None, look.theme, hue_ranks(survey)))
    ink = ColorInk(painting, look, Shared())
    single = [int(ink.numbers[low]) for low, high in ink.kinds if low == high]
    assert len(set(single)) == len(single) >= 1


def test_the_256_colours() -> None:
    assert len(colors_256()) == 240
    palette = np.array([(0, 0, 0), (255, 255, 255), (255, 0, 0), (8, 8, 8)], np.uint8)
    assert nearest_256(palette).tolist() == [16, 231, 196, 232]
    assert by_distance(palette[2])[0] == 196


@pytest.mark.parametrize(
    ("environ", "is_terminal", "encoding", "colors"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, True, "utf-8", "true"),
        ({"TERM": "xterm-direct"}, True, "utf-8", "true"),
        ({"TERM": "screen-256color"}, True, "UTF-8", "256"),
        ({"TERM": "xterm"}, True, "utf-8", "never"),
        ({"TERM": "dumb", "COLORTERM": "truecolor"}, True, "utf-8", "never"),
        ({}, True, "utf-8", "never"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit", "NO_COLOR": "1"}, True, "utf-8", "never"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, False, "utf-8", "never"),
        ({"TERM": "xterm-256color", "COLORTERM": "24bit"}, True, "iso-8859-1", "never"),
    ],
)
def test_colours_as_the_terminal_allows(
    environ: dict[str, str], is_terminal: bool, encoding: str, colors: str
) -> None:
    found = screen_of(environ, (80, 24), is_terminal=is_terminal, encoding=encoding)
    assert found.colors == colors


def test_what_is_asked_overrules_the_terminal() -> None:
    found = screen_of({}, (80, 24), is_terminal=False, encoding="utf-8", colors="256", theme="light")
    assert (found.colors, found.theme.name, found.lines) == ("256", "light", 20)
    bright = screen_of({"COLORFGBG": "0;15"}, (80, 500), is_terminal=True, encoding="utf-8")
    assert (bright.theme.name, bright.lines) == ("light", 60)
    assert screen_of({"COLORFGBG": "15;0"}, (9, 1), is_terminal=True, encoding=None).theme.name == "dark"


def test_names_can_not_drive_the_terminal() -> None:
    survey = made_survey(640, name="a\x1b[2Jb.ibd", table="t\x07/x", index_names=["\x1b]0;x\x07"])
    text = draw_map_text(survey, screen(), title="T\x1b[31m")
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\\x1b]0;x\\x07: " in text
    assert "\x1b" not in draw_compare_text([survey, survey], screen())


def test_one_leaf_is_no_plural() -> None:
    text = draw_map_text(made_survey(4), screen())
    assert "PRIMARY: 1 leaf page, fill 92.0 %, contiguous -" in text


def test_lines_are_folded() -> None:
    assert folded("fill 92.0 % of it", 10) == ["fill", "92.0 % of", "it"]
    assert folded("注文明細 x", 4) == ["注文", "明細", "x"]
    assert folded("", 10) == [""]


def two() -> list[Survey]:
    return [made_survey(640, n_indexes=2, name="a.ibd"), made_survey(1000, n_indexes=2, torn=True, name="b.ibd")]


def test_maps_stand_side_by_side() -> None:
    lines = draw_compare_text(two(), screen(160)).split("\n")
    head = next(line for line in lines if line.startswith("A: a.ibd"))
    assert head.index("B: b.ibd") == 78 + 3
    counts = [f"{s.index('PRIMARY').leaf.pages:,}" for s in two()]
    row = next(line for line in lines if line.startswith("09 leaf pages of PRIMARY"))
    assert [word for word in row.split() if word in counts] == counts
    first = next(line for line in lines if re.match(r" *0 \+", line))
    assert len(first.split()) == 4, "page number and row of both files"


def test_maps_stand_one_below_the_other_where_it_is_narrow() -> None:
    lines = draw_compare_text(two(), screen(60)).split("\n")
    assert not any("a.ibd" in line and "b.ibd" in line for line in lines)
    assert max(map(len, lines)) <= 60


@pytest.mark.parametrize("colors", ["never", "256", "true"])
@pytest.mark.parametrize(("n_files", "width"), [(2, 80), (3, 80), (6, 200), (6, 40)])
@pytest.mark.parametrize("by", [None, "index", "lsn"])
def test_comparisons_fit_the_terminal(n_files: int, width: int, colors: str, by: str | None) -> None:
    surveys = [
        made_survey(700 * (n + 1), n_indexes=len(NAMES), index_names=NAMES, name=f"{n}{JAPANESE}.ibd")
        for n in range(n_files)
    ]
    for line in bare(draw_compare_text(surveys, screen(width, colors), by)).split("\n"):
        assert cell_len(line) <= width, line


def test_an_index_has_one_letter_in_all_files() -> None:
    first = made_survey(640, n_indexes=2, index_names=["PRIMARY", "k_2"])
    second = made_survey(640, n_indexes=3, index_names=["PRIMARY", "k_1", "k_2"])
    text = draw_compare_text([first, second], screen(160), "index")
    row = next(line for line in text.split("\n") if line.strip().startswith("64 "))
    assert "BBBB" in row.split()[1], "k_2 in the first file"
    third = next(line for line in text.split("\n") if line.strip().startswith("128 ")).split()
    assert "BBBB" in third[3], "k_2 in the second file"
