"""What the value of a field means, in words: names of types and states, "none", sizes, checks that hold."""

from __future__ import annotations

from collections.abc import Callable

from ibdscan.layout.index import COMPACT_BIT
from ibdscan.layout.numbers import (
    FIL_NULL,
    IBUF_INDEX_ID,
    INODE_MAGIC,
    SDI_INDEX_ID,
    Direction,
    ExtentState,
    PageType,
    type_name,
)
from ibdscan.layout.trx import DOUBLEWRITE_MAGIC
from ibdscan.pages.page.fields import FieldValue
from ibdscan.pages.space.tablespace import Tablespace

Context = tuple[Tablespace, int, bytes]


def note_of(field: FieldValue, part: str, space: Tablespace, page_no: int, body: bytes) -> str:
    """The value in words, empty where it speaks for itself."""
    name = field.name.rpartition(".")[2]
    if isinstance(field.value, list):
        used = [v for v in field.value if v != FIL_NULL]
        return f"{len(used)} used: {_some(used)}" if used else "all empty"
    if name == "bitmap":
        return _bitmap(field.raw)
    if field.value is None:
        return ""
    if field.value == FIL_NULL and name in ("prev", "next", "page_no", "next_page_no"):
        return "none"
    special = _BY_PART.get((part, name)) or _BY_NAME.get(name)
    return special(field.value, (space, page_no, body)) if special else ""


def _some(values: list[int], most: int = 40) -> str:
    shown = ", ".join(map(str, values[:most]))
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"


def _bitmap(raw: bytes) -> str:
    """``#`` a page in use, ``.`` a free one, in page order."""
    pairs = (byte >> shift & 1 for byte in raw for shift in (0, 2, 4, 6))
    return "".join("." if is_free else "#" for is_free in pairs)


def _type(value: int, context: Context) -> str:
    space = context[0]
    return type_name(value, space.family, full_crc32=space.flags.full_crc32)


def _page_no(value: int, context: Context) -> str:
    return "" if value == context[1] else f"should be {context[1]}"


def _space_id(value: int, context: Context) -> str:
    return "" if value == context[0].space_id else f"the tablespace's id is {context[0].space_id}"


def _prev(value: int, context: Context) -> str:
    space, page_no, _ = context
    return f"server version {space.server_version}" if page_no == 0 and space.server_version else ""


def _next(value: int, context: Context) -> str:
    space, page_no, _ = context
    return "space version" if page_no == 0 and space.server_version else ""


def _lsn_low(value: int, context: Context) -> str:
    space, _, body = context
    if space.flags.full_crc32:
        return "the page's CRC-32C"
    return (
        "as in the header" if value == int.from_bytes(body[20:24], "big") else "not as in the header: a torn page?"
    )


def _flags(value: int, context: Context) -> str:
    flags = context[0].flags
    words = [f"pages of {flags.geometry.physical} bytes"]
    if flags.is_zip:
        words.append(f"compressed from {flags.geometry.logical}")
    names = ("full_crc32", "post_antelope", "atomic_blobs", "encrypted", "sdi", "shared", "temporary")
    words += [name for name in names if getattr(flags, name)]
    return ", ".join(words + ([f"compression {flags.compression}"] if flags.compression else []))


def _state(value: int, _: Context) -> str:
    return ExtentState(value).name if value in set(ExtentState) else f"UNKNOWN({value})"


def _n_heap(value: int, _: Context) -> str:
    return f"{value & ~COMPACT_BIT} records, {'compact' if value & COMPACT_BIT else 'redundant'} format"


def _direction(value: int, _: Context) -> str:
    low = value & 7
    word = Direction(low).name if low in set(Direction) else f"UNKNOWN({low})"
    return word + (f", PAGE_INSTANT {value >> 3}" if value >> 3 else "")


def _index_id(value: int, _: Context) -> str:
    return {SDI_INDEX_ID: "the SDI index", IBUF_INDEX_ID: "the change buffer"}.get(value, "")


def _level(value: int, _: Context) -> str:
    return "leaf" if value == 0 else ""


def _magic(value: int, _: Context) -> str:
    return "" if value in (INODE_MAGIC, DOUBLEWRITE_MAGIC) else "not the magic number"


def _original_type(value: int, context: Context) -> str:
    return PageType(value).name if value in set(PageType) else f"UNKNOWN({value})"


_BY_NAME: dict[str, Callable[[int, Context], str]] = {
    "state": _state,
    "magic": _magic,
    "original_type": _original_type,
}
_BY_PART: dict[tuple[str, str], Callable[[int, Context], str]] = {
    ("FIL header", "type"): _type,
    ("FIL header", "page_no"): _page_no,
    ("FIL header", "space_id"): _space_id,
    ("FIL header", "prev"): _prev,
    ("FIL header", "next"): _next,
    ("FIL trailer", "lsn_low"): _lsn_low,
    ("FSP header", "flags"): _flags,
    ("index header", "n_heap"): _n_heap,
    ("index header", "direction"): _direction,
    ("index header", "index_id"): _index_id,
    ("index header", "level"): _level,
}
