"""Page checksums: classic crc32 and MariaDB's full_crc32, both CRC-32C (buf0checksum.cc, fil0fil.h)."""

from __future__ import annotations

import google_crc32c

from ibdscan.layout.fil import FIL_TRAILER_BYTES
from ibdscan.pages.flags import Flags

_CLASSIC_BODY = 38
_HEADER_PART = slice(4, 26)
_LSN_LOW = slice(20, 24)


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
