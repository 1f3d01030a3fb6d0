"""Flat rows for CSV: one an index, one a level, one a compared metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ibdscan.measures.file.compare import Comparison
from ibdscan.measures.file.metrics import FILE_METRICS, INDEX_METRICS
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.views.data.survey import fill_data, order_data
from ibdscan.views.table.declared import INFO_COLUMNS
from ibdscan.views.table.tables import Column, Table

_INDEX = ("table", "name", "index_id", "kind", "clustered", "root_page_no")


def info_rows(surveys: list[Survey]) -> Table:
    """One row an index, with the figures of its file; a file without indexes keeps one row."""
    table = Table(INFO_COLUMNS)
    for survey in surveys:
        head = [*_file_values(survey), *(m.of(survey) for m in FILE_METRICS)]
        for index in survey.indexes:
            table.add(*head, *(getattr(index, k) for k in _INDEX), *(m.of(index) for m in INDEX_METRICS))
        if not survey.indexes:
            table.add(*head, *[None] * (len(_INDEX) + len(INDEX_METRICS)))
    return table


def level_rows(survey: Survey, indexes: list[Index]) -> Table:
    """One row a level of each index; the histogram in ten columns."""
    keys: list[str] | None = None
    rows: list[list[Any]] = []
    for index in indexes:
        for level in index.levels:
            flat = fill_data(level.fill) | order_data(level.order)
            histogram = flat.pop("histogram")
            marks = flat.pop("percentiles")
            flat |= {f"fill_{10 * i}_{10 * i + 10}": n for i, n in enumerate(histogram)}
            flat |= {f"fill_{name}": value for name, value in marks.items()}
            keys = keys or list(flat)
            head = [survey.path, *(getattr(index, k) for k in _INDEX), level.level]
            rows.append([*head, *(flat.get(k) for k in keys)])
    return Table([Column(k, k) for k in ("path", *_INDEX, "level", *(keys or []))], rows)


def comparisons_rows(comparisons: Sequence[Comparison]) -> Table:
    """One row a metric: of the file (no index) and of each index. Of more than two files: the rows of each
    file after the first, its path in front."""
    many = len(comparisons) > 2
    table = Table([Column(k, k) for k in (*(["file"] if many else []), "index", "metric", "a", "b", "difference")])
    for comparison in comparisons[1:]:
        head = [comparison.b.path] if many else []
        for row in comparison.rows:
            table.add(*head, None, row.key, row.a, row.b, row.difference)
        for pair in comparison.indexes:
            for row in pair.rows:
                table.add(*head, pair.name, row.key, row.a, row.b, row.difference)
    return table


def _file_values(survey: Survey) -> list[Any]:
    space = survey.space
    return [space.path, space.family, space.server_version, space.space_id, space.geometry.physical]
