"""The state of every page (live, stale, free, unused) and the account: one class for every page."""

from __future__ import annotations

from enum import IntEnum
from functools import cache

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import (
    IBUF_INDEX_ID,
    OFF_PAGE_TYPES,
    SDI_INDEX_ID,
    SYSTEM_SPACE_ID,
    TYPE_INSTANT,
    ExtentState,
    PageType,
)
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.space.extents import OWNED_STATES, Extents, each_page, unknown_pages


class PageState(IntEnum):
    """Live: the XDES bit says used. Stale: not live, but an old header is still there. Free: below the
    free limit and never used again. Unused: at or above the free limit, or beyond FSP_SIZE. Unknown: the
    page with its extent's bits could not be read (encrypted, compressed)."""

    LIVE = 0
    STALE = 1
    FREE = 2
    UNUSED = 3
    UNKNOWN = 4


class PageClass(IntEnum):
    """The account of a file: every page is in exactly one class (stale is an attribute, not a class).

    UNREAD: pages in use, or perhaps in use, of which only the FIL header could be read. UNDO to DOUBLEWRITE
    are of shared spaces: undo logs, rollback segments and the transaction system, the change buffer, the
    header of the old dictionary, the doublewrite area; OTHER is what is left of the live pages.
    """

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
    UNREAD = 11
    UNDO = 12
    ROLLBACK = 13
    CHANGE_BUFFER = 14
    DICTIONARY = 15
    DOUBLEWRITE = 16


_SYSTEM_TYPES = (
    PageType.INODE,
    PageType.IBUF_BITMAP,
    PageType.FSP_HDR,
    PageType.XDES,
)
_SHARED_TYPES = {
    PageType.UNDO_LOG: PageClass.UNDO,
    PageType.SYS: PageClass.ROLLBACK,
    PageType.TRX_SYS: PageClass.ROLLBACK,
    PageType.RSEG_ARRAY: PageClass.ROLLBACK,
    PageType.IBUF_FREE_LIST: PageClass.CHANGE_BUFFER,
}
_SYSTEM_PAGES = {3: PageClass.CHANGE_BUFFER, 7: PageClass.DICTIONARY}
"""Pages of type SYS at fixed places of the system tablespace (``FSP_IBUF_HEADER_PAGE_NO``,
``FSP_DICT_HDR_PAGE_NO``); all others of that type are headers of rollback segments."""
_SDI_LOB_TYPES = (PageType.SDI_BLOB, PageType.SDI_ZBLOB)


@cache
def _class_of_type(family: str) -> npt.NDArray[np.uint8]:
    """Class of a live page by its type alone, uint8 (65536,): a look-up, ``np.isin`` is slow on few pages."""
    out = np.full(1 << 16, PageClass.OTHER, np.uint8)
    out[list(_SYSTEM_TYPES)] = PageClass.SYSTEM
    for page_type, page_class in _SHARED_TYPES.items():
        out[page_type] = page_class
    out[[t for t in OFF_PAGE_TYPES if family == "mysql" or t != TYPE_INSTANT]] = PageClass.OFF_PAGE
    if family == "mysql":
        out[list(_SDI_LOB_TYPES)] = PageClass.SDI
    return out


_CLASS_OF_STATE = np.full(256, PageClass.FREE_EXTENT, np.uint8)
"""Class of a free page by the state of its extent."""
_CLASS_OF_STATE[[ExtentState.FREE_FRAG, ExtentState.FULL_FRAG]] = PageClass.FREE_IN_FRAGMENT_EXTENT
_CLASS_OF_STATE[list(OWNED_STATES)] = PageClass.RESERVED_UNUSED
# plain integers: numpy takes a microsecond to look at an IntEnum
_LIVE, _STALE, _FREE, _UNUSED, _UNKNOWN = (int(state) for state in PageState)
_LEAF, _NON_LEAF, _SDI, _OTHER = (int(PageClass[c]) for c in ("LEAF", "NON_LEAF", "SDI", "OTHER"))
_SYSTEM, _UNREAD = int(PageClass.SYSTEM), int(PageClass.UNREAD)
_TYPE_XDES, _TYPE_SYS, _IBUF_ID = int(PageType.XDES), int(PageType.SYS), np.uint64(IBUF_INDEX_ID)
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
    unknown = unknown_pages(space, columns)
    if unknown is not None:
        state[unknown] = _UNKNOWN
        state[columns.unread & unknown & (columns.type == _TYPE_XDES)] = _LIVE
    return state


def free_classes(space: Tablespace, extents: Extents) -> npt.NDArray[np.uint8]:
    """:class:`PageClass` of every page by the extents alone, uint8 (n_pages,): the free ones as
    :func:`page_classes` has them, live ones as OTHER."""
    out = _classes_by_extent(space, extents)
    out[extents.used] = _OTHER
    out[min(int(space.fsp.size), space.n_pages) :] = _BEYOND_SIZE
    return out


def _classes_by_extent(space: Tablespace, extents: Extents) -> npt.NDArray[np.uint8]:
    n = space.n_pages
    out = each_page(_CLASS_OF_STATE[extents.state.astype(np.uint8)], extents.pages, n).copy()
    out[min(int(space.fsp.free_limit), n) :] = _ABOVE_FREE_LIMIT
    return out


def page_classes(
    space: Tablespace,
    columns: PageColumns,
    extents: Extents,
    owner: npt.NDArray[np.int32],
) -> npt.NDArray[np.uint8]:
    """:class:`PageClass` of every page, uint8 (n_pages,). ``owner`` is the index ordinal of each page."""
    n = space.n_pages
    out = _classes_by_extent(space, extents)
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
    _class_unread(space, columns, live, out)
    if space.space_id == SYSTEM_SPACE_ID:
        _class_system_space(columns, live, out)
    out[min(int(space.fsp.size), n) :] = _BEYOND_SIZE
    return out


def _class_unread(
    space: Tablespace, columns: PageColumns, live: npt.NDArray[np.bool_], out: npt.NDArray[np.uint8]
) -> None:
    """Index pages and pages of a type not in clear, where the body could not be read."""
    unread = columns.unread & live
    if columns.forms.is_blind:  # no tree is whole, none has owners: what can be read of it says what it is
        index = columns.is_index & live & (out != _SDI)
        out[index] = np.where(columns.level[index] == 0, _LEAF, _NON_LEAF)
    if unread.any():
        out[unread & (columns.is_index | (out == _OTHER))] = _UNREAD
    unknown = unknown_pages(space, columns)
    if unknown is not None:
        out[unknown & (out != _SYSTEM)] = _UNREAD


def _class_system_space(columns: PageColumns, live: npt.NDArray[np.bool_], out: npt.NDArray[np.uint8]) -> None:
    for page_no, page_class in _SYSTEM_PAGES.items():
        if page_no < len(out) and live[page_no] and columns.type[page_no] == _TYPE_SYS:
            out[page_no] = page_class
    out[live & columns.is_index & (columns.index_id == _IBUF_ID)] = PageClass.CHANGE_BUFFER
    if columns.doublewrite is not None:
        out[live & columns.doublewrite] = PageClass.DOUBLEWRITE
