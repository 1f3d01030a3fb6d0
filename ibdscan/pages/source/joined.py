"""Several files as one: the system tablespace with ``innodb_data_file_path=ibdata1:...;ibdata2:...``."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnsupportedFormatError
from ibdscan.pages.source.file import Source

SEPARATOR = ":"


class JoinedSource(Source):
    """The files of one tablespace in their order, read as if they were one file."""

    def __init__(self, paths: list[str]) -> None:
        self._body = None
        self._fd = -1
        self.path = SEPARATOR.join(paths)
        self.parts: list[Source] = []
        try:
            self.parts += [Source(path) for path in paths]
        except BaseException:
            self.close()
            raise
        allocated = [part.allocated_bytes for part in self.parts]
        known = [n for n in allocated if n is not None]
        self.allocated_bytes = sum(known) if len(known) == len(allocated) else None
        self.is_copy = any(part.is_copy for part in self.parts)
        self.size = sum(part.size for part in self.parts)

    def read(self, offset: int, n: int) -> bytes:
        found = []
        for part in self.parts:
            if n > 0 and offset < part.size:
                found.append(part.read(offset, min(n, part.size - offset)))
                n, offset = n - len(found[-1]), part.size
            offset -= part.size
        return b"".join(found)

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        out = []
        for part in self.parts:
            pages, rest = divmod(part.size, stride)
            if rest and part is not self.parts[-1]:
                raise UnsupportedFormatError(
                    f"{part.size} bytes are not a whole number of pages: not the first of several files",
                    path=part.path,
                )
            here = min(count, pages - first)
            if here > 0:
                out.append(part.gather(first, here, stride, width))
                first, count = first + here, count - here
            first -= pages
        return np.concatenate(out) if out else np.empty((0, width), np.uint8)

    def count_holes(self) -> int | None:
        found = [part.count_holes() for part in self.parts]
        known = [n for n in found if n is not None]
        return sum(known) if len(known) == len(found) else None

    def close(self) -> None:
        for part in self.parts:
            part.close()


def open_source(path: str | os.PathLike[str]) -> Source:
    """A file, or several joined by colons (``ibdata1:ibdata2``) where no file has that name."""
    name = os.fspath(path)
    if SEPARATOR in name and not os.path.exists(name):
        parts = name.split(SEPARATOR)
        if len(parts) > 1 and all(os.path.isfile(part) for part in parts):
            return JoinedSource(parts)
    return Source(name)
