"""The modes of a map: each is one declaration and one function that paints a window of a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UsageError
from ibdscan.layout.numbers import type_name
from ibdscan.measures.index.fill import page_fill
from ibdscan.structures.space.states import PageClass
from ibdscan.views.images.kinds import QUIET_KINDS, detailed_kinds, quiet_kinds, state_kinds
from ibdscan.views.images.parts.painting import Codes, Painting, Scale, Scope, Swatch, Tick
from ibdscan.views.images.parts.theme import MAX_HUES, RAMP_STEPS, hue, mix, ramp
from ibdscan.views.images.segments import paint_segment

TOP = RAMP_STEPS - 1


@dataclass(frozen=True)
class Mode:
    """One way to colour a map."""

    name: str
    title: str
    explanation: str
    paint: Callable[[Scope], Painting]


def _percent_ticks() -> tuple[Tick, ...]:
    return tuple(Tick(p / 100, f"{p} %") for p in (0, 25, 50, 75, 100))


def _ratio_codes(ratio: npt.NDArray[np.float64]) -> Codes:
    return np.round(np.clip(ratio, 0.0, 1.0) * TOP).astype(np.uint8)


def _quiet(scope: Scope, live: str) -> tuple[Codes, dict[int, Swatch]]:
    return quiet_kinds(scope, RAMP_STEPS, live)


NEXT = RAMP_STEPS + QUIET_KINDS
"""First code after those of :func:`_quiet`."""


def _leaves(scope: Scope) -> str:
    return f"leaf pages of {scope.label(scope.index)}" if scope.index else "leaf pages"


def _not_leaves(scope: Scope) -> str:
    return (
        "other live pages: other indexes, non-leaf, system"
        if scope.index
        else "other live pages: non-leaf, system"
    )


def _paint_fill(scope: Scope) -> Painting:
    codes, swatches = _quiet(scope, _not_leaves(scope))
    size = scope.survey.space.geometry.logical
    for at, pages in scope.chunks(scope.leaf_mask()):
        codes[at] = _ratio_codes(page_fill(scope.survey.columns, pages, size))
    scale = Scale("fill of the page: record data / capacity", ramp("viridis"), _percent_ticks())
    return Painting(codes, swatches, scale, _leaves(scope))


def _paint_garbage(scope: Scope) -> Painting:
    codes, swatches = _quiet(scope, _not_leaves(scope))
    columns, size = scope.survey.columns, scope.survey.space.geometry.logical
    none = NEXT
    for at, pages in scope.chunks(scope.leaf_mask()):
        garbage = columns.garbage[pages]
        codes[at] = np.where(garbage == 0, none, _ratio_codes(garbage / columns.capacity(pages, size)))
    swatches = {
        none: Swatch(f"{_leaves(scope)} without garbage", mix(scope.theme.background, hue(5, scope.theme), 0.35)),
        **swatches,
    }
    scale = Scale("garbage of the page: bytes of deleted records / capacity", ramp("viridis_r"), _percent_ticks())
    return Painting(codes, swatches, scale, f"{_leaves(scope)} with garbage")


def _paint_order(scope: Scope) -> Painting:
    codes, swatches = _quiet(scope, _not_leaves(scope))
    survey = scope.survey
    steps = np.zeros(len(survey.indexes) + 1, np.float64)
    for index in scope.indexes():
        if index.has_leaf:
            steps[index.ordinal] = TOP / max(1, index.leaf.pages - 1)
    unlinked = NEXT
    for at, pages in scope.chunks(scope.leaf_mask()):
        rank = survey.rank[pages]
        codes[at] = np.where(rank < 0, unlinked, np.round(rank * steps[survey.owner[pages]])).astype(np.uint8)
    swatches[unlinked] = Swatch("leaf pages outside the chain", scope.theme.ink)
    whose = scope.label(scope.index) if scope.index else "its index"
    ticks = (
        Tick(0, "first leaf"),
        Tick(0.25, "25 %"),
        Tick(0.5, "50 %"),
        Tick(0.75, "75 %"),
        Tick(1, "last leaf"),
    )
    scale = Scale(f"position of the leaf in key order, along the chain of {whose}", ramp("plasma"), ticks)
    return Painting(codes, swatches, scale, _leaves(scope))


def _paint_lsn(scope: Scope) -> Painting:
    codes, swatches = _quiet(scope, "live, never written")
    mask = scope.of_index(scope.live)
    if scope.index:
        swatches[RAMP_STEPS] = Swatch("other live pages", scope.theme.greyed, "", "+")
    mask &= scope.survey.columns.lsn[scope.window] > 0
    lsn = np.sort(scope.survey.columns.lsn[scope.window][mask])
    if not len(lsn):
        return Painting(codes, swatches)
    marks = lsn[np.linspace(0, len(lsn) - 1, RAMP_STEPS + 1).round().astype(np.int64)]
    for at, pages in scope.chunks(mask):
        codes[at] = np.searchsorted(marks[1:-1], scope.survey.columns.lsn[pages], "left")
    at_rank = [(p, int(lsn[round((len(lsn) - 1) * p)])) for p in (0.0, 0.25, 0.5, 0.75, 1.0)]
    spread = max(1, at_rank[-1][1] - at_rank[0][1])
    linear = tuple(Tick(p, f"{100 * (v - at_rank[0][1]) / spread:.0f} %") for p, v in at_rank)
    scale = Scale(
        "LSN of the last change, by rank (equal numbers of pages a colour)",
        ramp("viridis"),
        tuple(Tick(p, f"{v:,}") for p, v in at_rank),
        "the same on a linear scale of LSN, oldest to newest",
        linear,
    )
    return Painting(
        codes, swatches, scale, f"live pages of {scope.label(scope.index)}" if scope.index else "live pages"
    )


def _paint_index(scope: Scope) -> Painting:
    survey, theme = scope.survey, scope.theme
    codes, kinds = detailed_kinds(scope, MAX_HUES)
    hues, more = _index_hues(scope)
    levels = np.zeros(scope.n_pages, np.uint8)
    size = survey.space.geometry.logical
    for at, pages in scope.chunks((scope.page_class == PageClass.LEAF) | (scope.page_class == PageClass.NON_LEAF)):
        codes[at] = hues[survey.owner[pages]]
        levels[at] = np.round(255 * page_fill(survey.columns, pages, size))
    swatches = {
        int(hues[index.ordinal]): Swatch(scope.label(index), hue(int(hues[index.ordinal]), theme))
        for index in survey.user_indexes
        if index.ordinal in scope.ranks and hues[index.ordinal] < MORE
    }
    if more:
        label = "other indexes" if scope.index else f"{more} more index{'es' if more > 1 else ''}"
        swatches[MORE] = Swatch(label, theme.other)
    return Painting(codes, {**swatches, **kinds}, levels=levels, filled=frozenset(swatches))


MORE = MAX_HUES - 1
"""Code of all indexes that have no hue of their own."""


def _index_hues(scope: Scope) -> tuple[Codes, int]:
    """Table index ordinal -> code; and how many indexes share the last code."""
    hues = np.full(len(scope.survey.indexes) + 1, MORE, np.uint8)
    more = 0
    for ordinal, rank in scope.ranks.items():
        own = rank < MORE and (scope.index is None or scope.index.ordinal == ordinal)
        hues[ordinal] = rank if own else MORE
        more += not own
    return hues, more


def _paint_state(scope: Scope) -> Painting:
    codes, swatches = state_kinds(scope, 0, Swatch("live", hue(0, scope.theme)))
    return Painting(codes, swatches)


def _paint_type(scope: Scope) -> Painting:
    space, theme = scope.survey.space, scope.theme
    most = 2 * MAX_HUES // 3 - 1
    live = scope.live
    types = scope.survey.columns.type[scope.window]
    counts = np.bincount(types[live], minlength=1 << 16)
    order = [int(t) for t in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]]
    codes, swatches = state_kinds(scope, most + 1)
    of_type = np.full(1 << 16, most, np.uint8)
    named: dict[int, Swatch] = {}
    for i, number in enumerate(order[:most]):
        of_type[number] = i
        name = type_name(number, space.family, full_crc32=bool(space.flags.full_crc32))
        named[i] = Swatch(name, hue(i, theme))
    if len(order) > most:
        named[most] = Swatch(f"{len(order) - most} more types", theme.other)
    codes[live] = of_type[types[live]]
    return Painting(codes, {**named, **swatches})


def _paint_level(scope: Scope) -> Painting:
    theme, columns = scope.theme, scope.survey.columns
    most = 7
    other = "other live pages: system, off-page" + (", other indexes" if scope.index else "")
    codes, swatches = quiet_kinds(scope, most + 1, other)
    mask = (scope.page_class == PageClass.LEAF) | (scope.page_class == PageClass.NON_LEAF)
    for at, pages in scope.chunks(scope.of_index(mask)):
        codes[at] = np.minimum(columns.level[pages], most)
    names = ["level 0: leaf pages", *(f"level {n}" for n in range(1, most)), f"level {most} and above"]
    pale = mix(hue(5, theme), theme.background, 0.25)
    levels = {i: Swatch(name, hue((i + 3) % 7, theme) if i else pale, "", str(i)) for i, name in enumerate(names)}
    return Painting(codes, {**levels, **swatches})


MODES: dict[str, Mode] = {
    m.name: m
    for m in (
        Mode(
            "index", "pages by index", "Hue is the index; each cell also shows how full its page is.", _paint_index
        ),
        Mode("fill", "fill of the leaf pages", "The brighter a leaf page, the fuller it is.", _paint_fill),
        Mode(
            "order",
            "key order of the leaf pages",
            "Colour is the place of a leaf page in key order: a file in order is a smooth gradient, "
            "torn stripes are leaves that lie far from their neighbours.",
            _paint_order,
        ),
        Mode(
            "lsn",
            "age of the pages by LSN",
            "Dark pages were changed last long ago, bright ones lately.",
            _paint_lsn,
        ),
        Mode("type", "page types", "Colour is the page type (FIL_PAGE_TYPE) of the live pages.", _paint_type),
        Mode(
            "segment",
            "segments",
            "Colour is the segment that owns the page; pale: reserved but unused.",
            paint_segment,
        ),
        Mode("level", "B+tree levels", "Colour is the level of the index page in its tree.", _paint_level),
        Mode(
            "garbage",
            "garbage in the leaf pages",
            "Bytes of deleted and purged records that the page still holds.",
            _paint_garbage,
        ),
        Mode(
            "state",
            "page states",
            "Live: the extent descriptors say used. Stale: freed, with an old header still there.",
            _paint_state,
        ),
    )
}


def mode_named(name: str) -> Mode:
    """A mode by name. Raises UsageError for an unknown one."""
    if name not in MODES:
        raise UsageError(f"no map by {name!r}; there are: {', '.join(MODES)}")
    return MODES[name]
