"""Encryption that stopped half-way: real encrypted files, with their leaf in clear as the server writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ibdscan
from ibdscan.layout.fsp import encryption_progress_offset
from ibdscan.layout.numbers import PageType
from ibdscan.measures.verify import verify_file
from ibdscan.pages.decode.keyring import read_keyring
from ibdscan.pages.format.checksums import classic_crc32_of, full_crc32_of
from ibdscan.pages.page.full import read_parts

from .real import KEYS, bytes_of, open_real

PAGE = 16384
ENCRYPT, DECRYPT = 1, 2


def with_plain_leaf(path: Path, name: str, operation: int = 0) -> int:
    """Write the fixture with its leaf decrypted; its page number."""
    data = bytearray(bytes_of(name))
    with open_real(name) as space:
        leaf = int(space.user_indexes[0].leaf.chain[0])
        page = bytearray(space.space.read_page(leaf))
        if space.space.flags.full_crc32:
            page[:4] = bytes(4)
            page[-4:] = full_crc32_of(page).to_bytes(4, "big")
        else:
            page[26:34] = bytes(8)
            page[:4] = page[-8:-4] = classic_crc32_of(page).to_bytes(4, "big")
        data[leaf * PAGE : (leaf + 1) * PAGE] = page
        if operation:
            at = encryption_progress_offset(space.space.geometry)
            data[at : at + 5] = bytes([operation]) + leaf.to_bytes(4, "big")
            data[:4] = data[PAGE - 8 : PAGE - 4] = classic_crc32_of(data[:PAGE]).to_bytes(4, "big")
    path.write_bytes(data)
    return leaf


@pytest.mark.parametrize("name", list(KEYS))
def test_plain_and_encrypted_pages_are_read_side_by_side(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.ibd"
    with_plain_leaf(path, name)
    with open_real(name) as whole, ibdscan.open(path, keyring=KEYS[name]) as half:
        assert half.to_dict()["indexes"] == whole.to_dict()["indexes"]
        assert half.page_classes == whole.page_classes
        assert half.storage.encrypted_pages == whole.storage.encrypted_pages - 1
        assert (whole.storage.plain_pages, half.storage.plain_pages) == (0, 1)
        assert half.storage.unread_pages == 0
        assert half.storage.notes == (
            f"an encryption or decryption is not finished: {half.storage.encrypted_pages} pages are encrypted, "
            "1 in use are not",
        )
    assert verify_file(str(path), keyring=read_keyring(str(KEYS[name]))).findings == []


@pytest.mark.parametrize("name", list(KEYS))
def test_without_the_key_just_the_encrypted_pages_are_unread(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.ibd"
    leaf = with_plain_leaf(path, name)
    with open_real(name, keys=False) as whole, ibdscan.open(path) as half:
        assert half.indexes == []
        assert half.page_classes["leaf"] == 1
        assert half.page_classes["unread"] == whole.page_classes["unread"] - 1
        assert half.storage.unread_pages == whole.storage.unread_pages - 1
        assert not half.columns.unread[leaf]
        assert half.columns.type[leaf] == PageType.INDEX


@pytest.mark.parametrize(("operation", "words"), [(ENCRYPT, "an encryption"), (DECRYPT, "a decryption")])
def test_page_0_of_mysql_says_which_way_it_went(tmp_path: Path, operation: int, words: str) -> None:
    path = tmp_path / "t.ibd"
    with_plain_leaf(path, "mysql97_encrypted.ibd", operation)
    with ibdscan.open(path) as space:
        assert space.storage.notes[-1].startswith(f"{words} was under way: 3 pages are encrypted, 1 in use")
        data = space.to_dict()
        assert (data["encrypted_pages"], data["plain_pages"]) == (3, 1)
        parts = {part.name: part for part in read_parts(space.space, 0, space.space.read_page(0))}
        said = {field.name: field.value for field in parts["encryption progress"].fields}
        assert said["operation"] == operation
