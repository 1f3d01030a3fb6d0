"""Build small valid tablespaces without a server, with known fill, order and reservation.

>>> from ibdscan.testing import IndexSpec, build_space
>>> built = build_space([IndexSpec("PRIMARY", leaves=20, fill=0.7, order="random")], page_size=4096)
>>> built.index("PRIMARY").leaf_pages == sorted(built.index("PRIMARY").leaf_pages)
False

Every page has its checksum, its LSN and real records; extents, lists and segments agree. The rows of
different indexes are not those of one table: each index is filled as it was asked to be.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ibdscan.layout.geometry import PAGE_SIZES, Geometry
from ibdscan.layout.index import COMPACT_BIT, capacity
from ibdscan.layout.numbers import FIL_NULL, SDI_INDEX_ID, PageType
from ibdscan.pages.format.checksums import write_checksum
from ibdscan.pages.format.flags import Flags, parse_flags
from ibdscan.testing.records import IndexPage, blank_page, fill_index_page
from ibdscan.testing.sdi import sdi_records
from ibdscan.testing.space import Segment, SpaceModel
from ibdscan.testing.specs import IndexSpec
from ibdscan.testing.tree import TreeBuilder

FAMILIES = ("mysql", "mariadb")
MYSQL_VERSION = 90704
FIRST_LSN = 10_000_000
LSN_STEP = 1_000


@dataclass(frozen=True)
class BuiltIndex:
    """What was built: the answers that a survey of the file must give."""

    name: str
    index_id: int
    root_page_no: int
    levels: tuple[tuple[int, ...], ...]
    """Page numbers in key order, level 0 (the leaves) first."""
    records: int
    data_bytes: int
    garbage_bytes: int
    capacity_bytes: int
    fills: tuple[float, ...]
    """Fill of each leaf in key order, as it came out in whole bytes."""
    stale_pages: tuple[int, ...]

    @property
    def height(self) -> int:
        return len(self.levels)

    @property
    def leaf_pages(self) -> list[int]:
        """Leaf page numbers in key order."""
        return list(self.levels[0])

    @property
    def fill(self) -> float:
        """Fill of all leaves together."""
        return self.data_bytes / self.capacity_bytes


@dataclass(frozen=True)
class BuiltSpace:
    """A built tablespace: its bytes and what it holds."""

    data: bytes
    flags: Flags
    indexes: tuple[BuiltIndex, ...]
    """Without dropped indexes and the SDI index."""
    free_extents: int
    """Extents on the space's FREE list."""

    @property
    def page_size(self) -> int:
        return self.flags.geometry.physical

    @property
    def n_pages(self) -> int:
        return len(self.data) // self.page_size

    def index(self, name: str) -> BuiltIndex:
        """An index by name."""
        return next(i for i in self.indexes if i.name == name)

    def page(self, page_no: int) -> bytes:
        """Bytes of one page."""
        return self.data[page_no * self.page_size : (page_no + 1) * self.page_size]

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the file and return its path."""
        target = Path(path)
        target.write_bytes(self.data)
        return target


def build_space(
    indexes: Iterable[IndexSpec],
    *,
    page_size: int = 16384,
    family: str = "mysql",
    table: str = "test/t",
    sdi: bool = True,
    space_id: int = 7,
    first_index_id: int = 100,
    free_extents: int = 0,
    unused_extents: int = 0,
    seed: int = 0,
) -> BuiltSpace:
    """Build a tablespace; the first index is the clustered one.

    ``family``: ``mysql`` (with the SDI of 8.0+, or as 5.7 with ``sdi=False``) or ``mariadb`` (full_crc32).
    ``free_extents`` are put on the FREE list, ``unused_extents`` lie above the free limit. The same
    arguments give the same bytes. Raises ValueError for what can not be built.
    """
    if page_size not in PAGE_SIZES or family not in FAMILIES:
        raise ValueError(f"page size is one of {PAGE_SIZES}, family one of {FAMILIES}")
    builder = _Builder(page_size, family, space_id, sdi and family == "mysql", seed)
    return builder.build(list(indexes), table, first_index_id, free_extents, unused_extents)


def space_flags(page_size: int, *, full_crc32: bool, sdi: bool) -> Flags:
    """Flags of an uncompressed table in DYNAMIC row format."""
    shift = page_size.bit_length() - 10
    raw = 0x10 | shift if full_crc32 else 0x21 | (0 if page_size == 16384 else shift) << 6 | int(sdi) << 14
    return parse_flags(raw, set(), "")


class _Builder:
    def __init__(self, page_size: int, family: str, space_id: int, sdi: bool, seed: int) -> None:
        self.flags = space_flags(page_size, full_crc32=family == "mariadb", sdi=sdi)
        self.geometry: Geometry = self.flags.geometry
        self.model = SpaceModel(self.geometry)
        self.pages: dict[int, bytearray] = {}
        self.space_id, self.sdi, self.seed, self.lsn = space_id, sdi, seed, FIRST_LSN

    def build(
        self, specs: Sequence[IndexSpec], table: str, first_id: int, free_extents: int, unused_extents: int
    ) -> BuiltSpace:
        """Lay out the whole file."""
        if len({s.name for s in specs}) != len(specs):
            raise ValueError("two indexes of one name")
        sdi_segments = self._segments() if self.sdi else None
        trees = [
            TreeBuilder(spec, first_id + i, self.geometry.logical, self._segments(), clustered=i == 0)
            for i, spec in enumerate(specs)
        ]
        built = [self._build_tree(tree) for tree in trees]
        for tree, index in zip(trees, built, strict=True):  # only now, or the next index would take them
            self.model.release(tree.leaf, index.stale_pages)
        live = [(tree, index) for tree, index in zip(trees, built, strict=True) if not tree.spec.dropped]
        for tree in trees:
            if tree.spec.dropped:
                self.model.drop(tree.top)
                self.model.drop(tree.leaf)
        sdi_root = 0
        if sdi_segments:
            sdi_root = self._write_sdi(sdi_segments, table, [index for _, index in live])
        self.model.add_free_extents(free_extents)
        size = self._file_pages(free_extents, unused_extents)
        head = {
            "space_id": self.space_id,
            "lsn": self._next_lsn(),
            "version": MYSQL_VERSION if self.sdi else 0,
            "sdi_root": sdi_root,
        }
        self.model.write_pages(self.pages, self.flags, head, size)
        return BuiltSpace(
            self._joined(size), self.flags, tuple(index for _, index in live), self.model.n_free_extents
        )

    def _segments(self) -> tuple[Segment, Segment, int]:
        """Top and leaf segment of a new index, and its root page."""
        top = self.model.create_segment()
        root = self.model.allocate(top)
        return top, self.model.create_segment(), root

    def _build_tree(self, tree: TreeBuilder) -> BuiltIndex:
        spec = tree.spec
        in_leaf_segment = (0 if spec.leaves == 1 else spec.leaves) + spec.stale
        allocated = [self.model.allocate(tree.leaf) for _ in range(in_leaf_segment)]
        picked = random.Random(f"{self.seed}/{spec.name}/stale").sample(range(in_leaf_segment), spec.stale)
        stale = [allocated[i] for i in sorted(picked)]
        kept = [page for page in allocated if page not in set(stale)] or [tree.root]
        leaf_pages = [kept[rank] for rank in spec.ranks(self.seed)]
        levels = tree.lay_out(leaf_pages, lambda: self.model.allocate(tree.top))
        for page_no, content, prev, following in tree.pages(levels, self.space_id, self.model):
            self._put(page_no, content, prev, following)
        for i, page_no in enumerate(stale):
            prev = stale[i - 1] if i else FIL_NULL
            following = stale[i + 1] if i + 1 < len(stale) else FIL_NULL
            self._put(page_no, tree.stale_content(), prev, following)
        for _ in range(spec.reserved_extents):
            self.model.reserve_extent(tree.leaf)
        room = capacity(self.geometry.logical, COMPACT_BIT)
        data = [sum(r.size for r in leaf) for leaf, _ in tree.leaves]
        return BuiltIndex(
            name=spec.name,
            index_id=tree.index_id,
            root_page_no=tree.root,
            levels=tuple(tuple(level) for level in levels),
            records=sum(len(leaf) for leaf, _ in tree.leaves),
            data_bytes=sum(data),
            garbage_bytes=sum(r.size for _, freed in tree.leaves for r in freed),
            capacity_bytes=room * spec.leaves,
            fills=tuple(n / room for n in data),
            stale_pages=tuple(stale),
        )

    def _write_sdi(self, segments: tuple[Segment, Segment, int], table: str, indexes: list[BuiltIndex]) -> int:
        top, leaf, root = segments
        names = [(i.name, i.index_id, i.root_page_no) for i in indexes]
        records = sdi_records(table, names, space_id=self.space_id, version=MYSQL_VERSION)
        links = {
            "seg_leaf": self.model.seg_header(leaf, self.space_id),
            "seg_top": self.model.seg_header(top, self.space_id),
        }
        content = IndexPage(SDI_INDEX_ID, 0, records, PageType.SDI, segments=links)
        self._put(root, content, FIL_NULL, FIL_NULL)
        return root

    def _put(self, page_no: int, content: IndexPage, prev: int, following: int) -> None:
        page = blank_page(
            self.geometry.physical,
            page_no,
            content.page_type,
            self.space_id,
            prev=prev,
            next=following,
            lsn=self._next_lsn(),
        )
        fill_index_page(page, content)
        self.pages[page_no] = page

    def _next_lsn(self) -> int:
        self.lsn += LSN_STEP
        return self.lsn

    def _file_pages(self, free_extents: int, unused_extents: int) -> int:
        if self.model.free_limit == self.geometry.extent_pages and not unused_extents:
            return max(7 if self.sdi else 4, max(self.pages) + 1)
        return self.model.free_limit + unused_extents * self.geometry.extent_pages

    def _joined(self, size: int) -> bytes:
        data = bytearray(size * self.geometry.physical)
        for page_no, page in self.pages.items():
            write_checksum(page, self.flags)
            data[page_no * self.geometry.physical : (page_no + 1) * self.geometry.physical] = page
        return bytes(data)
