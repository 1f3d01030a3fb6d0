"""The report in a real browser: what it says of each page is what the file says, and everything works."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from ibdscan.measures.compare import compare_surveys
from ibdscan.measures.survey import Survey
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.painting import Scope, hue_ranks
from ibdscan.views.images.theme import THEMES
from ibdscan.views.units import ratio_text
from tests.files import every_fixture, fixture, surveyed
from tests.report.browser import Browser
from tests.report.conftest import Show
from tests.report.expected import facts_of_pages
from tests.report.made import made
from tests.report.test_page import HOSTILE, hostile_survey

TOOLTIP = "Object.fromEntries([...document.querySelectorAll('.tip dt')].map((d) => [d.textContent, d.nextSibling.textContent]))"
PIN = TOOLTIP.replace(".tip", ".pin")


def where(tab: Browser, page: int, file: int = 0) -> tuple[float, float, float]:
    x, y, cell = tab.js(f"ibdscanReport.where({file}, {page})")
    return x, y, cell


def to_map(tab: Browser) -> None:
    tab.js("document.querySelector('.stage').scrollIntoView({block: 'center'})")
    tab.settle()


@every_fixture
def test_every_page_of_every_fixture(path: Path, show: Show) -> None:
    with surveyed(path) as survey:
        tab = show(survey)
        told = tab.js(
            f"Array.from({{length: {survey.n_pages}}}, (_, p) => Object.fromEntries(ibdscanReport.describe(0, p)))"
        )
        assert told == facts_of_pages(survey)


@pytest.mark.parametrize("page", [0, 4, 7, 100, 500])
def test_pointing_and_clicking_show_the_right_page(page: int, show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
        to_map(tab)
        x, y, _ = where(tab, page)
        tab.mouse("mouseMoved", x, y)
        tab.settle()
        wanted = facts_of_pages(survey)[page]
        assert tab.js("document.querySelector('.tip strong').textContent") == f"Page {page}"
        assert not tab.js("document.querySelector('.tip').hidden")
        assert tab.js(TOOLTIP) == wanted
        assert tab.js("document.querySelector('.pin strong')") is None
        tab.click(x, y)
        tab.mouse("mouseMoved", 5, 5)
        tab.settle()
        assert tab.js("document.querySelector('.tip').hidden")
        assert tab.js(PIN) == wanted


def pixels(tab: Browser, n_pages: int) -> npt.NDArray[np.uint8]:
    """Colour of each cell a little below its middle (bars grow from the bottom), away from dots."""
    found = tab.js(f"""(() => {{
      const canvas = document.querySelector('.stage canvas'), box = canvas.getBoundingClientRect();
      const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), out = [];
      for (let p = 0; p < {n_pages}; p++) {{
        const [x, y, cell] = ibdscanReport.where(0, p);
        const at = 4 * (Math.round(y - box.top + cell * 0.34) * canvas.width + Math.round(x - box.left - cell * 0.3));
        out.push(image.data[at], image.data[at + 1], image.data[at + 2]);
      }}
      return out;
    }})()""")
    return np.array(found, np.uint8).reshape(-1, 3)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("mode", sorted(MODES))
def test_pixels_are_those_of_the_pictures(mode: str, theme: str, show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey, scheme=theme)
        tab.js(f"document.querySelector('input[value={mode}]').click()")
        tab.settle()
        painting = MODES[mode].paint(Scope(survey, 0, survey.n_pages, None, THEMES[theme], hue_ranks(survey)))
        seen = pixels(tab, survey.n_pages)
    checked = 0
    for page, code in enumerate(painting.codes.tolist()):
        swatch = painting.swatches.get(code)
        if swatch is None:
            assert painting.scale is not None
            wanted = tuple(painting.scale.colors[code].tolist())
        elif swatch.texture == "hatch" or (
            painting.levels is not None and code in painting.filled and painting.levels[page] < 80
        ):
            continue
        else:
            wanted = swatch.color
        assert tuple(seen[page].tolist()) == wanted, (page, code)
        checked += 1
    assert checked > 600


def test_zooming(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    x, y, cell = where(tab, 5000)
    tab.mouse("mouseWheel", x, y, deltaX=0, deltaY=-400, modifiers=2)
    tab.settle()
    there = where(tab, 5000)
    assert there[2] > 1.5 * cell
    assert abs(there[0] - x) < there[2]
    assert abs(there[1] - y) < there[2]
    tab.js("document.querySelector('[aria-label=\"Zoom in\"]').click()")
    assert where(tab, 5000)[2] == pytest.approx(2 * there[2])
    before = where(tab, 5000)
    middle = tab.js(
        "(() => { const r = document.querySelector('.stage').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
    )
    tab.drag((middle[0], middle[1]), (middle[0] + 60, middle[1] + 40))
    after = where(tab, 5000)
    assert (after[0] - before[0], after[1] - before[1]) == (pytest.approx(60), pytest.approx(40))
    assert tab.js("document.querySelector('.pin strong')") is None, "a drag is no click"
    tab.js("document.querySelector('[aria-label=\"Show all pages\"]').click()")
    assert where(tab, 5000) == (pytest.approx(x), pytest.approx(y), pytest.approx(cell))


def test_the_wheel_scrolls_the_page_until_the_map_is_chosen(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    x, y, cell = where(tab, 5000)
    tab.mouse("mouseWheel", x, y, deltaX=0, deltaY=-100)
    tab.settle()
    assert where(tab, 5000)[2] == cell


def test_zoomed_in_far_the_right_page_is_still_hit(show: Show) -> None:
    tab = show(made(20_000))
    to_map(tab)
    tab.js("document.getElementById('go').value = '12,345'; document.getElementById('go').form.requestSubmit()")
    tab.settle()
    x, y, cell = where(tab, 12_345)
    assert cell >= 16
    tab.click(x + cell, y)
    assert tab.js("document.querySelector('.pin strong').textContent") == "Page 12,346"


def test_keys(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
        to_map(tab)
        tab.js("document.querySelector('.stage canvas').focus()")
        pinned = "document.querySelector('.pin strong')?.textContent ?? null"
        seen = []
        for key in (
            "ArrowRight",
            "ArrowRight",
            "ArrowDown",
            "ArrowLeft",
            "ArrowUp",
            "ArrowUp",
            "End",
            "Home",
            "Escape",
        ):
            tab.press(key)
            seen.append(tab.js(pinned))
        assert seen == ["Page 0", "Page 1", "Page 65", "Page 64", "Page 0", "Page 0", "Page 703", "Page 0", None]
        cell = where(tab, 0)[2]
        tab.press("+", "+")
        assert where(tab, 0)[2] == pytest.approx(2.25 * cell)
        tab.press("-")
        assert where(tab, 0)[2] == pytest.approx(1.5 * cell)
        tab.press("0")
        assert where(tab, 0)[2] == pytest.approx(cell)
        tab.press("Enter", "Enter")
        assert where(tab, 0)[2] == pytest.approx(28)
        leaf = int(survey.index("PRIMARY").leaf.chain[0])
        tab.js(
            f"document.getElementById('go').value = '{leaf}'; document.getElementById('go').form.requestSubmit()"
        )
        tab.js("document.querySelector('.stage canvas').focus()")
        tab.press("n", "n")
        assert tab.js(pinned) == f"Page {survey.index('PRIMARY').leaf.chain[2]}"
        tab.press("p")
        assert tab.js(pinned) == f"Page {survey.index('PRIMARY').leaf.chain[1]}"
        assert tab.js("document.querySelector('[aria-live=polite]').textContent").startswith(
            f"{tab.js(pinned)}: Type INDEX; State live"
        )


def test_focus_can_be_seen_and_the_map_has_words(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
        to_map(tab)
        tab.js("document.querySelector('[aria-label=\"Show all pages\"]').focus()")
        tab.press("Tab", "Tab")  # the help, then the map
        assert tab.js("document.activeElement.tagName") == "CANVAS"
        assert tab.js("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2
        label = tab.js("document.activeElement.getAttribute('aria-label')")
        assert label.startswith(
            "Map of import_multi.ibd.xz, pages by index: 704 pages. PRIMARY 191, k_1 17, system pages 3"
        )
        assert tab.js(
            "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
        ).count("Arrow keys")
        names = tab.js(
            "[...document.querySelectorAll('button, select, input')].filter((e) => !(e.getAttribute('aria-label') || e.textContent || e.labels?.length)).length"
        )
        assert names == 0


def overview(tab: Browser, column: int) -> list[str]:
    found: list[str] = tab.js(
        f"[...document.querySelectorAll('#indexes table')[0].tBodies[0].rows].map((r) => r.cells[{column}].textContent)"
    )
    return found


def test_sorting(show: Show) -> None:
    names = ["b", "c", "a", "d"]
    survey = made(4000, index_names=names)
    indexes = [
        replace(i, height=h, levels=i.levels if h else ())
        for i, h in zip(survey.indexes, (3, 1, 2, 0), strict=True)
    ]
    tab = show(replace(survey, indexes=indexes))
    head = "document.querySelectorAll('#indexes thead button')"
    state = "[...document.querySelectorAll('#indexes thead')[0].rows[0].cells].slice(0, 2).map((c) => c.getAttribute('aria-sort'))"
    assert overview(tab, 0) == ["b *", "c", "a", "d"]
    x, y = tab.js(
        f"(() => {{ const b = {head}[1]; b.scrollIntoView({{block: 'center'}}); const r = b.getBoundingClientRect(); return [r.x + 5, r.y + 5]; }})()"
    )
    tab.click(x, y)
    assert (overview(tab, 1), tab.js(state)) == (["3", "2", "1", "-"], ["none", "descending"])
    tab.click(x, y)
    assert (overview(tab, 1), tab.js(state)) == (["1", "2", "3", "-"], ["none", "ascending"])
    tab.js(f"{head}[0].focus()")
    tab.press("Enter")
    assert (overview(tab, 0), tab.js(state)) == (["a", "b *", "c", "d"], ["ascending", "none"])
    tab.press("Enter")
    assert overview(tab, 0) == ["d", "c", "b *", "a"]


def test_the_total_stays_below(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
    tab.js("document.querySelectorAll('#account thead button')[1].click()")
    assert tab.js("[...document.querySelectorAll('#account tr')].at(-1).cells[0].textContent") == "total"
    pages = tab.js(
        "[...document.querySelectorAll('#account tbody tr')].map((r) => Number(r.cells[1].textContent.replace(/,/g, '')))"
    )
    assert pages == sorted(pages, reverse=True)


def test_themes(show: Show) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    tab = show(made(640), scheme="dark")
    dark = tab.js(ground)
    assert max(map(int, dark.strip("rgb()").split(","))) < 40
    tab.js("document.getElementById('theme').click()")
    tab.settle()
    light = tab.js(ground)
    assert min(map(int, light.strip("rgb()").split(","))) > 220
    tab.js("document.getElementById('theme').click()")
    assert tab.js(ground) == dark
    tab.scheme("light")
    tab.settle()
    assert tab.js(ground) == light


def test_hostile_names_stay_names(show: Show) -> None:
    tab = show(hostile_survey())
    tab.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    tab.settle()
    assert tab.js("document.querySelectorAll('img, iframe, object, script[src]').length") == 0
    shown = [name.rstrip(" *") for name in overview(tab, 0)]
    assert [shown[0], *shown[6:]] == [HOSTILE[0], *HOSTILE[6:]]
    assert HOSTILE[1] in tab.js("document.getElementById('findings').textContent")
    assert tab.js("document.title").startswith(HOSTILE[0])
    page = tab.js("ibdscanReport.describe(0, 70).find(([key]) => key === 'Index')[1]")
    assert page == HOSTILE[1]
    assert tab.js("document.scrollingElement.scrollWidth <= innerWidth")


def test_two_files_side_by_side(show: Show) -> None:
    with surveyed(fixture("mysql97/import_single")) as a, surveyed(fixture("mysql97/import_multi")) as b:
        tab = show(a, b)
        comparison = compare_surveys(a, b)
    rows: Any = tab.js(
        "[...document.querySelectorAll('#comparison table')[1].tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))"
    )
    fill = comparison.indexes[0].row("leaf.fill")
    assert [
        "fill",
        ratio_text(float(fill.a or 0)),
        ratio_text(float(fill.b or 0)),
        ratio_text(fill.difference, sign=True),
    ] in rows
    assert len(rows) == len(comparison.indexes[0].rows)
    said = tab.js("[...document.querySelectorAll('#comparison li')].map((l) => l.textContent)")
    assert said == list(comparison.summary)
    assert tab.js("document.querySelectorAll('#comparison svg rect').length") > 10
    assert tab.js("document.querySelectorAll('.stage canvas').length") == 2
    to_map(tab)
    before = [where(tab, 100, file)[2] for file in (0, 1)]
    tab.js("document.querySelector('[aria-label=\"Zoom in\"]').click()")
    after = [where(tab, 100, file)[2] for file in (0, 1)]
    assert before[0] == before[1]
    assert after == [2 * before[0], 2 * before[0]]
    tab.js("document.querySelector('[aria-label=\"Show all pages\"]').click()")
    tab.click(*where(tab, 100, 1)[:2])
    assert tab.js("document.querySelectorAll('.pin')[0].querySelector('strong')") is None
    assert tab.js("document.querySelectorAll('.pin')[1].querySelector('strong').textContent") == "Page 100"


def inked(tab: Browser, selector: str) -> int:
    """Pixels of a canvas that are not the ground's colour."""
    found: int = tab.js(f"""(() => {{ const c = document.querySelector('{selector}');
      const d = c.getContext('2d').getImageData(60, 4, c.width - 70, 140).data; let n = 0;
      for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }})()""")
    return found


