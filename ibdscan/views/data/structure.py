"""What is inside a tablespace: segments, extents, lists and regions, as tables and as plain objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ibdscan.layout.numbers import type_name
from ibdscan.measures.detail.extents import ExtentMap, Regions, descriptor_loss, last_used, state_name
from ibdscan.measures.detail.owners import SegmentOwner
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.lists import FileList
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.table.columns import Cells, MemoryTable, Named
from ibdscan.views.table.declared import EXTENT_COLUMNS, LIST_COLUMNS, REGION_COLUMNS, SEGMENT_COLUMNS
from ibdscan.views.table.tables import Column, Table


def segment_objects(owners: Iterable[SegmentOwner]) -> list[dict[str, Any]]:
    """One object a segment; ``fill`` is used / reserved pages."""
    out = []
    for owner in owners:
        segment = owner.segment
        out.append(
            {
                "segment_id": segment.segment_id,
                "inode_page_no": segment.page_no,
                "inode_offset": segment.offset,
                "inode_slot": segment.slot,
                "table": owner.table_name,
                "index": owner.index_name,
                "index_id": owner.index.index_id if owner.index else None,
                "role": owner.role,
                "used_pages": segment.used_pages,
                "reserved_pages": segment.reserved_pages,
                "fill": segment.used_pages / segment.reserved_pages if segment.reserved_pages else None,
                "free_extents": segment.free_extents,
                "not_full_extents": segment.not_full_extents,
                "full_extents": segment.full_extents,
                "fragment_pages": len(segment.fragments),
                "first_page_no": owner.first_page_no,
            }
        )
    return out


def segment_table(owners: Sequence[SegmentOwner], *, for_people: bool = False) -> Table:
    """One row a segment; for people without what says nothing in this file."""
    many = len({o.table_name for o in owners if o.table_name}) > 1
    hidden = {"table"} if for_people and not many else set()
    columns = [c for c in SEGMENT_COLUMNS if c.key not in hidden]
    return Table(columns, [[row[c.key] for c in columns] for row in segment_objects(owners)])


BITMAP_KEY = "# in use, o freed with old content left (stale), . free, ? not known"
_BITMAP_CHARS = np.frombuffer(b"#o..?", np.uint8)


def bitmaps(survey: Survey) -> list[str]:
    """A character a page and a text an extent: ``#`` live, ``o`` stale, ``.`` free or not used, ``?`` unknown."""
    text = _BITMAP_CHARS[survey.state].tobytes().decode()
    step = survey.extents.pages
    return [text[at : at + step] for at in range(0, len(text), step)]


