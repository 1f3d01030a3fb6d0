"""One browser for all tests of the report; without one: a failure where CI is set, a stated skip elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ibdscan.measures.file.survey import Survey
from ibdscan.views.report import render_report
from tests.report.browser import Browser, chromium, find_chromium

Show = Callable[..., Browser]


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    programs = find_chromium()
    if programs is None:
        message = (
            "no Chromium with its driver in the path (Debian: apt-get install chromium chromium-driver): "
            "the report is not looked at in a browser"
        )
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    with chromium(*programs, tmp_path_factory.mktemp("home")) as browser:
        yield browser


@pytest.fixture
def show(tab: Browser, tmp_path: Path) -> Iterator[Show]:
    """``show(survey, ...)``: their report, open in the browser; at the end nothing must have gone wrong."""

    def run(
        *surveys: Survey, width: int = 1280, height: int = 900, touch: bool = False, scheme: str = "light"
    ) -> Browser:
        path = tmp_path / "report.html"
        path.write_text(render_report(surveys), encoding="utf-8")
        tab.size(width, height, touch=touch)
        tab.scheme(scheme)
        tab.open(path)
        return tab

    tab.problems()
    yield run
    assert tab.problems() == []
