"""Assertions for tests: is the table as full and as well ordered as it should be?"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ibdscan.errors import UsageError
from ibdscan.measures.file.limits import Check, check_fill, check_order, level_of, resolve_index
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.measures.index.index import Index
from ibdscan.testing.explain import explain_fill, explain_order

SpaceLike = Survey | str | os.PathLike[str]
"""An open space, or the path of a file."""
Limit = float | str
"""A ratio 0..1, or text such as ``"85 %"``."""
MAX_FINDINGS = 10


def assert_fill(
    space: SpaceLike,
    *,
    index: str | int | None = None,
    min: Limit | None = None,
    max: Limit | None = None,
    measure: str = "fill",
    level: int = 0,
    allow_small: bool = False,
) -> None:
    """Assert that the pages of an index (the clustered one) are filled within limits.

    ``measure``: ``fill`` (record bytes / room of an empty page) or ``dir_fill`` (with the directory, to
    test against innodb_fill_factor). ``level`` 0 are the leaves. ``allow_small`` lets an index of fewer
    than eight leaves pass, as it is too small to judge. Raises AssertionError with the figures,
    :class:`ibdscan.UsageError` when the question is wrong.
    """
    __tracebackhide__ = True
    if min is None and max is None:
        raise UsageError("assert_fill needs min or max")
    with _surveyed(space) as survey:
        checks = check_fill(survey, index, minimum=min, maximum=max, measure=measure, level=level)
        failed = _failed(checks, allow_small)
        if not failed:
            return
        of_level = level_of(survey, failed[0].index, level)
        text = _message(survey, failed) + explain_fill(survey, of_level, lowest=failed[0].kind == "min")
    raise AssertionError(text)


def assert_order(
    space: SpaceLike,
    *,
    index: str | int | None = None,
    min_contiguous: Limit | None = None,
    max_out_of_order: Limit | None = None,
    max_backward: Limit | None = None,
    allow_small: bool = False,
) -> None:
    """Assert that the leaves of an index (the clustered one) lie in the file as their links go.

    ``contiguous``: links to the next page number / links; ``out_of_order``: leaves whose next leaf is not
    the next higher leaf page; ``backward``: links to a lower page number / leaves. Raises as
    :func:`assert_fill` does.
    """
    __tracebackhide__ = True
    if min_contiguous is None and max_out_of_order is None and max_backward is None:
        raise UsageError("assert_order needs min_contiguous, max_out_of_order or max_backward")
    with _surveyed(space) as survey:
        checks = check_order(
            survey,
            index,
            min_contiguous=min_contiguous,
            max_out_of_order=max_out_of_order,
            max_backward=max_backward,
        )
        failed = _failed(checks, allow_small)
        if not failed:
            return
        text = _message(survey, failed) + explain_order(survey, level_of(survey, failed[0].index, 0))
    raise AssertionError(text)


def assert_height(space: SpaceLike, *, index: str | int | None = None, max: int) -> None:
    """Assert that an index (the clustered one) has at most ``max`` levels."""
    __tracebackhide__ = True
    with _surveyed(space) as survey:
        found = resolve_index(survey, index)
        if found.height <= max:
            return
        levels = ", ".join(f"level {v.level}: {v.pages} pages" for v in found.levels)
        text = f"{survey.path}: height of {_named(found)} is {found.height}, above the maximum of {max} ({levels})"
    raise AssertionError(text)


def assert_no_findings(space: SpaceLike) -> None:
    """Assert that the survey found nothing broken or odd in the file."""
    __tracebackhide__ = True
    with _surveyed(space) as survey:
        if not survey.findings:
            return
        lines = [f"  {f.kind}: {f.message}" for f in survey.findings[:MAX_FINDINGS]]
        if len(survey.findings) > MAX_FINDINGS:
            lines.append(f"  and {len(survey.findings) - MAX_FINDINGS} more")
        text = "\n".join([f"{survey.path}: {len(survey.findings)} findings", *lines])
    raise AssertionError(text)


@contextmanager
def _surveyed(space: SpaceLike) -> Iterator[Survey]:
    if isinstance(space, Survey):
        yield space
        return
    survey = open_survey(os.fspath(space))
    try:
        yield survey
    finally:
        survey.close()


def _failed(checks: list[Check], allow_small: bool) -> list[Check]:
    return [c for c in checks if not c.ok and not (allow_small and c.is_small)]


def _message(survey: Survey, failed: list[Check]) -> str:
    index = failed[0].index
    lines = [f"{survey.path}: {_named(index)}"]
    lines += [f"  {c.reason}" for c in failed]
    if index.is_small:
        lines.append("  pass allow_small=True to let so small an index pass")
    return "\n".join(lines) + "\n"


def _named(index: Index) -> str:
    return f"{index.name} of {index.table}" if index.table else index.name
