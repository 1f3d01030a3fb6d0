"""``ibdscan indexes``: each index level by level."""

from __future__ import annotations

from ibdscan.measures.detail.index import DeepIndex
from ibdscan.measures.detail.records import LevelRecords
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.verdict import judge
from ibdscan.views.table.tables import Column, Style, Table, histogram_text, printable
from ibdscan.views.table.units import bytes_text, count_text, ratio_text
from ibdscan.views.text.head import head_lines, label
from ibdscan.views.text.history import history_lines, lob_lines, mergeable_lines
from ibdscan.views.text.info import rebuild_text

NAME_SOURCES = {
    "partition": "the table's first partition",
    "dictionary": "the dictionary in ibdata1",
    "frm": "the .frm file",
}


def indexes_text(survey: Survey, indexes: list[DeepIndex], style: Style) -> str:
    """What ``ibdscan indexes`` prints: each index level by level, with histogram, history and segments."""
    parts = [*head_lines(survey, style), ""]
    for deep in indexes:
        parts += _index_lines(deep, style)
    parts += [rebuild_text(survey, deep.fill_factor) for deep in indexes[:1]]
    return "\n".join(parts).rstrip("\n") + "\n"


LEVEL_COLUMNS = (
    Column("level", "level", "count"),
    Column("pages", "pages", "pages"),
    Column("records", "records", "count"),
    Column("fill", "fill", "ratio"),
    Column("dir_fill", "with dir", "ratio"),
    Column("garbage", "garbage", "ratio"),
    Column("contiguous", "contiguous", "ratio"),
    Column("out_of_order", "out of order", "ratio"),
    Column("backward", "backward", "ratio"),
    Column("fragments", "fragments", "count"),
    Column("avg_run", "mean run", "number"),
    Column("avg_seek_pages", "mean seek", "number"),
)


def level_table(index: Index) -> Table:
    """One row a level, root first."""
    table = Table(LEVEL_COLUMNS)
    for level in index.levels:
        fill, order = level.fill, level.order
        table.add(
            level.level,
            fill.pages,
            fill.records,
            fill.fill,
            fill.dir_fill,
            fill.garbage,
            order.contiguous,
            order.out_of_order,
            order.backward,
            order.fragments,
            order.avg_run,
            order.avg_seek_pages,
        )
    return table


RECORD_COLUMNS = (
    Column("level", "level", "count"),
    Column("records", "records walked", "count"),
    Column("delete_marked", "delete-marked", "count"),
    Column("share", "share", "ratio"),
    Column("bytes", "about", "bytes"),
    Column("metadata", "metadata", "count"),
)


def record_table(records: tuple[LevelRecords, ...]) -> Table:
    """One row a level: the records walked one by one."""
    table = Table(RECORD_COLUMNS)
    for r in records:
        share = r.delete_marked_share
        table.add(r.level, r.records, r.delete_marked, share, r.delete_marked_bytes, r.metadata)
    return table


def _index_lines(deep: DeepIndex, style: Style) -> list[str]:
    index = deep.index
    verdict = judge(index)
    head = [printable(label(index, with_table=True)), f"id {index.index_id}", f"root page {index.root_page_no}"]
    if index.name_source in NAME_SOURCES:
        head.append(f"name from {NAME_SOURCES[index.name_source]}")
    if index.kind == "fulltext":
        return [style.bold(head[0]), verdict.text, ""]
    lines = [style.bold(", ".join(head)), verdict.text]
    if verdict.reasons:
        lines.append("  because: " + "; ".join(verdict.reasons))
    if not index.clustered_is_certain:
        lines.append("taken to be the clustered index: it has the lowest id, and the file holds no names")
    lines.append(style.table(level_table(index)))
    if deep.records is not None:
        lines.append(style.table(record_table(deep.records)))
    lines += _segment_lines(index)
    lines += lob_lines(deep)
    lines += _fill_lines(index)
    lines += [*history_lines(index), *mergeable_lines(index), *_rebuild_lines(deep)]
    lines += [f"{f.kind}: {f.message}" for f in deep.findings]
    return [*lines, ""]


def _segment_lines(index: Index) -> list[str]:
    lines = []
    for name, segment in (("leaf", index.leaf_segment), ("top", index.top_segment)):
        if segment is not None:
            spare = segment.reserved_pages - segment.used_pages
            share = spare / segment.reserved_pages if segment.reserved_pages else None
            lines.append(
                f"{name} segment {segment.segment_id}: {count_text(segment.used_pages)} pages used of "
                f"{count_text(segment.reserved_pages)} reserved ({ratio_text(share)} unused), "
                f"{len(segment.fragments)} of them single (fragment) pages"
            )
    return lines


def _fill_lines(index: Index) -> list[str]:
    if not index.has_leaf:
        return []
    marks = ", ".join(f"p{p} {ratio_text(v)}" for p, v in index.leaf.percentiles.items())
    bars = ["  " + line for line in histogram_text(index.leaf.histogram)]
    return ["leaf pages by fill:", *bars, f"fill percentiles: {marks}"]


def _rebuild_lines(deep: DeepIndex) -> list[str]:
    rebuild = deep.rebuild
    if rebuild is None:
        return [f"no rebuild estimate: {deep.index.no_estimate}"]
    factor = "" if deep.fill_factor == 100 else f" at innodb_fill_factor {deep.fill_factor}"
    return [
        f"rebuilt{factor}: {count_text(rebuild.leaf_pages)} leaf pages, {count_text(rebuild.pages)} pages in all, "
        f"{_range(rebuild.reserved_pages_low, rebuild.reserved_pages_high)} reserved; "
        f"frees {bytes_text(rebuild.saved_bytes)} in the file",
        "  (the records as they are, packed as by the server's sorted build; off-page pages keep their number)",
    ]


def _range(low: int, high: int) -> str:
    return count_text(low) if low == high else f"{count_text(low)} to {count_text(high)}"
