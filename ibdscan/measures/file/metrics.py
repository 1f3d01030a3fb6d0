"""The metrics of a file and of an index by name: one list, shown by every view and compared by ``compare``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ibdscan.measures.file.survey import Survey
    from ibdscan.measures.index.index import Index

Value = int | float | None


@dataclass(frozen=True)
class Metric:
    """A number with a stable key (as in the JSON), a label for people and a unit: ``pages``, ``bytes``,
    ``ratio``, ``count`` or ``number``."""

    key: str
    label: str
    unit: str


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
    IndexMetric("leaf.pages", "leaf pages", "pages", _leaf("pages")),
    IndexMetric("leaf.records", "records", "count", _leaf("records")),
    IndexMetric("leaf.fill", "fill", "ratio", _leaf("fill")),
    IndexMetric("leaf.dir_fill", "fill with directory", "ratio", _leaf("dir_fill")),
    IndexMetric("leaf.garbage", "garbage", "ratio", _leaf("garbage")),
    IndexMetric("leaf.contiguous", "contiguous links", "ratio", _leaf("contiguous")),
    IndexMetric("leaf.out_of_order", "out of order", "ratio", _leaf("out_of_order")),
    IndexMetric("leaf.backward", "backward links", "ratio", _leaf("backward")),
    IndexMetric("leaf.fragments", "fragments", "count", _leaf("fragments")),
    IndexMetric("leaf.avg_run", "mean run, pages", "number", _leaf("avg_run")),
    IndexMetric("leaf.avg_seek_pages", "mean seek, pages", "number", _leaf("avg_seek_pages")),
    IndexMetric("height", "height", "count", lambda i: i.height),
    IndexMetric("used_pages", "pages used", "pages", lambda i: i.used_pages),
    IndexMetric("reserved_pages", "pages reserved", "pages", lambda i: i.reserved_pages),
    IndexMetric(
        "rebuild.leaf_pages", "leaf pages rebuilt", "pages", lambda i: i.rebuild.leaf_pages if i.rebuild else None
    ),
    IndexMetric(
        "rebuild.saved_bytes",
        "a rebuild gives back",
        "bytes",
        lambda i: i.rebuild.saved_bytes if i.rebuild else None,
    ),
)

FILE_METRICS: tuple[FileMetric, ...] = (
    FileMetric("bytes", "file size", "bytes", lambda s: s.space.source.size),
    FileMetric("pages", "pages", "pages", lambda s: s.n_pages),
    FileMetric("page_states.live", "live pages", "pages", lambda s: s.page_states["live"]),
    FileMetric("page_states.stale", "stale pages", "pages", lambda s: s.page_states["stale"]),
    FileMetric(
        "page_classes.reserved_unused",
        "reserved, unused pages",
        "pages",
        lambda s: s.page_classes["reserved_unused"],
    ),
    FileMetric("free_pages", "free pages", "pages", lambda s: s.free_pages),
    FileMetric("data_free_bytes", "DATA_FREE", "bytes", lambda s: s.data_free_bytes),
)
