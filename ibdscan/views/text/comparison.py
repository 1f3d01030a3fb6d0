"""``ibdscan compare``: two files side by side."""

from __future__ import annotations

from ibdscan.measures.compare import Comparison, MetricRow
from ibdscan.views.tables import Column, Table
from ibdscan.views.text.head import Style, head_lines

COMPARE_COLUMNS = ("a", "b", "difference")


def comparison_text(comparison: Comparison, style: Style) -> str:
    """What ``ibdscan compare`` prints."""
    parts = []
    for letter, survey in (("A", comparison.a), ("B", comparison.b)):
        head = head_lines(survey, Style(style.width))
        parts += [style.bold(f"{letter}: {head[0]}"), *("   " + line for line in head[1:])]
    parts.append("")
    parts.append(style.table(_comparison_table("file", comparison.rows)))
    for pair in comparison.indexes:
        star = " *" if pair.a and pair.a.clustered else ""
        parts.append(style.table(_comparison_table(pair.name + star, pair.rows)))
    parts += comparison.summary or ("the two do not differ in leaf fill or order",)
    for letter, survey in (("A", comparison.a), ("B", comparison.b)):
        if survey.findings:
            parts.append(f"{letter} has {len(survey.findings)} findings: see ibdscan info")
    return "\n".join(parts) + "\n"


def _comparison_table(name: str, rows: tuple[MetricRow, ...]) -> Table:
    table = Table(
        [
            Column("metric", name),
            *(Column(k, k.upper() if len(k) == 1 else k, right=True) for k in COMPARE_COLUMNS),
        ]
    )
    for row in rows:
        shown = [
            Column("", "", row.unit).show(row.a),
            Column("", "", row.unit).show(row.b),
            Column("", "", row.unit, sign=True).show(row.difference),
        ]
        table.add(row.label, *shown)
    return table
