"""The doublewrite area of the system tablespace: two extents that hold copies of pages, of any space.

The segment's fragment pages were only allocated so that what follows comes as whole extents
(``buf_dblwr_create``): they are in use and never written.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.fsp import inode
from ibdscan.layout.numbers import INODE_MAGIC, PageType
from ibdscan.layout.trx import DOUBLEWRITE, DOUBLEWRITE_FROM_END, DOUBLEWRITE_MAGIC, TRX_SYS_PAGE_NO
from ibdscan.pages.space.tablespace import Tablespace

_SYSTEM_SPACE_ID = 0


def doublewrite_mask(space: Tablespace) -> npt.NDArray[np.bool_] | None:
    """Which pages are of the doublewrite area, bool (n_pages,); None where the file has none.

    Their headers are those of the pages copied: they count nowhere but as pages in use.
    """
    if space.space_id != _SYSTEM_SPACE_ID or space.n_pages <= TRX_SYS_PAGE_NO:
        return None
    body = space.read_page(TRX_SYS_PAGE_NO)
    area = DOUBLEWRITE.parse(body[len(body) - DOUBLEWRITE_FROM_END :])
    if FIL_HEADER.parse(body).type != PageType.TRX_SYS or area.magic != DOUBLEWRITE_MAGIC:
        return None
    mask = np.zeros(space.n_pages, np.bool_)
    for first in (area.block1, area.block2):
        mask[first : first + space.geometry.extent_pages] = True
    fragments = _fragment_pages(space, area.segment)
    mask[fragments[fragments < space.n_pages]] = True
    return mask


def _fragment_pages(space: Tablespace, segment: Any) -> npt.NDArray[np.uint32]:
    layout = inode(space.geometry)
    start, end = segment.offset, segment.offset + layout.sizeof()
    if segment.page_no >= space.n_pages or end > space.geometry.physical:
        return np.empty(0, np.uint32)
    try:
        body = space.read_page(segment.page_no)
    except UnreadPageError:  # encrypted, and no key: the two extents are known all the same
        return np.empty(0, np.uint32)
    found = layout.parse(body[start:end])
    return np.array(found.fragments if found.magic == INODE_MAGIC else [], np.uint32)
