"""``ibdscan compare``: two to six files side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ibdscan.measures.file.compare import LETTERS, Comparison, MetricRow, line_up
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.text.head import head_lines


def comparisons_text(comparisons: Sequence[Comparison], style: Style) -> str:
    """What ``ibdscan compare`` prints, of what :func:`ibdscan.measures.file.compare.compare_many` gave."""
    parts = []
    surveys = [comparison.b for comparison in comparisons]
    for letter, survey in zip(LETTERS, surveys, strict=False):
        head = head_lines(survey, Style(style.width))
        parts += [style.bold(f"{letter}: {head[0]}"), *("   " + line for line in head[1:])]
    parts.append("")
    parts.append(style.table(_table("file", [c.rows for c in comparisons])))
    for line in line_up(comparisons):
        parts.append(style.table(_table(line.name + (" *" if line.clustered else ""), line.rows)))
    for letter, comparison in zip(LETTERS[1:], comparisons[1:], strict=False):
        if len(comparisons) == 2:
            parts += [printable(s) for s in comparison.summary or ("the two do not differ in leaf fill or order",)]
        else:
            parts.append(
                f"A and {letter}:" + ("" if comparison.summary else " do not differ in leaf fill or order")
            )
            parts += [f"  {printable(sentence)}" for sentence in comparison.summary]
    for letter, survey in zip(LETTERS, surveys, strict=False):
        if survey.findings:
            parts.append(f"{letter} has {len(survey.findings)} findings: see ibdscan info")
    return "\n".join(parts) + "\n"


def _table(name: str, files: Sequence[Sequence[MetricRow]]) -> Table:
    """One line a metric: its value in each file, then the differences to the first."""
    letters = LETTERS[: len(files)]
    differences = ["difference"] if len(files) == 2 else [f"{letter} - A" for letter in letters[1:]]
    table = Table([Column("metric", name), *(Column(k, k, right=True) for k in (*letters, *differences))])
    for rows in zip(*files, strict=True):
        plain, signed = Column("", "", rows[0].unit), Column("", "", rows[0].unit, sign=True)
        values = [plain.show(row.b) for row in rows]
        table.add(rows[0].label, *values, *(signed.show(row.difference) for row in rows[1:]))
    return table