def test_order_curves_are_drawn(show: Show) -> None:
    tab = show(made(4000), made(4000, shuffled=True))
    line, cloud = (inked(tab, f"#comparison figure:nth-of-type({n}) canvas") for n in (2, 3))
    assert 100 < line < cloud / 4


def test_one_index_alone(show: Show) -> None:
    survey = made(640, index_names=["PRIMARY", "k_1"])
    tab = show(survey)
    full = pixels(tab, survey.n_pages)
    tab.js(
        "(() => { const s = document.getElementById('only'); s.value = '2'; s.dispatchEvent(new Event('change')); })()"
    )
    tab.settle()
    alone = pixels(tab, survey.n_pages)
    changed = (full != alone).any(axis=1)
    assert not changed[survey.owner == 1].any()
    assert changed[survey.owner == 0].all()


def test_on_a_phone(show: Show) -> None:
    with surveyed(fixture("mysql97/import_single")) as a, surveyed(fixture("mysql97/import_multi")) as b:
        tab = show(a, b, width=360, height=740, touch=True)
    assert tab.js("document.scrollingElement.scrollWidth") <= 360
    to_map(tab)
    x, y, cell = where(tab, 37)
    tab.touch("touchStart", (x, y))
    tab.touch("touchEnd")
    tab.settle()
    assert tab.js("document.querySelector('.pin strong').textContent") == "Page 37"
    to_map(tab)
    x, y, _ = where(tab, 100)
    tab.touch("touchStart", (x - 15, y), (x + 15, y))
    for far in (25, 40, 60):
        tab.touch("touchMove", (x - far, y), (x + far, y))
    tab.touch("touchEnd")
    tab.settle()
    assert where(tab, 100)[2] > 2 * cell
    before = where(tab, 100)
    tab.touch("touchStart", (180, before[1]))
    for step in (8, 20, 40):
        tab.touch("touchMove", (180 - step, before[1]))
    tab.touch("touchEnd")
    tab.settle()
    assert where(tab, 100)[0] == pytest.approx(before[0] - 40, abs=12)


