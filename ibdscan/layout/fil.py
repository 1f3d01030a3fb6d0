"""The FIL header and trailer that every page carries (fil0types.h)."""

from __future__ import annotations

from construct import Bytes, Int16ub, Int32ub, Int64ub, Struct

FIL_HEADER_BYTES = 38
FIL_TRAILER_BYTES = 8

FIL_HEADER = Struct(
    "checksum"
    / Int32ub
    * "FIL_PAGE_SPACE_OR_CHKSUM: checksum of the page; MariaDB full_crc32: key version, 0 = not encrypted",
    "page_no" / Int32ub * "FIL_PAGE_OFFSET: number of the page, counted from the start of the tablespace",
    "prev"
    / Int32ub
    * "FIL_PAGE_PREV: left sibling on the same level, 0xFFFFFFFF = none; page 0 of MySQL 8.0+: server version",
    "next"
    / Int32ub
    * "FIL_PAGE_NEXT: right sibling on the same level, 0xFFFFFFFF = none; page 0 of MySQL 8.0+: space version",
    "lsn" / Int64ub * "FIL_PAGE_LSN: log sequence number of the last change to the page",
    "type" / Int16ub * "FIL_PAGE_TYPE: what the page holds (see the page types)",
    "flush_lsn"
    / Int64ub
    * "FIL_PAGE_FILE_FLUSH_LSN: ibdata1 page 0: flushed-up-to LSN; R-tree: split sequence number; MariaDB "
    "classic: key version and checksum; MySQL page compression: version, algorithm, original type, sizes",
    "space_id" / Int32ub * "FIL_PAGE_ARCH_LOG_NO_OR_SPACE_ID: tablespace id",
)

FIL_TRAILER = Struct(
    "checksum"
    / Int32ub
    * "FIL_PAGE_END_LSN_OLD_CHKSUM: old-style checksum; MariaDB full_crc32: low 32 bits of the LSN",
    "lsn_low"
    / Int32ub
    * "low 32 bits of FIL_PAGE_LSN (a different value = a torn page); MariaDB full_crc32: CRC-32C",
)

PAGE_COMPRESSION_INFO = Struct(
    "version" / Bytes(1) * "FIL_PAGE_VERSION: version of the compression (MySQL, page type 14)",
    "algorithm" / Bytes(1) * "FIL_PAGE_ALGORITHM_V1: 1 zlib, 2 lz4",
    "original_type" / Int16ub * "FIL_PAGE_ORIGINAL_TYPE_V1: page type before compression",
    "original_bytes" / Int16ub * "FIL_PAGE_ORIGINAL_SIZE_V1: bytes of the body before compression",
    "compressed_bytes" / Int16ub * "FIL_PAGE_COMPRESS_SIZE_V1: bytes of the compressed body",
)
