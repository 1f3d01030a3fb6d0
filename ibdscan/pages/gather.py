"""The first bytes of many pages at once.

A 16 KiB page has some 94 bytes that matter here. There are three ways to collect them, and which is
quickest depends on how the file lies in the page cache (measured on 97,536 pages, warm):

- one ``pread`` a page: 104 ms, whatever the cache looks like;
- io_uring, a thousand reads a system call: 77 ms, where the system allows it;
- copying from a mapping: 33 ms where the cache holds the file in large folios (it was read in order),
  145 ms where it holds single pages (a server or a copy wrote it).

So the first pages of a large file are read by io_uring (or ``pread``) and from a mapping, and the rest
the way that was quicker. A mapped file that is cut short would kill the process with SIGBUS if Python
touched it; here the *kernel* copies from the mapping, by ``writev`` into a pipe, and reports a page that
is gone as EFAULT.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import mmap
import os
import sys
import threading
import time
from itertools import repeat
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ibdscan.pages.cores import available_cores
from ibdscan.pages.uring import Ring

_IOV_MAX = 512
_PIPE_BYTES = 1 << 16
_WINDOW_BYTES = 4 << 20
"""Mapped pages count as memory of the process until they are given back: not more than this at a time."""
_READAHEAD_BYTES = 32 << 20
_SAMPLE = 1024
_WARM_UP = 64
_WORTH_A_JUMP = 256
_WORTH_A_SAMPLE = 8 * _SAMPLE
_MAX_LANES = 4
_LANE_BLOCKS = 2048
"""Blocks that a thread is started for: they take it some twenty times as long as its start."""

_Heads = npt.NDArray[np.uint8]


class _Way(Protocol):
    def read(self, out: _Heads, first: int, stride: int) -> None:
        """Fill ``out`` with block heads. Raises EOFError where the file has ended."""

    def close(self) -> None:
        """Give back what was opened; the descriptor stays the caller's."""


WAYS = ("pread", "uring", "mapping")


class Gatherer:
    """Collects block heads of one open file of ``size`` bytes. ``way`` (of :data:`WAYS`) leaves no choice;
    ``lanes``: threads that read at the same time, None for as many as there are cores, up to four."""

    def __init__(self, fd: int, size: int, *, way: str | None = None, lanes: int | None = None) -> None:
        self._fd = fd
        self._size = size
        self._lanes = min(available_cores(), _MAX_LANES) if lanes is None else lanes
        self._undecided = way is None
        self._way: _Way = self._open(way or "pread")

    def _open(self, way: str) -> _Way:
        if way == "uring":
            return Ring(self._fd)
        return _Mapping(self._fd, self._size) if way == "mapping" else _Pread(self._fd)

    def gather(self, first: int, count: int, stride: int, width: int) -> _Heads:
        """uint8 (count, width): the heads of ``count`` blocks. Raises EOFError past the file's end."""
        out = np.empty((count, width), np.uint8)
        if (first + count - 1) * stride + width > self._size:
            raise EOFError
        done = self._choose(out, first, stride) if self._undecided and count >= _WORTH_A_SAMPLE else 0
        ahead = max(1, _READAHEAD_BYTES // stride, self._lanes * _LANE_BLOCKS)
        while done < count:
            blank = self._blank_blocks(first + done, stride)
            part = out[done : done + (blank or ahead)]
            if blank:
                part[:] = 0
            else:
                self._read_ahead((first + done) * stride, len(part) * stride)
                self._way.read(part, first + done, stride)
            done += len(part)
        return out

    def _blank_blocks(self, first: int, stride: int) -> int:
        """Blocks from ``first`` on that lie in a hole of the file, 0 where it is not worth a jump: of a sparse
        file of 50 GB, reading its holes would take as long as reading data."""
        if not hasattr(os, "SEEK_DATA"):
            return 0
        offset = first * stride
        try:
            blocks = (os.lseek(self._fd, offset, os.SEEK_DATA) - offset) // stride
        except OSError as e:
            # ENXIO: no data from there on; unless the file was cut short, to the end
            whole = e.errno == errno.ENXIO and os.fstat(self._fd).st_size >= self._size
            blocks = (self._size - offset) // stride if whole else 0
        return blocks if blocks >= _WORTH_A_JUMP else 0

    def _choose(self, out: _Heads, first: int, stride: int) -> int:
        """io_uring where there is one; and a mapping instead, if it reads the first blocks quicker.

        Returns the blocks done.
        """
        self._undecided = False
        name = "pread"
        self._read_ahead(first * stride, 2 * _SAMPLE * stride)
        with contextlib.suppress(OSError, ValueError):
            self._way = self._open("uring")
            name = "uring"
        took = self._timed(self._way, out[:_SAMPLE], first, stride)
        done = _SAMPLE
        mapping = None
        with contextlib.suppress(OSError, ValueError):
            mapping = self._open("mapping")
        if mapping is not None:
            done += _SAMPLE
            if self._timed(mapping, out[_SAMPLE:done], first + _SAMPLE, stride) < took:
                mapping, self._way, name = self._way, mapping, "mapping"
            mapping.close()
        if name != "pread" and self._lanes > 1:
            self._way = _Lanes([self._way, *self._more(name)])
        return done

    def _more(self, name: str) -> list[_Way]:
        """The same way for the other lanes; fewer where the system has no more descriptors or memory for them."""
        more: list[_Way] = []
        with contextlib.suppress(OSError, ValueError):
            while len(more) < self._lanes - 1:
                more.append(self._open(name))
        return more

    def _timed(self, way: _Way, out: _Heads, first: int, stride: int) -> float:
        way.read(out[:_WARM_UP], first, stride)  # does what only the first call has to
        start = time.perf_counter()
        way.read(out, first, stride)
        return time.perf_counter() - start

    def _read_ahead(self, offset: int, n: int) -> None:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._fd, offset, n, os.POSIX_FADV_WILLNEED)

    def close(self) -> None:
        """Give back mapping, pipe and ring; the descriptor stays the caller's."""
        self._way.close()