def test_an_old_browser_still_has_the_tables(show: Show, tab: Browser) -> None:
    script = tab.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    try:
        show(made(640))
    finally:
        tab.call("Page.removeScriptToEvaluateOnNewDocument", **script)
    assert "no DecompressionStream" in tab.js("document.querySelector('[role=alert]').textContent")
    assert tab.js("document.querySelectorAll('#account tbody tr').length") == 3
    assert tab.js("document.querySelector('.stage')") is None


def test_the_policy_forbids_the_network(show: Show, tab: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        show(made(64))
        assert tab.js(f"fetch('{url}', {{mode: 'no-cors'}}).then(() => 'went', () => 'forbidden')") == "forbidden"
        for element in (
            f"'img'), {{src: '{url}'}}",
            f"'script'), {{src: '{url}'}}",
            "'script'), {textContent: 'window.ran = 1'}",
        ):
            tab.js(f"document.body.append(Object.assign(document.createElement({element}))")
        tab.settle()
        with pytest.raises(TimeoutError):
            server.accept()
    assert tab.js("window.ran") is None
    tab.problems.clear()  # it complained of each, as it should


def test_damage_is_shown_as_it_is(show: Show) -> None:
    survey = made(640)
    columns = survey.columns
    columns.lsn[100] = (1 << 64) - 2
    columns.heap_top[101] = 60_000
    columns.next[102] = 0xFFFFFFF0
    columns.prev[103] = 0
    tab = show(survey)
    told = [dict(tab.js(f"ibdscanReport.describe(0, {page})")) for page in range(100, 104)]
    assert told[0]["LSN"] == "18,446,744,073,709,551,614"
    assert told[1]["Fill"] == "-"
    assert told[2]["Next"] == "4,294,967,280"
    assert told[3]["Prev"] == "0"
    assert told == facts_of_pages(survey)[100:104]
    tab.js("document.querySelector('.stage canvas').focus()")
    tab.js("document.getElementById('go').value = '102'; document.getElementById('go').form.requestSubmit()")
    tab.settle()
    assert tab.js("[...document.querySelectorAll('.pin button')].map((b) => b.disabled)") == [False, True]


@pytest.mark.parametrize("n_pages", [1, 2, 7, 63, 65])
def test_small_files(n_pages: int, show: Show) -> None:
    survey: Survey = made(n_pages)
    tab = show(survey)
    to_map(tab)
    tab.click(*where(tab, n_pages - 1)[:2])
    assert tab.js("document.querySelector('.pin strong').textContent") == f"Page {n_pages - 1}"
    assert where(tab, 0)[2] == pytest.approx(22, rel=0.3)


def test_a_million_pages(show: Show) -> None:
    survey = made(1_000_000, index_names=["PRIMARY", "k_1"])
    tab = show(survey)
    to_map(tab)
    for page in (0, 600_000, 999_999):
        tab.js(
            f"document.getElementById('go').value = '{page}'; document.getElementById('go').form.requestSubmit()"
        )
        tab.settle()
        tab.click(*where(tab, page)[:2])
        assert tab.js("document.querySelector('.pin strong').textContent") == f"Page {page:,}"
        assert f"LSN {int(survey.columns.lsn[page]):,}" in tab.js(
            "document.querySelector('[aria-live=polite]').textContent"
        )
    slowest = tab.js("""(() => { const times = [...document.querySelectorAll('.modes input')].map((input) => {
      const start = performance.now(); input.click(); return performance.now() - start; }); return Math.max(...times); })()""")
    assert slowest < 1000
