"""Index pages: header, directory and records (page0types.h, rem0rec.h)."""

from __future__ import annotations

from typing import Any

from construct import Bytes, Int8ub, Int16ub, Int32ub, Int64ub, Struct

from ibdscan.layout.fsp import FSEG_HEADER

INDEX_HEADER_OFFSET = 38
SEG_LEAF_OFFSET = 74
SEG_TOP_OFFSET = 84
INDEX_DATA_OFFSET = 94

INDEX_HEADER = Struct(
    "n_dir_slots" / Int16ub * "PAGE_N_DIR_SLOTS: slots of the page directory, infimum's and supremum's included",
    "heap_top" / Int16ub * "PAGE_HEAP_TOP: offset of the first byte after the record heap",
    "n_heap"
    / Int16ub
    * "PAGE_N_HEAP: records of the heap, infimum and supremum included; bit 15 set = compact record format",
    "free" / Int16ub * "PAGE_FREE: first record of the list of freed records, 0 = none",
    "garbage" / Int16ub * "PAGE_GARBAGE: bytes of freed (purged) records; not of delete-marked ones",
    "last_insert" / Int16ub * "PAGE_LAST_INSERT: the last inserted record, 0 = unknown",
    "direction"
    / Int16ub
    * "PAGE_DIRECTION: direction of the last inserts (low 3 bits; MariaDB 10.3+ keeps PAGE_INSTANT above them)",
    "n_direction" / Int16ub * "PAGE_N_DIRECTION: consecutive inserts in that direction",
    "n_recs" / Int16ub * "PAGE_N_RECS: user records, delete-marked ones included",
    "max_trx_id"
    / Int64ub
    * "PAGE_MAX_TRX_ID: highest transaction id (secondary leaf); MariaDB: AUTO_INCREMENT in the clustered root",
    "level" / Int16ub * "PAGE_LEVEL: 0 = leaf",
    "index_id" / Int64ub * "PAGE_INDEX_ID: id of the index",
)

INDEX_SEGMENTS = Struct(
    "seg_leaf" / FSEG_HEADER * "PAGE_BTR_SEG_LEAF: segment of the leaf pages (root page only)",
    "seg_top" / FSEG_HEADER * "PAGE_BTR_SEG_TOP: segment of the other pages (root page only)",
)

RECORD_COMPACT = Struct(
    "info_n_owned"
    / Int8ub
    * "REC_NEW_INFO_BITS, REC_NEW_N_OWNED: 0x10 first record of a non-leaf level, 0x20 delete-marked, 0x40 row "
    "version, 0x80 instant; low 4 bits: records owned",
    "heap_status"
    / Int16ub
    * "REC_NEW_HEAP_NO, REC_NEW_STATUS: heap number (13 bits), status (3 bits): 0 leaf, 1 node pointer, "
    "2 infimum, 3 supremum, 4 MariaDB instant metadata",
    "next" / Int16ub * "REC_NEXT: next record, relative to this one, modulo 64 Ki",
)

RECORD_REDUNDANT = Struct(
    "info_n_owned" / Int8ub * "REC_OLD_INFO_BITS, REC_OLD_N_OWNED: as in the compact format",
    "heap_fields"
    / Bytes(3)
    * "REC_OLD_HEAP_NO (13 bits), REC_OLD_N_FIELDS (10 bits), REC_OLD_SHORT (1 bit: 1-byte field ends)",
    "next" / Int16ub * "REC_NEXT: offset of the next record in the page",
)

SDI_RECORD = Struct(
    "type" / Int32ub * "SDI type: 1 table, 2 tablespace",
    "id" / Int64ub * "SDI id: object id",
    "trx_id" / Bytes(6) * "DB_TRX_ID: transaction",
    "roll_ptr" / Bytes(7) * "DB_ROLL_PTR: undo record",
    "uncompressed_bytes" / Int32ub * "uncompressed length of the JSON document",
    "compressed_bytes" / Int32ub * "compressed length (zlib)",
)

SUPREMUM_END_COMPACT = 120
"""First byte after infimum and supremum, compact formats (``PAGE_NEW_SUPREMUM_END``)."""
SUPREMUM_END_REDUNDANT = 125
"""The same in ROW_FORMAT=REDUNDANT (``PAGE_OLD_SUPREMUM_END``)."""
INFIMUM_COMPACT = 99
INFIMUM_REDUNDANT = 101
SUPREMUM_COMPACT = 112
SUPREMUM_REDUNDANT = 116
COMPACT_BIT = 0x8000


def is_compact(n_heap: Any) -> Any:
    """Whether the records of the page are in a compact format (COMPACT, DYNAMIC, COMPRESSED)."""
    return (n_heap & COMPACT_BIT) != 0


def supremum_end(n_heap: Any) -> Any:
    """First byte of the record heap after infimum and supremum: 120 or 125; int or array of int64."""
    return SUPREMUM_END_REDUNDANT - 5 * ((n_heap & COMPACT_BIT) >> 15)


def data_bytes(heap_top: Any, n_heap: Any, garbage: Any) -> Any:
    """``page_get_data_size`` (page0page.inl): bytes of the records, headers and delete-marked included."""
    return heap_top - supremum_end(n_heap) - garbage


def capacity(page_size: Any, n_heap: Any) -> Any:
    """``page_get_free_space_of_empty`` (page0page.inl): 16,252 compact, 16,247 redundant at 16 KiB."""
    return page_size - supremum_end(n_heap) - FIL_TRAILER_AND_TWO_SLOTS


FIL_TRAILER_AND_TWO_SLOTS = 12


def directory_bytes(n_dir_slots: Any) -> Any:
    """Bytes of the page directory beyond the two slots that every page has."""
    return 2 * n_dir_slots - 4


def directory_reserved_bytes(n_recs: Any) -> Any:
    """``page_dir_calc_reserved_space`` (page0page.inl): a two-byte slot for each four records."""
    return (2 * n_recs + 3) // 4
