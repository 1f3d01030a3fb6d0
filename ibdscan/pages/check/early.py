"""The pass over a large file, begun before anything else is imported.

A process without threads can fork its workers, and they read while this one imports. So this module, and
all that it imports, stays small.
"""

from __future__ import annotations

import os

from ibdscan.errors import IbdError
from ibdscan.pages.check.sums import PageSums
from ibdscan.pages.format.flags import parse_flags
from ibdscan.pages.source.packed import packed_with

EARLY_BYTES = 64 << 20
"""Smaller files are read before a worker is there."""
_FLAGS_OFFSET = 54
_begun: dict[str, PageSums] = {}


def begin_first(words: list[str]) -> None:
    """Begin with the first of some words that names a file, if that is large; :func:`take` hands the pass over."""
    for word in words:
        if _size(word) is not None:
            begun = begin(word) if _is_large(word) else None
            if begun is not None:
                _begun[word] = begun
            return


def take(path: str) -> PageSums | None:
    """The pass over a file, begun before or now; None for a small file, and where :func:`begin` has none."""
    begun = _begun.pop(path, None)
    drop()
    return begun or (begin(path) if _is_large(path) else None)


def drop() -> None:
    """End what was begun and not taken."""
    while _begun:
        _begun.popitem()[1].close()


def begin(path: str) -> PageSums | None:
    """Start the pass over a file of which nothing was read yet, page 0 taken at its word. None where that is not
    to be had; whoever opens the file in earnest says why."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except OSError:
        return None
    try:
        head = os.pread(fd, _FLAGS_OFFSET + 4, 0)
        flags = parse_flags(int.from_bytes(head[_FLAGS_OFFSET:], "big"), set(), path)
        size = os.fstat(fd).st_size
        if packed_with(head) is not None or size < flags.geometry.physical:
            raise ValueError
    except (OSError, IbdError, ValueError):
        os.close(fd)
        return None
    return PageSums(fd, size, flags, owns_fd=True).start()


def _is_large(path: str) -> bool:
    return (_size(path) or 0) >= EARLY_BYTES


def _size(path: str) -> int | None:
    """None where there is no such file."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return None
