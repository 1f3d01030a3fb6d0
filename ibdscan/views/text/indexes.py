"""``ibdscan indexes``: each index level by level."""

from __future__ import annotations

from ibdscan.measures.index import Index
from ibdscan.measures.survey import Survey
from ibdscan.measures.verdict import verdict
from ibdscan.views.tables import Column, Table, histogram_text, printable
from ibdscan.views.text.head import Style, head_lines, label
from ibdscan.views.units import bytes_text, count_text, ratio_text


def indexes_text(survey: Survey, indexes: list[Index], style: Style) -> str:
    """What ``ibdscan indexes`` prints: each index level by level, with histogram and segments."""
    parts = [*head_lines(survey, style), ""]
    for index in indexes:
        parts += _index_lines(index, style)
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


def _index_lines(index: Index, style: Style) -> list[str]:
    head = [printable(label(index, with_table=True)), f"id {index.index_id}", f"root page {index.root_page_no}"]
    if index.kind == "fulltext":
        return [style.bold(head[0]), verdict(index), ""]
    lines = [style.bold(", ".join(head)), verdict(index)]
    if not index.clustered_is_certain:
        lines.append("taken to be the clustered index: it has the lowest id, and the file holds no names")
    lines.append(style.table(level_table(index)))
    for name, segment in (("leaf", index.leaf_segment), ("top", index.top_segment)):
        if segment is not None:
            spare = segment.reserved_pages - segment.used_pages
            share = spare / segment.reserved_pages if segment.reserved_pages else None
            lines.append(
                f"{name} segment {segment.segment_id}: {count_text(segment.used_pages)} pages used of "
                f"{count_text(segment.reserved_pages)} reserved ({ratio_text(share)} unused), "
                f"{len(segment.fragments)} of them single (fragment) pages"
            )
    if index.off_page_pages:
        lines.append(f"{count_text(index.off_page_pages)} off-page (LOB) pages")
    if index.has_leaf:
        lines.append("leaf pages by fill:")
        lines += ["  " + line for line in histogram_text(index.leaf.histogram)]
        marks = ", ".join(f"p{p} {ratio_text(v)}" for p, v in index.leaf.percentiles.items())
        lines.append(f"fill percentiles: {marks}")
    if index.rebuild:
        rebuild = index.rebuild
        lines.append(
            f"rebuilt: {count_text(rebuild.leaf_pages)} leaf pages, {count_text(rebuild.pages)} pages in all, "
            f"{_range(rebuild.reserved_pages_low, rebuild.reserved_pages_high)} reserved; "
            f"gives back {bytes_text(rebuild.saved_bytes)}"
        )
    return [*lines, ""]


def _range(low: int, high: int) -> str:
    return count_text(low) if low == high else f"{count_text(low)} to {count_text(high)}"
