"""Which files are found, and what their names say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ibdscan.measures.scan.find import Found, Unlisted, Walk
from ibdscan.measures.scan.places import NameFilter, Place, place_of
from tests.scan.conftest import FIXTURES, unpack


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("/d/shop/t.ibd", Place("shop", "t", None, "table")),
        ("/d/shop/t.ibd.xz", Place("shop", "t", None, "table")),
        ("/d/my@002dshop/a@0020b.ibd", Place("my-shop", "a b", None, "table")),
        ("/d/shop/t#P#p0.ibd", Place("shop", "t", "p0", "table")),
        ("/d/shop/t#i#01.ibd", Place("shop", "t", "i#01", "table")),
        ("/d/shop/t#p#p0#i#02.ibd", Place("shop", "t", "p0#i#02", "table")),
        (
            "/d/shop/FTS_000000000000001d_0000000000000037_INDEX_1.ibd",
            Place("shop", "FTS_000000000000001d", "0000000000000037_INDEX_1", "table"),
        ),
        (
            "/d/shop/fts_00000000000004a1_being_deleted.ibd",
            Place("shop", "fts_00000000000004a1", "being_deleted", "table"),
        ),
        ("/d/shop/fts_of_mine.ibd", Place("shop", "fts_of_mine", None, "table")),
        ("/d/shop/t#p#p0#sp#s1.ibd.gz", Place("shop", "t", "p0#sp#s1", "table")),
        ("/d/ibdata1", Place(None, None, None, "system")),
        ("/d/undo_001", Place(None, None, None, "undo")),
        ("/d/undo003", Place(None, None, None, "undo")),
        ("/d/mine.ibu", Place(None, None, None, "undo")),
        ("/d/mine.ibu.xz", Place(None, None, None, "undo")),
        ("/d/ibtmp1", Place(None, None, None, "temporary")),
        ("/d/#innodb_temp/temp_3.ibt", Place(None, None, None, "temporary")),
        ("/d/mysql.ibd", Place(None, None, None, "dictionary")),
    ],
)
def test_place_of(path: str, place: Place) -> None:
    assert place_of(path) == place


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100)


def found(folder: Path, **options: object) -> list[str]:
    walk = Walk([str(folder)], NameFilter(), **options)  # type: ignore[arg-type]
    return [os.path.relpath(f.path.split(":")[0], folder) for f in walk if isinstance(f, Found)]


def test_finds_tablespaces_only_in_order(tmp_path: Path) -> None:
    touch(tmp_path, "b/t2.ibd", "b/t1.ibd.xz", "a/x.ibd", "a/x.frm", "a/x.cfg", "ib_logfile0", "undo_001")
    touch(tmp_path, "u.ibu", "binlog-000000.ibb")
    touch(tmp_path, "mysql.ibd", "ibtmp1", "a/deep/y.ibt", "a/t.ibd.oracle.json.xz", "ib_buffer_pool")
    assert found(tmp_path) == [
        "ibtmp1", "mysql.ibd", "u.ibu", "undo_001", "a/x.ibd", "a/deep/y.ibt", "b/t1.ibd.xz", "b/t2.ibd",
    ]  # fmt: skip


def test_system_tablespace_of_several_files_is_one(tmp_path: Path) -> None:
    touch(tmp_path, *(f"ibdata{i}" for i in range(1, 12)))
    (walked,) = Walk([str(tmp_path)], NameFilter())
    assert isinstance(walked, Found)
    assert [os.path.basename(p) for p in walked.path.split(":")] == [f"ibdata{i}" for i in range(1, 12)]
    assert walked.bytes == 1100


def test_links_to_folders_above_end(tmp_path: Path) -> None:
    touch(tmp_path, "a/t.ibd")
    (tmp_path / "a" / "again").symlink_to(tmp_path, target_is_directory=True)
    assert found(tmp_path) == ["a/t.ibd"]


def test_linked_files_and_dangling_links(tmp_path: Path) -> None:
    touch(tmp_path, "elsewhere/real.bin", "a/t.ibd")
    (tmp_path / "a" / "linked.ibd").symlink_to(tmp_path / "elsewhere" / "real.bin")
    (tmp_path / "a" / "gone.ibd").symlink_to(tmp_path / "nothing")
    assert found(tmp_path) == ["a/linked.ibd", "a/t.ibd"]


def test_smallest_size(tmp_path: Path) -> None:
    touch(tmp_path, "a/small.ibd")
    (tmp_path / "a" / "large.ibd").write_bytes(b"x" * 1000)
    assert found(tmp_path, min_bytes=101) == ["a/large.ibd"]


def test_unreadable_folder_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "a/t.ibd", "b/t.ibd")
    original = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("/a"):
            raise PermissionError(13, "Permission denied")
        return original(path)

    monkeypatch.setattr(os, "scandir", refuse)
    walked = list(Walk([str(tmp_path)], NameFilter()))
    assert [type(w) for w in walked] == [Unlisted, Found]
    assert isinstance(walked[0], Unlisted)
    assert walked[0].message == "Permission denied"


@pytest.mark.parametrize(
    ("match", "exclude", "taken"),
    [
        ((), (), {"orders", "items", "user"}),
        (("o*",), (), {"orders"}),
        (("shop.*",), (), {"orders", "items"}),
        (("shop/items", "user"), (), {"items", "user"}),
        ((), ("shop.*",), {"user"}),
        (("*",), ("*er*",), {"items"}),
        (("*/mysql/*",), (), {"user"}),
    ],
)
def test_name_filters(match: tuple[str, ...], exclude: tuple[str, ...], taken: set[str]) -> None:
    names = NameFilter(match, exclude)
    paths = ["/d/shop/orders.ibd", "/d/shop/items#p#p0.ibd", "/d/mysql/user.ibd"]
    assert {place_of(p).table for p in paths if names.takes(p)} == taken


def test_compressed_copies_are_read(tmp_path: Path) -> None:
    from ibdscan.measures.scan.run import scan

    packed = FIXTURES / "mysql97" / "import_single.ibd.xz"
    (tmp_path / "import_single.ibd.xz").write_bytes(packed.read_bytes())
    unpack(packed, tmp_path / "plain" / "import_single.ibd")
    a, b = scan(tmp_path, jobs=1)
    assert a.allocated_bytes is None
    assert (a.bytes, a.records, a.slack_bytes, a.table) == (b.bytes, b.records, b.slack_bytes, b.table)
