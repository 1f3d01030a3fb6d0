"""Pages that are stored compressed or encrypted: which they are, the first bytes of each in clear, and many whole
pages at once.

For the header columns no more of a page is decrypted and inflated than those need. No body is kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.bridge import dtype_of
from ibdscan.layout.fil import FIL_HEADER, FIL_HEADER_BYTES
from ibdscan.layout.index import INDEX_DATA_OFFSET
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages.decode.clear import is_encrypted, is_packed
from ibdscan.pages.decode.inflate import stored_bytes_full_crc32
from ibdscan.pages.space.tablespace import Tablespace

CHUNK_BYTES = 8 << 20
Pages = npt.NDArray[np.int64]
_Mask = npt.NDArray[np.bool_]
_HEAD_BYTES = INDEX_DATA_OFFSET
_WHOLE_TYPES = frozenset({int(PageType.INODE), int(PageType.XDES)})
"""Read in full by the survey, so that damage shows here."""


MAX_LISTED = 100


@dataclass
class Unread:
    """Pages that could not be read for one reason: how many, and the first of them."""

    pages: int = 0
    first: list[int] = field(default_factory=list)


@dataclass
class StoredForms:
    """How the pages of a file are stored, counted over all its pages."""

    packed_pages: int = 0
    """Page-compressed pages."""
    packed_bytes: int = 0
    """Bytes of their images, headers included."""
    algorithms: Counter[str] = field(default_factory=Counter)
    """Page compression: pages by algorithm."""
    encrypted_pages: int = 0
    encrypted_at: list[npt.NDArray[np.int64]] = field(default_factory=list)
    """Numbers of the pages stored encrypted, chunk by chunk, whether they could be decrypted or not."""
    problems: dict[tuple[str, str], Unread] = field(default_factory=dict)
    """(kind, message) -> pages that could not be read for that reason."""

    @property
    def is_blind(self) -> bool:
        """Pages could not be read for want of a key or a codec: no tree can be measured."""
        return any(kind != "damaged-image" for kind, _ in self.problems)

    @property
    def unread_pages(self) -> int:
        return sum(unread.pages for unread in self.problems.values())

    def add_problem(self, kind: str, message: str, page_no: int) -> None:
        """Note a page that could not be read."""
        unread = self.problems.setdefault((kind, message), Unread())
        unread.pages += 1
        if len(unread.first) < MAX_LISTED:
            unread.first.append(page_no)


def stored_masks(space: Tablespace, fil: npt.NDArray[Any], page_nos: Pages) -> tuple[_Mask, _Mask]:
    """Which of the pages are page-compressed and which encrypted, by their FIL headers as stored."""
    types = fil["type"].astype(np.uint16)
    key_version = None  # a word that only MariaDB's classic format has
    if space.family != "mysql" and not space.flags.full_crc32:
        key_version = (fil["flush_lsn"] >> np.uint64(32)).astype(np.uint32)
    later = page_nos != 0  # page 0 never is either
    encrypted = np.asarray(is_encrypted(space, types, fil["checksum"], key_version, page_nos), np.bool_)
    packed = np.asarray(is_packed(space, types), np.bool_)
    return packed & later, encrypted & later


def read_bodies(
    space: Tablespace, pages: Pages, on_unread: Callable[[int, UnreadPageError], None]
) -> Iterator[tuple[Pages, npt.NDArray[np.uint8]]]:
    """Whole pages as :meth:`Tablespace.read_page` gives them, a chunk at a time: (page numbers, uint8 (n, page
    size)). Neighbours are read in one go. A page that can not be read is told and left out."""
    size = space.geometry.physical
    step = max(1, CHUNK_BYTES // size)
    for start in range(0, len(pages), step):
        part = pages[start : start + step]
        body = np.empty((len(part), size), np.uint8)
        edges = [0, *(np.flatnonzero(np.diff(part) != 1) + 1).tolist(), len(part)]
        for first, end in pairwise(edges):
            raw = space.source.read(int(part[first]) * size, (end - first) * size)
            body[first:end] = np.frombuffer(raw, np.uint8).reshape(end - first, size)
        unread = []
        for i in _not_in_clear(space, part, body):
            try:
                clear = space.decoder.decode(body[i].tobytes(), int(part[i]))
                body[i] = np.frombuffer(clear, np.uint8)
            except UnreadPageError as e:
                on_unread(int(part[i]), e)
                unread.append(i)
        yield (np.delete(part, unread), np.delete(body, unread, 0)) if unread else (part, body)


def _not_in_clear(space: Tablespace, pages: Pages, body: npt.NDArray[np.uint8]) -> Pages:
    """Places of the pages that are stored compressed or encrypted."""
    fil = np.ascontiguousarray(body[:, :FIL_HEADER_BYTES]).view(dtype_of(FIL_HEADER)).ravel()
    packed, encrypted = stored_masks(space, fil, pages)
    return np.flatnonzero(packed | encrypted)


def are_plain(space: Tablespace, fil: npt.NDArray[Any]) -> bool:
    """Whether none of a few pages is compressed or encrypted, as :func:`stored_masks` would say; quickly."""
    types = fil["type"].tolist()
    if space.flags.full_crc32:
        return max(types) < PAGE_COMPRESSED_BIT and not any(fil["checksum"].tolist()[1:])
    if space.family == "mysql":
        return _PACKED_MYSQL.isdisjoint(types)
    return space.seal is None and _PACKED_MARIADB.isdisjoint(types)


_PACKED_MYSQL = frozenset(range(int(PageType.COMPRESSED), int(PageType.ENCRYPTED_RTREE) + 1))
_PACKED_MARIADB = frozenset({int(PageType.PAGE_COMPRESSED), int(PageType.PAGE_COMPRESSED_ENCRYPTED)})


class BodyReader:
    """Reads heads of stored pages of one space."""

    def __init__(self, space: Tablespace, forms: StoredForms) -> None:
        self._space = space
        self._forms = forms
        self.was_decrypted = False
        """The last page could be decrypted, whatever came of it then."""

    def types_in_clear(self, fil: npt.NDArray[Any], packed: _Mask, encrypted: _Mask) -> npt.NDArray[np.uint16]:
        """Types of the pages as far as the FIL header tells: MySQL keeps the true type beside the stored one."""
        types: npt.NDArray[np.uint16] = fil["type"].astype(np.uint16)
        if self._space.family != "mysql":
            return types
        original = (fil["flush_lsn"] >> np.uint64(32) & np.uint64(0xFFFF)).astype(np.uint16)
        rtree = types == PageType.ENCRYPTED_RTREE
        told: npt.NDArray[np.uint16] = np.where((packed | encrypted) & ~rtree, original, types).astype(np.uint16)
        told[rtree] = PageType.RTREE
        return told

    def read_head(self, page_no: int, page_type: int, packed: bool, encrypted: bool) -> bytes | None:
        """The first 94 bytes in clear; None where the page can not be read, which is noted in the forms."""
        raw = self._space.read_raw(page_no)
        self.was_decrypted = False
        self._forms.encrypted_pages += encrypted
        if packed:
            self._count_packed(raw)
        # the type is known without inflating, except in MariaDB's compressed pages
        type_known = not packed or self._space.family == "mysql"
        wanted = None if type_known and page_type in _WHOLE_TYPES else _HEAD_BYTES
        try:
            clear = self._space.decoder.decode(raw, page_no, wanted)
        except UnreadPageError as e:
            self.was_decrypted = e.kind not in ("encrypted", "wrong-key")
            self._forms.add_problem(e.kind, e.message, page_no)
            return None
        return clear[:_HEAD_BYTES]

    def _count_packed(self, raw: bytes) -> None:
        forms, space = self._forms, self._space
        forms.packed_pages += 1
        forms.algorithms[space.decoder.algorithm_of(raw)] += 1
        if space.flags.full_crc32:
            forms.packed_bytes += stored_bytes_full_crc32(int.from_bytes(raw[24:26], "big"))
        elif space.family == "mysql":
            forms.packed_bytes += 38 + int.from_bytes(raw[32:34], "big")
        else:
            forms.packed_bytes += 40 + int.from_bytes(raw[38:40], "big")
