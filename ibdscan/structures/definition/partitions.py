"""Names for the file of a partition: the first one's file alone describes the table (MySQL 8.0+; sql/sdi.cc).

Which one is the first, the file names do not tell: it is the one whose SDI has the table.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

import numpy as np

from ibdscan.errors import IbdError
from ibdscan.layout.bridge import reader_of
from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.fsp import SDI_HEADER, sdi_header_offset
from ibdscan.layout.index import INDEX_HEADER, INDEX_HEADER_OFFSET
from ibdscan.layout.numbers import FIL_NULL, PageType
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.definition.sdi import (
    IndexName,
    SdiObject,
    has_instant_columns,
    index_names,
    index_places,
    leaf_image,
    record_origins,
)
from ibdscan.structures.definition.sdi import read_sdi as read_leaves
from ibdscan.structures.finding import Findings

_STEM = re.compile(r".+?#p#", re.IGNORECASE | re.DOTALL)
_FILE_END = re.compile(r"\.ibd(\.xz|\.gz)?", re.IGNORECASE)
_KEY_BYTES = 12
"""SDI type and id; in a node pointer the child's page number follows."""
_MAX_LEVELS = 10
_instant: dict[str, bool] = {}
_holders: dict[str, str] = {}
"""Folder and name up to ``#p#`` -> the file that was found to describe the table."""


def partition_names(space: Tablespace, roots: dict[int, int]) -> dict[int, IndexName]:
    """Names by index id for the trees (index id -> root page) of a partition's file, from the file beside it that
    describes the table. Only an entry with this space's id and that root page is taken."""
    objects = _described_beside(space)
    places, names = index_places(objects), index_names(objects)[0]
    return {i: names[i] for i, root in roots.items() if places.get(i) == (space.space_id, root)}


def partition_has_instant_columns(space: Tablespace, index_id: int) -> bool:
    """As :func:`~ibdscan.structures.definition.sdi.has_instant_columns`, by the file beside a partition's that
    describes the table: asked once a table, which may have thousands of partitions."""
    key = _table_key(space)
    if key not in _instant:
        _instant[key] = has_instant_columns(_described_beside(space), index_id)
    return _instant[key]


def _table_key(space: Tablespace) -> str:
    stem = _STEM.match(os.path.basename(space.path))
    return os.path.join(os.path.dirname(os.path.abspath(space.path)), stem[0]) if stem else ""


def _described_beside(space: Tablespace) -> list[SdiObject]:
    key = _table_key(space)
    if not key:
        return []
    for path in _siblings(*os.path.split(key), _holders.get(key)):
        if os.path.basename(path) == os.path.basename(space.path):
            continue
        objects = _read_beside(path, space)
        if any(entry.type == 1 for entry in objects):
            _holders[key] = path
            return objects
    return []


def _siblings(folder: str, stem: str, known: str | None) -> Iterator[str]:
    """Files of the table's partitions, the one that is known to describe it before the others by name."""
    if known is not None and os.path.isfile(known):
        yield known
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for name in sorted(names):
        if name.startswith(stem) and _FILE_END.search(name) is not None:
            yield os.path.join(folder, name)


def _read_beside(path: str, space: Tablespace) -> list[SdiObject]:
    """The SDI of a sibling, nothing where it can not be read: it was not asked for."""
    try:
        with Source(path) as source:
            return read_objects(read_tablespace(source, space.keyring))
    except (IbdError, OSError, ValueError):
        return []


def read_objects(space: Tablespace) -> list[SdiObject]:
    """The SDI of a file by its own tree alone: no other page is read."""
    if not space.flags.sdi:
        return []
    root = reader_of(SDI_HEADER)(space.read_page(0), sdi_header_offset(space.geometry)).root
    return read_leaves(space, np.array(list(_leaves(space, root)), np.int64), Findings())


def _leaves(space: Tablespace, root: int) -> Iterator[int]:
    page_no = root
    for _ in range(_MAX_LEVELS):
        if not 0 < page_no < space.n_pages:
            return
        image = leaf_image(space, page_no)
        if reader_of(INDEX_HEADER)(image, INDEX_HEADER_OFFSET).level == 0:
            break
        origin = next(record_origins(image), None)
        if origin is None:
            return
        page_no = int.from_bytes(image[origin + _KEY_BYTES : origin + _KEY_BYTES + 4], "big")
    seen: set[int] = set()
    while page_no != FIL_NULL and page_no not in seen and page_no < space.n_pages:
        head = reader_of(FIL_HEADER)(space.read_raw(page_no), 0)
        if head.type not in _SDI_TYPES:
            return
        seen.add(page_no)
        yield page_no
        page_no = head.next


_SDI_TYPES = (PageType.SDI, PageType.ENCRYPTED, PageType.COMPRESSED, PageType.COMPRESSED_AND_ENCRYPTED)
