"""Many small reads in one system call: Linux's io_uring, as far as :mod:`ibdscan.pages.gather` needs it.

The interface is the kernel's own (linux/io_uring.h): two rings shared with the kernel, one of requests
and one of results. Where it is not to be had (other systems, older kernels, containers that forbid it)
opening a ring raises OSError.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import sys

import numpy as np
import numpy.typing as npt

_SETUP, _ENTER = 425, 426  # the same numbers on all architectures
_OP_READ = 22
_GET_EVENTS = 1
_FEAT_SINGLE_MMAP = 1
_OFF_SQES = 0x10000000
_MAP_POPULATE = 0x8000
_ENTRIES = 1024

_PARAMS = np.dtype(
    {
        "names": ["sq_entries", "cq_entries", "features", "sq", "cq"],
        "formats": ["u4", "u4", "u4", ("u4", 10), ("u4", 10)],
        "offsets": [0, 4, 20, 40, 80],
        "itemsize": 120,
    }
)
"""``struct io_uring_params``; in sq and cq: head, tail, mask, entries, flags, dropped or results, array."""
_REQUEST = np.dtype(
    {
        "names": ["opcode", "fd", "offset", "address", "length"],
        "formats": ["u1", "i4", "u8", "u8", "u4"],
        "offsets": [0, 4, 8, 16, 24],
        "itemsize": 64,
    }
)
_RESULT = np.dtype([("user_data", "u8"), ("result", "i4"), ("flags", "u4")])


class Ring:
    """An io_uring for reads of one file. Raises OSError where the system has none."""

    def __init__(self, fd: int) -> None:
        if not sys.platform.startswith("linux"):
            raise OSError(errno.ENOSYS, "io_uring is Linux's")
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        params = np.zeros(1, _PARAMS)
        self._ring = self._call(_SETUP, ctypes.c_uint(_ENTRIES), ctypes.c_void_p(params.ctypes.data))
        try:
            self._map(params[0])
        except BaseException:
            os.close(self._ring)
            raise
        self._requests["opcode"] = _OP_READ
        self._requests["fd"] = fd

    def _map(self, params: npt.NDArray[np.void]) -> None:
        if not int(params["features"]) & _FEAT_SINGLE_MMAP:
            raise OSError(errno.ENOSYS, "io_uring of an older kernel")
        n, n_results = int(params["sq_entries"]), int(params["cq_entries"])
        sq, cq = params["sq"].tolist(), params["cq"].tolist()
        size = max(sq[6] + 4 * n, cq[5] + _RESULT.itemsize * n_results)
        shared = mmap.MAP_SHARED | _MAP_POPULATE
        self._rings = mmap.mmap(self._ring, size, shared, mmap.PROT_READ | mmap.PROT_WRITE)
        self._entries = mmap.mmap(
            self._ring, n * _REQUEST.itemsize, shared, mmap.PROT_READ | mmap.PROT_WRITE, offset=_OFF_SQES
        )
        self._n, self._n_results = n, n_results
        self._sq_tail = np.frombuffer(self._rings, np.uint32, 1, sq[1])
        self._sq_array = np.frombuffer(self._rings, np.uint32, n, sq[6])
        self._cq_head = np.frombuffer(self._rings, np.uint32, 1, cq[0])
        self._cq_tail = np.frombuffer(self._rings, np.uint32, 1, cq[1])
        self._results = np.frombuffer(self._rings, _RESULT, n_results, cq[5])
        self._requests = np.frombuffer(self._entries, _REQUEST)
        self._order = np.arange(n, dtype=np.uint32)

    def _call(self, number: int, *arguments: object) -> int:
        while True:
            done = int(self._syscall(number, *arguments))
            if done >= 0:
                return done
            code = ctypes.get_errno()
            if code != errno.EINTR:
                raise OSError(code, os.strerror(code))

    def read(self, out: npt.NDArray[np.uint8], first: int, stride: int) -> None:
        """Fill ``out`` (count, width) with the heads of blocks from ``first`` on. Raises EOFError past the end."""
        width = out.shape[1]
        self._requests["length"] = width
        for start in range(0, len(out), self._n):
            n = min(self._n, len(out) - start)
            self._batch(out[start : start + n], first + start, stride)

    def _batch(self, out: npt.NDArray[np.uint8], first: int, stride: int) -> None:
        n, width = out.shape
        blocks = self._order[:n].astype(np.uint64)
        requests = self._requests[:n]
        requests["offset"] = (blocks + np.uint64(first)) * np.uint64(stride)
        requests["address"] = blocks * np.uint64(width) + np.uint64(out.ctypes.data)
        tail = int(self._sq_tail[0])
        self._sq_array[(tail + self._order[:n]) % np.uint32(self._n)] = self._order[:n]
        self._sq_tail[0] = (tail + n) & 0xFFFFFFFF
        submitted = 0
        while submitted < n or self._waiting() < n:
            wanted = ctypes.c_uint(n - submitted), ctypes.c_uint(n), ctypes.c_uint(_GET_EVENTS)
            submitted += self._call(_ENTER, self._ring, *wanted, None, ctypes.c_size_t(0))
        head = int(self._cq_head[0])
        results = self._results["result"][(head + self._order[:n]) % np.uint32(self._n_results)]
        self._cq_head[0] = (head + n) & 0xFFFFFFFF
        if (results < 0).any():
            code = -int(results.min())
            raise OSError(code, os.strerror(code))
        if (results != width).any():
            raise EOFError

    def _waiting(self) -> int:
        return (int(self._cq_tail[0]) - int(self._cq_head[0])) & 0xFFFFFFFF

    def close(self) -> None:
        """Close the ring; the file stays the caller's."""
        del self._sq_tail, self._sq_array, self._cq_head, self._cq_tail, self._results, self._requests
        self._rings.close()
        self._entries.close()
        os.close(self._ring)
