"""Page compression: the page as the server sees it from the smaller image in the file.

MySQL writes type 14 with the sizes in the FIL header (os0file.cc). MariaDB writes type 34354, or in
full_crc32 files the high bit of the type (fil0pagecompress.cc). zlib, lzma and bzip2 are Python's own; lz4,
snappy and zstd come with cramjam, lzo with lzallright: the extra ``ibdscan[codecs]``.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from ibdscan.errors import MissingExtraError
from ibdscan.layout.fil import FIL_HEADER_BYTES
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT

CODECS_EXTRA = "ibdscan[codecs]"
MYSQL_ALGORITHMS = {1: "zlib", 2: "lz4", 3: "zstd"}
"""``Compression::Type`` (os0file.h); zstd is of forks, MySQL itself has the first two."""
MARIADB_ALGORITHMS = {1: "zlib", 2: "lz4", 3: "lzo", 4: "lzma", 5: "bzip2", 6: "snappy"}
"""``PAGE_ZLIB_ALGORITHM`` to ``PAGE_SNAPPY_ALGORITHM`` (fil0fil.h)."""
_EXACT_LENGTH = ("lz4", "lzo", "snappy")
"""MariaDB full_crc32: these need to know where their stream ends; a byte of the trailer says so."""
_MARIADB_HEAD = 26
_MARIADB_CLASSIC_DATA = 40
_CHECKSUM_BYTES = 4


class InflateError(ValueError):
    """A compressed image that can not be inflated: damaged, or of an unknown algorithm."""


def stored_bytes_full_crc32(page_type: int) -> int:
    """Bytes of the image that a full_crc32 page's type gives (``buf_page_full_crc32_size``)."""
    return (page_type & ~PAGE_COMPRESSED_BIT & 0xFFFF) << 8


def inflate_mysql(raw: bytes, n: int | None = None) -> bytes:
    """A page of type 14. ``n``: that many bytes from the start are enough."""
    algorithm, packed = raw[27], int.from_bytes(raw[32:34], "big")
    size = int.from_bytes(raw[30:32], "big")
    if FIL_HEADER_BYTES + packed > len(raw) or FIL_HEADER_BYTES + size != len(raw):
        raise InflateError(f"impossible sizes, {packed} bytes packed and {size} unpacked")
    name = MYSQL_ALGORITHMS.get(algorithm)
    data = raw[FIL_HEADER_BYTES : FIL_HEADER_BYTES + packed]
    wanted = size if n is None else min(size, max(0, n - FIL_HEADER_BYTES))
    body = _inflate(name, algorithm, data, size, wanted)
    return raw[:24] + raw[28:30] + bytes(8) + raw[34:38] + body


def inflate_mariadb(raw: bytes, n: int | None = None, *, keyed: bool = False) -> bytes:
    """A page of type 34354, or 37401 after decryption (``keyed``: one more field before the data)."""
    at = FIL_HEADER_BYTES + 2 if keyed else 32
    algorithm = int.from_bytes(raw[at : at + 2], "big")
    packed = int.from_bytes(raw[38:40], "big")
    start = _MARIADB_CLASSIC_DATA + (2 if keyed else 0)
    if not 0 < packed <= len(raw) - start:
        raise InflateError(f"impossible size, {packed} bytes packed")
    size = len(raw)
    data = raw[start : start + packed]
    return _inflate(MARIADB_ALGORITHMS.get(algorithm), algorithm, data, size, size if n is None else min(n, size))


def inflate_full_crc32(raw: bytes, algorithm: str, n: int | None = None) -> bytes:
    """A page of a full_crc32 file whose type has the high bit set; ``algorithm`` is from the space's flags."""
    stored = stored_bytes_full_crc32(int.from_bytes(raw[24:26], "big"))
    if not _MARIADB_HEAD + _CHECKSUM_BYTES < stored <= len(raw):
        raise InflateError(f"impossible size, {stored} bytes stored")
    end = stored - _CHECKSUM_BYTES
    if algorithm in _EXACT_LENGTH:
        low = raw[end - 1]
        end = stored - (256 - low) - 5 if low else stored - 5
    size = len(raw)
    return _inflate(algorithm, None, raw[_MARIADB_HEAD:end], size, size if n is None else min(n, size))


def _inflate(name: str | None, number: int | None, data: bytes, size: int, wanted: int) -> bytes:
    """``wanted`` bytes from the start of the ``size`` that ``data`` unpacks to."""
    codec = _CODECS.get(name or "")
    if codec is None:
        raise InflateError(f"the compression algorithm {name or number} is not known")
    try:
        out = codec(data, size, wanted)
    except MissingExtraError:
        raise
    except Exception as e:
        # each codec has exceptions of its own, and their modules are not to be imported here
        raise InflateError(f"the {name} image can not be inflated: {e}") from e
    if len(out) < wanted:
        raise InflateError(f"the {name} image gives {len(out)} bytes, not {size}")
    return out[:wanted]


def _zlib(data: bytes, size: int, wanted: int) -> bytes:
    return zlib.decompressobj().decompress(data, wanted)


def _lzma(data: bytes, size: int, wanted: int) -> bytes:
    import lzma

    return lzma.LZMADecompressor().decompress(data, wanted)


def _bzip2(data: bytes, size: int, wanted: int) -> bytes:
    import bz2

    return bz2.BZ2Decompressor().decompress(data, wanted)


def _lz4(data: bytes, size: int, wanted: int) -> bytes:
    try:
        import cramjam
    except ImportError:
        raise missing("lz4") from None
    return bytes(cramjam.lz4.decompress_block(data, output_len=size))


def _snappy(data: bytes, size: int, wanted: int) -> bytes:
    try:
        import cramjam
    except ImportError:
        raise missing("snappy") from None
    return bytes(cramjam.snappy.decompress_raw(data))


def _zstd(data: bytes, size: int, wanted: int) -> bytes:
    try:
        import cramjam
    except ImportError:
        raise missing("zstd") from None
    return bytes(cramjam.zstd.decompress(data, output_len=size))


def _lzo(data: bytes, size: int, wanted: int) -> bytes:
    try:
        import lzallright
    except ImportError:
        raise missing("lzo") from None
    return bytes(lzallright.LZOCompressor.decompress(data, size))


_CODECS: dict[str, Callable[[bytes, int, int], bytes]] = {
    "zlib": _zlib,
    "lzma": _lzma,
    "bzip2": _bzip2,
    "lz4": _lz4,
    "snappy": _snappy,
    "zstd": _zstd,
    "lzo": _lzo,
}


def missing(codec: str) -> MissingExtraError:
    """The error for a codec that is not installed."""
    return MissingExtraError(f"pages compressed with {codec} need a codec: pip install '{CODECS_EXTRA}'")
