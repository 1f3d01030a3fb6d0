"""A scan as text for people."""

from __future__ import annotations

from collections.abc import Callable

from ibdscan.measures.scan.row import FileRow
from ibdscan.measures.scan.since import KINDS, Since
from ibdscan.measures.scan.totals import INODES_A_PAGE, Report, Sums, TableSums
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import bytes_text, count_text, ratio_text

MAX_SCHEMAS = 20
MAX_PROBLEM_LINES = 20
MAX_CHANGES = 10
STATUS_WORDS = {
    "encrypted": "encrypted, no key: the space is accounted for, the trees are not",
    "vanished": "vanished while they were scanned",
    "cut-short": "cut short while they were read",
    "unreadable": "could not be read",
    "not-a-tablespace": "are no tablespaces",
    "unsupported": "of a format that could not be read",
    "crashed": "could not be surveyed (please report it)",
}


def report_text(report: Report, style: Style, *, quick: bool, since: Since | None = None) -> str:
    """What ``ibdscan scan`` prints."""
    parts = [*_head(report, style, quick), ""]
    if report.total.files:
        parts += [*_wastes(report.total, quick), ""]
        if len(report.schemas) > 1:
            parts.append(style.table(_schema_table(report, quick)))
        tables = report.tables()
        if tables:
            parts.append(style.table(_ranked_table(tables, quick)))
        elif report.sort == "saved":
            parts += ["no table is worth a rebuild: all are in good order or too small to judge", ""]
        parts += [*_small(report, quick), *_own_files(report), ""]
    if since is not None:
        parts += [*since_lines(since, style), ""]
    parts += _problems(report, style)
    return "\n".join(parts) + "\n"


def _head(report: Report, style: Style, quick: bool) -> list[str]:
    total = report.total
    lines = []
    if report.interrupted:
        lines.append(style.bold("interrupted: these are the files done so far"))
    schemas = {schema for _, schema in report.schemas if schema is not None}
    lines.append(
        style.bold(f"{count_text(total.files)} tablespace files")
        + f", {count_text(report.n_tables)} tables in {count_text(len(schemas))} schemas, "
        f"{bytes_text(total.bytes)}, {bytes_text(total.allocated_bytes)} allocated"
    )
    others = [f"{count_text(n)} {kind}" for kind, n in sorted(report.kinds.items()) if kind != "table"]
    if others:
        lines.append("among them " + ", ".join(others))
    if quick:
        lines.append(
            "quick: page 0, INODE and XDES pages only; fill, order, slack and a rebuild's gain are not known"
        )
    return lines


def _wastes(total: Sums, quick: bool) -> list[str]:
    share = _share(total.bytes)
    lines = ["three wastes, which add up:" if not quick else "two of the three wastes:"]
    seen = f"DATA_FREE, which keeps a reserve and sees whole extents: {bytes_text(total.data_free_bytes)}"
    lines.append(f"  free in the files       {share(total.free_bytes)}  ({seen})")
    lines.append(
        f"  reserved but unused     {share(total.reserved_unused_bytes)}  (12.5 % is usual in large indexes)"
    )
    if quick:
        lines.append(f"  together                {share(total.wasted_bytes)}")
        return lines
    lines.append(f"  slack in index pages    {share(total.slack_bytes)}  (a full page keeps 1/16)")
    lines.append(f"  together                {share(total.wasted_bytes)}")
    lines.append(
        f"rebuilding all tables would give back about {bytes_text(total.file_saved_bytes)} of "
        f"{bytes_text(total.bytes)}; leaf fill {ratio_text(total.fill)}, contiguous {ratio_text(total.contiguous)}"
    )
    if total.n_without_estimate:
        lines.append(
            f"  without an estimate: {count_text(total.n_without_estimate)} files (``info`` of each says why)"
        )
    return lines


def _share(whole: int) -> Callable[[int], str]:
    def text(n: int) -> str:
        return f"{bytes_text(n):>10} {ratio_text(n / whole if whole else None):>7}"

    return text


_FULL_COLUMNS: tuple[tuple[Column, Callable[[Sums], int | float | None]], ...] = (
    (Column("files", "files", "count"), lambda s: s.files),
    (Column("saved", "a rebuild\ngives back", "bytes"), lambda s: s.file_saved_bytes),
    (Column("bytes", "size", "bytes"), lambda s: s.bytes),
    (Column("allocated", "allocated", "bytes"), lambda s: s.allocated_bytes),
    (Column("free", "free", "bytes"), lambda s: s.free_bytes),
    (Column("reserved", "reserved\nunused", "bytes"), lambda s: s.reserved_unused_bytes),
    (Column("slack", "slack", "bytes"), lambda s: s.slack_bytes),
    (Column("leaves", "leaves", "pages"), lambda s: s.leaf_pages),
    (Column("fill", "fill", "ratio"), lambda s: s.fill),
    (Column("contiguous", "contiguous", "ratio"), lambda s: s.contiguous),
    (Column("out_of_order", "out of\norder", "ratio"), lambda s: s.out_of_order),
)
_QUICK_KEYS = ("files", "bytes", "allocated", "free", "reserved")


