"""Key names from the ``.frm`` file beside the table's file (MySQL up to 5.7, MariaDB; table.cc, unireg.cc).

A ``.frm`` has names and no index ids. Indexes get their ids in the order of the keys when a table is created, but
an index added later gets a later id and may be listed before others. So a name is given only where no such
history could make it another's; the rest stays unknown.
"""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

from ibdscan.structures.definition.sdi import IndexName

_MAGIC = b"\xfe\x01"
_MAX_BYTES = 16 << 20
_KEYS_AT, _KEYS_LENGTH = 6, 28
_NOSAME, _SPATIAL, _FULLTEXT, _NULL_PART = 1, 1024, 128, 64
_KEY_BYTES, _PART_BYTES = 8, 9
_PARTITION = ("#P#", "#p#")
_SUFFIXES = ("", ".xz", ".gz")
GEN_CLUST = "GEN_CLUST_INDEX"
FTS_DOC_ID = "FTS_DOC_ID_INDEX"


@dataclass(frozen=True)
class FrmKey:
    """A key as the table definition has it."""

    name: str
    unique: bool
    has_null: bool
    kind: str
    """``btree``, ``rtree`` or ``fulltext``."""

    @property
    def sort_class(self) -> int:
        """Keys are listed class by class; within a class in the order in which they were made (``sort_keys``)."""
        if not self.unique:
            return 3
        return 0 if self.name == "PRIMARY" else 2 if self.has_null else 1


def find_frm(path: str) -> str | None:
    """The ``.frm`` of the table (or partition) whose file ``path`` is, plain or compressed; None without one."""
    folder, name = os.path.split(os.path.abspath(path))
    for suffix in _SUFFIXES:
        name = name.removesuffix(suffix) if suffix else name
    stem = name.removesuffix(".ibd")
    for mark in _PARTITION:
        stem = stem.partition(mark)[0]
    for suffix in _SUFFIXES:
        candidate = os.path.join(folder, f"{stem}.frm{suffix}")
        if os.path.isfile(candidate):
            return candidate
    return None


def read_frm(path: str) -> list[FrmKey] | None:
    """The keys of a ``.frm``, in its order; None where it is none (a view, damaged, unreadable)."""
    try:
        if os.path.getsize(path) > _MAX_BYTES:
            return None
        with open(path, "rb") as f:
            raw = f.read()
        return parse_frm(_plain(path, raw))
    except (OSError, EOFError, ValueError):
        return None


def _plain(path: str, raw: bytes) -> bytes:
    """The bytes of a compressed copy unpacked. Raises ValueError, OSError or EOFError for a damaged one."""
    if path.endswith(".xz"):
        import lzma

        try:
            return lzma.decompress(raw)
        except lzma.LZMAError as e:
            raise ValueError(str(e)) from e
    if path.endswith(".gz"):
        import gzip
        import zlib

        try:
            return gzip.decompress(raw)
        except zlib.error as e:
            raise ValueError(str(e)) from e
    return raw


def parse_frm(data: bytes) -> list[FrmKey]:
    """The keys of a ``.frm``. Raises ValueError where the bytes are none."""
    if data[:2] != _MAGIC or len(data) < 64:
        raise ValueError("not the .frm of a table")
    start = _u16(data, _KEYS_AT)
    length = _u16(data, _KEYS_LENGTH)
    if length == 0xFFFF:
        length = int.from_bytes(data[47:51], "little")
    block = data[start : start + length]
    if len(block) < 6:
        raise ValueError("the keys lie outside the file")
    n_keys, n_parts = block[0], block[1]
    if n_keys & 0x80:
        n_keys, n_parts = block[1] << 7 | block[0] & 0x7F, _u16(block, 2)
    at, heads, seen = 6, [], 0
    for _ in range(n_keys):
        if at + _KEY_BYTES > len(block):
            raise ValueError("a key lies outside the block of keys")
        flags, parts = _u16(block, at) ^ _NOSAME, block[at + 4]
        heads.append((flags, block[at + 5]))
        at += _KEY_BYTES + _PART_BYTES * parts
        seen += parts
    if seen != n_parts:
        raise ValueError(f"{seen} key parts, not {n_parts}")
    names = _names(block[at:], n_keys)
    return [_key(name, flags, algorithm) for name, (flags, algorithm) in zip(names, heads, strict=True)]


