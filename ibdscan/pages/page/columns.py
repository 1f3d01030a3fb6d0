"""Header columns of all pages: one vectorised pass over the first bytes of every page.

The dtype comes from the layouts; columns are converted to native order once, chunk by chunk, so that
memory grows by the columns (about 60 bytes a page) and not by the raw headers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout import numbers
from ibdscan.layout.bridge import dtype_of
from ibdscan.layout.fil import FIL_HEADER, FIL_HEADER_BYTES
from ibdscan.layout.index import INDEX_HEADER, SEG_LEAF_OFFSET, capacity, data_bytes
from ibdscan.pages.page.bodies import BodyReader, StoredForms, are_plain, stored_masks
from ibdscan.pages.space.doublewrite import doublewrite_mask
from ibdscan.pages.space.tablespace import Tablespace

CHUNK_PAGES = 1 << 13
_FIRST_INDEX, _LAST_INDEX = int(numbers.PageType.SDI), int(numbers.PageType.INDEX)
Progress = Callable[[int, int], None]
"""Called with the number of pages done since the last call, and of all pages."""


@cache
def page_head_dtype() -> np.dtype[Any]:
    """FIL header and index header as one dtype, 74 bytes."""
    both = np.dtype([("fil", dtype_of(FIL_HEADER)), ("index", dtype_of(INDEX_HEADER))])
    assert both.itemsize == SEG_LEAF_OFFSET
    return both


_FIL = {"page_no": "u4", "prev": "u4", "next": "u4", "lsn": "u8", "type": "u2", "space_id": "u4"}
_NOT_IN_CLEAR = ("type", "space_id")
"""FIL header fields that MariaDB stores compressed or encrypted; the others are always in clear."""
_INDEX = {
    "n_dir_slots": "u2",
    "heap_top": "u2",
    "n_heap": "u2",
    "garbage": "u2",
    "last_insert": "u2",
    "direction": "u1",
    "n_direction": "u2",
    "n_recs": "u2",
    "level": "u2",
    "index_id": "u8",
}
_KINDS = _FIL | _INDEX | dict.fromkeys(("written", "encrypted", "unread"), "?")

_FEW_PAGES = 64


def _parts_of(dtype: np.dtype[Any]) -> dict[str, Any]:
    return dict(dtype.fields or {})


@cache
def _few_dtypes() -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The fields of the columns as one dtype, as they lie in the head of a page and in native order."""
    head = page_head_dtype()
    parts = _parts_of(head)
    names, formats, offsets = [], [], []
    for part, wanted in (("fil", _FIL), ("index", _INDEX)):
        inner, start = head[part], parts[part][1]
        for name in wanted:
            kind, offset = _parts_of(inner)[name][:2]
            names.append(name)
            formats.append(kind)
            offsets.append(start + offset)
    stored = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": head.itemsize})
    return stored, np.dtype([(n, f.newbyteorder("=")) for n, f in zip(names, formats, strict=True)], align=True)


