"""ROW_FORMAT=COMPRESSED index pages, for a person who asks for one: the page that the server unpacks.

From byte 94 on such a page is a zlib stream (field lengths, then the record heap without what changes most),
then a log of changes since, then free space, then from the end backwards: a dense directory of two bytes a
record, transaction columns or child pages, and references to off-page columns (page0zip.cc). Nothing here is
needed for a survey: the header is in clear and describes the unpacked page.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

from ibdscan.layout.geometry import Geometry
from ibdscan.layout.index import (
    INDEX_DATA_OFFSET,
    INFIMUM_COMPACT,
    SUPREMUM_COMPACT,
    SUPREMUM_END_COMPACT,
)
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.decode.inflate import InflateError

_SLOT_OFFSET = 0x3FFF
_SLOT_OWNED = 0x4000
_SLOT_DELETED = 0x8000
_USER_LOW = 2
_EXTRA = 5
_SYSTEM_COLUMNS = 13
_CHILD_PAGE = 4
_EXTERN_REF = 20
_FLUSH_MARK = b"\0\0\xff\xff"
_MIN_REC, _DELETE_MARK = 0x10, 0x20
_NODE_POINTER = 1
_SYSTEM_RECORDS = bytes.fromhex("01 0002 0000") + b"infimum\0" + bytes.fromhex("00 000b 0000") + b"supremum"


@dataclass(frozen=True)
class DenseSlot:
    """One entry of the dense directory: the record's origin in the unpacked page and two of its marks."""

    origin: int
    owned: bool
    deleted: bool


@dataclass(frozen=True)
class ZipField:
    """A field as the stream describes it; neighbours of fixed length are one. ``fixed`` 0 = variable."""

    fixed: int
    is_long: bool
    """Variable length with a maximum over 255: its length may take two bytes."""
    nullable: bool


@dataclass(frozen=True)
class ZipPage:
    """An unpacked page and the parts that it was made of."""

    image: bytes
    """The page as the server keeps it in memory, of the logical size; without checksums."""
    fields: tuple[ZipField, ...]
    directory: tuple[DenseSlot, ...]
    """Records in key order, then the freed ones; not sorted by place."""
    stream_bytes: int
    """Bytes of the zlib stream."""
    log_bytes: int
    """Bytes of the modification log."""
    log_entries: int


def dense_directory(page: bytes) -> tuple[tuple[DenseSlot, ...], tuple[DenseSlot, ...]]:
    """Entries of the records in use, in key order, and of the freed ones. Raises InflateError on damage."""
    n_dense = (int.from_bytes(page[42:44], "big") & 0x7FFF) - _USER_LOW
    n_recs = int.from_bytes(page[54:56], "big")
    if not 0 <= n_recs <= n_dense or 2 * n_dense > len(page) - INDEX_DATA_OFFSET:
        raise InflateError(f"impossible directory: {n_dense} records on the heap, {n_recs} in use")
    slots = []
    for i in range(n_dense):
        at = len(page) - 2 * (i + 1)
        raw = int.from_bytes(page[at : at + 2], "big")
        slots.append(DenseSlot(raw & _SLOT_OFFSET, bool(raw & _SLOT_OWNED), bool(raw & _SLOT_DELETED)))
    return tuple(slots[:n_recs]), tuple(slots[n_recs:])


def count_delete_marked(page: bytes) -> int:
    """Delete-marked records of a ROW_FORMAT=COMPRESSED index page, without inflating it."""
    return sum(slot.deleted for slot in dense_directory(page)[0])


def inflate_zip_page(page: bytes, geometry: Geometry) -> ZipPage:
    """Unpack one index page. Raises InflateError where the page does not agree with itself."""
    try:
        return _Unpacker(page, geometry.logical).unpack()
    except (IndexError, zlib.error) as e:
        raise InflateError(f"the compressed page can not be unpacked: {e}") from e


