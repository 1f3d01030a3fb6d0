"""The page as the server sees it: decrypted where a key was given, inflated where it is page-compressed.

A ROW_FORMAT=COMPRESSED page stays as it is: the server keeps it so too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from ibdscan.errors import IbdError, MissingExtraError, UnreadPageError
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages.decode.decrypt import (
    DecryptError,
    MariadbCipher,
    MariadbSeal,
    MysqlCipher,
    Seal,
    is_key_right,
    seal_words,
    unseal,
)
from ibdscan.pages.decode.inflate import (
    MARIADB_ALGORITHMS,
    MYSQL_ALGORITHMS,
    InflateError,
    inflate_full_crc32,
    inflate_mariadb,
    inflate_mysql,
)
from ibdscan.pages.decode.keyring import Keyring
from ibdscan.pages.format.flags import Flags

_BITMAP_PAGE = 1
_ZERO_TAIL = slice(-72, -8)
"""A change-buffer bitmap does not reach the end of its page: zeros there show that the key is right."""


# plain integers: numpy takes a microsecond to look at an IntEnum
_COMPRESSED = int(PageType.COMPRESSED)
_COMPRESSED_AND_ENCRYPTED = int(PageType.COMPRESSED_AND_ENCRYPTED)
_ENCRYPTED = int(PageType.ENCRYPTED)
_ENCRYPTED_RTREE = int(PageType.ENCRYPTED_RTREE)
_PAGE_COMPRESSED = int(PageType.PAGE_COMPRESSED)
_PAGE_COMPRESSED_ENCRYPTED = int(PageType.PAGE_COMPRESSED_ENCRYPTED)
_RTREE = int(PageType.RTREE)


class StoredSpace(Protocol):
    """What the pages of a space are read in clear by; a Tablespace is one."""

    @property
    def path(self) -> str: ...
    @property
    def family(self) -> str: ...
    @property
    def flags(self) -> Flags: ...
    @property
    def space_id(self) -> int: ...
    @property
    def n_pages(self) -> int: ...
    @property
    def seal(self) -> Seal | None: ...
    @property
    def keyring(self) -> Keyring | None: ...
    def read_raw(self, page_no: int) -> bytes: ...


def is_packed(space: StoredSpace, page_type: Any) -> Any:
    """Whether a page of this stored type is page-compressed; int or array."""
    if space.flags.full_crc32:
        return (page_type & PAGE_COMPRESSED_BIT) != 0
    if space.family == "mysql":
        return (page_type == _COMPRESSED) | (page_type == _COMPRESSED_AND_ENCRYPTED)
    return (page_type == _PAGE_COMPRESSED) | (page_type == _PAGE_COMPRESSED_ENCRYPTED)


def is_encrypted(space: StoredSpace, page_type: Any, checksum: Any, key_version: Any, page_no: Any) -> Any:
    """Whether a page is stored encrypted, by its stored type and two FIL header words; int or array.

    ``key_version`` is the word at byte 26, which counts in MariaDB's classic format only. R-trees keep their
    split sequence number there, and page 0 of the system tablespace its flush LSN.
    """
    if space.flags.full_crc32:
        return checksum != 0  # that word is the key version in this format
    if space.family == "mysql":
        return (page_type >= _ENCRYPTED) & (page_type <= _ENCRYPTED_RTREE)
    if space.seal is None:
        return page_type == _PAGE_COMPRESSED_ENCRYPTED
    keyed = (key_version != 0) & (page_type != _RTREE) & (page_type != _PAGE_COMPRESSED)
    return (page_type == _PAGE_COMPRESSED_ENCRYPTED) | (keyed & (page_no != 0))


@dataclass
class Decoder:
    """Reads the pages of one space. Whatever can not be read raises UnreadPageError, which says why."""

    space: StoredSpace
    _cipher: MysqlCipher | MariadbCipher | None = None
    _refusal: tuple[str, str] | None = field(default=None, repr=False)
    """Kind and message, once it is known that nothing of the space can be decrypted."""

    def decode(self, raw: bytes, page_no: int, n: int | None = None) -> bytes:
        """The page in clear; with ``n`` at least that many bytes from its start, where that is less work."""
        kind = int.from_bytes(raw[24:26], "big")
        packed = bool(is_packed(self.space, kind))
        words = int.from_bytes(raw[:4], "big"), int.from_bytes(raw[26:30], "big")
        encrypted = bool(is_encrypted(self.space, kind, *words, page_no))
        if not packed and not encrypted:
            return raw
        try:
            if encrypted:
                raw = self._decrypt(raw, page_no, None if packed else n)
            return self._inflate(raw, kind, n) if packed else raw
        except DecryptError as e:
            raise UnreadPageError(str(e), "damaged-image", path=self.space.path, page_no=page_no) from e
        except InflateError as e:
            raise UnreadPageError(str(e), "damaged-image", path=self.space.path, page_no=page_no) from e
        except MissingExtraError as e:
            raise UnreadPageError(str(e), "missing-codec", path=self.space.path, page_no=page_no) from e

    def algorithm_of(self, raw: bytes) -> str:
        """Name of the page compression of a packed page, as stored."""
        kind = int.from_bytes(raw[24:26], "big")
        if self.space.flags.full_crc32:
            return self.space.flags.compression or "unknown"
        if self.space.family == "mysql":
            return MYSQL_ALGORITHMS.get(raw[27], f"algorithm {raw[27]}")
        at = 32 if kind == PageType.PAGE_COMPRESSED else 40
        number = int.from_bytes(raw[at : at + 2], "big")
        return MARIADB_ALGORITHMS.get(number, f"algorithm {number}")

    def _inflate(self, raw: bytes, stored_type: int, n: int | None) -> bytes:
        if self.space.flags.full_crc32:
            return inflate_full_crc32(raw, self.space.flags.compression or "", n)
        if self.space.family == "mysql":
            return inflate_mysql(raw, n)
        return inflate_mariadb(raw, n, keyed=stored_type == PageType.PAGE_COMPRESSED_ENCRYPTED)

    def _decrypt(self, raw: bytes, page_no: int, n: int | None) -> bytes:
        if self._cipher is None and self._refusal is None:
            self._open(raw)
        if self._cipher is None:
            assert self._refusal is not None
            kind, message = self._refusal
            raise UnreadPageError(message, kind, path=self.space.path, page_no=page_no)
        return self._cipher.decrypt(raw, n)

    def _open(self, raw: bytes) -> None:
        space = self.space
        if space.keyring is None:
            self._refusal = "encrypted", f"encrypted, key needed: {seal_words(space.seal)} (--keyring)"
            return
        try:
            if space.seal is None:
                raise DecryptError("page 0 does not say which key")
            self._cipher = unseal(space.seal, space.keyring, space.flags, space.space_id)
            if isinstance(self._cipher, MariadbCipher):
                self._choose_mode(self._cipher, raw)
        except MissingExtraError as e:
            raise IbdError(str(e), path=space.path) from e
        except DecryptError as e:
            self._cipher, self._refusal = None, ("wrong-key", f"the keyring does not decrypt this file: {e}")

    def _choose_mode(self, cipher: MariadbCipher, raw: bytes) -> None:
        """CBC or CTR, whichever gives sense; a key that gives none is the wrong one."""
        for mode in ("CBC", "CTR"):
            cipher.mode = mode
            if self._gives_sense(cipher, raw):
                return
        seal = self.space.seal
        number = seal.key_id if isinstance(seal, MariadbSeal) else 0
        raise DecryptError(f"key {number} is another one than the file was written with")

    def _gives_sense(self, cipher: MariadbCipher, raw: bytes) -> bool:
        if self.space.n_pages > _BITMAP_PAGE:
            bitmap = self.space.read_raw(_BITMAP_PAGE)
            words = int.from_bytes(bitmap[:4], "big"), int.from_bytes(bitmap[26:30], "big")
            if is_encrypted(self.space, int.from_bytes(bitmap[24:26], "big"), *words, _BITMAP_PAGE):
                clear = self._try(cipher, bitmap)
                return clear is not None and not any(clear[_ZERO_TAIL])
        if not self.space.flags.full_crc32:
            return True
        clear = self._try(cipher, raw)
        return clear is not None and is_key_right(clear, self.space.flags, self.space.space_id)

    def _try(self, cipher: MariadbCipher, raw: bytes) -> bytes | None:
        kind = int.from_bytes(raw[24:26], "big")
        try:
            clear = cipher.decrypt(raw)
            return self._inflate(clear, kind, None) if is_packed(self.space, kind) else clear
        except (DecryptError, InflateError):
            return None
