"""A scan as JSON objects: the sums, the ranked tables, what changed since an earlier one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ibdscan.measures.scan.since import KINDS, Change, Since
from ibdscan.measures.scan.totals import Report, Sums, TableSums


def sums_data(sums: Sums) -> dict[str, Any]:
    """Sums over files by the names of the rows."""
    return {
        "files": sums.files,
        "bytes": sums.bytes,
        "allocated_bytes": sums.allocated_bytes,
        "data_free_bytes": sums.data_free_bytes,
        "wastes": {
            "free_bytes": sums.free_bytes,
            "reserved_unused_bytes": sums.reserved_unused_bytes,
            "slack_bytes": sums.slack_bytes,
        },
        "leaf": {
            "pages": sums.leaf_pages,
            "records": sums.records,
            "data_bytes": sums.data_bytes,
            "fill": sums.fill,
            "contiguous": sums.contiguous,
            "out_of_order": sums.out_of_order,
        },
        "rebuild": {
            "saved_bytes": sums.saved_bytes,
            "file_saved_bytes": sums.file_saved_bytes,
            "n_without_estimate": sums.n_without_estimate,
        },
        "n_findings": sums.n_findings,
    }


def table_data(table: TableSums) -> dict[str, Any]:
    """One ranked table, its partitions summed."""
    head = {"schema": table.key.schema, "table": table.key.name, "folder": table.key.folder, "kind": table.kind}
    return head | {"too_small_to_judge": table.too_small_to_judge} | sums_data(table)


def report_data(report: Report, since: Since | None = None) -> dict[str, Any]:
    """Everything but the files."""
    out: dict[str, Any] = {
        "totals": sums_data(report.total) | {"tables": report.n_tables},
        "statuses": dict(sorted(report.statuses.items())),
        "kinds": dict(sorted(report.kinds.items())),
        "minimal": sums_data(report.minimal),
        "small": sums_data(report.small),
        "file_per_table": {
            "files": report.tables_only.files,
            "bytes": report.tables_only.bytes,
            "shared_bytes": report.shared_bytes,
            "cost_bytes": report.own_files_cost_bytes,
        },
        "schemas": [
            {"folder": folder, "schema": schema} | sums_data(sums)
            for (folder, schema), sums in report.schemas.items()
        ],
        "tables": [table_data(table) for table in report.tables()],
        "interrupted": report.interrupted,
    }
    if since is not None:
        out["since"] = {"path": since.path} | {
            kind: {
                "files": since.counts[kind],
                "bytes": since.sizes[kind],
                "changes": [change_data(c) for c in since.changes(kind)],
            }
            for kind in KINDS
        }
    return out


def change_data(change: Change) -> dict[str, Any]:
    """One changed file."""
    return {
        "path": change.path,
        "bytes": change.bytes,
        "before": asdict(change.before) if change.before else None,
        "after": asdict(change.after) if change.after else None,
        "reasons": list(change.reasons),
    }
