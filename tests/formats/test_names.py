"""Names of files: encoded tables, files that are no tablespaces, several files as one."""

from __future__ import annotations

from pathlib import Path

import pytest

import ibdscan
from ibdscan.layout.filename import decode_filename
from ibdscan.pages.source.file import Source
from ibdscan.pages.source.joined import JoinedSource, open_source
from ibdscan.pages.source.naming import table_of_path

from .real import bytes_of, open_real, path_of

PAGE = 16384


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        ("t@002d1", "t-1"),
        ("@65e5@672c@8a9e", "日本語"),
        ("stra@1je", "straße"),
        ("con@@@", "con"),
        ("emoji@2603", "emoji☃"),
        ("per@0025cent", "per%cent"),
        ("plain_1", "plain_1"),
        ("a@b", "a@b"),
        ("@d800", "@d800"),
        ("@0000x", "@0000x"),
    ],
)
def test_decode_filename(encoded: str, name: str) -> None:
    assert decode_filename(encoded) == name


def test_a_partition_keeps_its_marks() -> None:
    assert table_of_path("/d/db@002d1/t@002d1#P#p@002d#SP#s@002d.ibd.xz") == "db-1/t-1#P#p-#SP#s-"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("#ib_16384_0.dblwr", "doublewrite file"),
        ("ib_logfile0", "redo log"),
        ("#ib_redo12_tmp", "redo log"),
        ("t.frm", "table definition"),
        ("binlog-000000.ibb", "binary log that MariaDB 12.3 or later keeps"),
        ("ibdata2", "later file of the system tablespace, still empty"),
        ("t.ibd", "page 0 is all zeros"),
    ],
)
def test_files_that_are_no_tablespaces_are_named(tmp_path: Path, name: str, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(bytes(4 * PAGE))
    with pytest.raises(ibdscan.NotATablespaceError, match=words):
        ibdscan.open(path)


def test_a_page_0_that_was_not_yet_flushed_is_named(tmp_path: Path) -> None:
    data = bytearray(bytes_of("mariadb1011_page_compressed.ibd"))
    data[:PAGE] = bytes(PAGE)
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    with pytest.raises(ibdscan.NotATablespaceError, match="not yet written it when the file was copied"):
        ibdscan.open(path)


def test_a_header_without_a_size_is_a_copy_of_a_page_not_yet_flushed(tmp_path: Path) -> None:
    data = bytearray(bytes_of("mysql97_zip8.ibd"))
    data[46:54] = bytes(8)
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    with ibdscan.open(path) as space:
        assert space.findings[0].kind == "not-flushed"


def split_system_space(tmp_path: Path) -> tuple[Path, Path]:
    """An ibdata1 of 12 MiB as the server would have it in two files."""
    data = bytes_of("mariadb1011_ibdata1")
    first, second = tmp_path / "ibdata1", tmp_path / "ibdata2"
    cut = 70 * PAGE  # in the doublewrite area
    first.write_bytes(data[:cut])
    second.write_bytes(data[cut:])
    return first, second


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    first, second = split_system_space(tmp_path)
    with open_real("mariadb1011_ibdata1") as whole, ibdscan.open(f"{first}:{second}") as joined:
        assert joined.findings == []
        assert joined.n_pages == whole.n_pages
        assert joined.page_classes == whole.page_classes
        for page_no in (0, 69, 70, 100):
            assert joined.space.read_page(page_no) == whole.space.read_page(page_no)
    with JoinedSource([str(first), str(second)]) as source:
        assert source.read(70 * PAGE - 10, 20) == bytes_of("mariadb1011_ibdata1")[70 * PAGE - 10 : 70 * PAGE + 10]


def test_a_later_file_alone_is_named(tmp_path: Path) -> None:
    data = bytes_of("mariadb1011_ibdata1")
    path = tmp_path / "part"
    path.write_bytes(data[2 * PAGE : 12 * PAGE])
    with pytest.raises(ibdscan.NotATablespaceError, match="its pages count from 2"):
        ibdscan.open(path)


def test_the_first_file_alone_is_too_short(tmp_path: Path) -> None:
    first, _ = split_system_space(tmp_path)
    with ibdscan.open(first) as space:
        assert "file-too-short" in {f.kind for f in space.findings}


def test_a_name_with_a_colon_is_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a:b"
    path.write_bytes(b"x")
    with open_source(path) as source:
        assert type(source) is Source


def test_holes_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t"
    with path.open("wb") as f:
        f.write(b"x" * 65536)
        f.seek(1 << 20)
        f.write(b"x" * 65536)
        f.truncate(1 << 21)
    with Source(path) as source:
        assert source.count_holes() in (0, 2)  # 0 where the file system has no holes
    with Source(path_of("mysql97_zip8.ibd")) as source:
        assert source.count_holes() is None
