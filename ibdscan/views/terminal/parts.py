"""The parts of a map in text: the cells with their page numbers, scale, legend, notes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from ibdscan.measures.index.index import Index
from ibdscan.views.images.modes import Mode
from ibdscan.views.images.parts.blocks import share_text
from ibdscan.views.images.parts.painting import Painting, Scale, Tick
from ibdscan.views.images.parts.theme import RGB
from ibdscan.views.table.tables import printable
from ibdscan.views.table.units import ratio_text
from ibdscan.views.terminal.cells import Layout, dot_codes
from ibdscan.views.terminal.ink import Ink, Line, folded
from ibdscan.views.terminal.screen import Screen

LOOK, LEAST_LABEL = 3, 12
"""Columns of what a kind of page looks like, and of its label at least."""
BAR = 60
"""Columns of a scale at most."""


def grid_lines(ink: Ink, layout: Layout) -> list[Line]:
    """The cells, page numbers at the left, offsets in a row above."""
    left = layout.label_width
    dots = dot_codes(ink.codes, ink.kinds, layout)
    out = [Line.of(" " * left + _offsets(layout))]
    shown = ink.lines(dots)
    for n, text in enumerate(shown):
        page = layout.first_page_of_line(n)
        label = "" if page is None else f"{page:,}"
        out.append(Line(f"{label:>{left - 1}} {text}", left + layout.columns))
    return out


def _offsets(layout: Layout) -> str:
    """Offsets of the pages in a row, at its quarters where there is room."""
    out = ""
    for part in range(4):
        at = layout.row_cells * part // 4
        column = at * layout.wide
        if column >= layout.columns or (out and len(out) >= column):
            continue
        out = f"{out:<{column}}+{at * layout.per_cell:,}"
    return out[: layout.columns] if cell_len(out) > layout.columns else out


def scale_lines(scale: Scale, ink: Ink, width: int) -> list[Line]:
    """The scale: its title, the colours, its labels."""
    wide = min(BAR, width)
    out = [Line.of(text) for text in folded(printable(scale.title), width)]
    out += [Line(ink.scale_bar(scale, wide), wide), Line.of(_ticks(scale.ticks, wide))]
    if scale.sub:
        out += [Line.of(text) for text in folded(scale.sub_title, width)]
        out.append(Line.of(_ticks(scale.sub, wide)))
    return out


def _ticks(ticks: Sequence[Tick], width: int) -> str:
    """Labels below a bar, the outer ones flush with its ends; those that would touch are left out."""
    row = [" "] * width
    for tick in sorted(ticks, key=lambda t: (t.at not in (0, 1), abs(t.at - 0.5))):
        size = len(tick.label)
        left = min(max(round(width * tick.at - size / 2), 0), width - size)
        if left < 0 or any(c != " " for c in row[max(0, left - 2) : left + size + 2]):
            continue
        row[left : left + size] = tick.label
    return "".join(row).rstrip()


Kind = tuple[str, RGB | None]
"""A row of the legend: a label and its colour; none for the scale."""


def legend_lines(
    paintings: Sequence[Painting], inks: Sequence[Ink], width: int, letters: Sequence[str] = ()
) -> list[Line]:
    """Every kind of page with its pages and their share, for each file; they sum to the pages shown. Several
    tables where the columns of all files do not fit one."""
    if len(paintings) > 1 and width < LOOK + LEAST_LABEL + sum(
        len(_cell(p.n_pages, p.n_pages)) + 2 for p in paintings
    ):
        half = len(paintings) // 2
        first = legend_lines(paintings[:half], inks[:half], width, letters[:half])
        return [*first, Line.of(""), *legend_lines(paintings[half:], inks[half:], width, letters[half:])]
    looks: dict[Kind, str] = {}
    counts: list[dict[Kind, int]] = []
    for painting, ink in zip(paintings, inks, strict=True):
        own: dict[Kind, int] = {}
        if painting.scale and painting.n_scaled:
            kind: Kind = (painting.scale_label, None)
            looks.setdefault(kind, ink.scale_swatch(painting.scale))
            own[kind] = painting.n_scaled
        for code, swatch in painting.swatches.items():
            if painting.counts[code]:
                kind = (swatch.label, swatch.color)
                looks.setdefault(kind, ink.swatch(code))
                own[kind] = int(painting.counts[code])
        counts.append(own)
    totals = [p.n_pages for p in paintings]
    rows = [(look, kind[0], [own.get(kind, 0) for own in counts]) for kind, look in looks.items()]
    return _legend_table([*rows, ("  ", "total", totals)], totals, width, letters)


def _legend_table(
    rows: Sequence[tuple[str, str, list[int]]], totals: list[int], width: int, letters: Sequence[str]
) -> list[Line]:
    cells = [[_cell(n, t) for n, t in zip(counts, totals, strict=True)] for _, _, counts in rows]
    widths = [max(len(row[n]) for row in cells) for n in range(len(totals))]
    longest = max(cell_len(printable(label)) for _, label, _ in rows)
    room = min(max(LEAST_LABEL, width - LOOK - sum(widths) - 2 * len(widths)), longest)
    out = []
    if letters:
        heads = "".join("  " + letter.rjust(w - 9) + " " * 9 for letter, w in zip(letters, widths, strict=True))
        out.append(Line.of(" " * (3 + room) + heads))
    for (look, label, _), row in zip(rows, cells, strict=True):
        numbers = "".join("  " + cell.rjust(w) for cell, w in zip(row, widths, strict=True))
        first, *more = folded(printable(label), room)
        out.append(Line(f"{look} {Line.of(first).padded(room)}{numbers}", 3 + room + len(numbers)))
        out += [Line.of("   " + text) for text in more]
    return out


def _cell(n: int, total: int) -> str:
    return f"{n:,}{share_text(n, total):>9}"


def index_lines(indexes: Sequence[tuple[str, Index]], width: int, *, most: int = 8) -> list[Line]:
    """One line an index: leaf pages, fill, contiguous links."""
    rows = []
    for name, index in indexes[:most]:
        if index.has_leaf:
            leaf = index.leaf
            facts = f"{leaf.pages:,} leaf page{'s' if leaf.pages != 1 else ''}, fill {ratio_text(leaf.fill)}"
            facts += f", contiguous {ratio_text(leaf.contiguous)}"
        else:
            facts = "no leaf pages found"
        rows += folded(f"{printable(name)}: {facts}", width)
    if len(indexes) > most:
        rows.append(f"{len(indexes) - most} more index{'es' if len(indexes) - most > 1 else ''}")
    return [Line.of(text) for text in rows]


_PLAIN = {
    "index": "A letter is an index.",
    "fill": "The higher the digit, the fuller the leaf page.",
    "order": "The digit is the place of a leaf page in key order: in a file in order the digits grow, where they "
    "jump are leaves that lie far from their neighbours.",
    "lsn": "Pages with low digits were changed last long ago, those with high ones lately.",
    "type": "A letter is a page type (FIL_PAGE_TYPE) of the live pages.",
    "segment": "A letter is the segment that owns the page; small: reserved but unused.",
    "level": "The digit is the level of the index page in its tree.",
}


def explanation(mode: Mode, screen: Screen) -> str:
    """What a mode shows, in the words for colours or for characters."""
    if screen.colored:
        small = "the stronger its colour, the fuller the page."
        return f"Hue is the index; {small}" if mode.name == "index" else mode.explanation
    return _PLAIN.get(mode.name, mode.explanation)


def grid_note(layout: Layout, painting: Painting, *, colored: bool) -> str:
    """What a cell and a row are."""
    extent, pages = layout.extent_pages, layout.row_pages
    if pages == extent:
        row = f"a row one extent ({extent} pages)"
    elif pages < extent:
        row = f"a row {pages} pages, {extent // pages} rows an extent ({extent} pages)"
    else:
        row = f"a row {pages // extent:,} extents ({pages:,} pages)"
    size = f"{layout.wide} x {layout.high} {'half blocks' if colored else 'characters'}"
    if layout.per_cell == 1:
        what = "one half block is one page" if colored and layout.dots == 1 else f"one page is {size}"
        if not colored and layout.dots == 1:
            what = "one character is one page"
        note = f"{what[0].upper()}{what[1:]}, {row}; page numbers grow left to right, then down."
        if layout.high < layout.line_dots:
            note += " A line holds two rows, the upper one numbered."
    else:
        note = (
            f"One cell of {size} is {layout.per_cell:,} pages, {row}; page numbers grow left to right, then "
            f"down. The pages of a cell are sorted by {'colour' if colored else 'character'}, from the bottom up, "
            f"each of its {layout.dots} {'half blocks' if colored else 'characters'} an equal share; a kind of "
            "page too rare for one still gets one."
        )
    return note
