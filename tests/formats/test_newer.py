"""What later servers may write: refused by name where it can not be read, read where only a number is new."""

from __future__ import annotations

from pathlib import Path

import pytest

import ibdscan
from ibdscan.measures.verify import verify_file
from ibdscan.pages.format.checksums import classic_crc32_of, full_crc32_of
from ibdscan.pages.space.version import server_words
from tests.files import fixture_bytes

PAGE = 16384
VERSION_AT, FLAGS_AT = 8, 54
UNDO_UNUSABLE = 0x8000


def written(path: Path, name: str, at: int, word: int, *, sealed: bool = True) -> Path:
    """A real file with another word in page 0, and the checksum of the page made anew."""
    data = fixture_bytes(name)
    page = bytearray(data[:PAGE])
    page[at : at + 4] = word.to_bytes(4, "big")
    if sealed and name.startswith("mariadb"):
        page[-4:] = full_crc32_of(page).to_bytes(4, "big")
    elif sealed:
        page[:4] = page[-8:-4] = classic_crc32_of(page).to_bytes(4, "big")
    path.write_bytes(page + data[PAGE:])
    return path


NEWER = (
    ("mariadb1011/lob", 0x115, "bit 8"),
    ("mariadb1011/lob", 0xF5, "compression algorithm 7"),
    ("mariadb1011/lob", 0x315, "bit 8, bit 9"),
    ("mysql97/lob", 0x24021, "bit 17"),
)


@pytest.mark.parametrize(("name", "raw", "what"), NEWER)
def test_unknown_flags_are_a_newer_format(tmp_path: Path, name: str, raw: int, what: str) -> None:
    path = written(tmp_path / "t.ibd", name, FLAGS_AT, raw)
    words = rf"a newer format .* \(flags 0x{raw:x}: {what} unknown\)"
    with pytest.raises(ibdscan.UnsupportedFormatError, match=words):
        ibdscan.open(path)
    with pytest.raises(ibdscan.UnsupportedFormatError, match=words):
        verify_file(str(path))
    (row,) = ibdscan.scan(tmp_path, jobs=1)
    assert (row.status, row.kind) == ("unsupported", "table")


@pytest.mark.parametrize(("name", "raw", "what"), NEWER)
def test_a_flipped_bit_of_the_flags_is_damage(tmp_path: Path, name: str, raw: int, what: str) -> None:
    path = written(tmp_path / "t.ibd", name, FLAGS_AT, raw, sealed=False)
    with pytest.raises(ibdscan.NotATablespaceError, match=f"page 0 is damaged.*{what} unknown"):
        ibdscan.open(path)
    kinds = sorted(finding.kind for finding in verify_file(str(path)).findings)
    assert kinds == ["bad-checksum", "page-0"]


@pytest.mark.parametrize(("number", "version"), [(260700, "26.7.0"), (261003, "26.10.3"), (90704, "9.7.4")])
def test_versions_of_mysql(tmp_path: Path, number: int, version: str) -> None:
    with ibdscan.open(written(tmp_path / "t.ibd", "mysql97/empty", VERSION_AT, number)) as space:
        assert space.space.server_version == version
        assert server_words(space.space) == f"MySQL {version}"
        assert space.findings == []


def test_an_undo_tablespace_that_is_not_usable_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "u.ibd", "mysql97/empty", FLAGS_AT, 0x4021 | UNDO_UNUSABLE)
    with ibdscan.open(path) as space:
        (note,) = space.storage.notes
        assert "marked as not usable" in note
        assert space.space.family_is_certain
