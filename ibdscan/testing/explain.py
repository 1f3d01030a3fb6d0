"""Why an assertion failed: the histogram of fill, the worst pages, the longest seeks."""

from __future__ import annotations

import numpy as np

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.fill import page_fill
from ibdscan.measures.index.index import Level
from ibdscan.views.table.tables import histogram_text

WORST = 5


def _histogram(level: Level) -> list[str]:
    return ["    " + line for line in histogram_text(level.fill.histogram)]


def explain_fill(survey: Survey, level: Level, *, lowest: bool) -> str:
    """Histogram and the emptiest (or fullest) pages of one level."""
    fill = page_fill(survey.columns, level.page_nos, survey.space.geometry.logical)
    order = np.argsort(fill if lowest else -fill, kind="stable")[:WORST]
    worst = ", ".join(f"page {level.page_nos[i]} {100 * fill[i]:.1f} %" for i in order)
    what = "leaf pages" if level.level == 0 else f"pages of level {level.level}"
    lines = [f"  {level.pages} {what}, {level.records} records; pages by fill:"]
    lines += _histogram(level)
    lines.append(f"  {'emptiest' if lowest else 'fullest'}: {worst}")
    return "\n".join(lines)


def explain_order(survey: Survey, level: Level) -> str:
    """Order figures, the longest seeks along the chain, and the histogram of fill."""
    order, chain = level.order, level.chain
    step = np.diff(chain)
    longest = np.argsort(-np.abs(step), kind="stable")[:WORST]
    seeks = ", ".join(f"page {chain[i]} to {chain[i + 1]} ({step[i]:+d})" for i in longest)
    figures = [
        f"{name} {100 * value:.1f} %"
        for name in ("contiguous", "out_of_order", "backward")
        if (value := getattr(order, name)) is not None
    ]
    lines = [f"  {level.pages} leaf pages in {order.fragments} runs; {', '.join(figures)}"]
    lines.append(f"  mean seek {order.avg_seek_pages or 0:.1f} pages; longest: {seeks}")
    lines += ["  pages by fill:", *_histogram(level)]
    return "\n".join(lines)
