"""Is each page as it was written? Checksum and LSN trailer of every page, from the pass of :mod:`.sums`.

What the pass alone shows to be right (crc32, full_crc32, never written) is decided for all pages at once. Only
the others are read again: other algorithms, compressed and encrypted pages, damage.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages import checksums as c
from ibdscan.pages.decode import is_packed
from ibdscan.pages.flags import Flags
from ibdscan.pages.inflate import stored_bytes_full_crc32
from ibdscan.pages.source import Source
from ibdscan.pages.sums import HEAD_WORDS, PageSums
from ibdscan.pages.tablespace import Tablespace

_LOW = np.uint64(0xFFFFFFFF)
_BATCH_BYTES = 32 << 20
_TRAILER = c.FIL_TRAILER_BYTES
_MYSQL_ENCRYPTED = (PageType.ENCRYPTED, PageType.COMPRESSED_AND_ENCRYPTED, PageType.ENCRYPTED_RTREE)
_MYSQL_VERSIONS = (1, 2)
_NONE_BYTES = c.NO_CHECKSUM.to_bytes(4, "big")
_NEVER_KEYED = (PageType.RTREE, PageType.PAGE_COMPRESSED, PageType.PAGE_COMPRESSED_ENCRYPTED)


class Check(IntEnum):
    """What came of one page."""

    BAD = 0
    GOOD = 1
    NEVER_WRITTEN = 2
    """All zeros: valid, as the server says."""
    KEY_NEEDED = 3
    """Encrypted, with its checksum inside."""
    CODEC_NEEDED = 4
    """Compressed, with its checksum inside, by an algorithm whose package is not installed."""
    COPY = 5
    """Of the doublewrite area: copies of pages, each valid or not as it was left."""


_UNREAD = {"encrypted": Check.KEY_NEEDED, "wrong-key": Check.KEY_NEEDED, "missing-codec": Check.CODEC_NEEDED}


@dataclass(frozen=True)
class Fault:
    """One page whose bytes are not what was written."""

    kind: str
    """``bad-checksum``, ``torn-page``, ``bad-compression`` or ``other-algorithm``."""
    page_no: int
    offset: int
    message: str


@dataclass
class PageChecks:
    """What came of every page: arrays of shape (n_pages,)."""

    check: npt.NDArray[np.uint8]
    """:class:`Check`."""
    algorithm: npt.NDArray[np.uint8]
    """Ordinal of :data:`ibdscan.pages.checksums.ALGORITHMS`, where the check is GOOD."""
    heads: Heads
    faults: list[Fault] = field(default_factory=list)

    def counts(self) -> dict[str, int]:
        """Pages by what came of them, the good ones by algorithm."""
        good = np.bincount(self.algorithm[self.check == Check.GOOD], minlength=len(c.ALGORITHMS))
        out = {name: int(n) for name, n in zip(c.ALGORITHMS, good, strict=True) if n}
        rest = np.bincount(self.check, minlength=len(Check))
        return out | {k.name.lower(): int(rest[k]) for k in Check if k != Check.GOOD and rest[k]}


class Heads:
    """The header words that the pass kept, and from them the fields that matter here."""

    def __init__(self, sums: PageSums) -> None:
        self.n_pages = sums.n_pages
        self._table = np.frombuffer(sums.table, ">u8", (HEAD_WORDS + 1) * sums.n_pages)
        self._table = self._table.reshape(HEAD_WORDS + 1, sums.n_pages)
        first, lsn, kind, space = (self._word(i) for i in (0, 2, 3, 4))
        tail = self._word(HEAD_WORDS)
        self.stored = (first >> np.uint64(32)).astype(np.uint32)
        self.page_no = (first & _LOW).astype(np.uint32)
        self.lsn_low = (lsn & _LOW).astype(np.uint32)
        self.type = (kind >> np.uint64(48)).astype(np.uint16)
        self.key_version = (kind >> np.uint64(16) & _LOW).astype(np.uint32)
        self.crypt_sum = ((kind & np.uint64(0xFFFF)) << np.uint64(16) | space >> np.uint64(48)).astype(np.uint32)
        self.space_id = (space >> np.uint64(16) & _LOW).astype(np.uint32)
        self.tail = (tail >> np.uint64(32)).astype(np.uint32), (tail & _LOW).astype(np.uint32)
        self.crcs = [np.frombuffer(sums.crc_column(i), np.uint32) for i in range(len(sums.ranges))]
        crc = self.crcs[0].copy()
        for other in self.crcs[1:]:
            crc ^= other
        self.crc = crc
        zeros = np.ones(self.n_pages, np.bool_)
        for i in range(HEAD_WORDS + 1):
            zeros &= self._table[i] == 0
        for crc, (lo, hi) in zip(self.crcs, sums.ranges, strict=True):
            zeros &= crc == np.uint32(c.crc32c(bytes(hi - lo)))
        self.is_zero = zeros

    def _word(self, i: int) -> npt.NDArray[np.uint64]:
        return self._table[i].astype(np.uint64)

    def raw(self, first: int, count: int, width: int) -> npt.NDArray[np.uint8]:
        """The first ``width`` bytes of pages, uint8 (count, width)."""
        part: Any = np.ascontiguousarray(self._table[:HEAD_WORDS, first : first + count].T)
        return np.asarray(part.view(np.uint8)[:, :width])


class ScannedSource(Source):
    """A source whose page heads were read already: they are not read a second time."""

    heads: Heads | None = None
    page_bytes = 0

    @property
    def descriptor(self) -> int:
        """The open file, to be read by offset."""
        return self._fd

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        if self.heads is None or stride != self.page_bytes or width > 8 * HEAD_WORDS:
            return super().gather(first, count, stride, width)
        return self.heads.raw(first, count, width)


def check_sums(
    space: Tablespace,
    sums: PageSums,
    *,
    copies: npt.NDArray[np.bool_] | None = None,
    strict: str | None = None,
    heads: Heads | None = None,
) -> PageChecks:
    """Judge every page of a finished pass.

    ``copies``: pages of the doublewrite area; ``strict``: the only algorithm allowed.
    """
    heads = heads or Heads(sums)
    checks = PageChecks(np.full(sums.n_pages, Check.BAD, np.uint8), np.zeros(sums.n_pages, np.uint8), heads)
    good, algorithm = _at_once(heads, space.flags)
    checks.check[good] = Check.GOOD
    checks.algorithm[good] = algorithm
    checks.check[heads.is_zero] = Check.NEVER_WRITTEN
    if copies is not None:
        checks.check[copies] = Check.COPY
    _Judge(space, checks).run(np.flatnonzero(checks.check == Check.BAD))
    if strict is not None:
        _check_strict(checks, strict)
    checks.faults.sort(key=lambda f: f.page_no)
    return checks


def _at_once(heads: Heads, flags: Flags) -> tuple[npt.NDArray[np.bool_], int]:
    if flags.full_crc32:
        good = heads.tail[1] == heads.crc
        good &= (heads.stored != 0) | (heads.tail[0] == heads.lsn_low)
        if flags.compression:
            good &= heads.type & np.uint16(PAGE_COMPRESSED_BIT) == 0
        return good, c.FULL_CRC32
    good = heads.stored == heads.crc
    if not flags.is_zip:
        good &= (heads.tail[0] == heads.crc) & (heads.tail[1] == heads.lsn_low)
    packed = (heads.type == PageType.PAGE_COMPRESSED) | (heads.type == PageType.COMPRESSED)
    return good & ~packed, c.CRC32


def _check_strict(checks: PageChecks, strict: str) -> None:
    wanted = c.ALGORITHMS.index(strict)
    other = np.flatnonzero((checks.check == Check.GOOD) & (checks.algorithm != wanted))
    for page in other:
        name = c.ALGORITHMS[checks.algorithm[page]]
        checks.faults.append(
            Fault("other-algorithm", int(page), 0, f"page {page} has a valid {name} checksum, not {strict}")
        )


class _Judge:
    """Decides pages one by one, or those of plain format many at once."""

    def __init__(self, space: Tablespace, checks: PageChecks) -> None:
        self._space, self._flags, self._checks, self._heads = space, space.flags, checks, checks.heads
        self._size = space.geometry.physical

    def run(self, pages: npt.NDArray[np.int64]) -> None:
        for batch in self._batches(pages):
            plain = []
            for page in batch.tolist():
                if not self._special(page):
                    plain.append(page)
            if plain:
                self._plain(plain, [self._read(page) for page in plain])

    def _batches(self, pages: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        step = max(1, _BATCH_BYTES // self._size)
        for start in range(0, len(pages), step):
            yield pages[start : start + step]

    def _read(self, page: int) -> bytes:
        return self._space.read_raw(page)

    def _good(self, page: int, algorithm: int) -> bool:
        self._checks.check[page] = Check.GOOD
        self._checks.algorithm[page] = algorithm
        return True

    def _left(self, page: int, check: Check) -> bool:
        self._checks.check[page] = check
        return True

    def _fault(self, kind: str, page: int, offset: int, message: str) -> bool:
        self._checks.faults.append(Fault(kind, page, offset, f"page {page}: {message}"))
        return True

    def _special(self, page: int) -> bool:
        """Decide a page that is compressed or encrypted; False for one that is neither."""
        kind = int(self._heads.type[page])
        if self._flags.full_crc32:
            return bool(self._flags.compression and kind & PAGE_COMPRESSED_BIT) and self._packed_full_crc32(page)
        if kind in _MYSQL_ENCRYPTED and (self._space.seal is not None or self._flags.encrypted):
            return self._stored(page)
        if kind == PageType.PAGE_COMPRESSED_ENCRYPTED and self._space.seal is not None:
            return self._stored(page)
        if kind in (PageType.COMPRESSED, PageType.PAGE_COMPRESSED) and is_packed(self._space, kind):
            return self._stored(page)
        if self._heads.key_version[page] and kind not in _NEVER_KEYED:
            # MariaDB: the checksum made after the encryption lies beside the key version
            if self._heads.crypt_sum[page] == self._heads.crc[page]:
                return self._good(page, c.CRC32)
            if self._heads.crypt_sum[page] == c.NO_CHECKSUM and self._space.seal is not None:
                return self._good(page, c.NONE)
        return False

    def _packed_full_crc32(self, page: int) -> bool:
        raw = self._read(page)
        end = stored_bytes_full_crc32(int(self._heads.type[page]))
        if not 30 < end <= self._size:
            return self._fault("bad-checksum", page, 24, f"its type says {end} bytes stored")
        found, computed = int.from_bytes(raw[end - 4 : end], "big"), c.crc32c(raw[: end - 4])
        if found == computed:
            return self._good(page, c.FULL_CRC32)
        return self._fault("bad-checksum", page, end - 4, _differs(found, "full_crc32", computed))

    def _stored(self, page: int) -> bool:
        """A page whose checksum is inside: encrypted, or compressed in a classic format."""
        raw = self._read(page)
        try:
            clear = self._space.decoder.decode(raw, page)
        except UnreadPageError as e:
            if e.kind in _UNREAD:
                return self._left(page, _UNREAD[e.kind])
            return self._fault("bad-compression", page, 38, f"can not be read: {e.message}")
        if len(clear) != self._size:
            return self._fault("bad-compression", page, 38, f"inflates to {len(clear)} bytes, not {self._size}")
        self._plain([page], [clear])
        if self._checks.check[page] == Check.GOOD:
            self._check_outside(page, raw, clear)
        return True

    def _check_outside(self, page: int, raw: bytes, clear: bytes) -> None:
        """What the checksum inside does not cover: the outer header of MariaDB's 34354, MySQL's version byte."""
        kind = int.from_bytes(raw[24:26], "big")
        at = None
        if kind == PageType.PAGE_COMPRESSED:
            if raw[:4] != _NONE_BYTES:
                at = 0
            elif (raw[4:24], raw[34:38]) != (clear[4:24], clear[34:38]) or any(raw[26:32]):
                at = 4
        elif kind == PageType.COMPRESSED and raw[26] not in _MYSQL_VERSIONS:
            at = 26
        if at is not None:
            self._checks.check[page] = Check.BAD
            self._fault("bad-header", page, at, "its header is not that of the page compressed in it")

    def _plain(self, pages: list[int], images: list[bytes]) -> None:
        """Pages in clear and of full size."""
        if self._flags.is_zip:
            for page, image in zip(pages, images, strict=True):
                self._zip(page, image)
            return
        if self._flags.full_crc32:
            for page, image in zip(pages, images, strict=True):
                found, computed = int.from_bytes(image[-4:], "big"), c.full_crc32_of(image)
                if found != computed:
                    self._sum_fault(page, image, len(image) - 4, _differs(found, "full_crc32", computed))
                elif image[-8:-4] != image[20:24]:
                    self._torn(page, image, -8, "")
            return
        rows = np.frombuffer(b"".join(images), np.uint8).reshape(len(images), -1)
        crc32 = np.array([c.classic_crc32_of(image) for image in images], np.uint32)
        one, two = c.classic_algorithms(rows, crc32)
        for i, (page, image) in enumerate(zip(pages, images, strict=True)):
            if one[i] == c.WRONG or two[i] == c.WRONG:
                at = 0 if one[i] == c.WRONG else len(image) - _TRAILER
                found = int.from_bytes(image[at : at + 4], "big")
                self._sum_fault(page, image, at, _differs(found, "crc32", int(crc32[i])))
            elif image[-4:] != image[20:24]:
                self._torn(page, image, -4, "")
            else:
                self._good(page, int(one[i]))

    def _zip(self, page: int, image: bytes) -> None:
        found = int.from_bytes(image[:4], "big")
        computed = c.zip_crc32_of(image)
        if found == computed:
            self._good(page, c.CRC32)
        elif found == c.NO_CHECKSUM:
            self._good(page, c.NONE)
        elif found == c.zip_adler32_of(image):
            self._good(page, c.INNODB)
        elif found == c.zip_legacy_crc32_of(image):
            self._good(page, c.LEGACY_CRC32)
        else:
            self._fault("bad-checksum", page, 0, _differs(found, "crc32", computed))

    def _sum_fault(self, page: int, image: bytes, offset: int, message: str) -> None:
        """A wrong checksum; where the LSN at the end is another one too, the page is torn."""
        at = -8 if self._flags.full_crc32 else -4
        keyed = self._flags.full_crc32 and any(image[:4])
        if not keyed and image[at : at + 4 or None] != image[20:24]:
            self._torn(page, image, at, f"; {message}")
        else:
            self._fault("bad-checksum", page, offset, message)

    def _torn(self, page: int, image: bytes, at: int, more: str) -> None:
        end = image[at : at + 4 or None]
        self._fault(
            "torn-page",
            page,
            16,
            f"the LSN at its end ({_hex(end)}) is not that of its head ({_hex(image[20:24])}): written in part{more}",
        )


def _differs(found: int, name: str, computed: int) -> str:
    return f"the checksum is 0x{found:08x}, {name} of its bytes is 0x{computed:08x}"


def _hex(data: bytes) -> str:
    return f"0x{data.hex()}"
