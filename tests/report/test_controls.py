"""Mouse, keys, touch and themes of the report, in a real browser."""

from __future__ import annotations

from dataclasses import replace

import pytest
from selenium.webdriver.common.keys import Keys

from tests.files import fixture, surveyed
from tests.report.browser import Browser
from tests.report.conftest import Show
from tests.report.made import made
from tests.report.probe import go_to, middle, push, rows, texts, title, to_map, unnamed, where

CANVAS = ".stage canvas"


def test_zooming(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    first = where(tab, 5000)
    x, y, cell = first
    tab.wheel(x, y, -400, ctrl=True)
    there = where(tab, 5000)
    assert there[2] > 1.5 * cell
    assert abs(there[0] - x) < there[2]
    assert abs(there[1] - y) < there[2]
    push(tab, "Zoom in")
    before = where(tab, 5000)
    assert before[2] == pytest.approx(2 * there[2])
    at = middle(tab, CANVAS)
    tab.drag(at, (at[0] + 60, at[1] + 40))
    after = where(tab, 5000)
    assert after[0] - before[0] == pytest.approx(60)
    assert after[1] - before[1] == pytest.approx(40)
    assert title(tab, ".pin") is None, "a drag is no click"
    push(tab, "Show all pages")
    to_map(tab)
    assert list(where(tab, 5000)) == pytest.approx(list(first))


def test_the_wheel_scrolls_the_page_until_the_map_is_chosen(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    x, y, cell = where(tab, 5000)
    tab.wheel(x, y, -100)
    assert where(tab, 5000)[2] == cell
    to_map(tab)
    x, y, _ = where(tab, 5000)
    tab.click(x, y)
    tab.wheel(x, y, -100)
    assert where(tab, 5000)[2] > cell


def test_zoomed_in_far_the_right_page_is_still_hit(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    go_to(tab, "12,345")
    x, y, cell = where(tab, 12_345)
    assert cell >= 16
    tab.click(x + cell, y)
    assert title(tab, ".pin") == "Page 12,346"


def test_arrow_keys(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
    to_map(tab)
    tab.js(f"document.querySelector('{CANVAS}').focus()")
    steps = [
        (Keys.ARROW_RIGHT, 0),
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_DOWN, 65),
        (Keys.ARROW_LEFT, 64),
        (Keys.ARROW_UP, 0),
    ]
    for key, page in [*steps, (Keys.ARROW_UP, 0), (Keys.END, 703), (Keys.HOME, 0)]:
        tab.press(key)
        assert title(tab, ".pin") == f"Page {page}", key
    tab.press(Keys.ESCAPE)
    assert title(tab, ".pin") is None


def test_zoom_keys(show: Show) -> None:
    tab = show(made(640))
    to_map(tab)
    tab.js(f"document.querySelector('{CANVAS}').focus()")
    cell = where(tab, 0)[2]
    for keys, wanted in (("++", 2.25 * cell), ("-", 1.5 * cell), ("0", cell)):
        tab.press(*keys)
        assert where(tab, 0)[2] == pytest.approx(wanted), keys
    tab.press(Keys.ENTER, Keys.ENTER)
    assert where(tab, 0)[2] == pytest.approx(28)


def test_keys_that_follow_the_links(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
        chain = survey.index("PRIMARY").leaf.chain
    to_map(tab)
    go_to(tab, int(chain[0]))
    tab.js(f"document.querySelector('{CANVAS}').focus()")
    tab.press("n", "n")
    assert title(tab, ".pin") == f"Page {chain[2]}"
    tab.press("p")
    assert title(tab, ".pin") == f"Page {chain[1]}"
    said = texts(tab, "[aria-live=polite]")[0]
    assert said.startswith(f"Page {chain[1]}: Type INDEX; State live; Account leaf; Index PRIMARY")


def test_focus_can_be_seen_and_the_map_has_words(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
    to_map(tab)
    tab.js("document.querySelector('[aria-label=\"Show all pages\"]').focus()")
    tab.press(Keys.TAB, Keys.TAB)  # the help, then the map
    now = "document.activeElement"
    assert tab.js(f"{now}.tagName") == "CANVAS"
    assert tab.js(f"parseFloat(getComputedStyle({now}).outlineWidth)") >= 2
    label = tab.js(f"{now}.getAttribute('aria-label')")
    counts = "PRIMARY 191, k_1 17, system pages 3"
    assert label.startswith(f"Map of import_multi.ibd.xz, pages by index: 704 pages. {counts}")
    help_id = tab.js(f"{now}.getAttribute('aria-describedby')")
    assert "Arrow keys" in texts(tab, f"#{help_id}")[0]
    assert unnamed(tab) == []


def column(tab: Browser, n: int) -> list[str]:
    return [row[n] for row in rows(tab, "#indexes")]


def test_sorting(show: Show) -> None:
    survey = made(4000, index_names=["b", "c", "a", "d"])
    heights = (3, 1, 2, 0)
    indexes = [
        replace(i, height=h, levels=i.levels if h else ()) for i, h in zip(survey.indexes, heights, strict=True)
    ]
    tab = show(replace(survey, indexes=indexes))

    def state() -> list[str]:
        heads = "[...document.querySelector('#indexes thead').rows[0].cells]"
        found: list[str] = tab.js(f"{heads}.slice(0, 2).map((c) => c.getAttribute('aria-sort'))")
        return found

    assert column(tab, 0) == ["b *", "c", "a", "d"]
    at = middle(tab, "#indexes thead th:nth-child(2) button")
    tab.click(*at)
    assert (column(tab, 1), state()) == (["3", "2", "1", "-"], ["none", "descending"])
    tab.click(*at)
    assert (column(tab, 1), state()) == (["1", "2", "3", "-"], ["none", "ascending"])
    tab.js("document.querySelector('#indexes thead button').focus()")
    tab.press(Keys.ENTER)
    assert (column(tab, 0), state()) == (["a", "b *", "c", "d"], ["ascending", "none"])
    tab.press(Keys.ENTER)
    assert column(tab, 0) == ["d", "c", "b *", "a"]


def brightness(tab: Browser) -> float:
    ground: str = tab.js("getComputedStyle(document.body).backgroundColor")
    return sum(map(int, ground.strip("rgb()").split(","))) / 3


def test_themes(show: Show) -> None:
    tab = show(made(640), scheme="dark")
    seen = [brightness(tab)]
    for _ in range(2):
        tab.js("document.getElementById('theme').click()")
        tab.settle()
        seen.append(brightness(tab))
    tab.scheme("light")
    tab.settle()
    seen.append(brightness(tab))
    assert [round(s / 255) for s in seen] == [0, 1, 0, 1]


def test_on_a_phone(show: Show) -> None:
    with surveyed(fixture("mysql97/import_single")) as a, surveyed(fixture("mysql97/import_multi")) as b:
        tab = show(a, b, width=360, height=740, touch=True)
    assert tab.js("document.scrollingElement.scrollWidth") <= 360
    to_map(tab)
    x, y, cell = where(tab, 37)
    tab.touch([(x, y)])
    assert title(tab, ".pin") == "Page 37"
    to_map(tab)
    x, y, _ = where(tab, 100)
    far = (15, 25, 40, 60)
    tab.touch([(x - f, y) for f in far], [(x + f, y) for f in far])
    assert where(tab, 100)[2] > 2 * cell
    before = where(tab, 100)
    tab.touch([(180 - step, before[1]) for step in (0, 8, 20, 40)])
    assert where(tab, 100)[0] == pytest.approx(before[0] - 40, abs=12)
