"""File lists and extent bitmaps, as the layouts build them (fut0lst.h, fsp0fsp.h)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ibdscan.layout.numbers import FIL_NULL

Address = tuple[int, int]
"""Page number and byte offset of a list node."""
_NULL = {"page_no": FIL_NULL, "offset": 0}


def list_base(nodes: Sequence[Address]) -> dict[str, Any]:
    """A list base node for the given nodes, as ``LIST_BASE`` is built from."""
    if not nodes:
        return {"length": 0, "first": _NULL, "last": _NULL}
    return {"length": len(nodes), "first": _address(nodes[0]), "last": _address(nodes[-1])}


def list_nodes(nodes: Sequence[Address]) -> Iterable[tuple[Address, dict[str, Any]]]:
    """Each node's address with the links it holds."""
    for i, node in enumerate(nodes):
        before = _address(nodes[i - 1]) if i else _NULL
        after = _address(nodes[i + 1]) if i + 1 < len(nodes) else _NULL
        yield node, {"prev": before, "next": after}


def _address(node: Address) -> dict[str, int]:
    return {"page_no": node[0], "offset": node[1]}


def bitmap_of(used: Sequence[bool]) -> bytes:
    """Two bits a page, lowest first: free, and clean (always set)."""
    value = 0
    for i, is_used in enumerate(used):
        value |= (0b10 if is_used else 0b11) << (2 * i)
    return value.to_bytes(len(used) // 4, "little")
