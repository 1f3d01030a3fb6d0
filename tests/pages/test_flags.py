"""FSP_SPACE_FLAGS as seen on real files (format.md section 1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.errors import NotATablespaceError
from ibdscan.pages.format.flags import parse_flags
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace
from tests.files import every_fixture, facts


@pytest.mark.parametrize(
    ("raw", "physical", "logical"),
    [
        (0x0, 16384, 16384),
        (0x21, 16384, 16384),
        (0x4021, 16384, 16384),
        (0x4029, 8192, 16384),
        (0x29, 8192, 16384),
        (0x4800, 16384, 16384),
        (0x48C0, 4096, 4096),
        (0x4900, 8192, 8192),
        (0x4980, 32768, 32768),
        (0x49C0, 65536, 65536),
        (0x15, 16384, 16384),
        (0x13, 4096, 4096),
        (0x17, 65536, 65536),
    ],
)
def test_page_sizes(raw: int, physical: int, logical: int) -> None:
    flags = parse_flags(raw, set(), "t")
    assert (flags.geometry.physical, flags.geometry.logical) == (physical, logical)
    assert flags.full_crc32 == bool(raw & 0x10)
    assert flags.sdi == bool(raw & 0x4000)
    assert flags.is_zip == (physical != logical)


@pytest.mark.parametrize("raw", [0x1F, 0x10, 0x3C0, 0xFFFFFFFF, 0x0C])
def test_no_page_size(raw: int) -> None:
    with pytest.raises(NotATablespaceError, match=f"flags 0x{raw:x}"):
        parse_flags(raw, set(), "t")


@pytest.mark.parametrize(
    ("raw", "unknown"),
    [
        (0x115, ("bit 8",)),
        (0xF5, ("compression algorithm 7",)),
        (0x800000F5, ("compression algorithm 7", "bit 31")),
        (0x24021, ("bit 17",)),
        (0x10021, ()),
        (0x8000, ()),
        (0x21 | 1 << 6 | 5 << 13 | 1 << 17, ()),
    ],
)
def test_what_no_known_version_sets(raw: int, unknown: tuple[str, ...]) -> None:
    assert parse_flags(raw, {16384}, "t").unknown == unknown


@pytest.mark.parametrize(
    ("raw", "name"), [(0x35, "zlib"), (0x55, "lz4"), (0xD5, "snappy"), (0x10021, "page_compressed")]
)
def test_mariadb_compression_is_named(raw: int, name: str) -> None:
    flags = parse_flags(raw, set(), "t")
    assert flags.compression == name
    assert flags.mariadb_marks


def test_the_page_size_of_mariadb_10_1_0() -> None:
    raw = 0x21 | 1 << 6 | 5 << 13
    assert parse_flags(raw, {16384}, "t").compression == "page_compressed"


@every_fixture
def test_family_and_page_size_of_real_files(path: Path) -> None:
    said = facts(path)
    with Source(path) as source:
        space = read_tablespace(source)
        assert space.geometry.physical == said["page_size"]
        assert source.size == said["bytes"]
        assert space.family == ("mysql" if path.parent.name == "mysql97" else "mariadb")
        assert space.family_is_certain
        assert space.server_version == (
            said["server_version"].partition("-")[0] if space.family == "mysql" else None
        )


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (0x21 | 1 << 13, "encrypted"),
        (0x4021, "sdi"),
        (0x4821, "shared"),
        (0x5021, "temporary"),
        (0xC000, "undo_unusable"),
        (0x21, "atomic_blobs"),
    ],
)
def test_features_of_mysql(raw: int, name: str) -> None:
    flags = parse_flags(raw, set(), "t")
    assert getattr(flags, name)
    assert flags.mysql_marks is (name != "atomic_blobs")
    assert not flags.mariadb_marks