def _names(block: bytes, n: int) -> list[str]:
    """Names between separators: a byte that occurs in none of them, first and last."""
    if not n:
        return []
    if not block:
        raise ValueError("no key names")
    parts = block.partition(b"\0")[0].split(block[:1])
    if len(parts) != n + 2 or parts[0] or parts[-1]:
        raise ValueError(f"{len(parts) - 2} key names, not {n}")
    return [p.decode("utf-8", "backslashreplace") for p in parts[1:-1]]


def _key(name: str, flags: int, algorithm: int) -> FrmKey:
    kind = "fulltext" if flags & _FULLTEXT else "rtree" if flags & _SPATIAL else "btree"
    return FrmKey(name, bool(flags & _NOSAME), bool(flags & _NULL_PART), kind)


def names_by_frm(
    keys: list[FrmKey], trees: list[tuple[int, str]], table: str
) -> tuple[dict[int, IndexName], list[IndexName]]:
    """Names by index id for the trees ``(index id, kind)`` of a file with one table, and its FULLTEXT indexes.

    Nothing where keys and trees do not agree in number; a secondary key only where its place is certain.
    """
    fulltext = [IndexName(table, k.name, False, "fulltext") for k in keys if k.kind == "fulltext"]
    names = _rtree_names(keys, trees, table)
    ids = [i for i, kind in trees if kind == "btree"]
    btree = [k for k in keys if k.kind == "btree"]
    hidden = 1 if fulltext and all(k.name != FTS_DOC_ID for k in btree) else 0
    if not ids or not len(btree) + hidden <= len(ids) <= len(btree) + hidden + 1:
        return {}, []
    if len(ids) == len(btree) + hidden + 1:
        if btree and btree[0].name == "PRIMARY":
            return {}, []
        clustered, others = GEN_CLUST, btree
    else:
        first = btree[0] if btree else None
        if first is None or first.sort_class > 1:
            return {}, []
        clustered, others = first.name, btree[1:]
    names[ids[0]] = IndexName(table, clustered, True, "btree")
    if hidden:
        if not others:
            names[ids[1]] = IndexName(table, FTS_DOC_ID, False, "btree")
    elif len({k.sort_class for k in others}) == 1:
        names |= {i: IndexName(table, k.name, False, "btree") for i, k in zip(ids[1:], others, strict=True)}
    return names, fulltext


def _rtree_names(keys: list[FrmKey], trees: list[tuple[int, str]], table: str) -> dict[int, IndexName]:
    ids = [i for i, kind in trees if kind == "rtree"]
    found = [k for k in keys if k.kind == "rtree"]
    if len(ids) != len(found):
        return {}
    return {i: IndexName(table, k.name, False, "rtree") for i, k in zip(ids, found, strict=True)}


def frm_names(path: str, trees: list[tuple[int, str]]) -> tuple[dict[int, IndexName], list[IndexName]]:
    """Names for the trees of the file ``path`` from the ``.frm`` beside it; none where there is none."""
    found = find_frm(path)
    keys = _cached(found, os.stat(found).st_mtime_ns) if found else None
    if keys is None:
        return {}, []
    folder, name = os.path.split(os.path.abspath(path))
    stem = name.removesuffix(".xz").removesuffix(".gz").removesuffix(".ibd")
    return names_by_frm(keys, trees, f"{os.path.basename(folder)}/{stem}")


@functools.lru_cache(maxsize=64)
def _cached(path: str, _mtime: int) -> list[FrmKey] | None:
    return read_frm(path)


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "little")
