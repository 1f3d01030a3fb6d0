"""Bootstrap from page 0: page sizes, family, version, what the file is (fsp0types.h of both servers)."""

from __future__ import annotations

import os
import weakref
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ibdscan.errors import IbdError, NotATablespaceError, UnsupportedFormatError
from ibdscan.layout.bridge import reader_of
from ibdscan.layout.fil import FIL_HEADER, FIL_HEADER_BYTES
from ibdscan.layout.fsp import FSP_HEADER, FSP_HEADER_OFFSET
from ibdscan.layout.geometry import PAGE_SIZES, Geometry
from ibdscan.pages.format.flags import Flags, parse_flags, probable_flags
from ibdscan.pages.source.file import Source

if TYPE_CHECKING:
    from ibdscan.pages.decode.clear import Decoder
    from ibdscan.pages.decode.decrypt import Seal
    from ibdscan.pages.decode.keyring import Keyring

MARIADB_TEMPORARY_ID = 0xFFFFFFFE
"""``SRV_TMP_SPACE_ID`` (srv0srv.h)."""
BOOTSTRAP_BYTES = FSP_HEADER_OFFSET + FSP_HEADER.sizeof()


@dataclass(frozen=True)
class Tablespace:
    """What page 0 says of the file; sizes in bytes, ``n_pages`` whole physical pages of the file."""

    source: Source
    flags: Flags
    fil: Any
    """FIL header of page 0 (:data:`ibdscan.layout.fil.FIL_HEADER`)."""
    fsp: Any
    """FSP header (:data:`ibdscan.layout.fsp.FSP_HEADER`)."""
    family: str
    """``mysql`` or ``mariadb``."""
    family_is_certain: bool
    """False where the file carries no mark of either: MySQL up to 5.7 or MariaDB up to 10.4."""
    server_version: str | None
    """As ``9.7.4``; MySQL 8.0+ writes it into page 0, nothing else does."""

    keyring: Keyring | None = field(default=None, repr=False)
    """Keys to decrypt with, as given by whoever opened the file."""

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def geometry(self) -> Geometry:
        return self.flags.geometry

    @property
    def n_pages(self) -> int:
        return self.source.size // self.geometry.physical

    @property
    def tail_bytes(self) -> int:
        """Bytes after the last whole page: a copy cut short."""
        return self.source.size % self.geometry.physical

    @property
    def space_id(self) -> int:
        return int(self.fsp.space_id)

    @property
    def is_temporary(self) -> bool:
        """A temporary tablespace: by its flags (MySQL), or by its id (MariaDB's ibtmp1)."""
        return self.flags.temporary or self.space_id == MARIADB_TEMPORARY_ID

    @property
    def name(self) -> str:
        return os.path.basename(self.path)

    @cached_property
    def seal(self) -> Seal | None:
        """The encryption information of page 0, None where there is none."""
        from ibdscan.pages.decode.decrypt import read_seal

        return read_seal(self.source.read(0, self.geometry.physical), self.flags)

    @cached_property
    def decoder(self) -> Decoder:
        """Decrypts and inflates the pages of this space."""
        from ibdscan.pages.decode.clear import Decoder

        return Decoder(weakref.proxy(self))  # no cycle: the file is closed when the space goes

    def read_page(self, page_no: int) -> bytes:
        """One page as the server sees it: decrypted and inflated. A ROW_FORMAT=COMPRESSED page stays so.

        Raises IbdError for a page number outside the file, UnreadPageError where key or codec is missing.
        """
        return self.decoder.decode(self.read_raw(page_no), page_no)

    def read_head(self, page_no: int, n: int) -> bytes:
        """At least the first ``n`` bytes of a page as :meth:`read_page` gives it, for less work."""
        return self.decoder.decode(self.read_raw(page_no), page_no, n)

    def read_raw(self, page_no: int) -> bytes:
        """Bytes of one physical page as the file has them. Raises IbdError for one outside the file."""
        if not 0 <= page_no < self.n_pages:
            raise IbdError(f"no such page: the file has {self.n_pages} pages", path=self.path, page_no=page_no)
        size = self.geometry.physical
        return self.source.read(page_no * size, size)

    def error(self, message: str, page_no: int | None = None, offset: int | None = None) -> IbdError:
        return IbdError(message, path=self.path, page_no=page_no, offset=offset)


