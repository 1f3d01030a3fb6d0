"""A tablespace whose page 0 can not be believed: its format from the pages after it.

For ``verify`` alone, which must say of such a file what is broken, and not that it is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np

from ibdscan.errors import IbdError, NotATablespaceError
from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.format import checksums as c
from ibdscan.pages.format.flags import Flags, parse_flags
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import Tablespace

_TRIED_PAGES = 16
_HEAD_BYTES = 512
_PAGE_SHIFTS = (3, 4, 5, 6, 7)


def read_headless(source: Source, error: NotATablespaceError) -> Tablespace:
    """A tablespace without the word of page 0: most of its first pages must fit one format and one space id.

    Raises ``error`` where none does.
    """
    best: tuple[int, Flags, int] | None = None
    for flags in _candidates():
        good, space_id = _fits(source, flags)
        if good and (best is None or good > best[0]):
            best = good, flags, space_id
    if best is None:
        raise error
    _, flags, space_id = best
    head = source.read(0, FIL_HEADER.sizeof())
    fil = FIL_HEADER.parse(head)
    fsp = SimpleNamespace(space_id=space_id, flags=flags.raw)
    family = "mariadb" if flags.full_crc32 or fil.prev == FIL_NULL else "mysql"
    return Tablespace(source, flags, fil, fsp, family, False, None)


def _candidates() -> Iterator[Flags]:
    raws = [0x10 | shift for shift in _PAGE_SHIFTS]
    raws += [0x21 | (0 if shift == 5 else shift << 6) for shift in _PAGE_SHIFTS]
    raws += [0x21 | zip_shift << 1 for zip_shift in range(1, 5)]
    for raw in raws:
        yield parse_flags(raw, set(), "")


def _fits(source: Source, flags: Flags) -> tuple[int, int]:
    """How many of the first pages are right in this format, and their space id; 0 where half are not."""
    size = flags.geometry.physical
    spaces: dict[int, int] = {}
    tried = 0
    for page_no in range(1, min(_TRIED_PAGES, source.size // size)):
        try:
            page = source.read(page_no * size, size)
        except IbdError:
            break
        if not any(page[:_HEAD_BYTES]):
            continue
        tried += 1
        if int.from_bytes(page[4:8], "big") == page_no and has_checksum(page, flags):
            space_id = int.from_bytes(page[34:38], "big")
            spaces[space_id] = spaces.get(space_id, 0) + 1
    if not spaces:
        return 0, 0
    space_id, good = max(spaces.items(), key=lambda item: item[1])
    return (good, space_id) if 2 * good >= tried else (0, 0)


def has_checksum(page: bytes, flags: Flags) -> bool:
    """Whether a page carries a checksum of any algorithm of its format."""
    if flags.full_crc32:
        return c.has_crc32(page, flags)
    if flags.is_zip:
        sums = c.zip_crc32_of(page), c.zip_adler32_of(page), c.NO_CHECKSUM
        return int.from_bytes(page[:4], "big") in sums
    row = np.frombuffer(page, np.uint8).reshape(1, -1)
    one, two = c.classic_algorithms(row, np.array([c.classic_crc32_of(page)], np.uint32))
    return bool(one[0] != c.WRONG and two[0] != c.WRONG)
