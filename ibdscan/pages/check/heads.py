"""What the pass of :mod:`~ibdscan.pages.check.sums` kept of every page, and what came of checking it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.pages.check.sums import HEAD_WORDS, PageSums, checksum_ranges
from ibdscan.pages.format import checksums as c
from ibdscan.pages.source.file import Source


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
    """Ordinal of :data:`ibdscan.pages.format.checksums.ALGORITHMS`, where the check is GOOD."""
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
        self._sums = sums
        self.n_pages = sums.n_pages
        self.stored, self.page_no = self._field(0, 0), self._field(0, 4)
        self.type = self._field(3, 0, "u2")
        self.space_id = self._field(4, 2)
        self.crc = sums.crc
        self.is_zero = self._zeros()

    def _zeros(self) -> npt.NDArray[np.bool_]:
        crc = 0
        for lo, hi in checksum_ranges(self._sums.flags):
            crc ^= c.crc32c(bytes(hi - lo))
        zeros = np.concatenate([~part.any(axis=1) for part in self._parts])
        found: npt.NDArray[np.bool_] = zeros & (self.crc == crc)
        return found

    @property
    def _parts(self) -> Iterator[npt.NDArray[np.uint64]]:
        """All of them: as long as none was taken."""
        return (part for part in self._sums.words if part is not None)

    def _field(self, word: int, offset: int, kind: str = "u4") -> npt.NDArray[Any]:
        """A field of all pages that lies in one word."""
        inside = np.dtype({"names": ["field"], "formats": [f">{kind}"], "offsets": [offset], "itemsize": 8})
        parts = [part[:, word].view(inside)["field"].astype(kind) for part in self._parts]
        native: npt.NDArray[Any] = np.concatenate(parts)
        return native

    @cached_property
    def lsn_low(self) -> npt.NDArray[np.uint32]:
        """Low half of the LSN in the FIL header."""
        return self._field(2, 4)

    @cached_property
    def key_version(self) -> npt.NDArray[np.uint32]:
        """Bytes 26 to 29: MariaDB's key version, classic format."""
        return self._field(3, 2)

    @cached_property
    def crypt_sum(self) -> npt.NDArray[np.uint32]:
        """Bytes 30 to 33: the checksum of an encrypted page of that format."""
        high = self._field(3, 6, "u2").astype(np.uint32)
        both: npt.NDArray[np.uint32] = high << np.uint32(16) | self._field(4, 0, "u2")
        return both

    @cached_property
    def tail(self) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The last two words of 32 bits."""
        return self._field(HEAD_WORDS, 0), self._field(HEAD_WORDS, 4)

    @property
    def uses_bytes_26(self) -> npt.NDArray[np.bool_]:
        """Whether any of the bytes 26 to 33 is not zero."""
        inside: npt.NDArray[np.bool_] = (self.key_version | self.crypt_sum) != 0
        return inside

    def settle(self) -> None:
        """Drop what only the checksums need."""
        for name in ("lsn_low", "key_version", "crypt_sum", "tail"):
            self.__dict__.pop(name, None)

    def take(self, first: int, count: int, width: int) -> npt.NDArray[np.uint8]:
        """The first ``width`` bytes of pages, uint8 (count, width); they can be taken once, in order."""
        return self._sums.take(first, count, width)


class ScannedSource(Source):
    """A source whose page heads were read already: the first time they are not read again."""

    heads: Heads | None = None
    page_bytes = 0
    _taken = 0

    def __enter__(self) -> ScannedSource:
        return self

    @property
    def descriptor(self) -> int:
        """The open file, to be read by offset."""
        return self._fd

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        kept = self.heads is not None and stride == self.page_bytes and width <= 8 * HEAD_WORDS
        if self.heads is None or not kept or first < self._taken:
            return super().gather(first, count, stride, width)
        self._taken = first + count
        return self.heads.take(first, count, width)
