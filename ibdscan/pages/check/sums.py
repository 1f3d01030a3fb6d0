"""CRC-32C and header words of every page of a file: one pass in order, by a pool of worker processes."""

from __future__ import annotations

import ctypes
import mmap
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import google_crc32c
import numpy as np
import numpy.typing as npt

from ibdscan.pages.format.flags import Flags
from ibdscan.pages.source.cores import available_cores

Progress = Callable[[int, int], None]
"""Called with the number of pages done since the last call, and of all."""
Words = npt.NDArray[np.uint64]
Crcs = npt.NDArray[np.uint32]

HEAD_WORDS = 10
"""64-bit words kept from the start of a page: FIL header and the index header up to the index id."""
_CHUNK_BYTES, _BLOCK_BYTES = 64 << 20, 1 << 20
"""What a worker takes at a time; what it reads at a time, which stays in the processor's cache."""
_SMALL_BYTES = 64 << 20
"""Files below are read before a worker is there."""


def checksum_ranges(flags: Flags) -> tuple[tuple[int, int], ...]:
    """Byte ranges of a page whose CRCs, XORed, are its crc32 checksum (buf0checksum.cc, page0zip.cc)."""
    size = flags.geometry.physical
    if flags.full_crc32:
        return ((0, size - 4),)
    if flags.is_zip:
        return (4, 16), (24, 26), (34, size)
    return (4, 26), (38, size - 8)


@dataclass
class PageSums:
    """What the pass kept, in parts of ``pages_a_part`` pages. ``words``: of each page the first
    :data:`HEAD_WORDS` words and the last, uint64 (pages, HEAD_WORDS + 1) in the byte order of the file; a part
    that was used up is None. ``crc``: the crc32 checksums, uint32 (n_pages,)."""

    flags: Flags
    n_pages: int
    pages_a_part: int
    words: list[Words | None]
    crc: Crcs

    def take(self, first: int, count: int, width: int) -> npt.NDArray[np.uint8]:
        """The first ``width`` bytes of pages, uint8 (count, width), to be asked for in order: parts that are
        wholly behind are forgotten."""
        a_part = self.pages_a_part
        rows = []
        for i in range(first // a_part, -(-(first + count) // a_part)):
            part = self.words[i]
            assert part is not None, "pages are taken in order"
            rows.append(part[max(0, first - i * a_part) : first + count - i * a_part, :HEAD_WORDS])
            if min((i + 1) * a_part, self.n_pages) <= first + count:
                self.words[i] = None
        return np.concatenate(rows).view(np.uint8)[:, :width]


def sum_pages(fd: int, size: int, flags: Flags, progress: Progress | None = None) -> PageSums | None:
    """The pass over a file of ``size`` bytes. None when it can not be read to its end. Raises
    BrokenExecutor when a worker was ended."""
    page = flags.geometry.physical
    n, a_part = size // page, max(1, _CHUNK_BYTES // page)
    chunks = [range(first, min(first + a_part, n)) for first in range(0, n, a_part)]
    parts: list[Words | None] = []
    crcs = [np.empty(0, np.uint32)]
    pool = _pool() if size >= _SMALL_BYTES and available_cores() > 1 else None
    try:
        work = partial(_sum_chunk, fd, flags)
        for words, crc in pool.map(work, chunks) if pool else map(work, chunks):
            parts.append(words)
            crcs.append(crc)
            if progress is not None:
                progress(len(crc), n)
    except (OSError, EOFError):
        return None
    finally:
        if pool:
            pool.shutdown(cancel_futures=True)
    return PageSums(flags, n, a_part, parts, np.concatenate(crcs))


def _pool() -> Executor:
    """Forked processes have the file and all that was imported; where a fork is not to be had or not safe,
    threads, which hold each other up while they sum."""
    import threading

    if sys.platform.startswith("linux") and threading.active_count() == 1:
        context = multiprocessing.get_context("fork")
        return ProcessPoolExecutor(available_cores(), context, _leave_interrupts_to_the_parent)
    return ThreadPoolExecutor(available_cores())


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _sum_chunk(fd: int, flags: Flags, pages: range) -> tuple[Words, Crcs]:
    page = flags.geometry.physical
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(fd, pages.start * page, len(pages) * page, os.POSIX_FADV_WILLNEED)
    words = np.empty((len(pages), HEAD_WORDS + 1), np.uint64)
    crcs = np.zeros(len(pages), np.uint32)
    a_block = min(max(1, _BLOCK_BYTES // page), len(pages))
    buffer = mmap.mmap(-1, a_block * page)  # begins at a page of memory: the system copies into it a third quicker
    block = memoryview(buffer)
    values = np.frombuffer(buffer, np.uint64).reshape(a_block, page // 8)
    # google-crc32c takes no memoryview; an array of ctypes lends its bytes without a copy, a quarter of the work
    ranges = [
        [(ctypes.c_char * (hi - lo)).from_buffer(buffer, i * page + lo) for i in range(a_block)]
        for lo, hi in checksum_ranges(flags)
    ]
    for first in range(0, len(pages), a_block):
        n = min(a_block, len(pages) - first)
        _fill(fd, block[: n * page], (pages.start + first) * page)
        words[first : first + n, :HEAD_WORDS] = values[:n, :HEAD_WORDS]
        words[first : first + n, HEAD_WORDS] = values[:n, -1]
        for views in ranges:
            crcs[first : first + n] ^= np.fromiter(map(google_crc32c.value, views[:n]), np.uint32, n)
    return words, crcs


def _fill(fd: int, into: memoryview, offset: int) -> None:
    at = 0
    while at < len(into):
        got = os.preadv(fd, [into[at:]], offset + at)
        if not got:
            raise EOFError
        at += got
