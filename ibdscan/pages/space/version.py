"""Which server wrote a file, as precisely as its first page allows."""

from __future__ import annotations

from ibdscan.errors import IbdError
from ibdscan.layout.numbers import PageType
from ibdscan.pages.format.checksums import has_crc32
from ibdscan.pages.space.tablespace import Tablespace

_OLD_CRC32 = "MySQL 5.6 or 5.7 (or MariaDB 10.0 to 10.4: the file does not say)"
_OLD = "MySQL up to 5.7 (or MariaDB up to 10.4: the file does not say)"


def server_words(space: Tablespace) -> str:
    """The server and its version in words: what is certain, and what the file leaves open."""
    if space.family == "mariadb":
        return _mariadb(space)
    if space.server_version:
        return f"MySQL {space.server_version}"
    flags = space.flags
    if flags.sdi:
        return "MySQL 8.0 or later"
    if flags.mysql_marks:
        return "MySQL 5.7 or later"
    if space.fil.type == PageType.ALLOCATED and space.fsp.size:
        return "MySQL up to 5.1.6 (page 0 without a type)"
    return _OLD_CRC32 if _has_crc32(space) or flags.raw >> 6 & 0xF else _OLD


def _mariadb(space: Tablespace) -> str:
    flags = space.flags
    if flags.full_crc32:
        return "MariaDB 10.4.3 or later"
    if flags.raw >> 16 & 1:
        return "MariaDB 10.1.21 or later"
    if flags.compression is not None:
        return "MariaDB 10.1.0 to 10.1.20"
    return "MariaDB (classic format)"


def _has_crc32(space: Tablespace) -> bool:
    if space.flags.is_zip:
        return False
    try:
        return has_crc32(space.read_raw(0), space.flags)
    except IbdError:
        return False