def _sums_table(first: str, labelled: list[tuple[str, Sums]], quick: bool) -> Table:
    """A line of sums for each; of a quick scan what it knows."""
    shown = [c for c in _FULL_COLUMNS if not quick or c[0].key in _QUICK_KEYS]
    table = Table([Column(first, first), *(column for column, _ in shown)])
    for label, sums in labelled:
        table.add(label, *(value(sums) for _, value in shown))
    return table


def _schema_table(report: Report, quick: bool) -> Table:
    ranked = sorted(report.schemas.items(), key=lambda item: -item[1].bytes)
    names = [schema for (_, schema) in report.schemas]
    labelled = []
    for (folder, schema), sums in ranked[:MAX_SCHEMAS]:
        label = schema if schema is not None and names.count(schema) == 1 else folder
        labelled.append((label, sums))
    table = _sums_table("schema", labelled, quick)
    if len(ranked) > MAX_SCHEMAS:
        table.add(f"and {count_text(len(ranked) - MAX_SCHEMAS)} more", *[None] * (len(table.columns) - 1))
    return table


def _ranked_table(tables: list[TableSums], quick: bool) -> Table:
    names = [t.key.label for t in tables]
    labels = [
        n if names.count(n) == 1 else f"{t.key.folder}/{t.key.name}" for t, n in zip(tables, names, strict=True)
    ]
    return _sums_table("table", list(zip(labels, tables, strict=True)), quick)


def _small(report: Report, quick: bool) -> list[str]:
    lines = []
    if report.minimal.files:
        lines.append(
            f"{count_text(report.minimal.files)} files are of the smallest size the server makes, together "
            f"{bytes_text(report.minimal.bytes)}: a rebuild changes nothing about them"
        )
    if report.small.files and not quick:
        lines.append(
            f"{count_text(report.small.files)} more are too small to judge (fewer than 8 leaf pages), together "
            f"{bytes_text(report.small.bytes)}"
        )
    return lines


def _own_files(report: Report) -> list[str]:
    tables = report.tables_only
    cost, shared = report.own_files_cost_bytes, report.shared_bytes
    if not tables.files or not cost:
        return []
    return [
        f"a file for each table costs about {bytes_text(cost)} here, {bytes_text(cost // tables.files)} a file:",
        f"  {count_text(tables.files)} files take {bytes_text(cost + shared)}, without the free space that a "
        f"rebuild gives back; one shared tablespace would need {bytes_text(shared)}",
        f"  (the pages that their segments hold, their dictionary information packed, an INODE page for "
        f"{INODES_A_PAGE} segments).",
        "  What is more goes into headers of each file's own, room up to its smallest size, extents taken ahead.",
        "  In return a file gives its space back when its table is dropped or rebuilt.",
    ]


def since_lines(since: Since, style: Style) -> list[str]:
    """What changed since the earlier scan."""
    lines = [style.bold(f"since {printable(since.path)}")]
    words = {"new": "new", "gone": "gone", "grew": "grown by 1 MiB or more", "worse": "worse"}
    for kind in KINDS:
        lines.append(f"{count_text(since.counts[kind])} {words[kind]}, {bytes_text(since.sizes[kind])}")
        for change in since.changes(kind)[:MAX_CHANGES]:
            why = f": {', '.join(change.reasons)}" if change.reasons else ""
            lines.append(f"  {bytes_text(change.bytes):>10}  {printable(change.path)}{why}")
        more = since.counts[kind] - MAX_CHANGES
        if more > 0:
            lines.append(f"  and {count_text(more)} more")
    return lines


def _problems(report: Report, style: Style) -> list[str]:
    if not report.n_problems:
        return ["no findings"]
    lines = [style.bold(f"{count_text(report.n_problems)} files with findings")]
    for status, n in sorted(report.statuses.items()):
        if status != "ok":
            lines.append(f"{count_text(n)} {STATUS_WORDS.get(status, status)}")
    shown = report.problems[:MAX_PROBLEM_LINES]
    lines += [f"  {printable(row.path)}: {printable(problem_text(row))}" for row in shown]
    more = report.n_problems - MAX_PROBLEM_LINES
    if more > 0:
        lines.append(f"  and {count_text(more)} more: --format jsonl has them all")
    return lines


def problem_text(row: FileRow) -> str:
    """Why a file is listed, in a line."""
    if row.error is not None:
        return row.error
    if row.status != "ok" and not row.findings:
        return STATUS_WORDS.get(row.status, row.status)
    if row.changed:
        return "written to while it was read: its numbers may not fit together"
    kind, page_no, _, message = row.findings[0]
    where = "" if page_no is None else f" page {page_no}"
    more = f" (and {row.n_findings - 1} more)" if row.n_findings > 1 else ""
    return f"{kind}{where}: {message}{more}"
