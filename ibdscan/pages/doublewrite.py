"""The doublewrite area of the system tablespace: two extents that hold copies of pages, of any space."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.numbers import PageType
from ibdscan.layout.trx import DOUBLEWRITE, DOUBLEWRITE_FROM_END, DOUBLEWRITE_MAGIC, TRX_SYS_PAGE_NO
from ibdscan.pages.tablespace import Tablespace

_SYSTEM_SPACE_ID = 0


def doublewrite_mask(space: Tablespace) -> npt.NDArray[np.bool_] | None:
    """Which pages are doublewrite copies, bool (n_pages,); None where the file has no such area.

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
    return mask