@dataclass(frozen=True)
class PageColumns:
    """One native numpy array a header field, each of shape (n_pages,).

    The index fields mean something only where ``is_index``. ``written`` is False for a page whose FIL
    header is all zeros (never written).
    """

    page_no: npt.NDArray[np.uint32]
    prev: npt.NDArray[np.uint32]
    next: npt.NDArray[np.uint32]
    lsn: npt.NDArray[np.uint64]
    type: npt.NDArray[np.uint16]
    space_id: npt.NDArray[np.uint32]
    n_dir_slots: npt.NDArray[np.uint16]
    heap_top: npt.NDArray[np.uint16]
    n_heap: npt.NDArray[np.uint16]
    garbage: npt.NDArray[np.uint16]
    last_insert: npt.NDArray[np.uint16]
    direction: npt.NDArray[np.uint8]
    n_direction: npt.NDArray[np.uint16]
    n_recs: npt.NDArray[np.uint16]
    level: npt.NDArray[np.uint16]
    index_id: npt.NDArray[np.uint64]
    written: npt.NDArray[np.bool_]
    is_index: npt.NDArray[np.bool_]
    """Type INDEX, RTREE, SDI or (MariaDB) INSTANT, and no doublewrite copy of one."""
    encrypted: npt.NDArray[np.bool_]
    """The page's body is encrypted and was not decrypted: no key, or not the right one."""
    unread: npt.NDArray[np.bool_]
    """The page's body could not be read: ``encrypted``, or compressed and not inflated. Its header fields
    beyond the FIL header mean nothing; its type is the stored one where the true one is not in clear."""
    doublewrite: npt.NDArray[np.bool_] | None = None
    """Pages of the doublewrite area (system tablespace only): copies of others, their headers not their own."""
    forms: StoredForms = field(default_factory=StoredForms)
    """How the pages are stored: compressed, encrypted, and what kept some from being read."""

    def __len__(self) -> int:
        return len(self.page_no)

    def data_bytes(self, pages: Any) -> npt.NDArray[np.int32]:
        """``page_get_data_size`` of the given index pages, int32 (negative where a header is damaged)."""
        heap = self.n_heap[pages].astype(np.int32)
        size: npt.NDArray[np.int32] = data_bytes(
            self.heap_top[pages].astype(np.int32), heap, self.garbage[pages].astype(np.int32)
        )
        return size

    def capacity(self, pages: Any, page_size: int) -> npt.NDArray[np.int32]:
        """``page_get_free_space_of_empty`` of the given index pages, int32."""
        room: npt.NDArray[np.int32] = capacity(np.int32(page_size), self.n_heap[pages].astype(np.int32))
        return room


