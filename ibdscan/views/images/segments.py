"""The mode ``segment``: which segment owns a page."""

from __future__ import annotations

from string import ascii_uppercase

import numpy as np

from ibdscan.structures.finding import Findings
from ibdscan.structures.space.segments import segment_of_pages
from ibdscan.views.images.kinds import state_kinds
from ibdscan.views.images.parts.painting import Painting, Scope, Swatch
from ibdscan.views.images.parts.theme import MAX_HUES, hue, mix


def paint_segment(scope: Scope) -> Painting:
    """Segments of indexes and large ones of no index by colour, their unused pages pale."""
    survey, theme = scope.survey, scope.theme
    segment_of = segment_of_pages(survey.segments, survey.extents, survey.n_pages, Findings())[scope.window]
    live = scope.live
    rest = 2 * MAX_HUES
    sizes = np.bincount(segment_of + 1, minlength=len(survey.segments) + 1)[1:]
    of_index = {s.segment_id for i in survey.indexes for s in (i.leaf_segment, i.top_segment) if s}
    large = {s.segment_id for s, n in zip(survey.segments, sizes, strict=True) if n >= survey.extents.pages // 2}
    named = [n for n, s in enumerate(survey.segments) if s.segment_id in of_index | large]
    shown = sorted(sorted(named, key=lambda n: -sizes[n])[:MAX_HUES])
    of_segment = np.full(len(survey.segments) + 1, rest, np.uint8)
    swatches: dict[int, Swatch] = {}
    names = _segment_names(scope, large)
    for place, ordinal in enumerate(shown):
        of_segment[ordinal] = code = 2 * place
        name, color = names[ordinal]
        symbol = ascii_uppercase[place]
        pale = mix(color, theme.background, 0.72)
        swatches[code] = Swatch(name, color, "", symbol)
        swatches[code + 1] = Swatch(f"{name}: reserved, unused", pale, "dot", symbol.lower())
    swatches[rest] = Swatch("other segments", theme.other, "", "*")
    swatches[rest + 1] = Swatch("other segments: reserved, unused", theme.reserved, "dot", "-")
    codes, kinds = state_kinds(scope, rest + 2, Swatch("live, in no segment", theme.system, "", "#"))
    owned = segment_of >= 0
    codes[owned] = of_segment[segment_of[owned]] + ~live[owned]
    return Painting(codes, {**swatches, **kinds})


def _segment_names(scope: Scope, large: set[int]) -> list[tuple[str, tuple[int, int, int]]]:
    """Name and colour of every segment: an index's leaf segment has its hue, its top segment a darker one;
    a large segment of no index has the next hue."""
    survey, theme = scope.survey, scope.theme
    out = {}
    for index in survey.indexes:
        color = hue(scope.ranks.get(index.ordinal, 0), theme) if index.kind != "sdi" else theme.sdi
        if index.leaf_segment:
            out[index.leaf_segment.segment_id] = (f"{scope.label(index)}: leaf segment", color)
        if index.top_segment:
            out[index.top_segment.segment_id] = (
                f"{scope.label(index)}: non-leaf segment",
                mix(color, theme.ink, 0.45),
            )
    rank = len(scope.ranks)
    for segment in survey.segments:
        if segment.segment_id not in out:
            out[segment.segment_id] = (f"segment {segment.segment_id}", hue(rank % MAX_HUES, theme))
            rank += segment.segment_id in large
    return [out[s.segment_id] for s in survey.segments]
