"""The objects that JSON output prints: plain dicts, raw integers, ratios 0..1, None for what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from ibdscan.layout.numbers import type_name
from ibdscan.measures.file.compare import Comparison, MetricRow
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.fill import Fill
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.order import Order
from ibdscan.measures.index.verdict import judge
from ibdscan.pages.space.version import server_words
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.space.states import PageClass


def survey_data(survey: Survey) -> dict[str, Any]:
    """One element of ``files`` in ``ibdscan info --format json``."""
    space = survey.space
    flags = space.flags
    return {
        "path": space.path,
        "family": space.family,
        "family_is_certain": space.family_is_certain,
        "server_version": space.server_version,
        "written_by": server_words(space),
        "space_id": space.space_id,
        "flags": flags.raw,
        "full_crc32": flags.full_crc32,
        "page_size": space.geometry.physical,
        "logical_page_size": space.geometry.logical,
        "extent_pages": space.geometry.extent_pages,
        "row_format": survey.row_format,
        "compression": survey.storage.compression,
        "compressed_pages": survey.storage.compressed_pages,
        "compressed_bytes": survey.storage.compressed_bytes,
        "compression_ratio": survey.storage.compression_ratio,
        "holes": space.source.count_holes() if survey.storage.compression else None,
        "encrypted": survey.storage.encrypted,
        "encrypted_pages": survey.storage.encrypted_pages,
        "plain_pages": survey.storage.plain_pages,
        "unread_pages": survey.storage.unread_pages,
        "notes": list(survey.storage.notes),
        "fill_of": survey.fill_of,
        "path_table": survey.path_table,
        "pages": space.n_pages,
        "fsp_size": int(space.fsp.size),
        "free_limit": int(space.fsp.free_limit),
        "bytes": space.source.size,
        "allocated_bytes": space.source.allocated_bytes,
        "data_free_bytes": survey.data_free_bytes,
        "page_states": survey.page_states,
        "page_classes": survey.page_classes,
        "page_types": page_types(survey),
        "index_bytes": asdict(survey.index_bytes),
        "wastes": asdict(survey.wastes),
        "indexes": [
            index_data(index) | {"page_classes": class_counts(survey.classes_by_index[index.ordinal])}
            for index in survey.indexes
        ],
        "rebuild": rebuild_data(survey),
        "findings": [finding.as_dict() for finding in survey.findings],
    }


def class_counts(counts: Iterable[int]) -> dict[str, int]:
    """Pages by class, the classes without a page left out."""
    return {c.name.lower(): int(n) for c, n in zip(PageClass, counts, strict=True) if n}


def page_types(survey: Survey) -> dict[str, int]:
    """Live pages by type name."""
    space = survey.space
    return {
        type_name(value, space.family, full_crc32=space.flags.full_crc32): n
        for value, n in survey.page_types.items()
    }


def rebuild_data(survey: Survey) -> dict[str, Any]:
    """Sum of the indexes' rebuild estimates, the SDI left out, and what the file comes to."""
    file = survey.rebuild
    parts = [i.rebuild for i in survey.user_indexes if i.rebuild]
    return {
        "leaf_pages": sum(r.leaf_pages for r in parts),
        "pages": sum(r.pages for r in parts),
        "bytes": sum(r.bytes for r in parts),
        "saved_bytes": sum(r.saved_bytes for r in parts),
        "file_bytes": file.bytes,
        "file_saved_bytes": file.saved_bytes,
        "no_estimate": file.reason,
    }


def index_data(index: Index) -> dict[str, Any]:
    """One element of ``indexes``."""
    return {
        "index_id": index.index_id,
        "name": index.name,
        "table": index.table,
        "clustered": index.clustered,
        "clustered_is_certain": index.clustered_is_certain,
        "kind": index.kind,
        "root_page_no": index.root_page_no,
        "height": index.height,
        "too_small_to_judge": index.is_small,
        "leaf": leaf_data(index.levels[-1]) if index.has_leaf else None,
        "levels": [level_data(level) for level in index.levels],
        "leaf_segment": segment_data(index.leaf_segment),
        "top_segment": segment_data(index.top_segment),
        "used_pages": index.used_pages,
        "reserved_pages": index.reserved_pages,
        "off_page_pages": index.off_page_pages,
        "rebuild": asdict(index.rebuild) if index.rebuild else None,
        "no_estimate": index.no_estimate,
        "name_source": index.name_source,
        "merge_threshold": index.merge_threshold,
        "freed_leaves": index.freed_leaves,
        "verdict": asdict(judge(index)),
    }


def leaf_data(level: Level) -> dict[str, Any]:
    """The leaf level: fill and order."""
    return fill_data(level.fill) | order_data(level.order)


def level_data(level: Level) -> dict[str, Any]:
    """One level: fill and order, its number first."""
    return {"level": level.level} | fill_data(level.fill) | order_data(level.order)


def fill_data(fill: Fill) -> dict[str, Any]:
    """Fill, by the names of the measures."""
    return {
        "pages": fill.pages,
        "records": fill.records,
        "data_bytes": fill.data_bytes,
        "capacity_bytes": fill.capacity_bytes,
        "garbage_bytes": fill.garbage_bytes,
        "directory_bytes": fill.directory_bytes,
        "slack_bytes": fill.slack_bytes,
        "fill": fill.fill,
        "dir_fill": fill.dir_fill,
        "garbage": fill.garbage,
        "histogram": list(fill.histogram),
        "percentiles": {f"p{p}": value for p, value in fill.percentiles.items()},
    }


def order_data(order: Order) -> dict[str, Any]:
    """Order along the sibling chain, by the names of the measures."""
    return {
        "contiguous": order.contiguous,
        "out_of_order": order.out_of_order,
        "backward": order.backward,
        "fragments": order.fragments,
        "avg_run": order.avg_run,
        "avg_seek_pages": order.avg_seek_pages,
    }


def segment_data(segment: Segment | None) -> dict[str, Any] | None:
    """A segment's id and its used and reserved pages."""
    if segment is None:
        return None
    return {
        "segment_id": segment.segment_id,
        "used_pages": segment.used_pages,
        "reserved_pages": segment.reserved_pages,
        "fragment_pages": len(segment.fragments),
    }


def comparisons_data(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """What ``ibdscan compare --format json`` prints, of what :func:`compare_many` gave: of two files one
    comparison, of more one for every file after the first, ``a`` and ``b`` their places in ``files``."""
    files = [survey_data(comparison.b) for comparison in comparisons]
    if len(comparisons) == 2:
        return {"files": files} | comparison_data(comparisons[1])
    rest = enumerate(comparisons[1:], 1)
    return {"files": files, "comparisons": [{"a": 0, "b": n} | comparison_data(c) for n, c in rest]}


def comparison_data(comparison: Comparison) -> dict[str, Any]:
    """One comparison of two files."""
    return {
        "metrics": _metrics(comparison.rows),
        "indexes": [
            {
                "name": pair.name,
                "index_ids": [pair.a.index_id if pair.a else None, pair.b.index_id if pair.b else None],
                "metrics": _metrics(pair.rows),
            }
            for pair in comparison.indexes
        ],
        "summary": list(comparison.summary),
    }


def _metrics(rows: tuple[MetricRow, ...]) -> dict[str, Any]:
    return {row.key: {"a": row.a, "b": row.b, "difference": row.difference} for row in rows}
