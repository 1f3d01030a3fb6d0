"""``FSP_SPACE_FLAGS``: page sizes and features, classic and full_crc32 (fsp0types.h)."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ibdscan.errors import NotATablespaceError
from ibdscan.layout.geometry import PAGE_SIZES, Geometry

_MARIADB_ALGORITHMS = ("none", "zlib", "lz4", "lzo", "lzma", "bzip2", "snappy")
_FULL_CRC32_BITS = 8
_CLASSIC_BITS = 17
"""MySQL 9.7 has bits 0 to 15, MariaDB's page compression is bit 16."""
_EARLY_MARIADB_BITS = 18
"""MariaDB 10.1.0 to 10.1.20, whose last was DATA_DIR."""


class Flags(NamedTuple):
    """Meaning of the flags of one tablespace."""

    raw: int
    geometry: Geometry
    full_crc32: bool = False
    """MariaDB 10.4.3+: flags bit 4."""
    atomic_blobs: bool = False
    """Row format DYNAMIC or COMPRESSED (classic flags only)."""
    post_antelope: bool = False
    encrypted: bool = False
    """MySQL's ENCRYPTION flag; MariaDB records encryption elsewhere."""
    sdi: bool = False
    shared: bool = False
    """A general tablespace (MySQL)."""
    temporary: bool = False
    undo_unusable: bool = False
    """An undo tablespace of MySQL 8.0.21+ that was being created or truncated."""
    unknown: tuple[str, ...] = ()
    """What the flags say that no version known sets, as ``bit 17`` or ``compression algorithm 7``."""
    compression: str | None = None
    """MariaDB page compression: algorithm, or ``page_compressed`` where the flags do not name it."""

    @property
    def mariadb_marks(self) -> bool:
        return self.full_crc32 or self.compression is not None

    @property
    def mysql_marks(self) -> bool:
        return self.sdi or self.shared or self.temporary or self.encrypted or self.undo_unusable

    @property
    def is_zip(self) -> bool:
        """ROW_FORMAT=COMPRESSED; with KEY_BLOCK_SIZE equal to the page size too, where only ZIP_SSIZE tells."""
        return not self.full_crc32 and self.raw >> 1 & 0xF != 0


def probable_flags(raw: int) -> Flags | None:
    """The first reading of the flags of page 0; it holds if the pages carry their numbers at that page size."""
    return _full_crc32(raw) if raw & 0x10 else _classic_at(raw, raw >> 6 & 0xF)


def parse_flags(raw: int, fitting: set[int], path: str) -> Flags:
    """Flags of page 0; ``fitting`` are the page sizes at which pages 1 and 2 carry their numbers.

    Raises NotATablespaceError when no reading of the flags agrees with the file.
    """
    flags = _full_crc32(raw) if raw & 0x10 else _classic(raw, fitting)
    if flags is None:
        raise NotATablespaceError(
            f"not an InnoDB tablespace: flags 0x{raw:x} name no valid page size", path=path, page_no=0, offset=54
        )
    if fitting and flags.geometry.physical not in fitting:
        sizes = ", ".join(str(s) for s in sorted(fitting))
        raise NotATablespaceError(
            f"flags 0x{raw:x} say pages of {flags.geometry.physical} bytes, the page numbers fit {sizes}",
            path=path,
            page_no=0,
            offset=54,
        )
    return flags


@lru_cache(maxsize=256)
def _full_crc32(raw: int) -> Flags | None:
    size = 512 << (raw & 0xF)
    algorithm = raw >> 5 & 7
    if size not in PAGE_SIZES:
        return None
    named = algorithm < len(_MARIADB_ALGORITHMS)
    return Flags(
        raw,
        Geometry(size, size),
        full_crc32=True,
        unknown=(() if named else (f"compression algorithm {algorithm}",)) + _bits(raw, _FULL_CRC32_BITS),
        compression=(_MARIADB_ALGORITHMS[algorithm] if named else "unknown") if algorithm else None,
    )


def _bits(raw: int, known: int) -> tuple[str, ...]:
    """The bits set from bit ``known`` on."""
    return tuple(f"bit {i}" for i in range(known, 32) if raw >> i & 1)


def _classic(raw: int, fitting: set[int]) -> Flags | None:
    flags = _classic_at(raw, raw >> 6 & 0xF)
    if flags is not None and (not fitting or flags.geometry.physical in fitting):
        return flags
    # MariaDB 10.1.0 to 10.1.20 wrote the page size at bits 13-15 and compression below it (MDEV-11623)
    bad = _classic_at(raw, raw >> 13 & 7)
    if bad is not None and raw >> 6 & 1 and bad.geometry.physical in fitting:
        return Flags(
            raw,
            bad.geometry,
            atomic_blobs=bad.atomic_blobs,
            post_antelope=bad.post_antelope,
            unknown=_bits(raw, _EARLY_MARIADB_BITS),
            compression="page_compressed",
        )
    return flags


@lru_cache(maxsize=256)
def _classic_at(raw: int, page_ssize: int) -> Flags | None:
    logical = 512 << page_ssize if page_ssize else 16384
    zip_ssize = raw >> 1 & 0xF
    physical = 512 << zip_ssize if zip_ssize else logical
    if logical not in PAGE_SIZES or zip_ssize > 5 or physical > logical:
        return None
    page_compression = bool(raw >> 16 & 1)
    mysql = not page_compression
    return Flags(
        raw,
        Geometry(physical, logical),
        atomic_blobs=bool(raw >> 5 & 1),
        post_antelope=bool(raw & 1),
        encrypted=mysql and bool(raw >> 13 & 1),
        sdi=mysql and bool(raw >> 14 & 1),
        shared=mysql and bool(raw >> 11 & 1),
        temporary=mysql and bool(raw >> 12 & 1),
        undo_unusable=mysql and bool(raw >> 15 & 1),
        unknown=_bits(raw, _CLASSIC_BITS),
        compression="page_compressed" if page_compression else None,
    )
