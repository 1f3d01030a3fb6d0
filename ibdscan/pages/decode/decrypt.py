"""Encrypted pages: what page 0 says of the keys, and the page in clear once the keys are there.

MySQL (os0enc.cc): page 0 holds the tablespace's key and IV, sealed with a master key of the keyring; a page
is AES-256-CBC from byte 38 on. MariaDB (fil0crypt.cc): page 0 holds an IV and the number of a key; the key
of a page is that IV encrypted with the numbered key, its IV is made of space id, page number and LSN.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

from ibdscan.errors import IbdError
from ibdscan.layout.fil import FIL_HEADER_BYTES, FIL_TRAILER_BYTES
from ibdscan.layout.fsp import mariadb_crypt_offset, xdes_array_end
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages.decode.inflate import stored_bytes_full_crc32
from ibdscan.pages.decode.keyring import Keyring, aes_cbc, aes_ctr, aes_ecb
from ibdscan.pages.format.checksums import crc32c
from ibdscan.pages.format.flags import Flags

_BLOCK = 16
_MYSQL_MAGICS = {b"lCA": 1, b"lCB": 2, b"lCC": 3}
_PERCONA_MAGICS = (b"PSA", b"PSB", b"PSC")
_SEALED_BYTES = 64
_UUID_BYTES = 36
_TAIL_BYTES = 2 * _BLOCK
_MARIADB_MAGIC = bytes.fromhex("730e0c524574")
_MARIADB_ENCRYPTED = 1
_FULL_CRC32_HEAD = 26
_FULL_CRC32_TAIL = 4


class DecryptError(ValueError):
    """A page that can not be decrypted, and why."""


@dataclass(frozen=True)
class MysqlSeal:
    """MySQL's encryption information of page 0 (``Encryption::decode_encryption_info``)."""

    version: int
    master_key_id: int
    uuid: str
    sealed: bytes = field(repr=False)
    crc: int
    percona: bool = False

    @property
    def key_name(self) -> str:
        """Name of the master key in the keyring; version 1 has the server's id in place of its UUID."""
        return f"INNODBKey-{self.uuid}-{self.master_key_id}"


@dataclass(frozen=True)
class MariadbSeal:
    """MariaDB's encryption information of page 0 (``fil_space_read_crypt_data``)."""

    encrypted: bool
    iv: bytes = field(repr=False)
    min_key_version: int
    key_id: int
    mode: int


Seal = MysqlSeal | MariadbSeal


def read_seal(page0: bytes, flags: Flags) -> Seal | None:
    """The encryption information of page 0; None where there is none."""
    at = xdes_array_end(flags.geometry)
    magic = page0[at : at + 3]
    if not flags.full_crc32 and (magic in _MYSQL_MAGICS or magic in _PERCONA_MAGICS):
        return _read_mysql(page0, at)
    at = mariadb_crypt_offset(flags.geometry)
    if page0[at : at + 6] == _MARIADB_MAGIC and page0[at + 7] == _BLOCK:
        iv = page0[at + 8 : at + 24]
        version, key_id, mode = struct.unpack(">IIB", page0[at + 24 : at + 33])
        return MariadbSeal(page0[at + 6] == _MARIADB_ENCRYPTED, iv, version, key_id, mode)
    return None


def _read_mysql(page0: bytes, at: int) -> MysqlSeal:
    magic = page0[at : at + 3]
    master = int.from_bytes(page0[at + 3 : at + 7], "big")
    version = _MYSQL_MAGICS.get(magic, 3)
    at += 7
    uuid = ""
    if version > 1:
        uuid = page0[at : at + _UUID_BYTES].decode("ascii", "replace")
        at += _UUID_BYTES
    sealed = page0[at : at + _SEALED_BYTES]
    crc = int.from_bytes(page0[at + _SEALED_BYTES : at + _SEALED_BYTES + 4], "big")
    return MysqlSeal(version, master, uuid, sealed, crc, magic in _PERCONA_MAGICS)


def unseal(seal: Seal, keyring: Keyring, flags: Flags, space_id: int) -> MysqlCipher | MariadbCipher:
    """What decrypts the pages of the space.

    Raises DecryptError when the keyring has not the key or has another one of its name.
    """
    if isinstance(seal, MariadbSeal):
        key = keyring.numbered.get(seal.key_id)
        if key is None:
            raise DecryptError(f"{keyring.path} has no key {seal.key_id}")
        return MariadbCipher(aes_ecb(key, seal.iv, encrypt=True), flags, space_id)
    return MysqlCipher(*_open_seal(seal, keyring))


def _open_seal(seal: MysqlSeal, keyring: Keyring) -> tuple[bytes, bytes]:
    if seal.percona:
        raise DecryptError("Percona Server's keyring encryption (magic PS) is not supported")
    if seal.version == 1:  # the server's id stands where later versions have its UUID, and is not in the file
        names = [n for n in keyring.named if n.startswith("INNODBKey-") and n.endswith(f"-{seal.master_key_id}")]
    else:
        names = [seal.key_name] if seal.key_name in keyring.named else []
    if not names:
        raise DecryptError(f"{keyring.path} has no key {seal.key_name}")
    for name in names:
        opened = aes_ecb(keyring.named[name], seal.sealed)
        if seal.crc in (crc32c(opened), zlib.crc32(opened)):
            return opened[:32], opened[32:48]
    raise DecryptError(f"the key {names[0]} of {keyring.path} does not open this file: another key of that name")


