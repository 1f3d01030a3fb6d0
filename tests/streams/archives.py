"""Archives for the tests: xbstream as ``xb_stream.h`` has it, and packings."""

from __future__ import annotations

import gzip
import lzma
import zlib
from collections.abc import Callable

import lz4.frame
import zstandard

PACK: dict[str, Callable[[bytes], bytes]] = {
    "xz": lzma.compress,
    "gz": gzip.compress,
    "zst": zstandard.compress,
    "lz4": lz4.frame.compress,
}


def chunk(name: str, data: bytes, offset: int, holes: list[tuple[int, int]] | None = None) -> bytes:
    """One payload; with ``holes`` (skip, length) a sparse one."""
    path = name.encode()
    head = b"XBSTCK01\0" + (b"P" if holes is None else b"S") + len(path).to_bytes(4, "little") + path
    parts = b"".join(n.to_bytes(4, "little") for pair in holes or () for n in pair)
    crc = zlib.crc32(data, zlib.crc32(parts))
    count = b"" if holes is None else len(holes).to_bytes(4, "little")
    sizes = len(data).to_bytes(8, "little") + offset.to_bytes(8, "little") + crc.to_bytes(4, "little")
    return head + count + sizes + parts + data


def end(name: str) -> bytes:
    path = name.encode()
    return b"XBSTCK01\0E" + len(path).to_bytes(4, "little") + path


def xbstream(files: dict[str, bytes], size: int = 300_000) -> bytes:
    """Files in turn, a chunk of each."""
    out, places = [], dict.fromkeys(files, 0)
    while places:
        for name in list(places):
            at = places[name]
            if at >= len(files[name]):
                out.append(end(name))
                del places[name]
                continue
            out.append(chunk(name, files[name][at : at + size], at))
            places[name] = at + size
    return b"".join(out)