def read_tablespace(source: Source, keyring: Keyring | None = None) -> Tablespace:
    """Read page 0 of ``source``.

    Raises NotATablespaceError when the bytes are not those of an InnoDB tablespace, and says why;
    UnsupportedFormatError for flags that no version known writes.
    """
    if source.size < BOOTSTRAP_BYTES:
        from ibdscan.pages.space.foreign import words_by_name

        what = "the file is empty" if source.size == 0 else f"the file is too short ({source.size} bytes)"
        what = words_by_name(source.path) or what
        raise NotATablespaceError(f"not an InnoDB tablespace: {what}", path=source.path)
    head = source.read(0, BOOTSTRAP_BYTES)
    if not any(head):
        from ibdscan.pages.space.foreign import words_for_zeros

        raise NotATablespaceError(words_for_zeros(source), path=source.path, page_no=0)
    fil = reader_of(FIL_HEADER)(head, 0)
    fsp = reader_of(FSP_HEADER)(head, FSP_HEADER_OFFSET)
    _check_head(source, head, fil, fsp)
    flags = probable_flags(fsp.flags)
    if flags is None or not _fits(source, flags.geometry.physical, fil.space_id):
        fitting = {size for size in (1024, 2048, *PAGE_SIZES) if _fits(source, size, fil.space_id)}
        flags = parse_flags(fsp.flags, fitting, source.path)
    if source.size < flags.geometry.physical:
        raise NotATablespaceError(
            f"the file is cut short: {source.size} bytes, less than its one page of {flags.geometry.physical}",
            path=source.path,
        )
    if flags.unknown:
        raise _unknown_flags(source, flags)
    family, certain, version = _family(flags, fil)
    return Tablespace(source, flags, fil, fsp, family, certain, version, keyring)


def _check_head(source: Source, head: bytes, fil: Any, fsp: Any) -> None:
    def bad(why: str, offset: int) -> NotATablespaceError:
        from ibdscan.pages.space.foreign import words_by_name

        why = words_by_name(source.path) or why
        return NotATablespaceError(f"not an InnoDB tablespace: {why}", path=source.path, page_no=0, offset=offset)

    if fil.page_no != 0:
        from ibdscan.pages.space.foreign import words_for_number

        raise NotATablespaceError(words_for_number(source, fil.page_no), path=source.path, page_no=0, offset=4)
    if fil.type not in (0, 8):
        if fil.type == 6:
            raise bad("the first page is of type SYS (a doublewrite or later system file?)", 24)
        raise bad(f"the first page is of type {fil.type}, not FSP_HDR (8)", 24)
    if fil.space_id != fsp.space_id:
        raise bad(f"two space ids, {fil.space_id} in the FIL header and {fsp.space_id} in the FSP header", 38)


def _unknown_flags(source: Source, flags: Flags) -> IbdError:
    """A newer format, where the checksum of page 0 bears its flags out; else a damaged page."""
    from ibdscan.pages.space.headless import has_checksum

    what = f"(flags 0x{flags.raw:x}: {', '.join(flags.unknown)} unknown)"
    if has_checksum(source.read(0, flags.geometry.physical), flags):
        words = f"a newer format of InnoDB, which this version does not read {what}"
        return UnsupportedFormatError(words, path=source.path, page_no=0, offset=54)
    words = f"page 0 is damaged: its checksum does not fit, and no known format has such flags {what}"
    return NotATablespaceError(words, path=source.path, page_no=0, offset=54)


def _fits(source: Source, size: int, space_id: int) -> bool:
    """Whether pages 1 and 2, where the file has them, carry their own numbers at that page size."""
    own_space = space_id.to_bytes(4, "big")
    seen = 0
    for page_no in (1, 2):
        if source.size >= (page_no + 1) * size:
            head = source.read(page_no * size, FIL_HEADER_BYTES)
            if any(head):
                seen += 1 if head[4:8] == page_no.to_bytes(4, "big") and head[34:38] == own_space else -3
    return seen > 0


def _family(flags: Flags, fil: Any) -> tuple[str, bool, str | None]:
    if flags.full_crc32 or flags.mariadb_marks:
        return "mariadb", True, None
    if fil.prev == 0xFFFFFFFF:  # page 0: MariaDB 10.5+ writes FIL_NULL, 10.1, 10.2 and MySQL up to 5.7 zeros
        return "mariadb", True, None
    version = int(fil.prev)
    if 50000 <= version < 1_000_000:
        return "mysql", True, f"{version // 10000}.{version // 100 % 100}.{version % 100}"
    return "mysql", flags.mysql_marks, None
