"""An independent walk over the records of a page, for what COUNT(*) does not count; no code of ibdscan."""

from __future__ import annotations

import struct
from dataclasses import dataclass

_N_HEAP, _INFIMUM_COMPACT, _INFIMUM_REDUNDANT = 42, 99, 101
_SUPREMA = (112, 116)
_MIN_RECORD, _DELETED = 0x10, 0x20


@dataclass
class Uncounted:
    """Records of leaf pages that are no rows."""

    delete_marked: int = 0
    metadata: int = 0
    """MariaDB's hidden record of an instant ALTER: on a leaf, with the flag of the first record of a level."""


def count_uncounted(page: bytes, into: Uncounted) -> None:
    """Add what one leaf page has."""
    compact = bool(struct.unpack_from(">H", page, _N_HEAP)[0] & 0x8000)
    origin = _INFIMUM_COMPACT if compact else _INFIMUM_REDUNDANT
    for _ in range(len(page)):
        (following,) = struct.unpack_from(">H", page, origin - 2)
        origin = (origin + following) & 0xFFFF if compact else following
        if origin in _SUPREMA:
            return
        info = page[origin - (5 if compact else 6)]
        if info & _MIN_RECORD:
            into.metadata += 1
        elif info & _DELETED:
            into.delete_marked += 1
    raise ValueError("the records of the page form a loop")
