"""CRC-32C and header words of every page of a file: one pass in order, on all cores.

Imports next to nothing, so that the command line can start the pass before numpy is there. Workers are forked
processes while this process has one thread, else threads (google-crc32c holds the GIL, reading does not).
They take chunks from a pipe and fill one shared table; a chunk that a worker did not finish is done again by
the caller. Each worker reads into one buffer that stays in the processor's cache.
"""

from __future__ import annotations

import contextlib
import ctypes
import mmap
import os
import sys
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING

import google_crc32c

from ibdscan.pages.format.flags import Flags
from ibdscan.pages.source.cores import available_cores

if TYPE_CHECKING:
    import threading

Progress = Callable[[int, int], None]
"""Called with the number of pages done since the last call, and of all."""

HEAD_WORDS = 10
"""64-bit words kept from the start of a page: FIL header and the index header up to the index id."""
BLOCK_BYTES = 2 << 20
_CHUNK_BYTES = 8 << 20
_MAX_CHUNKS = 1000
_TOKEN = 4
_SMALL_BYTES = 32 << 20
"""Files below are read by the caller alone."""
_crc = google_crc32c.value


def checksum_ranges(flags: Flags) -> tuple[tuple[int, int], ...]:
    """Byte ranges of a page whose CRCs, XORed, are its crc32 checksum (buf0checksum.cc, page0zip.cc)."""
    size = flags.geometry.physical
    if flags.full_crc32:
        return ((0, size - 4),)
    if flags.is_zip:
        return (4, 16), (24, 26), (34, size)
    return (4, 26), (38, size - 8)


