"""A scan as a textfile for Prometheus' node_exporter: gauges with base units in their names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ibdscan.measures.scan.totals import Report, Sums, TableSums

_SIZES: tuple[tuple[str, str, Callable[[Sums], int]], ...] = (
    ("size_bytes", "Size of the files.", lambda s: s.bytes),
    ("allocated_bytes", "What the file system has allocated for them.", lambda s: s.allocated_bytes),
    ("free_bytes", "Free space in the files (free extents and pages of no segment).", lambda s: s.free_bytes),
    ("reserved_unused_bytes", "Pages reserved by a segment but not used.", lambda s: s.reserved_unused_bytes),
    ("slack_bytes", "Slack and garbage inside index pages.", lambda s: s.slack_bytes),
)
_FULL_SIZES = (
    *_SIZES,
    ("rebuild_saved_bytes", "What a rebuild would give back (estimate).", lambda s: s.file_saved_bytes),
)
_PREFIX = "ibdscan"


def prometheus_text(report: Report) -> str:
    """The exposition format (version 0.0.4): sums over all, by schema, and of the ranked tables.
    Of a quick scan what it does not know is absent."""
    lines: list[str] = []
    _gauge(
        lines,
        "files",
        "Tablespace files by status.",
        [({"status": k}, n) for k, n in sorted(report.statuses.items())],
    )
    _gauge(lines, "tables", "Tables with a file of their own.", [({}, report.n_tables)])
    single = (
        ("minimal_files", "Files of the smallest size the server makes.", report.minimal.files),
        ("findings", "Findings in all files: what a survey found broken.", report.total.n_findings),
    )
    for name, text, number in single:
        _gauge(lines, name, text, [({}, number)])
    if report.own_files_cost_bytes is not None:
        cost: list[tuple[dict[str, str], float]] = [({}, report.own_files_cost_bytes)]
        _gauge(lines, "file_per_table_cost_bytes", "What files for each table cost.", cost)
    sizes = _SIZES if report.quick else _FULL_SIZES
    for name, text, value in sizes:
        schemas = [
            ({"schema": schema or "", "folder": folder}, value(s))
            for (folder, schema), s in report.schemas.items()
        ]
        _gauge(lines, f"schema_{name}", f"{text} By schema.", schemas)
    tables = report.tables()
    for name, text, value in sizes:
        _gauge(lines, f"table_{name}", f"{text} First tables.", [(_labels(t), value(t)) for t in tables])
    ratios: tuple[tuple[str, str, Callable[[Sums], float | None]], ...] = (
        ("leaf_fill_ratio", "Leaf fill, 0 to 1.", lambda s: s.fill),
        ("leaf_contiguous_ratio", "Leaf links to the next page of the file, 0 to 1.", lambda s: s.contiguous),
    )
    for name, text, ratio in ratios:
        known = [(_labels(t), r) for t in tables if (r := ratio(t)) is not None]
        _gauge(lines, f"table_{name}", f"{text} First tables.", known)
    return "\n".join(lines) + "\n"


def _labels(table: TableSums) -> dict[str, str]:
    return {"schema": table.key.schema or "", "table": table.key.name, "folder": table.key.folder}


def _gauge(lines: list[str], name: str, text: str, samples: Sequence[tuple[dict[str, str], float]]) -> None:
    if not samples:
        return
    full = f"{_PREFIX}_{name}"
    lines += [f"# HELP {full} {text}", f"# TYPE {full} gauge"]
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escaped(label)}"' for key, label in labels.items())
        lines.append(f"{full}{{{inside}}} {value}" if inside else f"{full} {value}")


def _escaped(label: str) -> str:
    r"""A label's value: backslash, quote and line feed as the format wants them."""
    text = label.encode("utf-8", "backslashreplace").decode()
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
