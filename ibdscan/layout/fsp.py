"""File space structures: FSP header, file addresses and lists, XDES entries, segment inodes (fsp0fsp.h)."""

from __future__ import annotations

from functools import cache
from typing import Any

from construct import Array, Bytes, Int8ub, Int16ub, Int32ub, Int64ub, Struct

from ibdscan.layout.geometry import Geometry

FSP_HEADER_OFFSET = 38
XDES_ARRAY_OFFSET = 150
INODE_LIST_NODE_OFFSET = 38
INODE_ARRAY_OFFSET = 50

FIL_ADDR = Struct(
    "page_no" / Int32ub * "FIL_ADDR_PAGE: page number, 0xFFFFFFFF = null",
    "offset" / Int16ub * "FIL_ADDR_BYTE: byte offset in that page",
)

LIST_BASE = Struct(
    "length" / Int32ub * "FLST_LEN: number of nodes",
    "first" / FIL_ADDR * "FLST_FIRST: first node",
    "last" / FIL_ADDR * "FLST_LAST: last node",
)

LIST_NODE = Struct(
    "prev" / FIL_ADDR * "FLST_PREV: previous node",
    "next" / FIL_ADDR * "FLST_NEXT: next node",
)

FSP_HEADER = Struct(
    "space_id" / Int32ub * "FSP_SPACE_ID: tablespace id",
    "unused" / Int32ub * "FSP_NOT_USED: not used",
    "size" / Int32ub * "FSP_SIZE: size of the tablespace in pages, as the server records it",
    "free_limit"
    / Int32ub
    * "FSP_FREE_LIMIT: pages at or above it are free and their XDES entries not yet initialised",
    "flags" / Int32ub * "FSP_SPACE_FLAGS: page sizes, row format features, family",
    "frag_n_used" / Int32ub * "FSP_FRAG_N_USED: used pages in the extents of the FREE_FRAG list",
    "free" / LIST_BASE * "FSP_FREE: extents that belong to no segment and are wholly free",
    "free_frag" / LIST_BASE * "FSP_FREE_FRAG: fragment extents (single pages) with room",
    "full_frag" / LIST_BASE * "FSP_FULL_FRAG: fragment extents without room",
    "next_segment_id" / Int64ub * "FSP_SEG_ID: id for the next segment",
    "inodes_full" / LIST_BASE * "FSP_SEG_INODES_FULL: INODE pages without a free slot",
    "inodes_free" / LIST_BASE * "FSP_SEG_INODES_FREE: INODE pages with a free slot",
)

FSEG_HEADER = Struct(
    "space_id" / Int32ub * "FSEG_HDR_SPACE: tablespace of the inode",
    "page_no" / Int32ub * "FSEG_HDR_PAGE_NO: INODE page",
    "offset" / Int16ub * "FSEG_HDR_OFFSET: byte offset of the inode in that page",
)


@cache
def xdes_entry(geometry: Geometry) -> Any:
    """Layout of one extent descriptor (XDES) entry."""
    return Struct(
        "segment_id" / Int64ub * "XDES_ID: segment that owns the extent (states FSEG and FSEG_FRAG)",
        "node" / LIST_NODE * "XDES_FLST_NODE: place in the list the extent is on",
        "state" / Int32ub * "XDES_STATE: 0 not initialised, 1 FREE, 2 FREE_FRAG, 3 FULL_FRAG, 4 FSEG, 5 FSEG_FRAG",
        "bitmap"
        / Bytes(geometry.extent_pages // 4)
        * "XDES_BITMAP: two bits a page, lowest first: bit 2i = page i is free, bit 2i+1 = clean (not used)",
    )


@cache
def inode(geometry: Geometry) -> Any:
    """Layout of one segment inode."""
    return Struct(
        "segment_id" / Int64ub * "FSEG_ID: segment id, 0 = the slot is free",
        "not_full_n_used" / Int32ub * "FSEG_NOT_FULL_N_USED: used pages in the extents of the NOT_FULL list",
        "free" / LIST_BASE * "FSEG_FREE: extents of the segment that are wholly free",
        "not_full" / LIST_BASE * "FSEG_NOT_FULL: extents of the segment partly used",
        "full" / LIST_BASE * "FSEG_FULL: extents of the segment wholly used",
        "magic" / Int32ub * "FSEG_MAGIC_N: 97937874 in a used inode",
        "fragments"
        / Array(geometry.inode_fragments, Int32ub)
        * "FSEG_FRAG_ARR: single (fragment) pages of the segment, 0xFFFFFFFF = empty slot",
    )


SDI_HEADER = Struct(
    "version" / Int32ub * "FSP_SDI_VERSION: version of the SDI (MySQL 8.0+), 1",
    "root" / Int32ub * "FSP_SDI_ROOT: root page of the SDI index",
)


ENCRYPTION_PROGRESS = Struct(
    "operation" / Int8ub * "ALTER ... ENCRYPTION under way: 0 none, 1 to encrypted, 2 to plain (MySQL 8.0.16+)",
    "page_no" / Int32ub * "the last page it had done",
)

MYSQL_ENCRYPTION_BYTES = 115
"""``INFO_MAX_SIZE`` of MySQL's encryption information, between the XDES array and the SDI header."""


def xdes_array_end(geometry: Geometry) -> int:
    """Offset of the first byte after the XDES array of page 0."""
    return XDES_ARRAY_OFFSET + geometry.xdes_entry_bytes * geometry.xdes_entries


def sdi_header_offset(geometry: Geometry) -> int:
    """Offset of ``SDI_HEADER`` in page 0 (MySQL 8.0+)."""
    return xdes_array_end(geometry) + MYSQL_ENCRYPTION_BYTES


def encryption_progress_offset(geometry: Geometry) -> int:
    """Offset of ``ENCRYPTION_PROGRESS`` in page 0 (``fsp_header_get_encryption_progress_offset``)."""
    return sdi_header_offset(geometry) + int(SDI_HEADER.sizeof())


def mariadb_crypt_offset(geometry: Geometry) -> int:
    """Offset of MariaDB's encryption information in page 0 (``fsp_header_get_encryption_offset``)."""
    return FSP_HEADER_OFFSET + xdes_array_end(geometry)
