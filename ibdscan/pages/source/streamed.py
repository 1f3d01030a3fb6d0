"""A file that comes by once, from the first byte to the last: a pipe, a member of an archive, a packed copy.

What was kept of it can be read as if it were a file; what went by can not, and is said so.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibdscan.errors import NotKeptError
from ibdscan.pages.source.file import Source

MAX_KEPT_BYTES = 64 << 20
"""Whole pages that are kept, besides a hundredth of what went by: a hostile file could want all to be kept."""


class StreamedSource(Source):
    """``size`` grows with what has come. The last bytes shown can be read, and pages that were kept."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._body = None
        self._fd = -1
        self.allocated_bytes = None
        self.is_copy = True
        self.size = 0
        self._window, self._at = memoryview(b""), 0
        self._kept: dict[int, bytes] = {}
        self._page_bytes = 0

    def show(self, window: memoryview, at: int, size: int) -> None:
        """``window`` begins at byte ``at`` of the file, of which ``size`` bytes are known to be there."""
        self._window, self._at, self.size = window, at, size

    def keep(self, page_no: int, n: int) -> None:
        """Keep a page of ``n`` bytes of the window for good. Raises NotKeptError where that were too many."""
        self._page_bytes = n
        if len(self._kept) * n > MAX_KEPT_BYTES + self.size // 100:
            raise NotKeptError(
                f"more than {MAX_KEPT_BYTES >> 20} MiB of pages that have to be kept: too many for a stream",
                path=self.path,
            )
        start = page_no * n - self._at
        self._kept[page_no] = bytes(self._window[start : start + n])

    def read(self, offset: int, n: int) -> bytes:
        start = offset - self._at
        if start >= 0 and start + n <= len(self._window):
            return bytes(self._window[start : start + n])
        page = offset // (self._page_bytes or 1)
        start = offset - page * self._page_bytes
        kept = self._kept.get(page)
        if kept is None or start + n > len(kept):
            raise NotKeptError(
                f"bytes {offset} to {offset + n - 1} went by: it takes a second look, a stream gives only one",
                path=self.path,
            )
        return kept[start : start + n]

    def gather(self, first: int, count: int, stride: int, width: int) -> npt.NDArray[np.uint8]:
        raise NotKeptError("the pages went by: a stream gives only one look", path=self.path)

    def count_holes(self) -> int | None:
        return None

    def will_need(self, n: int) -> None:
        """Nothing can be read ahead."""
