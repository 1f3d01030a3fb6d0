"""What the report says of each file, as plain data: every number is spelt here, the page only lays it out."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.verdict import verdict
from ibdscan.views.report.modes import hex_color
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import UNKNOWN, bytes_text, count_text, ratio_text
from ibdscan.views.text.head import head_lines, label
from ibdscan.views.text.indexes import level_table
from ibdscan.views.text.info import CLASS_WORDS, account_table, overview_table, rebuild_lines, verdict_pairs

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def file_data(survey: Survey, letter: str, name: str) -> dict[str, Any]:
    """All texts and tables of one file."""
    head = head_lines(survey, Style())
    many = len({i.table for i in survey.user_indexes}) > 1
    return {
        "letter": letter,
        "name": printable(name),
        "path": head[0],
        "head": head[1:],
        "tables": [printable(t) for t in dict.fromkeys(i.table for i in survey.indexes if i.table)],
        "tiles": _tiles(survey),
        "parts": _parts(survey),
        "account": table_data(account_table(survey), foot=1),
        "overview": table_data(overview_table(survey)),
        "verdicts": [list(pair) for pair in verdict_pairs(survey)],
        "rebuild": rebuild_lines(survey),
        "indexes": [index_data(i, many) for i in survey.user_indexes if i.levels],
        "findings": table_data(_findings_table(survey)),
        "n_findings": len(survey.findings),
    }


def names_of(surveys: Sequence[Survey]) -> list[str]:
    """File names, with as much of their folders as tells them apart."""
    parts = [os.path.normpath(s.path).split(os.sep) for s in surveys]
    for depth in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(names):
            return names
    return [s.path for s in surveys]


def table_data(table: Table, foot: int = 0) -> dict[str, Any]:
    """A table as texts with the raw values beside them, to sort by. ``foot``: last rows that stay there."""
    return {
        "columns": [
            {"title": " ".join(c.title.split()), "number": c.unit != "text" or c.right} for c in table.columns
        ],
        "rows": [
            [[c.show(v), v if c.unit != "text" else None] for c, v in zip(table.columns, row, strict=True)]
            for row in table.rows
        ],
        "foot": foot,
    }


def main_index(survey: Survey) -> Index | None:
    """The index of the key numbers: the clustered one with most leaf pages, else the largest."""
    found = [i for i in survey.user_indexes if i.has_leaf]
    return max(found, key=lambda i: (i.clustered, i.leaf.pages), default=None)


def _tiles(survey: Survey) -> list[dict[str, Any]]:
    """The key numbers. Fill, order and reservation come together or not at all."""
    live = survey.page_states["live"]
    tiles = [
        _tile(
            "file",
            bytes_text(survey.space.source.size),
            f"{count_text(survey.n_pages)} pages of {bytes_text(survey.page_size)}",
        ),
        _tile(
            "live pages",
            count_text(live),
            f"{ratio_text(live / survey.n_pages if survey.n_pages else None)} of the file; "
            f"{count_text(survey.page_states['stale'])} stale",
            live / survey.n_pages if survey.n_pages else None,
        ),
    ]
    index = main_index(survey)
    if index is not None:
        tiles += _index_tiles(index)
    saved = survey.rebuild.saved_bytes
    if saved is not None:
        now = sum(i.levels[-1].pages for i in survey.user_indexes if i.rebuild)
        after = sum(i.rebuild.leaf_pages for i in survey.user_indexes if i.rebuild)
        note = f"an estimate: {count_text(now)} leaf pages become {count_text(after)}"
        tiles.append(_tile("a rebuild gives back", bytes_text(saved) if saved else "nothing", note))
    return tiles


def _index_tiles(index: Index) -> list[dict[str, Any]]:
    leaf, name = index.leaf, printable(index.name)
    small = ", too small to judge" if index.is_small else ""
    reserved = index.reserved_pages
    used = index.used_pages / reserved if reserved else None
    return [
        _tile(
            f"leaf fill of {name}",
            ratio_text(leaf.fill),
            f"{count_text(leaf.records)} records in {count_text(leaf.pages)} leaf pages{small}",
            leaf.fill,
        ),
        _tile(
            f"contiguous links of {name}",
            ratio_text(leaf.contiguous),
            f"out of order {ratio_text(leaf.out_of_order)}; {count_text(leaf.fragments)} fragments{small}",
            leaf.contiguous,
        ),
        _tile(
            f"used of reserved, {name}",
            ratio_text(used),
            f"{count_text(index.used_pages)} of {count_text(reserved)} pages",
            used,
        ),
    ]


def _tile(name: str, value: str, note: str, share: float | None = None) -> dict[str, Any]:
    return {"name": name, "value": value, "note": note, "share": share}


def _parts(survey: Survey) -> list[dict[str, Any]]:
    """The classes of the account as shares of a bar; they sum to the file."""
    n = max(1, survey.n_pages)
    return [
        {
            "class": name,
            "label": CLASS_WORDS.get(name, name),
            "share": pages / n,
            "text": f"{count_text(pages)} pages, {ratio_text(pages / n)}",
        }
        for name, pages in survey.page_classes.items()
        if pages
    ]


def index_data(index: Index, many: bool) -> dict[str, Any]:
    """One index: its facts, levels and fill histogram."""
    return {
        "name": printable(label(index, with_table=many)),
        "ordinal": index.ordinal,
        "verdict": verdict(index),
        "facts": _facts(index),
        "levels": table_data(level_table(index)),
        "histogram": histogram_data(index),
    }


def _facts(index: Index) -> list[list[str]]:
    facts = [
        ["id", UNKNOWN if index.index_id is None else str(index.index_id)],
        ["root page", UNKNOWN if index.root_page_no is None else str(index.root_page_no)],
        ["height", str(index.height)],
    ]
    for name, segment in (("leaf segment", index.leaf_segment), ("top segment", index.top_segment)):
        if segment is not None:
            used = f"{count_text(segment.used_pages)} pages used of {count_text(segment.reserved_pages)} reserved"
            facts.append([name, f"{used}, {len(segment.fragments)} of them single (fragment) pages"])
    if index.off_page_pages:
        facts.append(["off-page (LOB) pages", count_text(index.off_page_pages)])
    if index.has_leaf and index.leaf.percentiles:
        marks = ", ".join(f"p{p} {ratio_text(v)}" for p, v in index.leaf.percentiles.items())
        facts.append(["fill percentiles", marks])
    if index.rebuild:
        saved = bytes_text(index.rebuild.saved_bytes)
        facts.append(["rebuilt", f"{count_text(index.rebuild.leaf_pages)} leaf pages; frees {saved} in the file"])
    if not index.clustered_is_certain:
        facts.append(["clustered?", "taken to be: it has the lowest id, and the file holds no names"])
    return facts


def histogram_data(index: Index | None) -> dict[str, Any] | None:
    """Leaf pages by fill in ten bins, as counts and as shares of the leaf pages; None without leaves."""
    if index is None or not index.has_leaf or not index.leaf.pages:
        return None
    counts = index.leaf.histogram
    step = 100 // len(counts)
    return {
        "pages": count_text(index.leaf.pages),
        "bins": [
            {
                "label": f"{i * step} to {(i + 1) * step} %",
                "count": count_text(n),
                "share": n / index.leaf.pages,
                "text": ratio_text(n / index.leaf.pages),
            }
            for i, n in enumerate(counts)
        ],
    }


def parts_colors(name: str) -> dict[str, str]:
    """Colours of the classes of the account in one theme; those of the maps."""
    from ibdscan.views.images.parts.theme import OKABE_ITO, THEMES, mix

    theme = THEMES[name]
    colors = {
        "system": theme.system,
        "leaf": OKABE_ITO[0],
        "non_leaf": mix(OKABE_ITO[0], theme.ink, 0.45),
        "off_page": theme.off_page,
        "sdi": theme.sdi,
        "other": theme.other,
        "reserved_unused": theme.reserved,
        "free_in_fragment_extent": theme.free_fragment,
        "free_extent": theme.free_extent,
        "above_free_limit": theme.not_used_yet,
        "beyond_size": theme.beyond,
    }
    return {key: hex_color(color) for key, color in colors.items()}


def _findings_table(survey: Survey) -> Table:
    columns = (
        Column("kind", "kind"),
        Column("page_no", "page", "count"),
        Column("offset", "offset", "count"),
        Column("message", "what was found"),
    )
    return Table(columns, [[f.kind, f.page_no, f.offset, f.message] for f in survey.findings])
