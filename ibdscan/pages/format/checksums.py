"""Page checksums: every formula that a server has written (buf0checksum.cc, buf0buf.cc, page0zip.cc, fil0fil.h).

crc32 and MariaDB's full_crc32 are CRC-32C; "innodb" is a fold of its own; "none" a constant.
"""

from __future__ import annotations

import zlib
from typing import Any

import google_crc32c
import numpy as np
import numpy.typing as npt

from ibdscan.layout.fil import FIL_TRAILER_BYTES
from ibdscan.pages.format.flags import Flags

_CLASSIC_BODY = 38
_HEADER_PART = slice(4, 26)
_LSN_LOW = slice(20, 24)
NO_CHECKSUM = 0xDEADBEEF
"""``BUF_NO_CHECKSUM_MAGIC``: what innodb_checksum_algorithm=none writes."""
_FOLD_1, _FOLD_2 = 1653893711, 1463735687
"""``UT_HASH_RANDOM_MASK2`` and ``UT_HASH_RANDOM_MASK`` (ut0rnd.h)."""
_MASK_32 = 0xFFFFFFFF
_FEW_PAGES = 8
_STEP_BYTES = 256


def crc32c(data: bytes | bytearray | memoryview) -> int:
    """CRC-32C (Castagnoli) of ``data``.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    return int(google_crc32c.value(bytes(data)))


def classic_crc32_of(page: bytes | bytearray) -> int:
    """``buf_calc_page_crc32``: crc(p[4..26)) XOR crc(p[38..S-8)); the fields between hold other sums.

    For uncompressed pages; a ROW_FORMAT=COMPRESSED page has another range.
    """
    return crc32c(page[_HEADER_PART]) ^ crc32c(page[_CLASSIC_BODY : len(page) - FIL_TRAILER_BYTES])


def full_crc32_of(page: bytes | bytearray) -> int:
    """MariaDB full_crc32: crc of everything but the last four bytes, of a page that is not page-compressed."""
    return crc32c(page[:-4])


def checksum_of(page: bytes | bytearray, flags: Flags) -> int:
    """The crc32 checksum that the server would write for this uncompressed page."""
    return full_crc32_of(page) if flags.full_crc32 else classic_crc32_of(page)


def stored_checksums(page: bytes | bytearray, flags: Flags) -> tuple[int, ...]:
    """The checksum fields as the page has them: one with full_crc32, else header's and trailer's."""
    if flags.full_crc32:
        return (int.from_bytes(page[-4:], "big"),)
    return int.from_bytes(page[:4], "big"), int.from_bytes(page[-8:-4], "big")


def has_crc32(page: bytes | bytearray, flags: Flags) -> bool:
    """Whether all checksum fields hold the crc32 of the page (pages of other algorithms do not)."""
    expected = checksum_of(page, flags)
    return all(stored == expected for stored in stored_checksums(page, flags))


def is_torn(page: bytes | bytearray, flags: Flags) -> bool:
    """Whether the low word of the LSN in the trailer is not that of the header: half of the page is older."""
    at = slice(-8, -4) if flags.full_crc32 else slice(-4, None)
    return bytes(page[at]) != bytes(page[_LSN_LOW])


def write_checksum(page: bytearray, flags: Flags) -> None:
    """Put the trailer's LSN word and the checksum into ``page``, as the server does before it writes one."""
    if flags.full_crc32:
        page[-8:-4] = page[_LSN_LOW]
        page[-4:] = full_crc32_of(page).to_bytes(4, "big")
        return
    page[-4:] = page[_LSN_LOW]
    page[-8:-4] = page[:4] = classic_crc32_of(page).to_bytes(4, "big")


def fold(data: bytes | bytearray | memoryview) -> int:
    """``ut_fold_binary``, its low 32 bits.

    >>> fold(b"innodb") == int(fold_rows(np.frombuffer(b"innodb", np.uint8).reshape(1, 6))[0])
    True
    """
    value = 0
    for byte in bytes(data):
        value = ((((value ^ byte ^ _FOLD_1) << 8) + value ^ _FOLD_2) + byte) & _MASK_32
    return value


