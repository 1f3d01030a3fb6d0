"""``ibdscan segments``, ``extents``, ``lists``, ``regions``: what is inside a tablespace, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ibdscan.measures.detail.extents import ExtentMap, Regions
from ibdscan.measures.detail.owners import SegmentOwner
from ibdscan.measures.file.survey import Survey
from ibdscan.views.data.structure import (
    BITMAP_KEY,
    extent_facts,
    extent_table,
    list_table,
    region_table,
    segment_table,
    type_table,
)
from ibdscan.views.table.columns import text_parts
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import bytes_text, count_text, ratio_text
from ibdscan.views.text.head import head_lines


def segments_text(survey: Survey, owners: Sequence[SegmentOwner], style: Style) -> str:
    """What ``ibdscan segments`` prints."""
    used = sum(o.segment.used_pages for o in owners)
    reserved = sum(o.segment.reserved_pages for o in owners)
    spare = reserved - used
    lines = [
        *head_lines(survey, style),
        "",
        style.table(segment_table(owners, for_people=True)),
        f"{count_text(len(owners))} segments: {count_text(used)} pages used of {count_text(reserved)} reserved, "
        f"{count_text(spare)} unused ({ratio_text(spare / reserved if reserved else None)}, "
        f"{bytes_text(spare * survey.page_size)})",
        "one eighth of a growing segment is kept in reserve by design (innodb_segment_reserve_factor)",
    ]
    return "\n".join(lines) + "\n"


def extents_text(extents: ExtentMap, style: Style) -> Iterator[str]:
    """What ``ibdscan extents`` prints, in pieces."""
    survey = extents.survey
    yield "\n".join([*head_lines(survey, style), "", ""])
    yield from text_parts(extent_table(extents, for_people=True))
    facts = extent_facts(extents)
    table = Table(
        [
            Column("state", "state"),
            Column("extents", "extents", "count"),
            Column("used_pages", "used pages", "pages"),
        ]
    )
    for name, counts in facts["states"].items():
        table.add(name, counts["extents"], counts["used_pages"])
    lines = [f"pages: {BITMAP_KEY}; extents above the free limit are not listed", "", style.table(table)]
    yield "\n".join([*lines, *tail_lines(survey, facts), *descriptor_lines(facts)]) + "\n"


def tail_lines(survey: Survey, facts: dict[str, Any]) -> list[str]:
    """What keeps the file from shrinking."""
    last = facts["last_used_page"]
    if last is None:
        return ["no page but headers and descriptors is in use"]
    owner = "of no segment"
    if last["segment_id"] is not None:
        whose = f"index {printable(last['index'])} ({last['role']})" if last["index"] else last["role"]
        if last["table"]:
            whose += f" of {printable(last['table'])}"
        owner = f"of segment {last['segment_id']}, {whose}"
    size = survey.page_size
    return [
        f"what keeps the file from shrinking: the last used page is {last['page_no']} (type {last['type']}), "
        f"{owner}; {last['extent_used_pages']} of its extent's {facts['extent_pages']} pages are used",
        f"after it: {count_text(last['free_pages_after'])} pages ({bytes_text(last['free_pages_after'] * size)}); "
        f"before it {count_text(last['free_pages_before'])} pages "
        f"({bytes_text(last['free_pages_before'] * size)}) are not in use, reserved ones included",
    ]


def descriptor_lines(facts: dict[str, Any]) -> list[str]:
    """Pages lost beside descriptor pages; nothing in a file that has only one."""
    loss = facts["descriptor_extents"]
    if not loss["extents"]:
        return []
    lines = [
        f"{count_text(loss['extents'])} more descriptor pages: {count_text(loss['lost_pages'])} pages beside them "
        "are free and can serve single (fragment) pages only"
    ]
    if loss["leased_extents"]:
        lines.append(
            f"{count_text(loss['leased_extents'])} of these extents are leased to segments (FSEG_FRAG, MySQL 8.0+)"
        )
    return lines


def lists_text(survey: Survey, objects: list[dict[str, Any]], style: Style) -> str:
    """What ``ibdscan lists`` prints."""
    table = list_table(objects, for_people=True)
    lines = [*head_lines(survey, style), "", style.table(table)]
    lines.append(
        f"{len(table.rows)} lists hold something, {len(objects) - len(table.rows)} are empty; "
        f"extent n starts at page n * {survey.extents.pages}"
    )
    problems = sum(o["problem"] is not None for o in objects)
    if problems:
        lines.append(f"{problems} lists are not sound")
    return "\n".join(lines) + "\n"


def regions_text(survey: Survey, regions: Regions, style: Style) -> Iterator[str]:
    """What ``ibdscan regions`` prints, in pieces."""
    yield "\n".join([*head_lines(survey, style), "", ""])
    yield from text_parts(region_table(survey, regions, for_people=True))
    yield "\n" + style.table(type_table(survey, regions))
