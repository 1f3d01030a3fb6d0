"""The metrics of a file and of an index by name: one list, shown by every view and compared by ``compare``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibdscan.measures.file.survey import Survey
    from ibdscan.measures.index.index import Index

Value = int | float | None


@dataclass(frozen=True)
class Metric:
    """A number with a stable key (as in the JSON), a label for people, a unit (``pages``, ``bytes``, ``ratio``,
    ``count`` or ``number``) and its meaning in words."""

    key: str
    label: str
    unit: str
    _: KW_ONLY
    meaning: str = ""


@dataclass(frozen=True)
class IndexMetric(Metric):
    """A metric of one index; None where the index can not say."""

    of: Callable[[Index], Value]


@dataclass(frozen=True)
class FileMetric(Metric):
    """A metric of one file."""

    of: Callable[[Survey], Value]


def _leaf(name: str) -> Callable[[Index], Value]:
    def value(index: Index) -> Value:
        if not index.has_leaf:
            return None
        found: Value = getattr(index.leaf, name)
        return found

    return value


INDEX_METRICS: tuple[IndexMetric, ...] = (
    IndexMetric("leaf.pages", "leaf pages", "pages", _leaf("pages"), meaning="leaf pages of its tree"),
    IndexMetric("leaf.records", "records", "count", _leaf("records"), meaning="records in the leaves"),
    IndexMetric(
        "leaf.fill",
        "fill",
        "ratio",
        _leaf("fill"),
        meaning="bytes of records in the leaves / what they hold when empty",
    ),
    IndexMetric(
        "leaf.dir_fill",
        "fill with directory",
        "ratio",
        _leaf("dir_fill"),
        meaning="the same with the page directory's slots",
    ),
    IndexMetric(
        "leaf.garbage",
        "garbage",
        "ratio",
        _leaf("garbage"),
        meaning="bytes of deleted records / what the leaves hold",
    ),
    IndexMetric(
        "leaf.contiguous",
        "contiguous links",
        "ratio",
        _leaf("contiguous"),
        meaning="links from a leaf to the very next page of the file / links",
    ),
    IndexMetric(
        "leaf.out_of_order",
        "out of order",
        "ratio",
        _leaf("out_of_order"),
        meaning="leaves that the index's next higher leaf page does not follow / leaves",
    ),
    IndexMetric(
        "leaf.backward",
        "backward links",
        "ratio",
        _leaf("backward"),
        meaning="leaves that are followed by a lower page number / leaves",
    ),
    IndexMetric(
        "leaf.fragments",
        "fragments",
        "count",
        _leaf("fragments"),
        meaning="runs of leaves that follow each other in the file",
    ),
    IndexMetric("leaf.avg_run", "mean run, pages", "number", _leaf("avg_run"), meaning="leaves a run"),
    IndexMetric(
        "leaf.avg_seek_pages",
        "mean seek, pages",
        "number",
        _leaf("avg_seek_pages"),
        meaning="mean distance in pages from a leaf to the next",
    ),
    IndexMetric("height", "height", "count", lambda i: i.height, meaning="levels of the tree"),
    IndexMetric(
        "used_pages", "pages used", "pages", lambda i: i.used_pages, meaning="pages that both segments use"
    ),
    IndexMetric(
        "reserved_pages",
        "pages reserved",
        "pages",
        lambda i: i.reserved_pages,
        meaning="pages that both segments reserve",
    ),
    IndexMetric(
        "rebuild.leaf_pages",
        "leaf pages rebuilt",
        "pages",
        lambda i: i.rebuild.leaf_pages if i.rebuild else None,
        meaning="leaf pages that a rebuild would make",
    ),
    IndexMetric(
        "rebuild.saved_bytes",
        "freed by a rebuild",
        "bytes",
        lambda i: i.rebuild.saved_bytes if i.rebuild else None,
        meaning="bytes that its segments would reserve less after a rebuild",
    ),
)

FILE_METRICS: tuple[FileMetric, ...] = (
    FileMetric("bytes", "file size", "bytes", lambda s: s.space.source.size, meaning="size of the file"),
    FileMetric("pages", "pages", "pages", lambda s: s.n_pages, meaning="pages of the file"),
    FileMetric(
        "page_states.live",
        "live pages",
        "pages",
        lambda s: s.page_states["live"],
        meaning="pages that the extent descriptors say are in use",
    ),
    FileMetric(
        "page_states.stale",
        "stale pages",
        "pages",
        lambda s: s.page_states["stale"],
        meaning="freed pages with an old header",
    ),
    FileMetric(
        "page_classes.reserved_unused",
        "reserved, unused pages",
        "pages",
        lambda s: s.page_classes["reserved_unused"],
        meaning="pages reserved by segments and not used",
    ),
    FileMetric("free_pages", "free pages", "pages", lambda s: s.free_pages, meaning="pages that no segment has"),
    FileMetric(
        "data_free_bytes",
        "DATA_FREE",
        "bytes",
        lambda s: s.data_free_bytes,
        meaning="DATA_FREE as the server computes it",
    ),
    FileMetric(
        "rebuild.file_saved_bytes",
        "a rebuild gives back",
        "bytes",
        lambda s: s.rebuild.saved_bytes,
        meaning="bytes that the file would shrink by in a rebuild",
    ),
)
