"""What the pass of :mod:`.sums` kept of every page, and what came of checking it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.pages import checksums as c
from ibdscan.pages.source import Source
from ibdscan.pages.sums import HEAD_WORDS, PageSums

_LOW = np.uint64(0xFFFFFFFF)


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
        native: npt.NDArray[np.uint64] = self._table[i].astype(np.uint64)
        return native

    def raw(self, first: int, count: int, width: int) -> npt.NDArray[np.uint8]:
        """The first ``width`` bytes of pages, uint8 (count, width)."""
        part: Any = np.ascontiguousarray(self._table[:HEAD_WORDS, first : first + count].T)
        return np.asarray(part.view(np.uint8)[:, :width])


class ScannedSource(Source):
    """A source whose page heads were read already: they are not read a second time."""

    heads: Heads | None = None
    page_bytes = 0

    def __enter__(self) -> ScannedSource:
        return self

    @property
    def descriptor(self) -> int:
        """The open file, to be read by offset."""
        return self._fd

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        if self.heads is None or stride != self.page_bytes or width > 8 * HEAD_WORDS:
            return super().gather(first, count, stride, width)
        return self.heads.raw(first, count, width)
