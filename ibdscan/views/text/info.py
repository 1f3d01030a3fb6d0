"""``ibdscan info``: the survey of one file."""

from __future__ import annotations

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import SMALL_LEAVES
from ibdscan.measures.index.verdict import SMALL, judge
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import bytes_text, count_text
from ibdscan.views.text.head import head_lines, label

CLASS_WORDS = {
    "system": "system (headers, descriptors, bitmaps, inodes)",
    "leaf": "leaf",
    "non_leaf": "non-leaf",
    "off_page": "off-page (LOB)",
    "sdi": "SDI (dictionary)",
    "other": "other live pages",
    "unread": "in use, not readable (encrypted or compressed)",
    "undo": "undo logs",
    "rollback": "rollback segments, transaction system",
    "change_buffer": "change buffer",
    "dictionary": "dictionary header",
    "doublewrite": "doublewrite area",
    "reserved_unused": "reserved by a segment, unused",
    "free_in_fragment_extent": "free in a fragment extent",
    "free_extent": "free extent",
    "above_free_limit": "above the free limit, never initialised",
    "beyond_size": "beyond FSP_SIZE (file tail)",
}

MANY_SMALL = 3
"""From so many on, indexes too small to judge share a line."""


def info_text(survey: Survey, style: Style) -> str:
    """What ``ibdscan info`` prints for one file."""
    parts = [*head_lines(survey, style), ""]
    parts.append(style.table(account_table(survey)))
    if survey.user_indexes:
        parts.append(style.table(overview_table(survey)))
        parts += [*verdict_lines(survey), ""]
    parts += rebuild_lines(survey)
    parts += findings_lines(survey, style)
    return "\n".join(parts) + "\n"


def account_table(survey: Survey) -> Table:
    """Where the pages are: classes that sum to the file."""
    size = survey.page_size
    table = Table(
        [
            Column("class", "where the pages are"),
            Column("pages", "pages", "pages"),
            Column("bytes", "size", "bytes"),
            Column("share", "share", "ratio"),
        ]
    )
    for name, pages in survey.page_classes.items():
        if pages:
            table.add(CLASS_WORDS[name], pages, pages * size, pages / survey.n_pages)
    table.add("total", survey.n_pages, survey.n_pages * size, 1.0)
    return table


OVERVIEW_COLUMNS = (
    Column("name", "index"),
    Column("height", "height", "count"),
    Column("leaf.pages", "leaves", "pages"),
    Column("leaf.records", "records", "count"),
    Column("leaf.fill", "fill", "ratio"),
    Column("leaf.dir_fill", "with\ndir", "ratio"),
    Column("leaf.garbage", "garbage", "ratio"),
    Column("leaf.contiguous", "contiguous", "ratio"),
    Column("leaf.out_of_order", "out of\norder", "ratio"),
    Column("used_pages", "used", "pages"),
    Column("reserved_pages", "reserved", "pages"),
    Column("rebuild.leaf_pages", "leaves\nrebuilt", "pages"),
)


def overview_table(survey: Survey) -> Table:
    """One row an index: fill, order and reservation together."""
    many = len({i.table for i in survey.user_indexes}) > 1
    table = Table(OVERVIEW_COLUMNS)
    for index in survey.user_indexes:
        leaf = index.leaf if index.has_leaf else None
        table.add(
            label(index, with_table=many),
            index.height or None,
            leaf and leaf.pages,
            leaf and leaf.records,
            leaf and leaf.fill,
            leaf and leaf.dir_fill,
            leaf and leaf.garbage,
            leaf and leaf.contiguous,
            leaf and leaf.out_of_order,
            index.used_pages if leaf else None,
            index.reserved_pages if leaf else None,
            index.rebuild.leaf_pages if index.rebuild else None,
        )
    return table


def verdict_lines(survey: Survey) -> list[str]:
    """One line an index: what its numbers say; one line for all that are too small to judge."""
    return [f"{name}: {text}" for name, text in verdict_pairs(survey)]


def verdict_pairs(survey: Survey) -> list[tuple[str, str]]:
    """The same as names and texts."""
    many = len({i.table for i in survey.user_indexes}) > 1
    judged = [(printable(label(i, with_table=many)), judge(i)) for i in survey.user_indexes]
    small = sum(v.kind == SMALL for _, v in judged)
    if small < MANY_SMALL:
        return [(name, v.text) for name, v in judged]
    rest = f"too small to judge (fewer than {SMALL_LEAVES} leaf pages each)"
    return [(name, v.text) for name, v in judged if v.kind != SMALL] + [(f"{small:,} indexes", rest)]


def rebuild_lines(survey: Survey) -> list[str]:
    """What a rebuild would give back, and how it was computed; stale pages and the SDI."""
    if survey.storage.notes and not any(i.has_leaf for i in survey.user_indexes):
        return ["the indexes can not be read: see above"]
    if not survey.user_indexes:
        return ["no user index in this file"]
    sdi_pages = survey.page_classes["sdi"]
    lines = [
        f"* clustered index; the SDI's {sdi_pages} page(s) are left out" if sdi_pages else "* clustered index",
        rebuild_text(survey),
    ]
    wastes = survey.wastes
    lines.append(
        f"three wastes: {bytes_text(wastes.free_bytes)} free in the file, "
        f"{bytes_text(wastes.reserved_unused_bytes)} reserved but unused, "
        f"{bytes_text(wastes.slack_bytes)} slack and garbage inside index pages"
    )
    lines.append(
        f"DATA_FREE as the server counts it (free extents, less a reserve): {bytes_text(survey.data_free_bytes)}"
    )
    return lines


def rebuild_text(survey: Survey, fill_factor: int = 100) -> str:
    """What the file shrinks by in a rebuild at that innodb_fill_factor, or why that is not known."""
    file = survey.rebuild_at(fill_factor)
    if file.saved_bytes is None:
        return f"no rebuild estimate: {printable(file.reason or '')}"
    indexes = [i for i in survey.user_indexes if i.has_leaf]
    now = sum(i.levels[-1].pages for i in indexes)
    after = sum(r.leaf_pages for i in indexes if (r := i.rebuild_at(fill_factor)))
    leaves = f"{count_text(now)} leaf pages become {count_text(after)}"
    at = "" if fill_factor == 100 else f" at innodb_fill_factor {fill_factor}"
    if not file.saved_bytes:
        return f"a rebuild{at} would give nothing back: {leaves}"
    return (
        f"a rebuild{at} would give back about {bytes_text(file.saved_bytes)} of "
        f"{bytes_text(survey.space.source.size)}: {leaves} (records packed as the server's sorted build does, the "
        "file grown by its rule)"
    )


def findings_lines(survey: Survey, style: Style) -> list[str]:
    """The findings, or a line that there are none."""
    if not survey.findings:
        return ["no findings"]
    lines = [style.bold(f"{len(survey.findings)} findings")]
    for finding in survey.findings:
        where = "" if finding.page_no is None else f" page {finding.page_no}"
        lines.append(f"  {finding.kind}{where}: {finding.message}")
    return lines
