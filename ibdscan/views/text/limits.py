"""Limits and whether they hold, as text, JSON and CSV."""

from __future__ import annotations

from typing import Any

from ibdscan.measures.file.limits import Check
from ibdscan.measures.file.survey import Survey
from ibdscan.views.table.tables import Column, Table, histogram_text, printable


def checks_data(survey: Survey, checks: list[Check], failed: list[Check], no_findings: bool) -> dict[str, Any]:
    """What ``ibdscan assert --format json`` prints."""
    return {
        "path": survey.path,
        "ok": not failed and not (no_findings and survey.findings),
        "checks": [
            {
                "index": c.index.name,
                "table": c.index.table,
                "measure": c.measure,
                "kind": c.kind,
                "limit": c.limit,
                "measured": c.measured,
                "ok": c not in failed,
                "too_small_to_judge": c.is_small,
                "reason": c.reason,
            }
            for c in checks
        ],
        "findings": [f.as_dict() for f in survey.findings] if no_findings else [],
    }


def checks_table(checks: list[Check], failed: list[Check]) -> Table:
    """One row a check."""
    keys = ("index", "measure", "kind", "limit", "measured", "ok", "reason")
    table = Table([Column(k, k) for k in keys])
    for c in checks:
        table.add(c.index.name, c.measure, c.kind, c.limit, c.measured, c not in failed, c.reason)
    return table


def checks_text(survey: Survey, checks: list[Check], failed: list[Check], no_findings: bool) -> str:
    """A line a check; for each index that missed a limit the histogram of its leaves."""
    lines = [printable(survey.path)]
    lines += [f"  {'FAILED' if c in failed else 'ok'}: {printable(c.reason)}" for c in checks]
    if no_findings:
        n = len(survey.findings)
        lines.append(f"  FAILED: {n} findings" if n else "  ok: no findings")
        lines += [f"    {f.kind}: {printable(f.message)}" for f in survey.findings[:10]]
    for index in dict.fromkeys(c.index.ordinal for c in failed):
        found = survey.indexes[index]
        lines.append(f"  {printable(found.name)}: {found.leaf.pages:,} leaf pages by fill")
        lines += ["    " + line for line in histogram_text(found.leaf.histogram)]
    return "\n".join(lines) + "\n"
