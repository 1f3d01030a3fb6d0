"""The picture that compares two to six files of one table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Unpack

from PIL import Image

from ibdscan.errors import UsageError
from ibdscan.measures.file.compare import Comparison, compare_many
from ibdscan.measures.file.survey import Survey
from ibdscan.views.images.look import Choices, Look
from ibdscan.views.images.map import check_size, clustered_index
from ibdscan.views.images.modes import MODES, Mode, mode_named
from ibdscan.views.images.panels import OF_ONE_INDEX, ComparePicture, File, Row
from ibdscan.views.images.parts.canvas import Canvas
from ibdscan.views.images.parts.painting import Painting, Scope, hue_ranks
from ibdscan.views.images.parts.theme import Theme, theme_named
from ibdscan.views.images.sheet import Sheet


def draw_compare(surveys: Sequence[Survey], by: str | None = None, **look: Unpack[Choices]) -> Image.Image:
    """Draw two to six files side by side: maps with one cell size and the same colours and scales, the order as
    a curve, fill histograms on shared axes, and the numbers with their differences.

    ``by`` is a mode of :func:`draw_map`; without it there are two rows of maps, fill and order. ``index`` is the
    index that is compared first, the clustered one without it; ``width``, ``cell``, ``title`` and ``theme`` are
    those of :class:`~ibdscan.views.images.look.Look`. Raises UsageError for what it does not know.
    """
    return compare_picture(surveys, by, **look).canvas.image


def compare_picture(
    surveys: Sequence[Survey],
    by: str | None = None,
    canvas_type: type[Canvas] = Canvas,
    **choices: Unpack[Choices],
) -> ComparePicture:
    """Draw a comparison; see :func:`draw_compare`."""
    look = Look(**choices)
    check_size(look)
    if look.pages is not None:
        raise UsageError("a comparison shows whole files, no window of pages")
    colors = theme_named(look.theme)
    files, comparisons, rows = side_by_side(surveys, by, look.index, colors)
    return Sheet(files, comparisons, rows, look.width, look.title, colors).draw(look.cell, canvas_type)


def side_by_side(
    surveys: Sequence[Survey], by: str | None, index: str | int | None, theme: Theme
) -> tuple[list[File], list[Comparison], list[Row]]:
    """The files with what they share, their comparisons with the first, and a row of paintings a mode."""
    comparisons = compare_many(surveys)
    files = _files(surveys, comparisons, index)
    modes = [mode_named(by)] if by else [MODES[m] for m in (("fill", "order") if files[0].main else ("index",))]
    rows = [Row(mode, [_paint(mode, f, theme, only=index is not None) for f in files]) for mode in modes]
    return files, comparisons, rows


def _paint(mode: Mode, file: File, theme: Theme, *, only: bool) -> Painting:
    one = file.main if only or mode.name in OF_ONE_INDEX else None
    return mode.paint(Scope(file.survey, 0, file.survey.n_pages, one, theme, file.ranks))


def _files(surveys: Sequence[Survey], comparisons: Sequence[Comparison], index: str | int | None) -> list[File]:
    """Files with their labels, the counterparts of the main index, and one hue for an index in all files."""
    first = surveys[0]
    main = first.index(index) if index is not None else clustered_index(first)
    ranks = hue_ranks(first)
    files = []
    free = max(ranks.values(), default=-1) + 1
    known: dict[str, int] = {}
    for survey, label, comparison in zip(surveys, labels([s.path for s in surveys]), comparisons, strict=True):
        own: dict[int, int] = {}
        counterpart = None
        for pair in comparison.indexes:
            if pair.b is None:
                continue
            if pair.a is not None and pair.a.ordinal in ranks:
                own[pair.b.ordinal] = ranks[pair.a.ordinal]
            elif pair.b.root_page_no is not None:
                if pair.name not in known:
                    known[pair.name], free = free, free + 1
                own[pair.b.ordinal] = known[pair.name]
            if main is not None and pair.a is main:
                counterpart = pair.b
        files.append(File(survey, label, counterpart, own))
    return files


def labels(paths: Sequence[str]) -> list[str]:
    """File names, with as much of their folders as tells them apart."""
    parts = [os.path.normpath(p).split(os.sep) for p in paths]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(set(map(os.path.normpath, paths))):
            break
    return names
