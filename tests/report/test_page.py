"""The page as text: one file, the same bytes each time, names that can not become markup, small enough."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibdscan
from ibdscan.errors import UsageError
from ibdscan.structures.finding import Finding
from ibdscan.views.data.survey import survey_data
from ibdscan.views.report import page as page_module
from ibdscan.views.report import render_report
from tests.files import every_fixture, fixture, surveyed
from tests.report.made import made
from tests.report.test_pack import unpacked

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!--<script>",
    "\u2028'\"&amp;@@HERE@@",
    "@@SCRIPT@@",
    "טבלת_הזמנות\u202etxt",
    "📦orders🚚",
    "注文明細テーブル",
    "n" * 64,
]


class Parsed(HTMLParser):
    """Elements and attributes of a page, and the texts of its scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1][0] in ("script", "style") and self.cdata_elem:
            self.scripts[-1] += data

    def data(self, name: str) -> Any:
        at = [attrs.get("id") for tag, attrs in self.tags if tag in ("script", "style")].index(name)
        return json.loads(self.scripts[at])


def hostile_survey() -> Any:
    findings = [Finding(HOSTILE[0], 5, 3, HOSTILE[1])]
    return made(
        704, index_names=HOSTILE, table=f"db/{HOSTILE[1]}", path=f"/data/{HOSTILE[0]}.ibd", findings=findings
    )


@every_fixture
def test_the_data_is_the_survey(path: Path) -> None:
    with surveyed(path) as survey:
        page = Parsed(render_report([survey]))
        known = survey_data(survey)
    file, pages = page.data("report-data")["files"][0], page.data("pages-0")
    assert sum(row[1][1] for row in file["account"]["rows"][:-1]) == known["pages"] == pages["n_pages"]
    assert file["account"]["rows"][-1][1][0] == f"{known['pages']:,}"
    user = [i for i in known["indexes"] if i["kind"] != "sdi"]
    assert [row[4][1] for row in file["overview"]["rows"]] == [i["leaf"] and i["leaf"]["fill"] for i in user]
    assert file["n_findings"] == len(known["findings"]) == len(file["findings"]["rows"])
    for mode in pages["modes"]:
        shown = [*mode["legend"], *([mode["scale"]] if "scale" in mode else [])]
        assert sum(int(entry["pages"].replace(",", "")) for entry in shown) == known["pages"], mode["name"]
    for index, card in zip([i for i in user if i["levels"]], file["indexes"], strict=True):
        assert [int(b["count"].replace(",", "")) for b in card["histogram"]["bins"]] == index["leaf"]["histogram"]
        assert [row[1][1] for row in card["levels"]["rows"]] == [level["pages"] for level in index["levels"]]


def test_the_same_file_gives_the_same_bytes() -> None:
    pages = []
    for _ in range(2):
        with surveyed(fixture("mysql97/import_multi")) as a, surveyed(fixture("mysql97/import_single")) as b:
            pages.append(render_report([a, b]))
    assert pages[0] == pages[1]


def test_it_needs_nothing_else_and_may_run_nothing_else() -> None:
    text = render_report([made(64)])
    page = Parsed(text)
    policy = next(
        a["content"] for t, a in page.tags if t == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    blocks = [t for t in page.tags if t[0] in ("script", "style")]
    for (tag, attrs), body in zip(blocks, page.scripts, strict=True):
        if attrs.get("type") is None:
            digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in policy
    for tag, attrs in page.tags:
        for key in ("src", "href", "action", "srcset", "style"):
            assert (attrs.get(key) or "#").startswith(("#", "data:")), (tag, attrs)
        assert not [key for key in attrs if key.startswith("on")], (tag, attrs)
    script = page.scripts[-1]
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
    ):
        assert word not in script


def test_names_are_data() -> None:
    plain = Parsed(render_report([made(704, index_names=list("abcdefghi"))]))
    hostile = Parsed(render_report([hostile_survey()]))
    assert hostile.tags == plain.tags
    for (tag, attrs), body in zip(
        (t for t in hostile.tags if t[0] in ("script", "style")), hostile.scripts, strict=True
    ):
        if attrs.get("type") == "application/json":
            assert not set("<>&\u2028\u2029") & set(body), tag
    names = [row[0][0] for row in hostile.data("report-data")["files"][0]["overview"]["rows"]]
    assert names[0] == HOSTILE[0] + " *"
    assert names[3] == "\\u2028'\"&amp;@@HERE@@"  # what can not be printed is spelt out, as in all other views
    assert names[5] == "טבלת_הזמנות\\u202etxt"
    assert names[6:] == HOSTILE[6:]


def test_a_path_that_is_no_text() -> None:
    text = render_report([made(64, path="/data/\udcff\x1b[31m.ibd")])
    assert (
        "\\udcff\\x1b[31m.ibd"
        in Parsed(text.encode("utf-8").decode("utf-8")).data("report-data")["files"][0]["path"]
    )


@pytest.mark.parametrize("n", [0, 7])
def test_number_of_files(n: int) -> None:
    with pytest.raises(UsageError, match="1 to 6 files"):
        render_report([made(8)] * n)


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_million_pages_in_ten_megabytes(shuffled: bool) -> None:
    survey = made(1_000_000, shuffled=shuffled)
    text = render_report([survey])
    assert len(text.encode()) < 10_000_000
    lsn = json.loads(re.findall(r'id="pages-0">(.*?)</script>', text)[0])["columns"]["lsn"]
    assert (lsn["step"] == 1) is not shuffled
    told = unpacked(lsn["column"]) * lsn["step"]
    behind = survey.columns.lsn.astype(np.int64) - told
    assert behind.min() >= 0
    assert behind.max() < lsn["step"]


def test_too_many_pages_are_shown_as_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_module, "MAX_MAP_PAGES", 100)
    with surveyed(fixture("mysql97/import_multi")) as survey:
        page = Parsed(render_report([survey]))
    pictures = page.data("report-data")["files"][0]["pictures"]
    assert [p["mode"] for p in pictures] == ["index", "fill", "order"]
    assert all(base64.b64decode(p["source"].split(",")[1]).startswith(b"\x89PNG") for p in pictures)
    assert "pages-0" not in [attrs.get("id") for _, attrs in page.tags]


def test_notebooks() -> None:
    with ibdscan.open(fixture("mysql97/import_multi")) as space:
        shown = Parsed(space._repr_html_())
        assert [t for t, _ in shown.tags].count("tr") == 3
        assert "67.4 %" in space._repr_html_()
        assert space._repr_png_().startswith(b"\x89PNG")


def test_notebooks_escape_names() -> None:
    from ibdscan.views.notebook import survey_html

    text = survey_html(hostile_survey())
    assert {t for t, _ in Parsed(text).tags} == {
        "div",
        "strong",
        "bdi",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