def fold_rows(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """:func:`fold` of each row, (n, width) uint8 -> (n,): a step a byte, over all rows at once."""
    n, width = rows.shape
    if n < _FEW_PAGES:
        return np.array([fold(row.tobytes()) for row in rows], np.uint32)
    value, other = np.zeros(n, np.uint32), np.empty(n, np.uint32)
    for start in range(0, width, _STEP_BYTES):
        part = np.ascontiguousarray(rows[:, start : start + _STEP_BYTES].T).astype(np.uint32)
        for byte, masked in zip(part, part ^ np.uint32(_FOLD_1), strict=True):
            np.bitwise_xor(value, masked, out=other)
            np.left_shift(other, 8, out=other)
            np.add(other, value, out=other)
            np.bitwise_xor(other, np.uint32(_FOLD_2), out=other)
            np.add(other, byte, out=value)
    return value


def innodb_new(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """``buf_calc_page_new_checksum`` of each page, (n, page size) uint8."""
    end = rows.shape[1] - FIL_TRAILER_BYTES
    return fold_rows(rows[:, _HEADER_PART]) + fold_rows(rows[:, _CLASSIC_BODY:end])


def innodb_old(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """``buf_calc_page_old_checksum`` of each page: of its first 26 bytes, the stored new one among them."""
    return fold_rows(rows[:, :26])


def legacy_crc32_of(page: bytes | bytearray) -> int:
    """crc32 as old big-endian builds wrote it: eight aligned bytes at a time, in the wrong order
    (``ut_crc32_legacy_big_endian``, MySQL 5.7). No real file was at hand: from the source alone."""
    return _swapped_crc(page, 4, 26) ^ _swapped_crc(page, _CLASSIC_BODY, len(page) - FIL_TRAILER_BYTES)


def _swapped_crc(page: bytes | bytearray, lo: int, hi: int) -> int:
    first, last = -(-lo // 8) * 8, hi // 8 * 8
    whole = np.frombuffer(page, np.uint64, (last - first) // 8, first).byteswap().tobytes()
    return crc32c(bytes(page[lo:first]) + whole + bytes(page[last:hi]))


def zip_crc32_of(page: bytes | bytearray) -> int:
    """``page_zip_calc_checksum`` with crc32, of a ROW_FORMAT=COMPRESSED page."""
    return crc32c(page[4:16]) ^ crc32c(page[24:26]) ^ crc32c(page[34:])


def zip_legacy_crc32_of(page: bytes | bytearray) -> int:
    """The same as big-endian builds wrote it."""
    return _swapped_crc(page, 34, len(page)) ^ crc32c(page[4:8] + page[15:7:-1]) ^ crc32c(page[24:26])


def zip_adler32_of(page: bytes | bytearray) -> int:
    """``page_zip_calc_checksum`` with innodb: one Adler-32 over three ranges."""
    return zlib.adler32(page[34:], zlib.adler32(page[24:26], zlib.adler32(page[4:16], 0)))


def classic_algorithms(
    rows: npt.NDArray[np.uint8], crc32: npt.NDArray[np.uint32]
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Which algorithm each of the two fields of each page agrees with, as ordinals of :data:`ALGORITHMS`.

    ``rows``: whole uncompressed pages, ``crc32``: theirs. The rules of ``buf_page_is_corrupted`` where
    innodb_checksum_algorithm is not strict: each field by any algorithm, crc32 in both or in none.
    """
    n = len(rows)
    first, second = words_at(rows, 0), words_at(rows, rows.shape[1] - FIL_TRAILER_BYTES)
    one, two = np.full(n, WRONG, np.uint8), np.full(n, WRONG, np.uint8)
    both = (first == crc32) & (second == crc32)
    one[both] = two[both] = CRC32
    one[first == NO_CHECKSUM] = NONE
    two[second == NO_CHECKSUM] = NONE
    # before 4.0.14 there was but one tablespace; the first field held its id, 0, the second the LSN's high word
    ancient = words_at(rows, 34) == 0
    rest = np.flatnonzero(two == WRONG)
    fits = (second[rest] == innodb_old(rows[rest])) | (ancient[rest] & (second[rest] == words_at(rows[rest], 16)))
    two[rest[fits]] = INNODB
    rest = np.flatnonzero(
        (one == WRONG) & (two != WRONG)
    )  # the fold of a whole page is slow: only where it decides
    if len(rest):
        fits = (first[rest] == innodb_new(rows[rest])) | (ancient[rest] & (first[rest] == 0))
        one[rest[fits]] = INNODB
    for i in np.flatnonzero((one == WRONG) & (first == second)):
        if first[i] == legacy_crc32_of(rows[i].tobytes()):
            one[i] = two[i] = LEGACY_CRC32
    return one, two


def words_at(rows: npt.NDArray[np.uint8], offset: int) -> npt.NDArray[np.uint32]:
    """The 32-bit field at ``offset`` of each page, in native order."""
    found: Any = np.ascontiguousarray(rows[:, offset : offset + 4]).view(">u4")[:, 0]
    return np.asarray(found, np.uint32)


ALGORITHMS = ("wrong", "crc32", "innodb", "none", "full_crc32", "crc32 (big-endian build)")
WRONG, CRC32, INNODB, NONE, FULL_CRC32, LEGACY_CRC32 = range(6)
