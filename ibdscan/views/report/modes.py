"""The modes of the maps: colours, legends and one code a page, painted by the same code as the pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.measures.file.compare import Comparison
from ibdscan.measures.file.survey import Survey
from ibdscan.views.images.modes import MODES, Mode
from ibdscan.views.images.parts.painting import STRENGTHS, Codes, Painting, Scale, Scope, hue_ranks
from ibdscan.views.images.parts.raster import uses_strength
from ibdscan.views.images.parts.theme import RGB, THEMES, Theme, mix
from ibdscan.views.report.pack import Packed, pack, pack_steps
from ibdscan.views.report.pages import data_column, index_pages, lsn_column
from ibdscan.views.table.tables import printable
from ibdscan.views.table.units import count_text, ratio_text

SCALED = 254
"""Code of a page that is on the scale: its step comes from another column."""
WEAKEST = 0.25
_SCALE_OF = {"fill": "data", "garbage": "garbage", "order": "rank", "lsn": "lsn"}
_BAR_GROUND = 0.78


def ranks_of(surveys: Sequence[Survey], comparisons: Sequence[Comparison]) -> list[dict[int, int]]:
    """Index ordinal -> rank of its hue, for each file: an index has one hue in all files. ``comparisons`` are
    those of the first file with each of the others."""
    first = hue_ranks(surveys[0])
    out = [first]
    for comparison in comparisons:
        own: dict[int, int] = {}
        free = len(first)
        for pair in comparison.indexes:
            if pair.b is None or pair.b.root_page_no is None:
                continue
            if pair.a is not None and pair.a.ordinal in first:
                own[pair.b.ordinal] = first[pair.a.ordinal]
            else:
                own[pair.b.ordinal], free = free, free + 1
        out.append(own)
    return out


def modes_data(survey: Survey, ranks: dict[int, int]) -> list[dict[str, Any]]:
    """All modes of one file, in the order of the command line."""
    return [_mode_data(survey, mode, ranks) for mode in MODES.values()]


def _mode_data(survey: Survey, mode: Mode, ranks: dict[int, int]) -> dict[str, Any]:
    light, dark = (mode.paint(Scope(survey, 0, survey.n_pages, None, theme, ranks)) for theme in THEMES.values())
    out: dict[str, Any] = {
        "name": mode.name,
        "title": mode.title,
        "explanation": mode.explanation,
        "legend": _legend(light, dark),
        "codes": pack(light.codes),
    }
    if light.scale is not None:
        on_scale = light.codes < len(light.scale.colors)
        out["codes"] = pack(np.where(on_scale, SCALED, light.codes))
        out["scale"] = _scale(light, light.scale) | _scale_steps(survey, mode.name, light.codes, on_scale)
    if light.levels is not None:
        out["levels"] = _level_steps(survey, light)
        out["strength"] = uses_strength(light)
    return out


def _scale_steps(
    survey: Survey, name: str, codes: Codes, on_scale: npt.NDArray[np.bool_], lsn_step: int = 1
) -> Packed:
    of = _SCALE_OF[name]
    column: npt.NDArray[Any]
    if of == "data":
        column = data_column(survey)
    elif of == "garbage":
        column = np.where(index_pages(survey), survey.columns.garbage, 0)
    else:
        column = survey.rank + 1 if of == "rank" else lsn_column(survey.columns.lsn, lsn_step)
    group = None if of == "lsn" else survey.owner + 1
    return {"of": of, "grouped": group is not None, "table": pack_steps(codes, column, on_scale, group)}


def coarser_lsn(survey: Survey, ranks: dict[int, int], step: int) -> Packed:
    """What changes in the mode ``lsn`` where the page has LSNs in steps of ``step`` only."""
    scope = Scope(survey, 0, survey.n_pages, None, THEMES["light"], ranks)
    painting = MODES["lsn"].paint(scope)
    assert painting.scale is not None
    on_scale = painting.codes < len(painting.scale.colors)
    return _scale_steps(survey, "lsn", painting.codes, on_scale, step)


def _level_steps(survey: Survey, painting: Painting) -> Packed:
    assert painting.levels is not None
    filled = np.isin(painting.codes, sorted(painting.filled))
    return {
        "of": "data",
        "grouped": True,
        "table": pack_steps(painting.levels, data_column(survey), filled, survey.owner + 1),
        "filled": sorted(painting.filled),
    }


def _scale(painting: Painting, scale: Scale) -> dict[str, Any]:
    return {
        "title": scale.title,
        "label": printable(painting.scale_label),
        "pages": count_text(painting.n_scaled),
        "share": _share(painting.n_scaled, painting),
        "colors": [hex_color(tuple(c)) for c in scale.colors.tolist()],
        "ticks": [[t.at, t.label] for t in scale.ticks],
        "sub_title": scale.sub_title,
        "sub": [[t.at, t.label] for t in scale.sub],
    }


def _legend(light: Painting, dark: Painting) -> list[dict[str, Any]]:
    """Swatches that occur, with their pages; with those on the scale they sum to the file."""
    return [
        {
            "code": code,
            "label": printable(swatch.label),
            "pages": count_text(int(light.counts[code])),
            "share": _share(int(light.counts[code]), light),
            "texture": swatch.texture,
            "light": _shades(light, code, THEMES["light"]),
            "dark": _shades(dark, code, THEMES["dark"]),
        }
        for code, swatch in light.swatches.items()
        if light.counts[code]
    ]


def _shades(painting: Painting, code: int, theme: Theme) -> dict[str, Any]:
    """The colour, what its texture is drawn with, the ground of a bar, and the shades by fill."""
    swatch = painting.swatches[code]
    color = swatch.color
    mark = mix(color, theme.ink, 0.12 if swatch.texture == "frame" else 0.3)
    out: dict[str, Any] = {"color": hex_color(color), "mark": hex_color(mark)}
    if code in painting.filled:
        out["ground"] = hex_color(mix(color, theme.background, _BAR_GROUND))
        out["shades"] = [
            hex_color(mix(color, theme.background, (1 - WEAKEST) * (1 - step / (STRENGTHS - 1))))
            for step in range(STRENGTHS)
        ]
    return out


def hex_color(color: RGB | tuple[int, ...]) -> str:
    """``#0072b2``."""
    return "#" + "".join(f"{part:02x}" for part in color)


def _share(pages: int, painting: Painting) -> str:
    """A share in per cent; what is there is never shown as nothing."""
    share = pages / max(1, painting.n_pages)
    return "< 0.1 %" if 0 < share < 0.0005 else ratio_text(share)
