"""What to build: index specifications, their leaves, and the order in which leaves get their pages."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from ibdscan.layout.index import COMPACT_BIT, capacity, directory_reserved_bytes
from ibdscan.testing.records import MIN_REC, Record

ORDERS = ("ascending", "descending", "random", "interleaved")
WIDE = 200
"""Records larger than this have a payload VARBINARY(8000) with two length bytes, else VARBINARY(255) with one."""
_HEADER, _ID, _TRX_ROLL, _CHILD = 5, 4, 13, 4


@dataclass(frozen=True)
class IndexSpec:
    """One index to build.

    - ``leaves``: live leaf pages; ``fill``: data bytes / room of an empty page, one for all leaves or one
      a leaf in key order (0 for an empty index of one leaf)
    - ``order``: how the leaves, in key order, got the pages of their segment: ``ascending``,
      ``descending``, ``random`` (by the seed), ``interleaved`` (``streams`` key ranges that were filled in
      turns), or a permutation: for each leaf in key order its rank among the allocated pages
    - ``record_bytes``: about the size of a record; ``garbage``: purged bytes / room, on each leaf
    - ``stale``: more pages of the leaf segment, scattered, that were freed but still carry their headers
    - ``reserved_extents``: whole extents that the leaf segment holds without using a page
    - ``fanout``: most node pointers a non-leaf page, to force a height
    - ``dropped``: the index was dropped; all its pages are free, and stale
    """

    name: str
    leaves: int = 1
    fill: float | Sequence[float] = 0.9
    order: str | Sequence[int] = "ascending"
    streams: int = 4
    record_bytes: int = 100
    garbage: float = 0.0
    stale: int = 0
    reserved_extents: int = 0
    fanout: int | None = None
    dropped: bool = False

    def fills(self) -> list[float]:
        """Fill of each leaf in key order. Raises ValueError when they can not be built."""
        fills = list(self.fill) if isinstance(self.fill, Sequence) else [self.fill] * self.leaves
        if self.leaves < 1 or len(fills) != self.leaves:
            raise ValueError(f"index {self.name}: {len(fills)} fills for {self.leaves} leaves")
        if any(not 0 <= f <= 1 for f in fills) or (self.leaves > 1 and 0 in fills):
            raise ValueError(f"index {self.name}: a fill is above 0 and up to 1; 0 only for a single leaf")
        return fills

    def ranks(self, seed: int) -> list[int]:
        """For each leaf in key order its rank among the pages of the leaf segment."""
        n = self.leaves
        if not isinstance(self.order, str):
            if sorted(self.order) != list(range(n)):
                raise ValueError(f"index {self.name}: the order is not a permutation of 0..{n - 1}")
            return list(self.order)
        if self.order == "ascending":
            return list(range(n))
        if self.order == "descending":
            return list(range(n - 1, -1, -1))
        if self.order == "random":
            ranks = list(range(n))
            random.Random(f"{seed}/{self.name}").shuffle(ranks)
            return ranks
        if self.order == "interleaved":
            return interleaved(n, self.streams)
        raise ValueError(f"index {self.name}: order {self.order!r} is none of {', '.join(ORDERS)}")


def interleaved(n: int, streams: int) -> list[int]:
    """Ranks of ``n`` leaves that ``streams`` writers filled in turns, each its own key range.

    >>> interleaved(6, 2)
    [0, 2, 4, 1, 3, 5]
    """
    if streams < 1:
        raise ValueError("at least one stream")
    sizes = [n // streams + (s < n % streams) for s in range(streams)]
    turns = sorted((turn, s) for s, size in enumerate(sizes) for turn in range(size))
    rank_of = {place: rank for rank, place in enumerate(turns)}
    return [rank_of[turn, s] for s, size in enumerate(sizes) for turn in range(size)]


@dataclass(frozen=True)
class RowShape:
    """Records of one index: the clustered one of ``(id INT UNSIGNED PRIMARY KEY, pad VARBINARY NOT NULL)``,
    a secondary one of a ``VARBINARY`` column whose value begins with the row's id."""

    clustered: bool
    wide: bool

    @property
    def fixed_bytes(self) -> int:
        """Bytes of a record besides its variable column."""
        return (2 if self.wide else 1) + _HEADER + _ID + (_TRX_ROLL if self.clustered else 0)

    @property
    def least(self) -> int:
        return self.fixed_bytes + (128 if self.wide else 0 if self.clustered else 4)

    @property
    def most(self) -> int:
        return self.fixed_bytes + (8000 if self.wide else 255)

    def leaf_record(self, key: int, size: int) -> Record:
        """The record of row ``key`` that takes ``size`` bytes."""
        n = size - self.fixed_bytes
        row_id = key.to_bytes(4, "big")
        if self.clustered:
            return Record(self._length(n), row_id + bytes(5) + b"\x01" + b"\x80" + bytes(6) + _padding(key, n))
        return Record(self._length(n), (row_id + _padding(key, n))[:n] + row_id)

    def key_of(self, leaf: Record) -> Record:
        """The key of a leaf record, as a node pointer has it before the child's page number."""
        return Record(b"", leaf.body[:_ID]) if self.clustered else Record(leaf.before, leaf.body)

    def node_pointer(self, key: Record, child: int, *, leftmost: bool) -> Record:
        """A pointer to the page ``child``, whose first key is ``key``."""
        return Record(key.before, key.body + child.to_bytes(_CHILD, "big"), MIN_REC if leftmost else 0)

    def _length(self, n: int) -> bytes:
        return bytes([n & 0xFF, 0x80 | n >> 8]) if self.wide else bytes([n])


def _padding(key: int, n: int) -> bytes:
    return (b"%010d" % key * (n // 10 + 1))[:n]


def record_sizes(target: int, record_bytes: int, shape: RowShape) -> list[int]:
    """Sizes of records that take exactly ``target`` bytes together, each about ``record_bytes``."""
    if target == 0:
        return []
    n = max(1, -(-target // shape.most), min(round(target / record_bytes), target // shape.least))
    size, longer = divmod(target, n)
    if size < shape.least or size + bool(longer) > shape.most:
        raise ValueError(f"{target} bytes can not be made of records of {shape.least} to {shape.most} bytes")
    return [size + 1] * longer + [size] * (n - longer)


def leaf_sizes(spec: IndexSpec, shape: RowShape, page_size: int) -> list[tuple[list[int], list[int]]]:
    """Sizes of the live and of the purged records of each leaf in key order. Raises ValueError."""
    room = capacity(page_size, COMPACT_BIT)
    out = []
    for fill in spec.fills():
        live = record_sizes(round(fill * room), spec.record_bytes, shape)
        freed = record_sizes(round(spec.garbage * room), spec.record_bytes, shape)
        need = sum(live) + sum(freed) + directory_reserved_bytes(len(live))
        if need > room:
            raise ValueError(
                f"{spec.name}: fill {fill:.3f} and garbage {spec.garbage:.3f} leave no room for a directory"
            )
        out.append((live, freed))
    return out