def where(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """``np.flatnonzero`` of one dimension, without the microsecond that its wrappers take."""
    return mask.nonzero()[0]


class ColumnScan:
    """Columns made of page heads, chunk by chunk in the order of the pages."""

    def __init__(self, space: Tablespace) -> None:
        self._space = space
        self._parts: list[dict[str, npt.NDArray[Any]]] = []
        self._forms = StoredForms()
        self.n_pages = 0

    def add(self, raw: npt.NDArray[np.uint8]) -> dict[str, npt.NDArray[Any]]:
        """Take the heads of the next pages, uint8 (count, 74), and return their columns. Pages that are compressed
        or encrypted are read, and page 5 of the system tablespace."""
        dtype, space = page_head_dtype(), self._space
        count, start = len(raw), self.n_pages
        self.n_pages += count
        head = raw.view(dtype).reshape(count)
        if count <= _FEW_PAGES:
            here = _few_columns(raw)
        else:
            here = {name: np.empty(count, kind) for name, kind in _KINDS.items()}
            _fill_columns(here, raw, head)
        copies = doublewrite_mask(space)
        own = None if copies is None else ~copies[start : self.n_pages]
        if count > _FEW_PAGES or not are_plain(space, head["fil"]):
            packed, encrypted = stored_masks(space, head["fil"], np.arange(start, start + count))
            if own is not None:
                packed &= own
                encrypted &= own
            if packed.any() or encrypted.any():
                _read_bodies(space, head, here, start, packed, encrypted, self._forms)
        here["is_index"] = is_index_type(here["type"], space.family)
        if own is not None:
            here["is_index"] &= own
        self._parts.append(here)
        return here

    def columns(self) -> PageColumns:
        """All of them; the parts are given up."""
        parts, self._parts = self._parts, []
        names = [*_KINDS, "is_index"]
        if len(parts) == 1:
            joined = parts[0]
        else:
            empty = {name: [np.empty(0, _KINDS.get(name, "?"))] for name in names}
            joined = {name: np.concatenate([p.pop(name) for p in parts] or empty[name]) for name in names}
        return PageColumns(doublewrite=doublewrite_mask(self._space), forms=self._forms, **joined)


def scan_columns(space: Tablespace, progress: Progress | None = None) -> PageColumns:
    """Read the header columns of every whole page. Raises ShrunkError when the file ends early."""
    n, size, width = space.n_pages, space.geometry.physical, page_head_dtype().itemsize
    scan = ColumnScan(space)
    for start in range(0, n, CHUNK_PAGES):
        count = min(CHUNK_PAGES, n - start)
        scan.add(space.source.gather(start, count, size, width))
        if progress is not None:
            progress(count, n)
    return scan.columns()


def _fill_columns(out: dict[str, npt.NDArray[Any]], raw: npt.NDArray[np.uint8], head: npt.NDArray[Any]) -> None:
    """The columns of one chunk of pages as they are stored."""
    fil, index = head["fil"], head["index"]
    for name in _FIL:
        out[name][:] = fil[name]
    for name in _INDEX:
        out[name][:] = index[name] & 7 if name == "direction" else index[name]
    out["written"][:] = _any_header_byte(raw)
    out["encrypted"][:] = out["unread"][:] = False


def _few_columns(raw: npt.NDArray[np.uint8]) -> dict[str, npt.NDArray[Any]]:
    """The same for a few pages: one conversion for all fields; the columns are views of it."""
    stored, native = _few_dtypes()
    fields = raw.view(stored).reshape(len(raw)).astype(native)
    out = {name: fields[name] for name in stored.names or ()}
    out["direction"] = (out["direction"] & 7).astype(np.uint8)
    heads = raw.tobytes()
    blank = bytes(FIL_HEADER_BYTES)
    starts = range(0, len(heads), raw.shape[1])
    out["written"] = np.array([heads[at : at + FIL_HEADER_BYTES] != blank for at in starts], np.bool_)
    out["encrypted"], out["unread"] = np.zeros(len(raw), np.bool_), np.zeros(len(raw), np.bool_)
    return out


def _read_bodies(
    space: Tablespace,
    head: npt.NDArray[Any],
    out: dict[str, npt.NDArray[Any]],
    start: int,
    packed: npt.NDArray[np.bool_],
    encrypted: npt.NDArray[np.bool_],
    forms: StoredForms,
) -> None:
    """Fill in the columns of the pages that are not stored as the server sees them."""
    bodies = BodyReader(space, forms)
    forms.encrypted_at.append(start + np.flatnonzero(encrypted))
    out["type"][:] = bodies.types_in_clear(head["fil"], packed, encrypted)
    dtype = page_head_dtype()
    for i in np.flatnonzero(packed | encrypted):
        clear = bodies.read_head(start + int(i), int(out["type"][i]), bool(packed[i]), bool(encrypted[i]))
        if clear is None:
            out["unread"][i] = True
            out["encrypted"][i] = encrypted[i] and not bodies.was_decrypted
            continue
        fields = np.frombuffer(clear, dtype, 1)[0]
        for name in _NOT_IN_CLEAR:
            out[name][i] = fields["fil"][name]
        for name in _INDEX:
            out[name][i] = fields["index"][name] & 7 if name == "direction" else fields["index"][name]


def is_index_type(types: npt.NDArray[np.uint16], family: str) -> npt.NDArray[np.bool_]:
    """Which page types are B+tree or R-tree pages, bool (n,)."""
    found = (types >= _FIRST_INDEX) & (types <= _LAST_INDEX)
    if family == "mariadb":
        found |= types == numbers.TYPE_INSTANT
    return found


def _any_header_byte(raw: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Whether any byte of a page's FIL header is not zero: its 38 bytes looked at as five overlapping words."""
    words = raw.view(_header_words(raw.shape[1])).reshape(len(raw))
    found: npt.NDArray[np.bool_] = (words["a"] | words["b"] | words["c"] | words["d"] | words["e"]) != 0
    return found


@cache
def _header_words(width: int) -> np.dtype[Any]:
    offsets = [0, 8, 16, 24, FIL_HEADER_BYTES - 8]
    return np.dtype({"names": list("abcde"), "formats": ["u8"] * 5, "offsets": offsets, "itemsize": width})
