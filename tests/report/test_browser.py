"""The report in a real browser: it says of each page what the file says; nothing runs, nothing is loaded."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

from ibdscan.measures.file.compare import compare_surveys
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.painting import Painting, Scope, hue_ranks
from ibdscan.views.images.parts.theme import RGB, THEMES
from ibdscan.views.report import page as page_module
from ibdscan.views.table.units import ratio_text
from tests.files import every_fixture, fixture, surveyed
from tests.report.browser import Browser
from tests.report.conftest import Show
from tests.report.expected import facts_of_pages
from tests.report.made import made
from tests.report.probe import (
    facts,
    go_to,
    inked,
    mode,
    pixels,
    push,
    rows,
    slowest_mode,
    texts,
    title,
    to_map,
    where,
)
from tests.report.test_page import HOSTILE, hostile_survey


@every_fixture
def test_every_page_of_every_fixture(path: Path, show: Show) -> None:
    with surveyed(path) as survey:
        tab = show(survey)
        told = tab.js(f"""Array.from({{length: {survey.n_pages}}},
          (_, page) => Object.fromEntries(ibdscanReport.describe(0, page)))""")
        assert told == facts_of_pages(survey)


@pytest.mark.parametrize("page", [0, 4, 7, 100, 500])
def test_pointing_and_clicking_show_the_right_page(page: int, show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
        to_map(tab)
        x, y, _ = where(tab, page)
        tab.point(x, y)
        wanted = facts_of_pages(survey)[page]
        assert not tab.js("document.querySelector('.tip').hidden")
        assert (title(tab, ".tip"), facts(tab, ".tip")) == (f"Page {page}", wanted)
        assert title(tab, ".pin") is None
        tab.click(x, y)
        tab.point(5, 5)
        assert tab.js("document.querySelector('.tip').hidden")
        assert (title(tab, ".pin"), facts(tab, ".pin")) == (f"Page {page}", wanted)


def color_of(painting: Painting, page: int) -> RGB | None:
    """What a page's cell has at the place that is looked at; None where that is for a texture to say."""
    code = int(painting.codes[page])
    if code not in painting.swatches:
        assert painting.scale is not None
        red, green, blue = painting.scale.colors[code].tolist()
        return red, green, blue
    swatch = painting.swatches[code]
    low = painting.levels is not None and code in painting.filled and painting.levels[page] < 90
    return None if swatch.texture == "hatch" or low else swatch.color


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", sorted(MODES))
def test_pixels_are_those_of_the_pictures(name: str, theme: str, show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey, scheme=theme)
        mode(tab, name)
        scope = Scope(survey, 0, survey.n_pages, None, THEMES[theme], hue_ranks(survey))
        painting = MODES[name].paint(scope)
        seen = [tuple(p) for p in pixels(tab, survey.n_pages).tolist()]
    wanted = [color_of(painting, page) for page in range(len(seen))]
    assert [s if w else None for s, w in zip(seen, wanted, strict=True)] == wanted
    assert sum(w is not None for w in wanted) > 600


def test_the_total_stays_below(show: Show) -> None:
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
    tab.js("document.querySelectorAll('#account thead button')[1].click()")
    assert texts(tab, "#account tr:last-child th")[-1] == "total"
    pages = [int(row[1].replace(",", "")) for row in rows(tab, "#account")]
    assert pages == sorted(pages, reverse=True)
    assert sum(pages) == 704


def test_hostile_names_stay_names(show: Show) -> None:
    tab = show(hostile_survey())
    tab.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    tab.settle()
    assert tab.js("document.querySelectorAll('img, iframe, object, script[src]').length") == 0
    shown = [row[0].removesuffix(" *") for row in rows(tab, "#indexes")]
    assert [shown[0], *shown[6:]] == [HOSTILE[0], *HOSTILE[6:]]
    assert HOSTILE[1] in texts(tab, "#findings")[0]
    assert tab.js("document.title").startswith(HOSTILE[0])
    assert dict(tab.js("ibdscanReport.describe(0, 70)"))["Index"] == HOSTILE[1]
    assert tab.js("document.scrollingElement.scrollWidth <= innerWidth")


