"""The state of every page (live, stale, free, unused) and the account: one class for every page."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import OFF_PAGE_TYPES, SDI_INDEX_ID, TYPE_INSTANT, ExtentState, PageType
from ibdscan.pages.columns import PageColumns
from ibdscan.pages.tablespace import Tablespace
from ibdscan.structures.extents import OWNED_STATES, Extents, each_page


class PageState(IntEnum):
    """Live: the XDES bit says used. Stale: not live, but an old header is still there. Free: below the
    free limit and never used again. Unused: at or above the free limit, or beyond FSP_SIZE."""

    LIVE = 0
    STALE = 1
    FREE = 2
    UNUSED = 3


class PageClass(IntEnum):
    """The account of a file: every page is in exactly one class (stale is an attribute, not a class)."""

    SYSTEM = 0
    LEAF = 1
    NON_LEAF = 2
    OFF_PAGE = 3
    SDI = 4
    OTHER = 5
    RESERVED_UNUSED = 6
    FREE_IN_FRAGMENT_EXTENT = 7
    FREE_EXTENT = 8
    ABOVE_FREE_LIMIT = 9
    BEYOND_SIZE = 10


_SYSTEM_TYPES = (
    PageType.INODE,
    PageType.IBUF_FREE_LIST,
    PageType.IBUF_BITMAP,
    PageType.FSP_HDR,
    PageType.XDES,
)
_SDI_LOB_TYPES = (PageType.SDI_BLOB, PageType.SDI_ZBLOB)


@cache
def _class_of_type(family: str) -> npt.NDArray[np.uint8]:
    """Class of a live page by its type alone, uint8 (65536,): a look-up, where ``np.isin`` is slow on few pages."""
    out = np.full(1 << 16, PageClass.OTHER, np.uint8)
    out[list(_SYSTEM_TYPES)] = PageClass.SYSTEM
    out[[t for t in OFF_PAGE_TYPES if family == "mysql" or t != TYPE_INSTANT]] = PageClass.OFF_PAGE
    if family == "mysql":
        out[list(_SDI_LOB_TYPES)] = PageClass.SDI
    return out


_CLASS_OF_STATE = np.full(256, PageClass.FREE_EXTENT, np.uint8)
"""Class of a free page by the state of its extent."""
_CLASS_OF_STATE[[ExtentState.FREE_FRAG, ExtentState.FULL_FRAG]] = PageClass.FREE_IN_FRAGMENT_EXTENT
_CLASS_OF_STATE[list(OWNED_STATES)] = PageClass.RESERVED_UNUSED
# plain integers: numpy takes a microsecond to look at an IntEnum
_LIVE, _STALE, _FREE, _UNUSED = (int(state) for state in PageState)
_LEAF, _NON_LEAF, _SDI, _OTHER = (int(PageClass[c]) for c in ("LEAF", "NON_LEAF", "SDI", "OTHER"))
_ABOVE_FREE_LIMIT, _BEYOND_SIZE = int(PageClass.ABOVE_FREE_LIMIT), int(PageClass.BEYOND_SIZE)
_TYPE_ALLOCATED, _TYPE_SDI, _SDI_ID = int(PageType.ALLOCATED), int(PageType.SDI), np.uint64(SDI_INDEX_ID)


def page_states(space: Tablespace, columns: PageColumns, extents: Extents) -> npt.NDArray[np.uint8]:
    """:class:`PageState` of every page, uint8 (n_pages,)."""
    n = space.n_pages
    state = np.full(n, _FREE, np.uint8)
    limit = min(int(space.fsp.free_limit), int(space.fsp.size))
    state[min(limit, n) :] = _UNUSED
    state[columns.written & (columns.type != _TYPE_ALLOCATED)] = _STALE
    state[extents.used] = _LIVE
    return state


def page_classes(
    space: Tablespace,
    columns: PageColumns,
    extents: Extents,
    owner: npt.NDArray[np.int32],
) -> npt.NDArray[np.uint8]:
    """:class:`PageClass` of every page, uint8 (n_pages,). ``owner`` is the index ordinal of each page."""
    n = space.n_pages
    out = each_page(_CLASS_OF_STATE[extents.state.astype(np.uint8)], extents.pages, n).copy()
    out[min(int(space.fsp.free_limit), n) :] = _ABOVE_FREE_LIMIT
    live = extents.used
    np.copyto(out, _class_of_type(space.family)[columns.type], where=live)
    index = live & (owner >= 0)
    out[index] = _NON_LEAF
    index &= columns.level == 0
    out[index] = _LEAF
    sdi = (columns.type == _TYPE_SDI) | (columns.index_id == _SDI_ID)
    sdi &= columns.is_index
    sdi &= live
    out[sdi] = _SDI
    if columns.doublewrite is not None:
        out[live & columns.doublewrite] = _OTHER
    out[min(int(space.fsp.size), n) :] = _BEYOND_SIZE
    return out