class _Unpacker:
    def __init__(self, page: bytes, size: int) -> None:
        self.page = page
        self.out = bytearray(size)
        self.out[:INDEX_DATA_OFFSET] = page[:INDEX_DATA_OFFSET]
        self.used, self.freed = dense_directory(page)
        self.records = sorted(slot.origin for slot in self.used + self.freed)
        self.is_leaf = page[64:66] == b"\0\0"
        self.heap_top = int.from_bytes(page[40:42], "big")
        self.fields: tuple[ZipField, ...] = ()
        self.trx_id_field: int | None = None
        self.n_nullable = 0
        outside = [o for o in self.records if not SUPREMUM_END_COMPACT + _EXTRA <= o <= size - 8]
        if outside or not SUPREMUM_END_COMPACT <= self.heap_top <= size - 8:
            raise InflateError("a record lies outside the page")

    def unpack(self) -> ZipPage:
        data = self.page[INDEX_DATA_OFFSET:]
        mark = data.find(_FLUSH_MARK)
        if mark < 0:
            raise InflateError("the zlib stream has no description of the fields")
        unpacker = zlib.decompressobj()
        head = unpacker.decompress(data[: mark + 4])
        self._read_fields(head)
        body = unpacker.decompress(data[mark + 4 :], len(self.out) + 1)
        if not unpacker.eof:
            raise InflateError("the zlib stream does not end")
        log = unpacker.unused_data
        self._place(body)
        log_bytes, log_entries = self._apply_log(log)
        self._restore_columns()
        self._link()
        stream = len(data) - len(log)
        return ZipPage(bytes(self.out), self.fields, self.used + self.freed, stream, log_bytes, log_entries)

    def _read_fields(self, head: bytes) -> None:
        """``page_zip_fields_decode``: lengths of fields, last DB_TRX_ID's place (leaf) or the nullables."""
        values, i = [], 0
        while i < len(head):
            value, i = head[i], i + 1
            wide = bool(value & 0x80)
            if wide:
                value, i = (value & 0x7F) << 7 | head[i], i + 1
            values.append((value, wide))
        if not values:
            raise InflateError("the fields are not described")
        *fields, (last, _) = values
        self.fields = tuple(
            ZipField(
                fixed=0 if not wide and (value >= 126 or value <= 1) else value >> 1,
                is_long=not wide and value >= 126,
                nullable=not value & 1,
            )
            for value, wide in fields
        )
        self.n_nullable = sum(f.nullable for f in self.fields)
        if not self.is_leaf:
            self.n_nullable = last
        elif last:
            self.trx_id_field = last
            if last >= len(self.fields):
                raise InflateError("the transaction columns lie outside the record")

    def _spans(self, extra: bytes) -> tuple[int, list[tuple[int, int, bool]]]:
        """Bytes of a record's own header, and (start, end, external) of its fields from its origin.

        ``extra`` is that header backwards from the record's fixed five bytes.
        """
        nulls = extra[: (self.n_nullable + 7) // 8]
        used, bit, at = len(nulls), 0, 0
        spans = []
        for field in self.fields:
            length, external = field.fixed, False
            is_null = False
            if field.nullable:
                is_null = bool(nulls[bit // 8] >> bit % 8 & 1)
                bit += 1
            if is_null:
                length = 0
            elif not field.fixed:
                length, used = extra[used], used + 1
                if field.is_long and length & 0x80:
                    external = bool(length & 0x40)
                    length, used = (length & 0x3F) << 8 | extra[used], used + 1
            spans.append((at, at + length, external))
            at += length
        return used, spans

    def _gaps(self, origin: int, spans: list[tuple[int, int, bool]]) -> Iterator[tuple[int, int]]:
        """Places of a record that neither stream nor log holds, ascending (start, end)."""
        if not self.is_leaf:
            end = origin + spans[-1][1]
            yield end, end + _CHILD_PAGE
            return
        for i, (start, end, external) in enumerate(spans):
            if i == self.trx_id_field:
                yield origin + start, origin + start + _SYSTEM_COLUMNS
            if external:
                yield origin + end - _EXTERN_REF, origin + end

    def _header_of(self, origin: int) -> bytes:
        return bytes(self.out[max(SUPREMUM_END_COMPACT, origin - _EXTRA - 1200) : origin - _EXTRA])[::-1]

    def _place(self, body: bytes) -> None:
        """Put the stream's bytes where they belong, leaving out what it leaves out."""
        taken, at = 0, SUPREMUM_END_COMPACT

        def take(until: int) -> bool:
            nonlocal taken, at
            part = body[taken : taken + max(0, until - at)]
            self.out[at : at + len(part)] = part
            taken += len(part)
            done = at + len(part) < until
            at = max(at, until)
            return done

        for origin in self.records:
            if take(origin - _EXTRA) or (taken == len(body) and at != origin - _EXTRA):
                return
            if taken == len(body):
                return
            at = origin
            if not self.is_leaf or self.trx_id_field is not None:
                _, spans = self._spans(self._header_of(origin))
                for start, end in self._gaps(origin, spans):
                    if take(start):
                        return
                    at = end
        take(self.heap_top)
        if taken != len(body):
            raise InflateError(f"the stream holds {len(body) - taken} bytes too many")

    def _apply_log(self, log: bytes) -> tuple[int, int]:
        at = entries = 0
        while log[at]:
            value, at = log[at], at + 1
            if value & 0x80:
                value, at = (value & 0x7F) << 8 | log[at], at + 1
            heap_index = (value >> 1) - 1
            if not 0 <= heap_index < len(self.records):
                raise InflateError(f"the modification log names record {heap_index} of {len(self.records)}")
            at = self._apply_entry(self.records[heap_index], bool(value & 1), log, at)
            entries += 1
        return at, entries

    def _apply_entry(self, origin: int, cleared: bool, log: bytes, at: int) -> int:
        if cleared:
            _, spans = self._spans(self._header_of(origin))
            end = origin + spans[-1][1] + (0 if self.is_leaf else _CHILD_PAGE)
            self.out[origin:end] = bytes(end - origin)
            return at
        used, spans = self._spans(log[at:])
        start = origin - _EXTRA - used
        self.out[start : origin - _EXTRA] = log[at : at + used][::-1]
        at += used
        here = origin
        end = origin + spans[-1][1]
        if end > len(self.out) or start < SUPREMUM_END_COMPACT:
            raise InflateError("a record of the modification log lies outside the page")
        for gap_start, gap_end in [*self._gaps(origin, spans), (end, end)]:
            n = max(0, gap_start - here)
            self.out[here : here + n] = log[at : at + n]
            at, here = at + n, gap_end
        return at

    def _restore_columns(self) -> None:
        """Copy the columns that are kept outside the stream: by heap number, from the directory backwards."""
        storage = len(self.page) - 2 * len(self.records)
        width = _SYSTEM_COLUMNS if self.is_leaf else _CHILD_PAGE
        if self.is_leaf and self.trx_id_field is None:
            return
        externs = storage - width * len(self.records)
        used = {slot.origin for slot in self.used}
        for i, origin in enumerate(self.records):
            _, spans = self._spans(self._header_of(origin))
            for n, (start, end) in enumerate(self._gaps(origin, spans)):
                if n == 0 or not self.is_leaf:
                    source = storage - width * (i + 1)
                elif origin not in used:
                    continue
                else:
                    externs -= _EXTERN_REF
                    source = externs
                self.out[start:end] = self.page[source : source + end - start]

    def _link(self) -> None:
        """Record headers, NEXT links and the sparse directory, from the dense one."""
        out = self.out
        out[INDEX_DATA_OFFSET : INDEX_DATA_OFFSET + len(_SYSTEM_RECORDS)] = _SYSTEM_RECORDS
        heap_no = {origin: i + _USER_LOW for i, origin in enumerate(self.records)}
        status = 0 if self.is_leaf else _NODE_POINTER
        slots, owned, previous = [INFIMUM_COMPACT], 1, INFIMUM_COMPACT
        leftmost = not self.is_leaf and int.from_bytes(self.page[8:12], "big") == FIL_NULL
        for i, slot in enumerate(self.used):
            info = (_DELETE_MARK if slot.deleted else 0) | (_MIN_REC if leftmost and i == 0 else 0)
            out[slot.origin - 5] = info | (owned if slot.owned else 0)
            out[slot.origin - 4 : slot.origin - 2] = (heap_no[slot.origin] << 3 | status).to_bytes(2, "big")
            _set_next(out, previous, slot.origin)
            previous = slot.origin
            owned += 1
            if slot.owned:
                slots.append(slot.origin)
                owned = 1
        _set_next(out, previous, SUPREMUM_COMPACT)
        out[SUPREMUM_COMPACT - 5] = owned
        for i, origin in enumerate([*slots, SUPREMUM_COMPACT]):
            at = len(out) - 8 - 2 * (i + 1)
            out[at : at + 2] = origin.to_bytes(2, "big")


def _set_next(out: bytearray, origin: int, following: int) -> None:
    out[origin - 2 : origin] = ((following - origin) & 0xFFFF).to_bytes(2, "big")
