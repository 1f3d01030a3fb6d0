"""Keys of encrypted tablespaces, from the files in which the servers keep them.

MySQL: the JSON file of ``component_keyring_file`` and the binary file of the older ``keyring_file``
plugin. MariaDB: the key file of ``file_key_management``, plain or encrypted with a passphrase. The kind
is seen from the content. Keys stay in memory; no message shows one.
"""

from __future__ import annotations

import json
import os
import re
import struct
from dataclasses import dataclass, field
from typing import Any

from ibdscan.errors import IbdError, MissingExtraError, UnreadableError

CRYPT_EXTRA = "ibdscan[crypt]"
_MAX_BYTES = 16 << 20
_PLUGIN_MAGIC = b"Keyring file version:"
_PLUGIN_HEADER_BYTES = len(_PLUGIN_MAGIC) + 3
_PLUGIN_XOR = b"*305=Ljt0*!@$Hnm(*-9-w;:"
"""``obfuscate_str`` of the plugin (keyring_key.cc): the keys in its file are XORed with it."""
_SALTED = b"Salted__"
_DIGESTS = ("sha1", "sha256", "sha512", "sha224", "sha384", "md5")
_PBKDF2_ROUNDS = 10_000
_MARIADB_LINE = re.compile(rb"\s*(\d+)\s*;\s*([0-9A-Fa-f]+)\s*(?:#.*)?")
_KEY_BYTES = (16, 24, 32)


@dataclass(frozen=True)
class Keyring:
    """The keys of one file: MySQL's by name, MariaDB's by number (their version is always 1)."""

    path: str
    named: dict[str, bytes] = field(default_factory=dict, repr=False)
    numbered: dict[int, bytes] = field(default_factory=dict, repr=False)


def read_keyring(path: str | os.PathLike[str], password: bytes | None = None) -> Keyring:
    """Read a key file; ``password`` opens MariaDB's encrypted one.

    Raises UnreadableError for a file that can not be read, IbdError for one that is no key file.
    """
    name = os.fspath(path)
    try:
        if os.path.getsize(name) > _MAX_BYTES:
            raise IbdError("not a key file: larger than 16 MiB", path=name)
        with open(name, "rb") as f:
            data = f.read(_MAX_BYTES)
    except OSError as e:
        raise UnreadableError(f"can not read the key file: {e.strerror}", path=name) from e
    if data.startswith(_SALTED):
        data = _unlock(data, password, name)
    if data.lstrip()[:1] == b"{":
        return Keyring(name, named=_component(data, name))
    if data.startswith(_PLUGIN_MAGIC):
        return Keyring(name, named=_plugin(data, name))
    numbered = _file_key_management(data)
    if numbered is None:
        raise IbdError(
            "not a key file: neither MySQL's component_keyring_file or keyring_file nor MariaDB's "
            "file_key_management",
            path=name,
        )
    return Keyring(name, numbered=numbered)


def _component(data: bytes, path: str) -> dict[str, bytes]:
    try:
        elements = json.loads(data)["elements"]
        return {str(e["data_id"]): bytes.fromhex(e["data"]) for e in elements}
    except (ValueError, KeyError, TypeError) as e:
        raise IbdError("not a keyring file of component_keyring_file: no list of elements", path=path) from e


def _plugin(data: bytes, path: str) -> dict[str, bytes]:
    """Records of five little-endian 64-bit lengths and id, type, user and key, up to the word EOF."""
    keys: dict[str, bytes] = {}
    at = _PLUGIN_HEADER_BYTES
    while not data.startswith(b"EOF", at):
        if at + 40 > len(data):
            raise IbdError("the keyring_file is damaged: it does not end", path=path, offset=at)
        total, n_id, n_type, n_user, n_key = struct.unpack_from("<5Q", data, at)
        if not 40 <= total <= len(data) - at or n_id + n_type + n_user + n_key > total - 40:
            raise IbdError("the keyring_file is damaged", path=path, offset=at)
        start = at + 40
        name = data[start : start + n_id].decode("utf-8", "replace")
        start += n_id + n_type + n_user
        hidden = data[start : start + n_key]
        keys[name] = bytes(b ^ _PLUGIN_XOR[i % len(_PLUGIN_XOR)] for i, b in enumerate(hidden))
        at += total
    return keys


def _file_key_management(data: bytes) -> dict[int, bytes] | None:
    keys: dict[int, bytes] = {}
    for line in data.splitlines():
        if not line.strip() or line.lstrip().startswith(b"#"):
            continue
        match = _MARIADB_LINE.fullmatch(line)
        if match is None or len(match[2]) % 2 or len(match[2]) // 2 not in _KEY_BYTES:
            return None
        keys[int(match[1])] = bytes.fromhex(match[2].decode())
    return keys or None


def _unlock(data: bytes, password: bytes | None, path: str) -> bytes:
    """``openssl enc -aes-256-cbc``: the digest is not written in the file, so each is tried."""
    if password is None:
        raise IbdError("the key file is encrypted: its passphrase is needed (--keyring-password-file)", path=path)
    salt, packed = data[8:16], data[16:]
    if not packed or len(packed) % 16:
        raise IbdError("the encrypted key file is cut short", path=path)
    for key, iv in _derived(password.rstrip(b"\r\n"), salt):
        plain = aes_cbc(key, iv, packed)
        pad = plain[-1]
        if 1 <= pad <= 16 and _file_key_management(plain[:-pad]) is not None:
            return plain[:-pad]
    raise IbdError("the passphrase does not open the key file", path=path)


def _derived(password: bytes, salt: bytes) -> Any:
    import hashlib

    for digest in _DIGESTS:
        block, made = b"", b""
        while len(made) < 48:  # EVP_BytesToKey, one round
            block = hashlib.new(digest, block + password + salt, usedforsecurity=False).digest()
            made += block
        yield made[:32], made[32:48]
    for digest in _DIGESTS:
        made = hashlib.pbkdf2_hmac(digest, password, salt, _PBKDF2_ROUNDS, 48)
        yield made[:32], made[32:]


def ciphers() -> Any:
    """The module of ciphers. Raises MissingExtraError where the ``cryptography`` package is missing."""
    try:
        from cryptography.hazmat.primitives import ciphers as found
    except ImportError as e:
        raise MissingExtraError(f"decryption needs the cryptography package: pip install '{CRYPT_EXTRA}'") from e
    return found


def aes_cbc(key: bytes, iv: bytes, data: bytes) -> bytes:
    """AES-CBC decryption of whole blocks, no padding."""
    return _decrypt(key, "CBC", iv, data)


def aes_ctr(key: bytes, iv: bytes, data: bytes) -> bytes:
    """AES-CTR of any length."""
    return _decrypt(key, "CTR", iv, data)


def aes_ecb(key: bytes, data: bytes, *, encrypt: bool = False) -> bytes:
    """AES-ECB of whole blocks, no padding."""
    module = ciphers()
    cipher = module.Cipher(module.algorithms.AES(key), module.modes.ECB())
    run = cipher.encryptor() if encrypt else cipher.decryptor()
    return bytes(run.update(data) + run.finalize())


def _decrypt(key: bytes, mode: str, iv: bytes, data: bytes) -> bytes:
    module = ciphers()
    run = module.Cipher(module.algorithms.AES(key), getattr(module.modes, mode)(iv)).decryptor()
    return bytes(run.update(data) + run.finalize())