@dataclass(frozen=True)
class MysqlCipher:
    """AES-256-CBC from byte 38; what is over a whole number of blocks lies in the last two, encrypted twice."""

    key: bytes = field(repr=False)
    iv: bytes = field(repr=False)

    def decrypt(self, raw: bytes, n: int | None = None) -> bytes:
        """The page in clear, of its true type. A compressed one is still to be inflated."""
        kind = int.from_bytes(raw[24:26], "big")
        end = len(raw)
        if kind == PageType.COMPRESSED_AND_ENCRYPTED:
            end = self._end_of_packed(raw)
        body = raw[FIL_HEADER_BYTES:end]
        if n is not None and kind != PageType.COMPRESSED_AND_ENCRYPTED:
            wanted = -(-max(0, n - FIL_HEADER_BYTES) // _BLOCK) * _BLOCK
            if wanted + _TAIL_BYTES <= len(body):
                return self._header(raw, kind) + aes_cbc(self.key, self.iv, body[:wanted])
        whole = len(body) // _BLOCK * _BLOCK
        if whole != len(body):
            cut = len(body) - _TAIL_BYTES
            body = body[:cut] + aes_cbc(self.key, self.iv, body[cut:])
        clear = aes_cbc(self.key, self.iv, body[:whole]) + body[whole:]
        return self._header(raw, kind) + clear + raw[end:]

    @staticmethod
    def _end_of_packed(raw: bytes) -> int:
        end = FIL_HEADER_BYTES + int.from_bytes(raw[32:34], "big")
        if end > len(raw):
            raise DecryptError(f"impossible compressed size {end - FIL_HEADER_BYTES}")
        return end

    @staticmethod
    def _header(raw: bytes, kind: int) -> bytes:
        if kind == PageType.COMPRESSED_AND_ENCRYPTED:
            return raw[:24] + int(PageType.COMPRESSED).to_bytes(2, "big") + raw[26:38]
        if kind == PageType.ENCRYPTED_RTREE:
            return raw[:24] + int(PageType.RTREE).to_bytes(2, "big") + raw[26:38]
        return raw[:24] + raw[28:30] + raw[26:28] + b"\0\0" + raw[30:38]


@dataclass
class MariadbCipher:
    """The space's local key; ``mode`` CBC or CTR is a setting of the server and not in the file."""

    key: bytes = field(repr=False)
    flags: Flags
    space_id: int
    mode: str = "CBC"

    def decrypt(self, raw: bytes, n: int | None = None) -> bytes:
        """The page in clear. A page-compressed one is still to be inflated."""
        start, end = self._range(raw)
        if n is not None and self.mode == "CBC" and n < end - _BLOCK:
            end = min(end, start + -(-max(0, n - start) // _BLOCK) * _BLOCK)
            return raw[:start] + self._run(raw, raw[start:end])
        return raw[:start] + self._run(raw, raw[start:end]) + raw[end:]

    def _range(self, raw: bytes) -> tuple[int, int]:
        kind = int.from_bytes(raw[24:26], "big")
        if self.flags.full_crc32:
            size = stored_bytes_full_crc32(kind) if kind & PAGE_COMPRESSED_BIT else len(raw)
            if not _FULL_CRC32_HEAD + _FULL_CRC32_TAIL < size <= len(raw):
                raise DecryptError(f"impossible size, {size} bytes stored")
            return _FULL_CRC32_HEAD, size - _FULL_CRC32_TAIL
        if kind == PageType.PAGE_COMPRESSED_ENCRYPTED:
            start = FIL_HEADER_BYTES + 4
            end = start + int.from_bytes(raw[38:40], "big")
            if end > len(raw):
                raise DecryptError(f"impossible compressed size {end - start}")
            return start, end
        return FIL_HEADER_BYTES, len(raw) - FIL_TRAILER_BYTES

    def _run(self, raw: bytes, data: bytes) -> bytes:
        page_no = int.from_bytes(raw[4:8], "big")
        lsn = int.from_bytes(raw[16:24], "big")
        iv = struct.pack("<IIQ", self.space_id, page_no, lsn)
        if self.mode == "CTR":
            return aes_ctr(self.key, iv, data)
        whole = len(data) // _BLOCK * _BLOCK
        clear = aes_cbc(self.key, iv, data[:whole])
        if whole == len(data):
            return clear
        mask = aes_ecb(self.key, iv, encrypt=True)
        return clear + bytes(a ^ b for a, b in zip(data[whole:], mask, strict=False))


def is_key_right(clear: bytes, flags: Flags, space_id: int) -> bool:
    """full_crc32 has its checksum over the encrypted page; the trailer's LSN and the space id tell instead."""
    return clear[-8:-4] == clear[20:24] and int.from_bytes(clear[34:38], "big") == space_id


def seal_words(seal: Seal | None) -> str:
    """Which key a file wants, in words."""
    if isinstance(seal, MariadbSeal):
        return f"key {seal.key_id} of MariaDB's key file"
    if isinstance(seal, MysqlSeal):
        return f"key {seal.key_name}"
    return "its key"


def as_error(e: Exception, **where: Any) -> IbdError:
    """The same as an IbdError with its place."""
    return IbdError(str(e), **where)