def test_two_files_side_by_side(show: Show) -> None:
    with surveyed(fixture("mysql97/import_single")) as a, surveyed(fixture("mysql97/import_multi")) as b:
        tab = show(a, b)
        comparison = compare_surveys(a, b)
    fill = comparison.indexes[0].row("leaf.fill")
    told = rows(tab, "#comparison", 1)
    signed = ratio_text(fill.difference, sign=True)
    assert ["fill", ratio_text(fill.a), ratio_text(fill.b), signed] in told
    assert len(told) == len(comparison.indexes[0].rows)
    assert texts(tab, "#comparison li") == list(comparison.summary)
    assert tab.js("document.querySelectorAll('#comparison svg rect').length") > 10
    assert tab.js("document.querySelectorAll('.stage canvas').length") == 2
    to_map(tab)
    before = [where(tab, 100, file)[2] for file in (0, 1)]
    push(tab, "Zoom in")
    assert [where(tab, 100, file)[2] for file in (0, 1)] == [2 * before[0], 2 * before[0]]
    assert before[0] == before[1]
    push(tab, "Show all pages")
    tab.click(*where(tab, 100, 1)[:2])
    assert (title(tab, ".pin", 0), title(tab, ".pin", 1)) == (None, "Page 100")


def test_order_curves_are_drawn(show: Show) -> None:
    tab = show(made(4000), made(4000, shuffled=True))
    line, cloud = inked(tab, 0), inked(tab, 1)
    assert 100 < line < cloud / 4


def test_one_index_alone(show: Show) -> None:
    survey = made(640, index_names=["PRIMARY", "k_1"])
    tab = show(survey)
    full = pixels(tab, survey.n_pages)
    tab.js("document.getElementById('only').value = '2'")
    tab.js("document.getElementById('only').dispatchEvent(new Event('change'))")
    tab.settle()
    changed = (full != pixels(tab, survey.n_pages)).any(axis=1)
    assert not changed[survey.owner == 1].any()
    assert changed[survey.owner == 0].all()


def test_an_old_browser_still_has_the_tables(show: Show, tab: Browser) -> None:
    script = tab.call("Page.addScriptToEvaluateOnNewDocument", source="delete window.DecompressionStream")
    try:
        show(made(640))
    finally:
        tab.call("Page.removeScriptToEvaluateOnNewDocument", **script)
    assert "no DecompressionStream" in texts(tab, "[role=alert]")[0]
    assert len(rows(tab, "#account")) == 3
    assert texts(tab, ".stage") == []


def test_the_policy_forbids_the_network(show: Show, tab: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.5)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        show(made(64))
        went = f"fetch('{url}', {{mode: 'no-cors'}}).then(() => 'went', () => 'forbidden')"
        assert tab.js(went) == "forbidden"
        for tag, more in (
            ("img", f"src: '{url}'"),
            ("script", f"src: '{url}'"),
            ("script", "textContent: 'ran = 1'"),
        ):
            tab.js(f"document.body.append(Object.assign(document.createElement('{tag}'), {{{more}}}))")
        tab.settle()
        with pytest.raises(TimeoutError):
            server.accept()
    assert tab.js("window.ran") is None
    assert tab.problems()  # it complained of each, as it should


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
    go_to(tab, 102)
    assert tab.js("[...document.querySelectorAll('.pin button')].map((b) => b.disabled)") == [False, True]


@pytest.mark.parametrize("n_pages", [1, 2, 7, 63, 65])
def test_small_files(n_pages: int, show: Show) -> None:
    tab = show(made(n_pages))
    to_map(tab)
    tab.click(*where(tab, n_pages - 1)[:2])
    assert title(tab, ".pin") == f"Page {n_pages - 1}"
    assert where(tab, 0)[2] > 14


def test_a_file_without_an_index(show: Show) -> None:
    survey = replace(made(640), indexes=[])
    survey.owner[:] = -1
    tab = show(survey)
    assert "No user index" in texts(tab, "#indexes")[0]


def test_too_many_pages_are_pictures(show: Show, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_MAP_PAGES", 100)
    with surveyed(fixture("mysql97/import_multi")) as survey:
        tab = show(survey)
    assert tab.js("[...document.querySelectorAll('#maps img')].map((i) => i.naturalWidth)") == [1600] * 3


def test_a_million_pages(show: Show) -> None:
    survey = made(1_000_000, index_names=["PRIMARY", "k_1"])
    tab = show(survey)
    to_map(tab)
    for page in (0, 600_000, 999_999):
        go_to(tab, page)
        tab.click(*where(tab, page)[:2])
        assert title(tab, ".pin") == f"Page {page:,}"
        assert facts(tab, ".pin")["LSN"] == f"{int(survey.columns.lsn[page]):,}"
    assert slowest_mode(tab) < 1000
