"""The fields of one structure in one page: where, which bytes, what value, what it means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import construct as c

from ibdscan.layout.bridge import fields_of

_NUMBER_BYTES = 8
"""Longer runs of bytes are no numbers: they are shown as they are."""


@dataclass(frozen=True)
class FieldValue:
    """One field. ``value`` is a number, a list of numbers, or None for bytes that are no number; ``note``
    says in words what the value means, ``meaning`` what the field is (its server macro first)."""

    offset: int
    raw: bytes
    name: str
    value: int | list[int] | None
    meaning: str
    note: str = ""

    @property
    def size(self) -> int:
        return len(self.raw)


@dataclass(frozen=True)
class Part:
    """One structure of a page, or a stretch of it that is not taken apart (without fields)."""

    name: str
    offset: int
    size: int
    fields: list[FieldValue] = field(default_factory=list)
    note: str = ""

    @property
    def end(self) -> int:
        return self.offset + self.size


def read_fields(layout: Any, body: bytes, base: int, prefix: str = "") -> Iterator[FieldValue]:
    """The fields of a layout that starts at ``base``; nested structures are opened up."""
    for f in fields_of(layout):
        con = f.con
        while isinstance(con, c.Renamed):
            con = con.subcon
        if isinstance(con, c.Struct):
            yield from read_fields(con, body, base + f.offset, f"{prefix}{f.name}.")
            continue
        raw = body[base + f.offset : base + f.offset + f.size]
        yield FieldValue(base + f.offset, raw, prefix + f.name, _value(con, raw), f.doc)


def _value(con: Any, raw: bytes) -> int | list[int] | None:
    if isinstance(con, c.Array):
        size = con.subcon.sizeof()
        return [int.from_bytes(raw[at : at + size], "big") for at in range(0, len(raw), size)]
    if isinstance(con, c.Bytes) and len(raw) > _NUMBER_BYTES:
        return None
    return int.from_bytes(raw, "big")