class _Lanes:
    """Several of a kind, each for a part of the blocks, in threads: the system calls do not hold up Python."""

    def __init__(self, ways: list[_Way]) -> None:
        self._ways = ways

    def read(self, out: _Heads, first: int, stride: int) -> None:
        n = max(1, min(len(self._ways), len(out) // _LANE_BLOCKS))
        bounds = [len(out) * i // n for i in range(n + 1)]
        failures: list[Exception] = []

        def run(lane: int) -> None:
            start, end = bounds[lane : lane + 2]
            try:
                self._ways[lane].read(out[start:end], first + start, stride)
            except Exception as e:
                failures.append(e)

        threads = [threading.Thread(target=run, args=(lane,)) for lane in range(1, n)]
        for thread in threads:
            thread.start()
        run(0)
        for thread in threads:
            thread.join()
        if failures:
            raise failures[0]

    def close(self) -> None:
        for way in self._ways:
            way.close()


class _Pread:
    """One ``pread`` a block."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def read(self, out: _Heads, first: int, stride: int) -> None:
        width = out.shape[1]
        offsets = range(first * stride, (first + len(out)) * stride, stride)
        joined = b"".join(map(os.pread, repeat(self._fd), repeat(width), offsets))
        if len(joined) != out.size:
            raise EOFError
        out[:] = np.frombuffer(joined, np.uint8).reshape(out.shape)

    def close(self) -> None:
        """Nothing was opened."""


class _Mapping:
    """The whole file mapped, and a pipe to copy through."""

    def __init__(self, fd: int, size: int) -> None:
        if not sys.platform.startswith(("linux", "darwin")):
            raise OSError(errno.ENOSYS, "no writev from a mapping here")
        self._size = size
        self._map = mmap.mmap(fd, size, access=mmap.ACCESS_READ)
        self._base = np.frombuffer(self._map, np.uint8).ctypes.data
        self._writev = ctypes.CDLL(None, use_errno=True).writev
        self._writev.restype = ctypes.c_ssize_t
        self._writev.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
        self._read_end, self._write_end = os.pipe()

    def read(self, out: _Heads, first: int, stride: int) -> None:
        step = max(1, _WINDOW_BYTES // stride)
        for start in range(0, len(out), step):
            part = out[start : start + step]
            self._copy_window(part, first + start, stride)
            self._give_back((first + start) * stride, len(part) * stride)

    def _copy_window(self, out: _Heads, first: int, stride: int) -> None:
        count, width = out.shape
        vectors = np.empty((count, 2), np.uint64)
        vectors[:, 0] = self._base + np.arange(first, first + count, dtype=np.uint64) * np.uint64(stride)
        vectors[:, 1] = width
        target = memoryview(out.data).cast("B")
        step = max(1, min(_IOV_MAX, _PIPE_BYTES // width))
        for i in range(0, count, step):
            n = min(step, count - i)
            done = self._writev(self._write_end, vectors.ctypes.data + 16 * i, n)
            if done > 0:
                _drain(self._read_end, target[i * width : i * width + done])
            if done != n * width:
                code = ctypes.get_errno()
                if done >= 0 or code == errno.EFAULT:
                    raise EOFError
                raise OSError(code, os.strerror(code))

    def _give_back(self, offset: int, n: int) -> None:
        start = offset - offset % mmap.PAGESIZE
        self._map.madvise(mmap.MADV_DONTNEED, start, min(offset + n, self._size) - start)

    def close(self) -> None:
        os.close(self._read_end)
        os.close(self._write_end)
        self._map.close()


def _drain(fd: int, target: memoryview) -> None:
    got = 0
    while got < len(target):
        got += os.readv(fd, [target[got:]])
