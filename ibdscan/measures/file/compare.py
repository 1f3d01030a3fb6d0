"""Files of one table: the same metrics of each, index by index, and what differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ibdscan.errors import UsageError
from ibdscan.measures.file.metrics import FILE_METRICS, INDEX_METRICS, Metric, Value
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index


@dataclass(frozen=True)
class MetricRow:
    """One metric in both files; ``difference`` is b - a, None where either is unknown."""

    metric: Metric
    a: Value
    b: Value

    @property
    def key(self) -> str:
        return self.metric.key

    @property
    def label(self) -> str:
        return self.metric.label

    @property
    def unit(self) -> str:
        return self.metric.unit

    @property
    def difference(self) -> Value:
        if self.a is None or self.b is None:
            return None
        return self.b - self.a


@dataclass(frozen=True)
class IndexPair:
    """An index of file A and its counterpart in file B; either may be missing."""

    name: str
    a: Index | None
    b: Index | None
    rows: tuple[MetricRow, ...]

    def row(self, key: str) -> MetricRow:
        """The row of a metric by its key, as ``leaf.fill``."""
        return next(r for r in self.rows if r.key == key)


@dataclass(frozen=True)
class Comparison:
    """The comparison of two surveys: file-level rows and one pair an index."""

    a: Survey
    b: Survey
    rows: tuple[MetricRow, ...]
    indexes: tuple[IndexPair, ...]
    summary: tuple[str, ...]
    """What differs, in sentences; empty where nothing that matters does."""


def compare_surveys(a: Survey, b: Survey, letter: str = "B") -> Comparison:
    """Compare two surveys. Indexes are paired by name, without names by rank of their ids. ``letter`` is what the
    sentences call the second."""
    rows = tuple(MetricRow(m, m.of(a), m.of(b)) for m in FILE_METRICS)
    pairs = tuple(_pair(name, first, second) for name, first, second in _match(a, b))
    summary = [sentence for pair in pairs for sentence in _summary(pair, letter)]
    return Comparison(a, b, rows, pairs, tuple(summary))


LETTERS = "ABCDEF"
"""What the files of a comparison are called."""
MAX_FILES = len(LETTERS)


def compare_many(surveys: Sequence[Survey]) -> list[Comparison]:
    """Two to six surveys, each compared with the first (the first with itself). Raises UsageError."""
    if not 2 <= len(surveys) <= MAX_FILES:
        raise UsageError(f"a comparison is of 2 to {MAX_FILES} files, not {len(surveys)}")
    return [compare_surveys(surveys[0], s, letter) for s, letter in zip(surveys, LETTERS, strict=False)]


@dataclass(frozen=True)
class IndexLine:
    """An index in all files of :func:`compare_many`: for each file its pair with the first file's."""

    name: str
    clustered: bool
    rows: tuple[tuple[MetricRow, ...], ...]
    """The rows of each file; a file without the index has them with ``b`` unknown."""


def line_up(comparisons: Sequence[Comparison]) -> list[IndexLine]:
    """The indexes of the first file, then those that only later files have, each through all files."""
    found: dict[tuple[bool, str], dict[int, IndexPair]] = {}
    for at, comparison in enumerate(comparisons):
        for pair in comparison.indexes:
            key = (pair.a is None, pair.name if pair.a is None else str(pair.a.ordinal))
            found.setdefault(key, {})[at] = pair
    lines = []
    for pairs in found.values():
        first = next(iter(pairs.values()))
        missing = _pair(first.name, first.a, None)
        name = first.a.name if first.a and len({p.name for p in pairs.values()}) > 1 else first.name
        rows = tuple(pairs.get(at, missing).rows for at in range(len(comparisons)))
        lines.append(IndexLine(name, bool(first.a and first.a.clustered), rows))
    return lines


def _match(a: Survey, b: Survey) -> list[tuple[str, Index | None, Index | None]]:
    ours, theirs = _by_key(a), _by_key(b)
    if not set(ours) & set(theirs):  # no names, or other ones: the ids' order is the order of creation
        ours, theirs = _by_rank(a), _by_rank(b)
    keys = [*ours, *(k for k in theirs if k not in ours)]
    matched = []
    for key in keys:
        first, second = ours.get(key), theirs.get(key)
        names = dict.fromkeys(i.name for i in (first, second) if i)
        matched.append((" / ".join(names), first, second))
    return matched


def _by_key(survey: Survey) -> dict[str, Index]:
    tables = {i.table for i in survey.user_indexes}
    if len(tables) > 1:
        return {f"{i.table}.{i.name}": i for i in survey.user_indexes}
    return {i.name: i for i in survey.user_indexes}


def _by_rank(survey: Survey) -> dict[str, Index]:
    return {str(rank): index for rank, index in enumerate(survey.user_indexes)}


def _pair(name: str, a: Index | None, b: Index | None) -> IndexPair:
    rows = tuple(MetricRow(m, m.of(a) if a else None, m.of(b) if b else None) for m in INDEX_METRICS)
    return IndexPair(name, a, b, rows)


_FILL_MATTERS = 0.01
_ORDER_MATTERS = 0.05
_PAGES_MATTER = 0.02


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"


def _summary(pair: IndexPair, letter: str) -> list[str]:
    if pair.a is None or pair.b is None:
        return [f"{pair.name} is only in file {'A' if pair.a else letter}."]
    if pair.a.is_small and pair.b.is_small:
        return []
    out = []
    pages, records = pair.row("leaf.pages"), pair.row("leaf.records")
    if pages.a and pages.b and abs(pages.b / pages.a - 1) >= _PAGES_MATTER:
        rows = "the same number of records" if records.a == records.b else "its records"
        more = pages.b / pages.a - 1
        word = "more" if more > 0 else "fewer"
        out.append(
            f"{pair.name}: {letter} holds {rows} in {_percent(abs(more))} {word} leaf pages "
            f"({pages.a:,} -> {pages.b:,})."
        )
    fill, order = pair.row("leaf.fill"), pair.row("leaf.contiguous")
    if fill.difference is not None and abs(fill.difference) >= _FILL_MATTERS:
        out.append(f"{pair.name}: leaf fill {_percent(fill.a)} -> {_percent(fill.b)}.")
    if order.difference is not None and abs(order.difference) >= _ORDER_MATTERS:
        word = "less" if order.difference < 0 else "better"
        seek = pair.row("leaf.avg_seek_pages")
        out.append(
            f"{pair.name}: leaves are {word} in order, "
            f"contiguous links {_percent(order.a)} -> {_percent(order.b)}, "
            f"mean seek {seek.a:,.1f} -> {seek.b:,.1f} pages."
        )
    return out
