"""Key files of both servers, wrong keys, and a missing package."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import ibdscan
from ibdscan.cli import main
from ibdscan.pages.decode.keyring import read_keyring

from .real import KEYS, MARIADB_KEYS, MYSQL_KEYRING, open_real, path_of

KEY_LINES = (
    b"1;dd2f2ac2a6ae5751e152654ad8b2e678a99fd3743a99df3d36657946aa121687\n"
    b"# two\n2;397bfb29a5d5d9193187700a69aff3b8\n"
)


def test_the_component_keyring_has_named_keys() -> None:
    keyring = read_keyring(MYSQL_KEYRING)
    assert [len(key) for key in keyring.named.values()] == [32]
    assert next(iter(keyring.named)).startswith("INNODBKey-")
    assert "INNODBKey" not in repr(keyring)


def test_the_key_file_of_mariadb_has_numbered_keys(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_bytes(KEY_LINES)
    assert {n: len(key) for n, key in read_keyring(path).numbered.items()} == {1: 32, 2: 16}


@pytest.mark.parametrize("digest", ["sha1", "sha256", "sha512"])
def test_an_encrypted_key_file_needs_its_passphrase(tmp_path: Path, digest: str) -> None:
    plain, packed = tmp_path / "keys", tmp_path / "keys.enc"
    plain.write_bytes(KEY_LINES)
    command = ["openssl", "enc", "-aes-256-cbc", "-md", digest, "-pass", "pass:se cret"]
    command += ["-in", str(plain), "-out", str(packed)]
    subprocess.run(command, check=True, capture_output=True)
    assert read_keyring(packed, b"se cret\n").numbered == read_keyring(plain).numbered
    with pytest.raises(ibdscan.IbdError, match="does not open"):
        read_keyring(packed, b"secret")
    with pytest.raises(ibdscan.IbdError, match="passphrase is needed"):
        read_keyring(packed)


def plugin_file(keys: dict[str, bytes]) -> bytes:
    """A file of the keyring_file plugin, by its source (keyring_key.cc): no real one is at hand."""
    xor = b"*305=Ljt0*!@$Hnm(*-9-w;:"
    out = b"Keyring file version:2.0"
    for name, key in keys.items():
        hidden = bytes(b ^ xor[i % len(xor)] for i, b in enumerate(key))
        body = name.encode() + b"AES" + hidden
        total = -(-(40 + len(body)) // 8) * 8
        out += struct.pack("<5Q", total, len(name), 3, 0, len(key)) + body.ljust(total - 40, b"\0")
    return out + b"EOF" + bytes(32)


def test_the_file_of_the_old_plugin(tmp_path: Path) -> None:
    path = tmp_path / "keyring"
    keys = {"INNODBKey-a-1": bytes(range(32)), "INNODBKey-a-2": bytes(32)}
    path.write_bytes(plugin_file(keys))
    assert read_keyring(path).named == keys
    path.write_bytes(plugin_file(keys)[:60])
    with pytest.raises(ibdscan.IbdError, match="damaged"):
        read_keyring(path)


def test_the_old_plugins_file_opens_a_real_table(tmp_path: Path) -> None:
    path = tmp_path / "keyring"
    path.write_bytes(plugin_file(read_keyring(MYSQL_KEYRING).named))
    with ibdscan.open(path_of("mysql97_encrypted.ibd"), keyring=path) as space:
        assert space.index("PRIMARY").leaf.records == 0


@pytest.mark.parametrize("content", [b"", b"hello", b"{}", b'{"elements": 3}', b"1;xyz"])
def test_what_is_no_key_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "keys"
    path.write_bytes(content)
    with pytest.raises(ibdscan.IbdError, match="not a key"):
        read_keyring(path)


def wrong_keys(name: str, tmp_path: Path) -> Path:
    path = tmp_path / "wrong"
    if KEYS[name] == MARIADB_KEYS:
        path.write_bytes(KEY_LINES.replace(b";dd", b";de"))
    else:
        keyring = json.loads(MYSQL_KEYRING.read_text())
        keyring["elements"][0]["data"] = "00" * 32
        path.write_text(json.dumps(keyring))
    return path


@pytest.mark.parametrize("name", list(KEYS))
def test_a_wrong_key_is_said_so(name: str, tmp_path: Path) -> None:
    with ibdscan.open(path_of(name), keyring=wrong_keys(name, tmp_path)) as space:
        assert [f.kind for f in space.findings] == ["wrong-key"]
        assert space.indexes == []


@pytest.mark.parametrize("name", list(KEYS))
def test_a_keyring_without_the_key_is_said_so(name: str) -> None:
    other = MYSQL_KEYRING if KEYS[name] == MARIADB_KEYS else MARIADB_KEYS
    with ibdscan.open(path_of(name), keyring=other) as space:
        assert "has no key" in space.findings[0].message


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives", None)
    with pytest.raises(ibdscan.IbdError, match=r"ibdscan\[crypt\]"):
        open_real("mysql97_encrypted.ibd")


def test_the_option_reaches_the_file() -> None:
    path = str(path_of("mariadb1011_encrypted.ibd"))
    without = CliRunner().invoke(main, ["info", path])
    assert without.exit_code == 0, without.output
    assert "encrypted, key needed: key 1 of MariaDB's key file" in without.output
    assert "the indexes can not be read" in without.output
    given = CliRunner().invoke(main, ["info", path, "--keyring", str(MARIADB_KEYS)])
    assert given.exit_code == 0, given.output
    assert "read with the key given" in given.output
    assert "too small to judge" in given.output


def test_keys_are_in_no_message(tmp_path: Path) -> None:
    keys = wrong_keys("mariadb1011_encrypted.ibd", tmp_path)
    result = CliRunner().invoke(main, ["info", str(path_of("mariadb1011_encrypted.ibd")), "--keyring", str(keys)])
    assert "de2f2a" not in result.output.lower()
