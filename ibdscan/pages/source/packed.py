"""Compressed copies of files, by their first bytes."""

from __future__ import annotations

import os

HEAD_BYTES = 42
ONE_LOOK = (".zst", ".lz4")
_ONE_LOOK = (b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18")
_MAGIC = {b"\xfd7zXZ\x00": "lzma", b"\x1f\x8b": "gzip"}


def packed_with(head: bytes) -> str | None:
    """The standard module that unpacks a file with these first :data:`HEAD_BYTES` bytes; None for a plain file."""
    module = next((m for magic, m in _MAGIC.items() if head.startswith(magic)), None)
    return None if module is None or is_page_0(head) else module


def is_one_look(path: str) -> bool:
    """Whether a path is read as a stream: standard input (``-``), and zstd and lz4 copies by their first
    bytes."""
    if path == "-":
        return True
    try:
        if not os.path.isfile(path):  # to open a pipe would wait for its writer
            return False
        with open(path, "rb") as file:
            head = file.read(HEAD_BYTES)
    except (OSError, ValueError):
        return False
    return head[:4] in _ONE_LOOK and not is_page_0(head)


def is_page_0(head: bytes) -> bool:
    """Whether these are the first bytes of a tablespace all the same: they begin with a checksum, which is that
    of a gzip file in one of 65,536 tables. Page number 0, type FSP_HDR (8), and the space id twice follow."""
    numbered = head[4:8] == bytes(4) and head[24:26] == b"\0\x08"
    return numbered and len(head) >= HEAD_BYTES and head[34:38] == head[38:42]
