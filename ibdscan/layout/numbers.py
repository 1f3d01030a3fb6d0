"""Numbers that InnoDB writes, as IntEnums. Unknown values stay plain integers and are shown as such."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

FIL_NULL: Final = 0xFFFFFFFF
"""No page (``FIL_NULL``, fil0fil.h)."""

SDI_INDEX_ID: Final = 0xFFFFFFFFFFFFFFFF
"""Index id of the SDI index of MySQL 8 (dict0sdi.h)."""

IBUF_INDEX_ID: Final = 0xFFFFFFFF00000000
"""Index id of the change buffer's tree, whose root is page 4 of the system tablespace (``DICT_IBUF_ID_MIN``)."""

SYSTEM_SPACE_ID: Final = 0
"""Id of the system tablespace, ibdata1 (``TRX_SYS_SPACE``)."""

INODE_MAGIC: Final = 97937874
"""``FSEG_MAGIC_N_VALUE`` (fsp0fsp.h)."""


class PageType(IntEnum):
    """``FIL_PAGE_TYPE`` (fil0fil.h). 18 means different pages in MySQL and MariaDB: see :func:`type_name`."""

    ALLOCATED = 0
    UNUSED = 1
    UNDO_LOG = 2
    INODE = 3
    IBUF_FREE_LIST = 4
    IBUF_BITMAP = 5
    SYS = 6
    TRX_SYS = 7
    FSP_HDR = 8
    XDES = 9
    BLOB = 10
    ZBLOB = 11
    ZBLOB2 = 12
    UNKNOWN = 13
    COMPRESSED = 14
    ENCRYPTED = 15
    COMPRESSED_AND_ENCRYPTED = 16
    ENCRYPTED_RTREE = 17
    SDI_BLOB = 18
    SDI_ZBLOB = 19
    LEGACY_DBLWR = 20
    RSEG_ARRAY = 21
    LOB_INDEX = 22
    LOB_DATA = 23
    LOB_FIRST = 24
    ZLOB_FIRST = 25
    ZLOB_DATA = 26
    ZLOB_INDEX = 27
    ZLOB_FRAG = 28
    ZLOB_FRAG_ENTRY = 29
    SDI = 17853
    RTREE = 17854
    INDEX = 17855
    PAGE_COMPRESSED = 34354
    PAGE_COMPRESSED_ENCRYPTED = 37401


class ExtentState(IntEnum):
    """``XDES_STATE`` (fsp0fsp.h). FSEG_FRAG: MySQL 8.0+, a fragment extent leased to a segment."""

    NOT_INITIALISED = 0
    FREE = 1
    FREE_FRAG = 2
    FULL_FRAG = 3
    FSEG = 4
    FSEG_FRAG = 5


class Direction(IntEnum):
    """``PAGE_DIRECTION`` (page0types.h): of the last inserts into the page."""

    NOT_SET = 0
    LEFT = 1
    RIGHT = 2
    SAME_REC = 3
    SAME_PAGE = 4
    NO_DIRECTION = 5


TYPE_INSTANT: Final = 18
"""MariaDB ``FIL_PAGE_TYPE_INSTANT``: the clustered root after an instant ALTER, an index page."""

OFF_PAGE_TYPES: Final = frozenset({10, 11, 12, 18, 19, 22, 23, 24, 25, 26, 27, 28, 29})
"""Pages that hold off-page columns (BLOB and LOB, compressed or not), SDI's own included (MySQL's 18 and 19)."""

PAGE_COMPRESSED_BIT: Final = 0x8000
"""MariaDB full_crc32: set in the type of a page-compressed page; the low byte is its size / 256."""


def type_name(value: int, family: str = "mysql", *, full_crc32: bool = False) -> str:
    """Name of a page type in the server's words; ``UNKNOWN(n)`` where no source names it.

    >>> type_name(18), type_name(18, "mariadb"), type_name(99)
    ('SDI_BLOB', 'INSTANT', 'UNKNOWN(99)')
    """
    if family == "mariadb":
        if value == TYPE_INSTANT:
            return "INSTANT"
        if full_crc32 and value & PAGE_COMPRESSED_BIT:
            return "PAGE_COMPRESSED"
    try:
        return PageType(value).name
    except ValueError:
        return f"UNKNOWN({value})"
