"""Extents and segments together, and remembered: of 100,000 small files most have the same pages in use.

What the descriptors and inodes of a small file say depends on a few hundred bytes, which hold no id of a space
or an index. Where they are the same as in a file read before, and nothing was wrong with that, so is the answer.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ibdscan.layout.fsp import FSP_HEADER_OFFSET, INODE_ARRAY_OFFSET, INODE_LIST_NODE_OFFSET, XDES_ARRAY_OFFSET
from ibdscan.layout.numbers import SDI_INDEX_ID
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.agreement import check_segments
from ibdscan.structures.space.extents import Extents, read_extents
from ibdscan.structures.space.segments import FIRST_INODE_PAGE, Segment, read_segments, segment_of_pages
from ibdscan.structures.space.states import page_classes, page_states

_FSP_SIZE_OFFSET = FSP_HEADER_OFFSET + 8
_TRAILER = 8
_FEW_SEGMENTS = 8
_SDI_ID = np.uint64(SDI_INDEX_ID)
_KEPT = 256


_Codes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Management:
    """Extents, segments, and the ordinal of the segment that owns each page (-1 none, int32 (n_pages,))."""

    extents: Extents
    segments: list[Segment]
    segment_of: npt.NDArray[np.int32]
    is_sound: bool
    """The segments' own counts are known to fit what the extents show."""
    classified: dict[tuple[object, ...], tuple[_Codes, _Codes]] | None = None
    """States and classes of pages by what else they depend on; None where nothing is remembered."""


_seen: OrderedDict[tuple[object, ...], Management] = OrderedDict()


def read_management(space: Tablespace, columns: PageColumns, findings: Findings) -> Management:
    """Read extents and segments, or find that they are those of a file read before."""
    key = _key(space, columns)
    found = _seen.get(key) if key is not None else None
    if found is not None:
        return found
    before = len(findings)
    blind = columns.forms.is_blind
    extents = read_extents(space, columns, findings)
    segments = read_segments(space, columns, extents, findings)
    segment_of = segment_of_pages(segments, extents, space.n_pages, Findings() if blind else findings)
    if key is None or len(findings) != before:
        return Management(extents, segments, segment_of, is_sound=False)
    counted = Findings()
    check_segments(space, segments, extents, segment_of, counted)
    read = Management(extents, segments, segment_of, is_sound=not counted, classified={})
    for shared in (extents.used, extents.state, extents.segment_id, extents.n_used, segment_of):
        shared.flags.writeable = False
    _seen[key] = read
    if len(_seen) > _KEPT:
        _seen.popitem(last=False)
    return read


def classify(
    space: Tablespace, columns: PageColumns, management: Management, tree_of: npt.NDArray[np.int32]
) -> tuple[_Codes, _Codes]:
    """:class:`~ibdscan.structures.space.states.PageState` and ``PageClass`` of every page, uint8 (n_pages,)."""
    known = management.classified
    if known is None or space.space_id == 0:
        return _classify(space, columns, management, tree_of)
    is_sdi = columns.index_id == _SDI_ID
    parts = (columns.written, columns.level, tree_of, is_sdi)
    key = (space.family, *[part.tobytes() for part in parts])
    found = known.get(key)
    if found is None:
        found = _classify(space, columns, management, tree_of)
        for codes in found:
            codes.flags.writeable = False
        if len(known) < _KEPT:
            known[key] = found
    return found


def _classify(
    space: Tablespace, columns: PageColumns, management: Management, tree_of: npt.NDArray[np.int32]
) -> tuple[_Codes, _Codes]:
    states = page_states(space, columns, management.extents)
    return states, page_classes(space, columns, management.extents, tree_of)


def _key(space: Tablespace, columns: PageColumns) -> tuple[object, ...] | None:
    """All that the answer depends on; None for a file of several extents or many segments, or not in clear."""
    geometry = space.geometry
    n_pages = space.n_pages
    if not FIRST_INODE_PAGE < n_pages <= geometry.extent_pages or columns.unread.any():
        return None
    if columns.forms.packed_pages or columns.forms.encrypted_pages:
        return None
    end = XDES_ARRAY_OFFSET + geometry.xdes_entry_bytes
    header = space.source.read(_FSP_SIZE_OFFSET, end - _FSP_SIZE_OFFSET)
    start = FIRST_INODE_PAGE * geometry.physical
    few = INODE_ARRAY_OFFSET + _FEW_SEGMENTS * geometry.inode_bytes
    rest = geometry.physical - few - _TRAILER
    if rest < 0 or space.source.read(start + few, rest) != _zeros(rest):
        return None
    inodes = space.source.read(start + INODE_LIST_NODE_OFFSET, few - INODE_LIST_NODE_OFFSET)
    return n_pages, space.space_id == 0, header, inodes, columns.type.tobytes()


@cache
def _zeros(n: int) -> bytes:
    return bytes(n)
