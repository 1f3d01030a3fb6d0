"""Off-page columns: external references, BLOB and LOB pages (btr0types.h, lob0lob.h)."""

from __future__ import annotations

from construct import Bytes, Int8ub, Int16ub, Int32ub, Int64ub, Struct

from ibdscan.layout.fsp import LIST_BASE, LIST_NODE

LOB_HEADER_OFFSET = 38

EXTERN_REF = Struct(
    "space_id" / Int32ub * "BTR_EXTERN_SPACE_ID: tablespace of the off-page part",
    "page_no" / Int32ub * "BTR_EXTERN_PAGE_NO: first page of the off-page part",
    "offset" / Int32ub * "BTR_EXTERN_OFFSET: offset of its header in that page; MySQL 8.0+: LOB version",
    "length" / Int64ub * "BTR_EXTERN_LEN: bytes off-page; the top bits say who owns them",
)

BLOB_HEADER = Struct(
    "part_bytes" / Int32ub * "LOB_HDR_PART_LEN: bytes of the column in this page",
    "next_page_no" / Int32ub * "LOB_HDR_NEXT_PAGE_NO: next page, 0xFFFFFFFF = last",
)

LOB_FIRST = Struct(
    "version" / Int8ub * "OFFSET_VERSION: format version",
    "flags" / Int8ub * "OFFSET_FLAGS: bit 0 set = can not be updated in part",
    "lob_version" / Int32ub * "OFFSET_LOB_VERSION: version of the value",
    "last_trx_id" / Bytes(6) * "OFFSET_LAST_TRX_ID: transaction of the last change",
    "last_undo_no" / Int32ub * "OFFSET_LAST_UNDO_NO: its undo number",
    "data_bytes" / Int32ub * "OFFSET_DATA_LEN: bytes of the column in this page",
    "trx_id" / Bytes(6) * "OFFSET_TRX_ID: transaction that created it",
    "index_list" / LIST_BASE * "OFFSET_INDEX_LIST: entries of the pages that hold the value",
    "index_free" / LIST_BASE * "OFFSET_INDEX_FREE_NODES: free entries",
)

LOB_INDEX_ENTRY = Struct(
    "node" / LIST_NODE * "OFFSET_PREV, OFFSET_NEXT: place in the index list",
    "versions" / LIST_BASE * "OFFSET_VERSIONS: older versions of the part",
    "trx_id" / Bytes(6) * "OFFSET_TRXID: transaction that created the part",
    "trx_id_modifier" / Bytes(6) * "OFFSET_TRXID_MODIFIER: transaction that replaced it",
    "undo_no" / Int32ub * "OFFSET_TRX_UNDO_NO: undo number",
    "undo_no_modifier" / Int32ub * "OFFSET_TRX_UNDO_NO_MODIFIER: undo number of the replacement",
    "page_no" / Int32ub * "OFFSET_PAGE_NO: page that holds the part",
    "data_bytes" / Int16ub * "OFFSET_DATA_LEN: bytes of the part",
    "unused" / Int16ub * "not used",
    "lob_version" / Int32ub * "OFFSET_LOB_VERSION: version of the part",
)

LOB_FIRST_ENTRIES = 10
LOB_FIRST_ENTRIES_OFFSET = 96
LOB_FIRST_DATA_OFFSET = 696

LOB_DATA = Struct(
    "version" / Int8ub * "OFFSET_VERSION: format version",
    "data_bytes" / Int32ub * "OFFSET_DATA_LEN: bytes of the column in this page",
    "trx_id" / Bytes(6) * "OFFSET_TRX_ID: transaction that wrote it",
)
LOB_DATA_OFFSET = 49
