"""Does it hold? Measured figures against limits; behind ``ibdscan assert`` and ``ibdscan.testing``."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.errors import UsageError
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index, Level

FILL_MEASURES = ("fill", "dir_fill")
ORDER_MEASURES = ("contiguous", "out_of_order", "backward")


@dataclass(frozen=True)
class Check:
    """One measure of one index against one limit.

    ``kind`` is ``min`` or ``max``; ``measured`` is None where there is nothing to measure. ``is_small``:
    the index has too few leaves to judge it; the check is made nevertheless.
    """

    index: Index
    measure: str
    kind: str
    limit: float
    measured: float | None
    ok: bool
    is_small: bool
    reason: str
    """One sentence, whether it holds or not."""
    level: int = 0


def parse_limit(value: float | str) -> float:
    """A limit as a ratio 0..1, or as text with a percent sign. Raises UsageError.

    >>> parse_limit(0.85), parse_limit("0.85"), parse_limit("85%"), parse_limit("92.5 %")
    (0.85, 0.85, 0.85, 0.925)
    """
    text = str(value).strip()
    percent = text.endswith("%")
    try:
        limit = float(text.removesuffix("%"))
    except ValueError:
        raise UsageError(f"{value!r} is no limit: write a ratio as 0.85 or a percentage as 85%") from None
    limit = limit / 100 if percent else limit
    if not 0 <= limit <= 1:
        hint = f"; did you mean {text}%?" if not percent and 1 < limit <= 100 else ""
        raise UsageError(f"the limit {text} is not between 0 and 1 (or 0% and 100%){hint}")
    return limit


def clustered_index(survey: Survey) -> Index:
    """The clustered index. Raises UsageError when the file has none, or several tables."""
    found = [i for i in survey.user_indexes if i.clustered]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError("the file has no clustered index", path=survey.path)
    names = ", ".join(f"{i.table}.{i.name}" for i in found)
    raise UsageError(f"the file holds several tables: say which index of {names}", path=survey.path)


def resolve_index(survey: Survey, index: Index | str | int | None) -> Index:
    """The index meant: given, by name or id, or the clustered one. Raises UsageError."""
    if isinstance(index, Index):
        return index
    return clustered_index(survey) if index is None else survey.index(index)


def level_of(survey: Survey, index: Index, level: int) -> Level:
    """One level of an index. Raises UsageError when it has no such level in this file."""
    for found in index.levels:
        if found.level == level:
            return found
    raise UsageError(f"{index.name} has no pages of level {level} in this file", path=survey.path)


def check_fill(
    survey: Survey,
    index: Index | str | int | None = None,
    *,
    minimum: float | str | None = None,
    maximum: float | str | None = None,
    measure: str = "fill",
    level: int = 0,
) -> list[Check]:
    """Check the fill of one level (0 = leaves), one :class:`Check` for each limit given.

    ``measure`` is ``fill`` (record bytes / room) or ``dir_fill`` (with the directory: what
    innodb_fill_factor steers). Raises UsageError.
    """
    if measure not in FILL_MEASURES:
        raise UsageError(f"fill is measured as {' or '.join(FILL_MEASURES)}, not {measure!r}")
    found = resolve_index(survey, index)
    value: float | None = getattr(level_of(survey, found, level).fill, measure)
    limits = [("min", minimum), ("max", maximum)]
    return [_check(found, measure, kind, limit, value, level) for kind, limit in limits if limit is not None]


def check_order(
    survey: Survey,
    index: Index | str | int | None = None,
    *,
    min_contiguous: float | str | None = None,
    max_out_of_order: float | str | None = None,
    max_backward: float | str | None = None,
) -> list[Check]:
    """Check the order of the leaves along their chain, one :class:`Check` for each limit given. An index
    of one leaf has no order, and holds. Raises UsageError."""
    found = resolve_index(survey, index)
    order = level_of(survey, found, 0).order
    limits = [
        ("contiguous", "min", min_contiguous, order.contiguous),
        ("out_of_order", "max", max_out_of_order, order.out_of_order),
        ("backward", "max", max_backward, order.backward),
    ]
    return [_check(found, name, kind, limit, value, 0) for name, kind, limit, value in limits if limit is not None]


def _check(index: Index, measure: str, kind: str, limit: float | str, value: float | None, level: int) -> Check:
    bound = parse_limit(limit)
    ok = value is None or (value >= bound if kind == "min" else value <= bound)
    reason = f"{measure} of {index.name}" + (f", level {level}" if level else "")
    words = {"min": ("at least", "below the minimum of"), "max": ("at most", "above the maximum of")}[kind]
    if value is None:
        reason += f" can not be measured (too few pages), {words[0]} {100 * bound:.1f} % was asked"
    else:
        measured, asked = _told_apart(value, bound)
        reason += f" is {measured}, {words[0] if ok else words[1]} {asked}"
    if index.is_small and not ok:
        reason += f" (only {index.leaf.pages} leaf pages: too small to judge)"
    return Check(index, measure, kind, bound, value, ok, index.is_small, reason, level)


def _told_apart(value: float, bound: float) -> tuple[str, str]:
    """Two ratios as percentages, with as many digits as tell them apart, at least one."""
    for digits in range(1, 10):
        texts = f"{100 * value:.{digits}f} %", f"{100 * bound:.{digits}f} %"
        if texts[0] != texts[1] or value == bound:
            break
    return texts
