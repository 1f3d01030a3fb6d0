"""The map of one file, drawn in the terminal."""

from __future__ import annotations

from typing import Unpack

from ibdscan.measures.file.survey import Survey
from ibdscan.views.images.look import Choices, Look
from ibdscan.views.images.map import window
from ibdscan.views.images.modes import mode_named
from ibdscan.views.images.parts.blocks import file_facts
from ibdscan.views.images.parts.painting import Scope, hue_ranks, index_label
from ibdscan.views.table.tables import printable
from ibdscan.views.terminal.cells import fit_layout
from ibdscan.views.terminal.ink import Line, Shared, folded, ink_for
from ibdscan.views.terminal.parts import explanation, grid_lines, grid_note, index_lines, legend_lines, scale_lines
from ibdscan.views.terminal.screen import Screen


def draw_map_text(
    survey: Survey,
    screen: Screen,
    by: str = "index",
    **choices: Unpack[Choices],
) -> str:
    """A map as text for ``screen``, with the choices of :func:`ibdscan.views.images.draw_map`; ``cell`` is in
    columns, width and theme are the screen's. Raises UsageError for what it does not know or does not fit."""
    look, mode = Look(**choices), mode_named(by)
    start, stop = window(survey, look.pages)
    chosen = survey.index(look.index) if look.index is not None else None
    extent = survey.space.geometry.extent_pages
    layout = fit_layout(start, stop, extent, screen, cell=look.cell)
    painting = mode.paint(Scope(survey, start, stop, chosen, screen.theme, hue_ranks(survey)))
    ink = ink_for(painting, screen, Shared())
    what = f"Map of the {mode.title}" + (f" of {index_label(survey, chosen)}" if chosen else "")
    if (start, stop) != (0, survey.n_pages):
        what += f", pages {start:,} to {stop - 1:,}"
    facts = file_facts(survey, named=look.title is not None)
    head = [look.title or survey.space.name, " · ".join(facts), what + "."]
    if survey.findings:
        head.append(f"{len(survey.findings):,} findings: parts of this file are broken or odd, see ibdscan info")
    named = [(index_label(survey, i), i) for i in survey.user_indexes]
    blocks = [
        text_lines(head, screen),
        grid_lines(ink, layout),
        scale_lines(painting.scale, ink, screen.width) if painting.scale and painting.n_scaled else [],
        legend_lines([painting], [ink], screen.width),
        index_lines(named, screen.width),
        text_lines([f"{explanation(mode, screen)} {grid_note(layout, painting, colored=screen.colored)}"], screen),
    ]
    return joined(blocks)


def text_lines(paragraphs: list[str], screen: Screen) -> list[Line]:
    """Paragraphs folded to the screen's width."""
    return [Line.of(text) for part in paragraphs for text in folded(printable(part), screen.width)]


def joined(blocks: list[list[Line]]) -> str:
    """Blocks with an empty line between them."""
    return "\n\n".join("\n".join(line.text.rstrip() for line in block) for block in blocks if block) + "\n"
