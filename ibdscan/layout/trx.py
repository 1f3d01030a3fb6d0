"""The transaction system page of the system tablespace, as far as it is read here (trx0sys.h)."""

from __future__ import annotations

from construct import Int32ub, Struct

from ibdscan.layout.fsp import FSEG_HEADER

TRX_SYS_PAGE_NO = 5
DOUBLEWRITE_FROM_END = 200
"""``TRX_SYS_DOUBLEWRITE`` is that many bytes before the end of the page."""
DOUBLEWRITE_MAGIC = 536853855

DOUBLEWRITE = Struct(
    "segment" / FSEG_HEADER * "TRX_SYS_DOUBLEWRITE_FSEG: segment of the doublewrite area",
    "magic" / Int32ub * "TRX_SYS_DOUBLEWRITE_MAGIC: 536853855 once the area has been made",
    "block1" / Int32ub * "TRX_SYS_DOUBLEWRITE_BLOCK1: first page of the first extent",
    "block2" / Int32ub * "TRX_SYS_DOUBLEWRITE_BLOCK2: first page of the second extent",
)
