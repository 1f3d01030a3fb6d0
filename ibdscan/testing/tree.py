"""One B+tree to build: leaves with records, non-leaf levels with node pointers (btr0load.cc)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ibdscan.layout.index import COMPACT_BIT, capacity, directory_reserved_bytes
from ibdscan.layout.numbers import FIL_NULL, PageType
from ibdscan.testing.records import IndexPage, Record
from ibdscan.testing.space import Segment, SpaceModel
from ibdscan.testing.specs import WIDE, IndexSpec, RowShape, leaf_sizes


class TreeBuilder:
    """Records of one index, and how they lie in pages. The root page is there from the beginning."""

    def __init__(
        self,
        spec: IndexSpec,
        index_id: int,
        page_size: int,
        place: tuple[Segment, Segment, int],
        *,
        clustered: bool,
    ) -> None:
        self.spec, self.index_id, self.page_size = spec, index_id, page_size
        self.top, self.leaf, self.root = place
        self.shape = RowShape(clustered, spec.record_bytes > WIDE)
        self.leaves: list[tuple[list[Record], list[Record]]] = []
        """Live and purged records of each leaf in key order."""
        self._above: list[list[list[Record]]] = []
        key = 0
        for live, freed in leaf_sizes(spec, self.shape, page_size):
            records = [self.shape.leaf_record(key + i + 1, size) for i, size in enumerate([*live, *freed])]
            self.leaves.append((records[: len(live)], records[len(live) :]))
            key += len(records)

    def lay_out(self, leaf_pages: list[int], allocate: Callable[[], int]) -> list[list[int]]:
        """Pages of each level in key order, leaves first; non-leaf pages but the root are allocated."""
        if len(leaf_pages) == 1:
            return [[self.root]]
        levels = [leaf_pages]
        keys = [self.shape.key_of(live[0]) for live, _ in self.leaves]
        while len(levels[-1]) > 1:
            groups = self._grouped(keys, levels[-1])
            levels.append([self.root] if len(groups) == 1 else [allocate() for _ in groups])
            self._above.append([[pointer for _, pointer in group] for group in groups])
            keys = [group[0][0] for group in groups]
        return levels

    def _grouped(self, keys: list[Record], children: list[int]) -> list[list[tuple[Record, Record]]]:
        """Key and node pointer of each of the ``children``, page by page; at least two on a page."""
        room = capacity(self.page_size, COMPACT_BIT)
        groups: list[list[tuple[Record, Record]]] = [[]]
        used = 0
        for i, (key, child) in enumerate(zip(keys, children, strict=True)):
            pointer = self.shape.node_pointer(key, child, leftmost=i == 0)
            n = len(groups[-1]) + 1
            is_full = used + pointer.size + directory_reserved_bytes(n) > room
            if is_full or (self.spec.fanout is not None and n > max(2, self.spec.fanout)):
                groups.append([])
                used = 0
            groups[-1].append((key, pointer))
            used += pointer.size
        return groups

    def pages(
        self, levels: list[list[int]], space_id: int, model: SpaceModel
    ) -> Iterator[tuple[int, IndexPage, int, int]]:
        """Page number, content, left and right sibling of every page, in the order of allocation."""
        for level, page_nos in enumerate(levels):
            out = []
            for i, page_no in enumerate(page_nos):
                live, freed = self.leaves[i] if level == 0 else (self._above[level - 1][i], [])
                segments = self._links(space_id, model) if page_no == self.root else None
                prev = page_nos[i - 1] if i else FIL_NULL
                following = page_nos[i + 1] if i + 1 < len(page_nos) else FIL_NULL
                content = IndexPage(self.index_id, level, live, PageType.INDEX, freed, segments)
                out.append((page_no, content, prev, following))
            yield from sorted(out, key=lambda row: row[0])

    def stale_content(self) -> IndexPage:
        """What a freed leaf still holds: half of the records that the first leaf has."""
        live = self.leaves[0][0]
        return IndexPage(self.index_id, 0, live[: len(live) // 2 + 1], PageType.INDEX)

    def _links(self, space_id: int, model: SpaceModel) -> dict[str, Any]:
        return {
            "seg_leaf": model.seg_header(self.leaf, space_id),
            "seg_top": model.seg_header(self.top, space_id),
        }