def extent_table(extents: ExtentMap, *, for_people: bool = False) -> MemoryTable:
    """One row an extent; for people up to the free limit: what is above was never initialised."""
    survey = extents.survey
    n = len(extents)
    if for_people:
        limit = min(int(survey.space.fsp.free_limit), survey.n_pages)
        n = min(n, -(-limit // survey.extents.pages))
    ids = np.array([o.segment.segment_id for o in extents.owners] or [0], np.uint64)
    owner = extents.owner[:n]
    codes, states = np.unique(extents.state[:n], return_inverse=True)
    columns: dict[str, Cells] = {
        "extent_no": np.arange(n),
        "page_no": np.arange(n) * survey.extents.pages,
        "state": Named(states, [state_name(int(code)) for code in codes]),
        "segment_id": np.ma.array(ids[owner], mask=owner < 0),
        "table": Named(owner, [o.table_name for o in extents.owners]),
        "index": Named(owner, [o.index_name for o in extents.owners]),
        "role": Named(owner, [o.role for o in extents.owners]),
        "used_pages": survey.extents.n_used[:n],
        "stale_pages": extents.stale_pages[:n],
        "bitmap": Named(np.arange(n), bitmaps(survey)[:n]),
    }
    many = len({o.table_name for o in extents.owners if o.table_name}) > 1
    hidden = {"table"} if for_people and not many else set()
    return MemoryTable([c for c in EXTENT_COLUMNS if c.key not in hidden], columns)


def extent_facts(extents: ExtentMap) -> dict[str, Any]:
    """What is said beside the extents: their states, the last page in use, pages lost beside descriptors."""
    survey = extents.survey
    last, loss = last_used(extents), descriptor_loss(extents)
    return {
        "path": survey.path,
        "extent_pages": survey.extents.pages,
        "free_limit": int(survey.space.fsp.free_limit),
        "states": {name: {"extents": n, "used_pages": used} for name, (n, used) in extents.states.items()},
        "last_used_page": last
        and {
            "page_no": last.page_no,
            "type": page_type(survey, last.page_no),
            "class": PageClass(int(survey.page_class[last.page_no])).name.lower(),
            "segment_id": last.owner.segment.segment_id if last.owner else None,
            "table": last.owner.table_name if last.owner else None,
            "index": last.owner.index_name if last.owner else None,
            "role": last.owner.role if last.owner else None,
            "extent_used_pages": last.extent_used,
            "free_pages_after": last.free_after,
            "free_pages_before": last.free_before,
        },
        "descriptor_extents": {
            "extents": loss.extents,
            "leased_extents": loss.leased_extents,
            "lost_pages": loss.lost_pages,
        },
    }


def page_type(survey: Survey, page_no: int) -> str:
    """Name of a page's type as its header has it."""
    space = survey.space
    return type_name(int(survey.columns.type[page_no]), space.family, full_crc32=space.flags.full_crc32)


def region_table(survey: Survey, regions: Regions, *, for_people: bool = False) -> MemoryTable:
    """One row a run of like pages; ``end`` is its last page."""
    space = survey.space
    codes, types = np.unique(regions.type, return_inverse=True)
    names = [type_name(int(c), space.family, full_crc32=space.flags.full_crc32) for c in codes]
    columns: dict[str, Cells] = {
        "start": regions.start,
        "end": regions.start + regions.count - 1,
        "count": regions.count,
        "type": Named(types, names),
        "state": Named(regions.state, [s.name.lower() for s in PageState]),
        "class": Named(regions.page_class, [c.name.lower() for c in PageClass]),
        "table": Named(regions.owner, [i.table for i in survey.indexes]),
        "index": Named(regions.owner, [i.name for i in survey.indexes]),
    }
    many = len({i.table for i in survey.user_indexes if i.table}) > 1
    hidden = {"table"} if for_people and not many else set()
    return MemoryTable([c for c in REGION_COLUMNS if c.key not in hidden], columns)


def type_table(survey: Survey, regions: Regions) -> Table:
    """Pages, runs and the longest run of each type and state; the pages sum to the file."""
    space = survey.space
    key = regions.type.astype(np.int64) * len(PageState) + regions.state
    table = Table(
        [
            Column("type", "type"),
            Column("state", "state"),
            Column("pages", "pages", "pages"),
            Column("share", "share", "ratio"),
            Column("runs", "runs", "count"),
            Column("longest_run", "longest run", "pages"),
        ]
    )
    rows = []
    for value in np.flatnonzero(np.bincount(key, minlength=1)).tolist():
        count = regions.count[key == value]
        kind, state = divmod(value, len(PageState))
        name = type_name(kind, space.family, full_crc32=space.flags.full_crc32)
        pages = int(count.sum())
        share = pages / survey.n_pages
        rows.append([name, PageState(state).name.lower(), pages, share, len(count), int(count.max())])
    table.rows = sorted(rows, key=lambda row: (-row[2], row[0], row[1]))
    return table


def list_objects(
    lists: Iterable[FileList], owners: Sequence[SegmentOwner], extent_pages: int
) -> list[dict[str, Any]]:
    """One object a list; ``extents`` are extent numbers and ``page_nos`` their first pages in list order, for
    the two lists of INODE pages those pages."""
    by_place = {(o.segment.page_no, o.segment.offset): o for o in owners}
    out = []
    for found in lists:
        owner = by_place[found.segment.page_no, found.segment.offset] if found.segment else None
        out.append(
            {
                "list": found.name,
                "segment_id": found.segment.segment_id if found.segment else None,
                "table": owner.table_name if owner else None,
                "index": owner.index_name if owner else None,
                "role": owner.role if owner else None,
                "base_page_no": found.page_no,
                "base_offset": found.offset,
                "length": found.length,
                "extents": None if found.of_pages else list(found.items),
                "page_nos": [i if found.of_pages else i * extent_pages for i in found.items],
                "problem": found.problem,
            }
        )
    return out


def list_table(objects: list[dict[str, Any]], *, for_people: bool = False) -> Table:
    """One row a list. For people runs of successive extents are shortened and a list that is empty has
    no row; for CSV all numbers are there."""
    problems = any(o["problem"] for o in objects)
    columns = [c for c in LIST_COLUMNS if not for_people or problems or c.key != "problem"]
    table = Table(columns)
    for item in objects:
        if for_people and not item["length"] and not item["problem"]:
            continue
        numbers = item["page_nos"] if item["extents"] is None else item["extents"]
        shown = {"extents": runs_text(numbers) if for_people else " ".join(map(str, numbers))}
        table.add(*((item | shown)[c.key] for c in columns))
    return table


def runs_text(numbers: Sequence[int]) -> str:
    """Numbers in their order, three or more successive ones as a range.

    >>> runs_text([3, 4, 5, 9, 8, 7, 1, 2])
    '3-5 9 8 7 1 2'
    """
    parts: list[str] = []
    at = 0
    while at < len(numbers):
        end = at
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        if end - at >= 2:
            parts.append(f"{numbers[at]}-{numbers[end]}")
        else:
            parts += map(str, numbers[at : end + 1])
        at = end + 1
    return " ".join(parts)
