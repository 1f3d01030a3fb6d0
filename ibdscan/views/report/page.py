"""The page: data, style and script put into one HTML document that needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Sequence
from importlib import resources
from typing import Any

from ibdscan import __version__
from ibdscan.errors import UsageError
from ibdscan.measures.file.compare import compare_surveys
from ibdscan.measures.file.survey import Survey
from ibdscan.views.images import draw_map, write_png
from ibdscan.views.images.parts.theme import THEMES
from ibdscan.views.report.comparison import comparison_data
from ibdscan.views.report.content import LETTERS, file_data, names_of, parts_colors
from ibdscan.views.report.modes import coarser_lsn, hex_color, modes_data, ranks_of
from ibdscan.views.report.pages import lsn_data, page_data

MAX_FILES = 6
MAX_MAP_PAGES = 4_000_000
"""Files with more pages, taken together, are shown as pictures: a browser would choke on so many rows."""
MAX_BYTES = 9_600_000
"""A page of up to a million pages of a file stays below 10 MB."""
LSN_STEPS = (1 << 8, 1 << 12, 1 << 16)
STILL_MODES = ("index", "fill", "order")
SCRIPTS = ("dom", "pack", "pages", "tables", "charts", "layout", "paint", "map", "maps", "main")


def render_report(surveys: Sequence[Survey]) -> str:
    """One self-contained HTML page of one to six files: no network, no other file; the same surveys give the same
    text. Raises UsageError for another number of files."""
    if not 1 <= len(surveys) <= MAX_FILES:
        raise UsageError(f"a report is of 1 to {MAX_FILES} files, not {len(surveys)}")
    names = names_of(surveys)
    comparisons = [compare_surveys(surveys[0], other) for other in surveys[1:]]
    with_maps = sum(s.n_pages for s in surveys) <= MAX_MAP_PAGES
    data: dict[str, Any] = {
        "version": __version__,
        "files": [file_data(s, LETTERS[n], names[n]) for n, s in enumerate(surveys)],
        "themes": {name: _theme(name) for name in THEMES},
        "comparison": comparison_data(surveys, comparisons) if comparisons else None,
        "with_maps": with_maps,
    }
    blocks: list[str] = []
    if with_maps:
        ranks = ranks_of(surveys, comparisons)
        maps = [page_data(s) | {"modes": modes_data(s, r)} for s, r in zip(surveys, ranks, strict=True)]
        blocks = _fitted(surveys, ranks, maps)
    else:
        for survey, file in zip(surveys, data["files"], strict=True):
            file["pictures"] = [_picture(survey, mode) for mode in STILL_MODES]
    return _document(data, blocks)


def _fitted(surveys: Sequence[Survey], ranks: list[dict[int, int]], maps: list[dict[str, Any]]) -> list[str]:
    """The pages of each file as JSON. Where a file is large and random beyond measure, its LSNs, which take most
    room, are given in steps, and the page says so."""
    out = [safe_json(pages) for pages in maps]
    most = max(MAX_BYTES, MAX_BYTES * sum(s.n_pages for s in surveys) // 1_000_000)
    for step in LSN_STEPS:
        if sum(map(len, out)) <= most:
            break
        for n, (survey, pages) in enumerate(zip(surveys, maps, strict=True)):
            pages["columns"]["lsn"] = lsn_data(survey.columns.lsn, step)
            lsn = next(mode for mode in pages["modes"] if mode["name"] == "lsn")
            if "scale" in lsn:
                lsn["scale"] |= coarser_lsn(survey, ranks[n], step)
            out[n] = safe_json(pages)
    return out


def _theme(name: str) -> dict[str, Any]:
    theme = THEMES[name]
    keys = ("background", "ink", "muted", "line")
    return {key: hex_color(getattr(theme, key)) for key in keys} | {"parts": parts_colors(name)}


def _picture(survey: Survey, mode: str) -> dict[str, str]:
    out = io.BytesIO()
    write_png(draw_map(survey, by=mode, width=1600), out)  # type: ignore[arg-type]
    return {
        "mode": mode,
        "source": "data:image/png;base64," + base64.b64encode(out.getvalue()).decode("ascii"),
    }


def _document(data: dict[str, Any], maps: Sequence[str]) -> str:
    style = template("report.css")
    script = "(() => {\n" + '"use strict";\n' + "".join(template(f"{name}.js") for name in SCRIPTS) + "})();\n"
    blocks = [_block("report-data", safe_json(data)), *(_block(f"pages-{n}", text) for n, text in enumerate(maps))]
    parts = {
        "POLICY": f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        "STYLE": style,
        "DATA": "\n".join(blocks),
        "SCRIPT": script,
    }
    page = template("report.html")
    for name, text in parts.items():
        head, _, tail = page.partition(f"@@{name}@@")
        page = head + text + tail if name != "DATA" else head + "@@HERE@@" + tail
    head, _, tail = page.partition("@@HERE@@")  # last, so that no name can be taken for a mark
    return head + parts["DATA"] + tail


def template(name: str) -> str:
    """One of the files beside this one."""
    text = resources.files("ibdscan.views.report").joinpath("assets", name).read_text(encoding="utf-8")
    return text.replace("\r\n", "\n")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def _block(name: str, text: str) -> str:
    return f'<script type="application/json" id="{name}">{text}</script>'


_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def safe_json(data: Any) -> str:
    """JSON that stands in an HTML script element: whatever a name holds, it can neither end the element nor
    begin a comment.

    >>> safe_json("</script><!--")
    '"\\\\u003c/script\\\\u003e\\\\u003c!--"'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char, escape in _ESCAPES.items():
        text = text.replace(char, escape)
    return text
