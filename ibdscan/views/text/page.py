"""``ibdscan page N``: one page for people."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ibdscan.pages.page.fields import FieldValue, Part
from ibdscan.views.data.page import FullPage, record_table
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import count_text, ratio_text

_HEX_BYTES = 12
"""Longer values are cut in the text; JSON has them whole."""


def page_text(page: FullPage, style: Style, *, records: bool, hexdump: bool) -> str:
    """What ``ibdscan page`` prints: what the page is, every field, then records and bytes if wanted."""
    lines = [style.bold(f"{printable(page.survey.path)}: page {page.page_no}"), *account_lines(page), ""]
    for part in page.parts:
        lines += _part_lines(part, style)
    if records:
        lines += _record_lines(page, style)
    if hexdump:
        lines += ["bytes", *hex_lines(page.body)]
    return "\n".join(lines) + "\n"


def account_lines(page: FullPage) -> list[str]:
    """Why the page exists."""
    account = page.account
    lines = [f"type {page.type}, {account.state}, {account.page_class.replace('_', ' ')}"]
    if account.index is not None:
        index = account.index
        of = f" of {printable(index.table)}" if index.table else ""
        where = f"index {printable(index.name)}{of}"
        if account.level is not None:
            where += f", level {account.level}" + (" (leaf)" if account.level == 0 else "")
        if index.root_page_no == page.page_no:
            where += ", its root"
        if account.rank is not None:
            where += f", number {account.rank + 1} of {index.leaf.pages} along the leaf chain"
        lines.append(where)
        if account.level is not None:
            lines.append(_content_words(page))
    lines.append(_extent_words(page))
    owner = account.owner
    if owner is not None:
        place = "one of its extents" if account.fragment_slot is None else f"fragment slot {account.fragment_slot}"
        lines.append(
            f"segment {owner.segment.segment_id} ({printable(owner.name)}; inode on page {owner.segment.page_no}, "
            f"offset {owner.segment.offset}): {place}"
        )
    else:
        lines.append("of no segment")
    if page.unknown:
        lines.append(f"the page can not be read: {page.unknown}")
    return lines


def _content_words(page: FullPage) -> str:
    columns, at = page.survey.columns, np.array([page.page_no])
    size = int(columns.data_bytes(at)[0])
    room = int(columns.capacity(at, page.survey.space.geometry.logical)[0])
    return (
        f"{count_text(int(columns.n_recs[page.page_no]))} records, {count_text(size)} bytes of data: "
        f"{ratio_text(size / room)} of the room; {count_text(int(columns.garbage[page.page_no]))} bytes of garbage"
    )


def _extent_words(page: FullPage) -> str:
    account = page.account
    words = (
        f"extent {account.extent_no} ({account.extent_state}), described on page {account.descriptor_page_no}, "
        f"offset {account.descriptor_offset}"
    )
    if account.is_free is None:
        return words + ": not initialised"
    return words + f": the page is {'free' if account.is_free else 'in use'}"


def _part_lines(part: Part, style: Style) -> list[str]:
    note = f"; {part.note}" if part.note else ""
    title = f"{part.name}: offset {part.offset}, {part.size} bytes{note}"
    if not part.fields:
        return [title, ""]
    columns = [
        Column("offset", "offset", right=True),
        Column("bytes", "bytes"),
        Column("name", "field"),
        Column("value", "value", right=True),
        Column("meaning", "meaning"),
    ]
    return [style.table(Table(columns, [_row(f) for f in part.fields], title))]


def _row(field: FieldValue) -> list[object]:
    raw = field.raw.hex()
    if field.size > _HEX_BYTES:
        raw = field.raw[: _HEX_BYTES - 1].hex() + ".."
    value = None if isinstance(field.value, list) else field.value
    meaning = f"{field.note}; {field.meaning}" if field.note else field.meaning
    return [field.offset, raw, field.name, value, meaning]


def _record_lines(page: FullPage, style: Style) -> list[str]:
    heap = page.heap
    if heap is None:
        return ["this page has no records that could be shown", ""]
    lines = [style.table(record_table(page, heap.records, "records, in key order"))]
    if heap.free:
        lines.append(style.table(record_table(page, heap.free, "free list (purged records), last freed first")))
    columns = [Column(k, k, right=True) for k in ("slot", "offset", "record", "owned")]
    rows = [[s.slot, s.offset, s.record, s.n_owned] for s in heap.slots]
    lines.append(style.table(Table(columns, rows, "directory, from the end of the page downwards")))
    lines += [f"not sound: {problem}" for problem in heap.problems]
    return lines


def hex_lines(body: bytes, width: int = 16) -> Iterator[str]:
    """A hex dump; a ``*`` stands for lines like the one before, as hexdump prints it."""
    before, skipping = b"", False
    for at in range(0, len(body), width):
        line = body[at : at + width]
        if line == before and at + width < len(body):
            if not skipping:
                yield "*"
            skipping = True
            continue
        before, skipping = line, False
        text = "".join(chr(b) if 32 <= b < 127 else "." for b in line)
        yield f"{at:6d} {at:04x}  {line.hex(' ', 1):<{3 * width - 1}}  {text}"
