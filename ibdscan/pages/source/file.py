"""Where the bytes come from: plain files, and ``.xz`` / ``.gz`` copies unpacked to a temporary file.

Files are opened read-only and never locked. A small file is read at once and as a whole: of a hundred
thousand of them each system call counts. Of all others nothing here keeps page bodies.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.errors import NotATablespaceError, ShrunkError, UnreadableError
from ibdscan.pages.source.gather import read_heads
from ibdscan.pages.source.packed import HEAD_BYTES, packed_with

_COPY_BYTES = 1 << 20
SMALL_BYTES = 1 << 20
"""Files up to this size are read with one call."""
_PACED_PAGES = 1024
_BLOCK_BYTES = 4096
"""What the kernel reads for a page whose first bytes are wanted."""


class Source:
    """A file read by offset. ``pace`` is told of the bytes read; it may sleep.

    ``size`` is in bytes as of opening, ``allocated_bytes`` what the file system has allocated for it
    (None for a compressed copy, whose holes are not known).
    """

    pace: Callable[[int], None] | None = None

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._body: bytes | None = None
        self._fd = _open_readonly(self.path)
        try:
            status = os.fstat(self._fd)
            self.allocated_bytes: int | None = _allocated(status)
            self.is_copy = self._unpack_copy()
            self.size = os.fstat(self._fd).st_size if self.is_copy else status.st_size
        except BaseException:
            self.close()
            raise

    def _unpack_copy(self) -> bool:
        module = packed_with(os.pread(self._fd, HEAD_BYTES, 0))
        if module is None:
            return False
        packed = self._fd
        self._fd = _unpack(self.path, packed, module)
        os.close(packed)
        self.allocated_bytes = None
        return True

    def read(self, offset: int, n: int) -> bytes:
        """``n`` bytes from ``offset``. Raises ShrunkError when the file is shorter than when opened."""
        if self.size <= SMALL_BYTES:
            body = self._whole()
            if offset + n > len(body):
                raise self._shrunk(offset)
            return body[offset : offset + n]
        return self._read(offset, n)

    def _whole(self) -> bytes:
        if self._body is None:
            self._body = self._read(0, self.size) if self.size else b""
            if self.pace is not None:
                self.pace(self.size)
        return self._body

    def _read(self, offset: int, n: int) -> bytes:
        parts = []
        while n > 0:
            try:
                part = os.pread(self._fd, n, offset)
            except OSError as e:
                raise UnreadableError(f"can not read: {e.strerror}", path=self.path) from e
            if not part:
                raise self._shrunk(offset)
            parts.append(part)
            offset += len(part)
            n -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        """The first ``width`` bytes of ``count`` blocks of ``stride`` bytes, from block ``first`` on.

        Returns uint8 of shape (count, width). Raises ShrunkError when the file ends before.
        """
        if self.pace is not None and self.size > SMALL_BYTES and count > 0:
            return self._gather_paced(first, count, stride, width, self.pace)
        return self._gather(first, count, stride, width)

    def _gather_paced(
        self, first: int, count: int, stride: int, width: int, pace: Callable[[int], None]
    ) -> npt.NDArray[np.uint8]:
        parts = []
        for start in range(first, first + count, _PACED_PAGES):
            n = min(_PACED_PAGES, first + count - start)
            parts.append(self._gather(start, n, stride, width))
            pace(n * min(stride, _BLOCK_BYTES))
        return np.concatenate(parts)

    def _gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        if self.size <= SMALL_BYTES:
            body = self._whole()
            if os.fstat(self._fd).st_size < self.size:
                raise self._shrunk(first * stride)
            if first >= 0 and (first + count) * stride <= len(body):
                blocks = np.frombuffer(body, np.uint8, count * stride, first * stride).reshape(count, stride)
                return np.ascontiguousarray(blocks[:, :width])
        try:
            return read_heads(self._fd, self.size, first, count, stride, width)
        except EOFError:
            raise self._shrunk(first * stride) from None
        except OSError as e:
            raise UnreadableError(f"can not read: {e.strerror}", path=self.path) from e

    def count_holes(self) -> int | None:
        """Holes of the file (punched by page compression); None where the file system does not tell."""
        if self.is_copy or not hasattr(os, "SEEK_HOLE"):
            return None
        holes = at = 0
        try:
            while at < self.size:
                hole = os.lseek(self._fd, at, os.SEEK_HOLE)
                if hole >= self.size:
                    break
                holes += 1
                at = os.lseek(self._fd, hole, os.SEEK_DATA)
        except OSError as e:
            return holes if e.errno == errno.ENXIO else None  # ENXIO: no data after that hole
        return holes

    def _shrunk(self, offset: int) -> ShrunkError:
        now = os.fstat(self._fd).st_size
        return ShrunkError(
            f"the file was cut short while it was read: {self.size} bytes when opened, {now} now, "
            f"nothing at byte {max(offset, now)}",
            path=self.path,
        )

    def will_need(self, n: int) -> None:
        """Have the kernel read the first ``n`` bytes while others are worked on."""
        if hasattr(os, "posix_fadvise") and self._fd >= 0:
            os.posix_fadvise(self._fd, 0, n, os.POSIX_FADV_WILLNEED)

    def close(self) -> None:
        """Close the file; the object can not be read afterwards."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_fd", -1) >= 0:
            self.close()


def _open_readonly(path: str) -> int:
    try:
        fd = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as e:
        reason = "no such file" if isinstance(e, FileNotFoundError) else e.strerror
        raise UnreadableError(f"can not open: {reason}", path=path) from e
    except ValueError as e:  # a null byte in the name
        raise UnreadableError(f"can not open: {e}", path=path) from e
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        what = "a directory" if stat.S_ISDIR(mode) else "not a regular file"
        raise UnreadableError(f"can not read: it is {what}", path=path)
    return fd


def _allocated(status: os.stat_result) -> int | None:
    blocks = getattr(status, "st_blocks", None)
    return None if blocks is None else int(blocks) * 512


def _unpack(path: str, packed: int, module: str) -> int:
    """Unpack to an unnamed temporary file, holes kept as holes; returns its descriptor."""
    import tempfile

    out = tempfile.TemporaryFile()  # noqa: SIM115 - handed over as a descriptor below
    with out, os.fdopen(os.dup(packed), "rb") as raw:
        raw.seek(0)
        opener, errors = _opener(module)
        try:
            with opener(raw) as unpacked:
                while block := unpacked.read(_COPY_BYTES):
                    if block.count(0) == len(block):
                        out.seek(len(block), os.SEEK_CUR)
                    else:
                        out.write(block)
        except errors as e:
            raise NotATablespaceError(f"the compressed copy is damaged or cut short: {e}", path=path) from e
        except OSError as e:
            raise UnreadableError(f"can not unpack to a temporary file: {e}", path=path) from e
        out.truncate(out.tell())
        out.flush()
        return os.dup(out.fileno())


def _opener(module: str) -> tuple[Callable[[Any], Any], tuple[type[Exception], ...]]:
    if module == "lzma":
        import lzma

        return lzma.LZMAFile, (lzma.LZMAError, EOFError)
    import gzip
    import zlib

    return (lambda raw: gzip.GzipFile(fileobj=raw)), (gzip.BadGzipFile, zlib.error, EOFError)
