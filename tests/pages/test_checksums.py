"""The checksums agree with those that real servers wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.pages.format.checksums import (
    checksum_of,
    crc32c,
    has_crc32,
    is_torn,
    stored_checksums,
    write_checksum,
)
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace
from tests.files import every_fixture, fixture


def test_known_value() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0


@every_fixture
def test_every_written_page_of_a_real_file_has_its_checksum(path: Path) -> None:
    with Source(path) as source:
        space = read_tablespace(source)
        checked = 0
        for page_no in range(space.n_pages):
            page = space.read_page(page_no)
            if any(page):
                assert has_crc32(page, space.flags), page_no
                assert not is_torn(page, space.flags), page_no
                checked += 1
    assert checked > 3


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_writing_gives_the_servers_bytes_again(family: str) -> None:
    with Source(fixture(f"{family}/import_single")) as source:
        space = read_tablespace(source)
        for page_no in range(20):
            original = space.read_page(page_no)
            page = bytearray(original)
            page[-8:] = bytes(8)
            if not space.flags.full_crc32:
                page[:4] = bytes(4)
            if any(original):
                write_checksum(page, space.flags)
                assert bytes(page) == original


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_a_changed_byte_shows(family: str) -> None:
    with Source(fixture(f"{family}/empty")) as source:
        space = read_tablespace(source)
        original = space.read_page(3)
        for at in (5, 30, 200, 16000):
            page = bytearray(original)
            page[at] ^= 1
            covered = space.flags.full_crc32 or at != 30
            assert has_crc32(page, space.flags) is not covered
            assert (checksum_of(page, space.flags) in stored_checksums(page, space.flags)) is not covered
        page = bytearray(original)
        page[23] ^= 1
        assert is_torn(page, space.flags)
