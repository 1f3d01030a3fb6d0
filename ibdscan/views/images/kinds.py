"""Pages that are no index data, as swatches: by class of the account, or in few quiet greys."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.images.parts.painting import Codes, Scope, Swatch

FREE_CLASSES = (
    PageClass.RESERVED_UNUSED,
    PageClass.FREE_IN_FRAGMENT_EXTENT,
    PageClass.FREE_EXTENT,
    PageClass.ABOVE_FREE_LIMIT,
    PageClass.BEYOND_SIZE,
)
STALE_LABEL = "stale: freed, old content left"
UNREAD_LABEL = "could not be read (encrypted, compressed)"


def detailed_kinds(scope: Scope, first: int) -> tuple[Codes, dict[int, Swatch]]:
    """A code for every page by its class, from ``first`` on, stale pages apart; and what the codes look like.
    Pages of indexes have the code of ``other live pages`` until they are given their own."""
    t = scope.theme
    kinds: tuple[tuple[tuple[PageClass, ...], Swatch], ...] = (
        ((PageClass.SYSTEM,), Swatch("system pages", t.system, "", "#")),
        ((PageClass.OFF_PAGE,), Swatch("off-page columns (LOB, BLOB)", t.off_page, "", "%")),
        ((PageClass.SDI,), Swatch("SDI (dictionary copy)", t.sdi, "", "$")),
        ((PageClass.UNDO,), Swatch("undo logs", t.undo, "", "&")),
        (
            (PageClass.ROLLBACK, PageClass.DICTIONARY),
            Swatch("rollback segments, transaction system, dictionary", t.rollback, "", "="),
        ),
        ((PageClass.CHANGE_BUFFER,), Swatch("change buffer", t.change_buffer, "", "^")),
        ((PageClass.DOUBLEWRITE,), Swatch("doublewrite area", t.doublewrite, "", "@")),
        ((PageClass.OTHER, PageClass.LEAF, PageClass.NON_LEAF), Swatch("other live pages", t.other, "", "+")),
        ((PageClass.UNREAD,), Swatch(UNREAD_LABEL, t.unread, "hatch", "?")),
        ((), Swatch(STALE_LABEL, t.stale, "hatch", "!")),
        ((PageClass.RESERVED_UNUSED,), Swatch("reserved by an index, unused", t.reserved, "dot", "-")),
        ((PageClass.FREE_IN_FRAGMENT_EXTENT,), Swatch("free in a fragment extent", t.free_fragment, "", ",")),
        ((PageClass.FREE_EXTENT,), Swatch("free extents", t.free_extent, "", ".")),
        (
            (PageClass.ABOVE_FREE_LIMIT,),
            Swatch("not used yet (above the free limit)", t.not_used_yet, "frame", "_"),
        ),
        ((PageClass.BEYOND_SIZE,), Swatch("beyond the tablespace's size", t.beyond, "hatch", "~")),
    )
    table = np.zeros(len(PageClass), np.uint8)
    swatches = {}
    stale = first
    for code, (classes, swatch) in enumerate(kinds, first):
        swatches[code] = swatch
        table[list(classes)] = code
        if not classes:
            stale = code
    return _with_stale(scope, table, stale), swatches


def quiet_kinds(scope: Scope, first: int, live: str) -> tuple[Codes, dict[int, Swatch]]:
    """The same in four quiet swatches, for modes that are about something else. ``live`` names the first."""
    t = scope.theme
    swatches = {
        first: Swatch(live, t.greyed, "", "+"),
        first + 1: Swatch(STALE_LABEL, t.stale, "hatch", "!"),
        first + 2: Swatch("free or not used", t.unused, "", "."),
        first + 3: Swatch(UNREAD_LABEL, t.unread, "hatch", "?"),
    }
    table = np.full(len(PageClass), first, np.uint8)
    table[list(FREE_CLASSES)] = first + 2
    table[PageClass.UNREAD] = first + 3
    return _with_stale(scope, table, first + 1), swatches


QUIET_KINDS = 4
"""Codes that :func:`quiet_kinds` takes."""


def state_kinds(scope: Scope, first: int, live: Swatch | None = None) -> tuple[Codes, dict[int, Swatch]]:
    """A code for every page by its state; live pages have ``first`` (and no swatch unless one is given)."""
    t = scope.theme
    swatches = {first: live} if live else {}
    swatches |= {
        first + PageState.STALE: Swatch(STALE_LABEL, t.stale, "hatch", "!"),
        first + PageState.FREE: Swatch("free", t.free_fragment, "", "."),
        first + PageState.UNUSED: Swatch("not used yet", t.not_used_yet, "frame", "_"),
        first + PageState.UNKNOWN: Swatch("unknown: its extent's bits could not be read", t.unread, "hatch", "?"),
    }
    return scope.survey.state[scope.window] + np.uint8(first), swatches


def _with_stale(scope: Scope, table: Codes, stale: int) -> Codes:
    """Codes by class; pages of the free classes that are stale have the code ``stale``."""
    codes: npt.NDArray[np.uint8] = table[scope.page_class]
    is_free = np.zeros(len(PageClass), np.bool_)
    is_free[list(FREE_CLASSES)] = True
    codes[scope.stale & is_free[scope.page_class]] = stale
    return codes
