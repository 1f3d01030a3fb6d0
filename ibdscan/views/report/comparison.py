"""The report's comparison: the numbers of every file with the differences to the first, and shared histograms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ibdscan.measures.file.compare import Comparison, MetricRow
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.views.images.parts.charts import file_color
from ibdscan.views.report.content import LETTERS, histogram_data, main_index, table_data
from ibdscan.views.report.modes import hex_color
from ibdscan.views.table.tables import Column, Table, printable

_TOPS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def comparison_data(surveys: Sequence[Survey], comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Comparisons of the first file with each of the others, as tables, sentences and histograms."""
    names = _index_names(comparisons)
    main = main_index(surveys[0])
    return {
        "letters": [LETTERS[n] for n in range(len(surveys))],
        "colors": [hex_color(file_color(n)) for n in range(len(surveys))],
        "summary": [
            [f"A and {LETTERS[n + 1]}", [printable(s) for s in comparison.summary]]
            for n, comparison in enumerate(comparisons)
        ],
        "file": _table([c.rows for c in comparisons]),
        "indexes": [_index(name, comparisons) for name in names],
        "main": next((n for n, name in enumerate(names) if main and _first(name, comparisons) is main), 0),
    }


def _index_names(comparisons: Sequence[Comparison]) -> list[str]:
    return list(dict.fromkeys(pair.name for c in comparisons for pair in c.indexes))


def _first(name: str, comparisons: Sequence[Comparison]) -> Index | None:
    return next((p.a for c in comparisons for p in c.indexes if p.name == name and p.a), None)


def _index(name: str, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    pairs = [next((p for p in c.indexes if p.name == name), None) for c in comparisons]
    files = [_first(name, comparisons), *(pair.b if pair else None for pair in pairs)]
    histograms = [histogram_data(index) for index in files]
    highest = max((b["share"] for h in histograms if h for b in h["bins"]), default=0.0)
    some = next(pair.rows for pair in pairs if pair)
    rows = [pair.rows if pair else tuple(MetricRow(r.metric, r.a, None) for r in some) for pair in pairs]
    return {
        "name": printable(name),
        "ordinals": [index.ordinal if index and index.has_leaf else None for index in files],
        "table": _table(rows),
        "histograms": histograms,
        "top": next(top for top in _TOPS if top >= highest - 1e-9),
    }


def _table(files: Sequence[Sequence[MetricRow]]) -> dict[str, Any]:
    """One line a metric: its value in each file, then the differences to the first file."""
    others = [LETTERS[n + 1] for n in range(len(files))]
    titles = ["A", *others, *(f"{letter} - A" for letter in others)]
    table = Table([Column("metric", ""), *(Column(t, t, right=True) for t in titles)])
    for lines in zip(*files, strict=True):
        unit = lines[0].unit
        plain, signed = Column("", "", unit), Column("", "", unit, sign=True)
        values = [lines[0].a, *(line.b for line in lines)]
        table.add(lines[0].label, *(plain.show(v) for v in values), *(signed.show(r.difference) for r in lines))
    return table_data(table)