class PageSums:
    """The pass over one file: :meth:`start` begins it, :meth:`finish` takes part and waits.

    For each page the first :data:`HEAD_WORDS` words and the last, as a column each, in the byte order of the
    file; and a column of checksums. All lie in one anonymous mapping.
    """

    def __init__(self, fd: int, size: int, flags: Flags, *, owns_fd: bool = False) -> None:
        self.flags = flags
        self.page_bytes = flags.geometry.physical
        self.n_pages = size // self.page_bytes
        self.ranges = checksum_ranges(flags)
        self.fd, self._owns_fd = fd, owns_fd
        self._pages_a_chunk = max(1, _CHUNK_BYTES // self.page_bytes, -(-self.n_pages // _MAX_CHUNKS))
        self._n_chunks = -(-self.n_pages // self._pages_a_chunk)
        self._word_bytes = 8 * (HEAD_WORDS + 1) * self.n_pages
        self.table = mmap.mmap(-1, max(1, self._word_bytes + 4 * self.n_pages))
        self._todo, todo = os.pipe()
        os.write(todo, b"".join(chunk.to_bytes(_TOKEN, "big") for chunk in range(self._n_chunks)))
        os.close(todo)
        self._done, self._done_in = os.pipe()
        self._children: list[int] = []
        self._threads: list[threading.Thread] = []

    def start(self, workers: int | None = None) -> PageSums:
        """Begin on all cores but the caller's own, which comes in with :meth:`finish`."""
        if workers is None:
            small = self.n_pages * self.page_bytes < _SMALL_BYTES
            workers = 0 if small else max(1, available_cores() - 1)
        workers = min(workers, self._n_chunks)
        if workers and _is_single_threaded():
            self._children = [pid for _ in range(workers) if (pid := self._fork())]
        elif workers:
            import threading

            self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(workers)]
            for thread in self._threads:
                thread.start()
        return self

    def finish(self, progress: Progress | None = None) -> bool:
        """Take part until all is done. False when the file could not be read to its end."""
        done: set[int] = set()

        def collect(tokens: bytes) -> None:
            for at in range(0, len(tokens), _TOKEN):
                chunk = int.from_bytes(tokens[at : at + _TOKEN], "big")
                if chunk not in done:
                    done.add(chunk)
                    if progress is not None:
                        progress(len(self._chunk_pages(chunk)), self.n_pages)

        os.set_blocking(self._done, False)
        self._work(lambda: collect(self._tokens()))
        while self._threads:
            self._threads[0].join(0.1)
            collect(self._tokens())
            self._threads = [t for t in self._threads if t.is_alive()]
        os.close(self._done_in)
        self._done_in = -1
        if self._children:
            os.set_blocking(self._done, True)
            while len(done) < self._n_chunks and (tokens := os.read(self._done, _TOKEN)):
                collect(tokens)
        else:
            collect(self._tokens())
        lost = sorted(set(range(self._n_chunks)) - done)
        return not lost or self._make_up(lost, collect)

    def _make_up(self, lost: list[int], collect: Callable[[bytes], None]) -> bool:
        """Chunks of a worker that was killed; or the file ends early."""
        reader = _Reader(self)
        for chunk in lost:
            if not reader.read(chunk):
                return False
            collect(chunk.to_bytes(_TOKEN, "big"))
        return True

    def close(self) -> None:
        """Stop what still runs and give back the descriptors; the table stays."""
        if self._todo >= 0:
            os.set_blocking(self._todo, False)
            while self._read_todo():
                pass
            for thread in self._threads:
                thread.join()
            self._reap()
            for fd in (self._todo, self._done, self._done_in):
                if fd >= 0:
                    os.close(fd)
            self._todo = self._done = self._done_in = -1
            if self._owns_fd:
                os.close(self.fd)
                self.fd = -1

    def is_of(self, fd: int) -> bool:
        """Whether ``fd`` is the file of this pass."""
        ours, theirs = os.fstat(self.fd), os.fstat(fd)
        return (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino)

    def column(self, word: int) -> memoryview:
        """Column ``word`` of the table as bytes, :data:`HEAD_WORDS` being the last word of each page."""
        return memoryview(self.table)[8 * word * self.n_pages : 8 * (word + 1) * self.n_pages]

    def crc_column(self) -> memoryview:
        """The crc32 checksum of each page as native 32-bit integers, as bytes."""
        return memoryview(self.table)[self._word_bytes : self._word_bytes + 4 * self.n_pages]

    def forget(self, first: int, count: int) -> None:
        """Give back the memory of the first words of some pages."""
        if not hasattr(mmap, "MADV_REMOVE"):  # Linux
            return
        for word in range(HEAD_WORDS):
            start = 8 * (word * self.n_pages + first)
            end = (start + 8 * count) // mmap.PAGESIZE * mmap.PAGESIZE
            start = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
            if end > start:
                with contextlib.suppress(OSError):
                    self.table.madvise(mmap.MADV_REMOVE, start, end - start)

    def _chunk_pages(self, chunk: int) -> range:
        first = chunk * self._pages_a_chunk
        return range(first, min(first + self._pages_a_chunk, self.n_pages))

    def _read_todo(self) -> bytes:
        try:
            return os.read(self._todo, _TOKEN)
        except BlockingIOError:
            return b""

    def _tokens(self) -> bytes:
        try:
            return os.read(self._done, _TOKEN * _MAX_CHUNKS)
        except BlockingIOError:
            return b""

    def _work(self, after: Callable[[], None] | None = None, parent: int | None = None) -> None:
        reader = None
        while token := self._read_todo():
            if parent is not None and os.getppid() != parent:
                return
            reader = reader or _Reader(self)
            if not reader.read(int.from_bytes(token, "big")):
                return
            os.write(self._done_in, token)
            if after is not None:
                after()

    def _fork(self) -> int:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            return pid
        code = 1
        try:  # the child: no cleanup of what belongs to the parent, no word on its streams
            os.close(self._done)
            self._work(parent=parent)
            code = 0
        finally:
            os._exit(code)

    def _reap(self) -> None:
        for pid in self._children:
            os.waitpid(pid, 0)
        self._children = []


class _Reader:
    """One worker's buffer, with a view of each range of each page in it: no slicing a page."""

    def __init__(self, sums: PageSums) -> None:
        self._sums = sums
        size = sums.page_bytes
        self._pages = max(1, min(BLOCK_BYTES // size, sums.n_pages))
        # a mapping begins at a page of memory: the system copies into it a third quicker than into a bytearray
        self._buffer = mmap.mmap(-1, self._pages * size)
        self._bytes = memoryview(self._buffer)
        # google-crc32c takes no memoryview, but an array of ctypes lends its bytes without a copy
        self._views = [
            [(ctypes.c_char * (hi - lo)).from_buffer(self._buffer, i * size + lo) for i in range(self._pages)]
            for lo, hi in sums.ranges
        ]
        words, step = self._bytes.cast("Q"), size // 8
        kept = [*range(HEAD_WORDS), step - 1]
        self._words = [words[k::step] for k in kept]
        self._word_columns = [sums.column(i).cast("Q") for i in range(len(kept))]
        self._crcs = sums.crc_column().cast("I")

    def read(self, chunk: int) -> bool:
        """Fill the table's rows of one chunk; False when the file ends before or can not be read."""
        sums, size = self._sums, self._sums.page_bytes
        pages = sums._chunk_pages(chunk)
        if not _is_cached(sums.fd, pages.stop * size - 1):
            _read_ahead(sums.fd, pages.start * size, 4 * len(pages) * size)
        for first in range(pages.start, pages.stop, self._pages):
            count = min(self._pages, pages.stop - first)
            if not self._fill(first * size, count * size):
                return False
            whole = count == self._pages
            for column, words in zip(self._word_columns, self._words, strict=True):
                column[first : first + count] = words if whole else words[:count]
            crcs = 0
            for views in self._views:  # the exclusive or of all at once: of two long integers
                crcs ^= int.from_bytes(array("I", map(_crc, views if whole else views[:count])), "little")
            self._crcs[first : first + count] = memoryview(crcs.to_bytes(4 * count, "little")).cast("I")
        return True

    def _fill(self, offset: int, n: int) -> bool:
        at = 0
        while at < n:
            try:
                got = os.preadv(self._sums.fd, [self._bytes[at:n]], offset + at)
            except OSError:
                return False
            if not got:
                return False
            at += got
        return True


def _is_cached(fd: int, offset: int) -> bool:
    """Whether the system has that byte in memory: asking it to read what it has costs more than it gives."""
    try:
        return os.preadv(fd, [bytearray(1)], offset, os.RWF_NOWAIT) == 1
    except (OSError, AttributeError, NotImplementedError):  # not in memory, or this system can not say
        return False


def _read_ahead(fd: int, offset: int, n: int) -> None:
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(fd, offset, n, os.POSIX_FADV_WILLNEED)


def _is_single_threaded() -> bool:
    """Whether a fork is safe: no other thread, of Python or of a library, that could hold a lock."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False
