"""Files in archives: in turn, packed one by one or as a whole, sparse, cut short, and prepared to do harm."""

from __future__ import annotations

import io
import json
import lzma
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from ibdscan.cli import main
from ibdscan.errors import IbdError, UsageError
from ibdscan.measures.scan.row import FileRow, row_data
from ibdscan.measures.scan.run import scan
from tests.files import fixture

from .archives import PACK, chunk, end, xbstream

NAMES = ("import_multi", "half_deleted", "empty")
SAME = {"path", "schema", "allocated_bytes", "mtime_ns"}


@pytest.fixture
def files() -> dict[str, bytes]:
    found = {f"shop/{n}.ibd": lzma.decompress(fixture(f"mysql97/{n}").read_bytes()) for n in NAMES}
    return found | {"shop/import_multi.frm": b"no tablespace" * 1000, "xtrabackup_info": b"x"}


@pytest.fixture
def expected(files: dict[str, bytes], tmp_path: Path) -> dict[str, dict[str, object]]:
    """The rows of the files themselves, by table."""
    folder = tmp_path / "plain" / "shop"
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / Path(name).name).write_bytes(data)
    return {str(r.table): comparable(r) for r in scan(folder, jobs=1)}


def comparable(row: FileRow) -> dict[str, object]:
    return {k: v for k, v in row._asdict().items() if k not in SAME}


def rows(data: bytes, tmp_path: Path, name: str = "backup") -> list[FileRow]:
    path = tmp_path / name
    path.write_bytes(data)
    return list(scan(path, jobs=1))


def tar(files: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        archive.addfile(tarfile.TarInfo("../../../tmp/evil.ibd"))
        link = tarfile.TarInfo("shop/link.ibd")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


@pytest.mark.parametrize("packing", [None, *PACK])
def test_an_xbstream(
    files: dict[str, bytes], expected: dict[str, dict[str, object]], packing: str | None, tmp_path: Path
) -> None:
    data = xbstream(files)
    found = rows(PACK[packing](data) if packing else data, tmp_path)
    assert {str(r.table): comparable(r) for r in found} == expected
    assert {r.path for r in found} == {f"{tmp_path}/backup/shop/{n}.ibd" for n in NAMES}
    assert {r.schema for r in found} == {"shop"}


@pytest.mark.parametrize("packing", list(PACK))
def test_files_packed_one_by_one(
    files: dict[str, bytes], expected: dict[str, dict[str, object]], packing: str, tmp_path: Path
) -> None:
    half = {n: len(d) // 2 for n, d in files.items()}
    pack = PACK[packing]
    packed = {f"{n}.{packing}": pack(d[: half[n]]) + pack(d[half[n] :]) for n, d in files.items()}
    for data in (xbstream(packed, 5000), tar(packed)):
        found = [r for r in rows(data, tmp_path) if r.table in NAMES]
        assert {str(r.table): comparable(r) for r in found} == expected


def test_a_tar(files: dict[str, bytes], expected: dict[str, dict[str, object]], tmp_path: Path) -> None:
    found = rows(tar(files), tmp_path)
    good = {str(r.table): comparable(r) for r in found if r.status == "ok"}
    assert good == expected
    (evil,) = (r for r in found if r.status != "ok")
    assert (evil.table, evil.status) == ("evil", "not-a-tablespace")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["backup", "plain"]


def test_holes(files: dict[str, bytes], expected: dict[str, dict[str, object]], tmp_path: Path) -> None:
    """Of a sparse chunk, and between payloads."""
    data = files["shop/half_deleted.ibd"]
    page = 16384
    blank = next(i for i in range(0, len(data), page) if not any(data[i : i + page]))
    tail = data[blank + page :]
    name = "shop/half_deleted.ibd"
    sparse = chunk(name, data[:blank] + tail, 0, [(0, blank), (page, len(tail))]) + end(name)
    apart = chunk(name, data[:blank], 0) + chunk(name, tail, blank + page) + end(name)
    for stream in (sparse, apart):
        (row,) = rows(stream, tmp_path)
        assert comparable(row) == expected["half_deleted"]


def test_names_of_tables_made_during_the_backup(files: dict[str, bytes], tmp_path: Path) -> None:
    (row,) = rows(xbstream({"shop/late.new": files["shop/empty.ibd"]}), tmp_path)
    assert (row.table, row.status) == ("late", "ok")


@pytest.mark.parametrize(
    ("name", "words"), [("shop/t.ibd.qp", "qpress"), ("shop/t.ibd.xbcrypt", "encrypted by xtrabackup")]
)
def test_what_is_refused_by_name(name: str, words: str, tmp_path: Path) -> None:
    (row,) = rows(xbstream({name: b"abc"}), tmp_path)
    assert row.status == "unsupported"
    assert words in str(row.error)


def test_a_broken_member_does_not_end_the_scan(files: dict[str, bytes], tmp_path: Path) -> None:
    good, bad = files["shop/empty.ibd"], bytearray(chunk("shop/bad.ibd", files["shop/empty.ibd"], 0))
    bad[-1] ^= 1
    packed = xbstream({"shop/p.ibd.zst": PACK["zst"](good)[:200] + b"garbage" * 300})
    late = chunk("shop/late.ibd", good[:40000], 0) + chunk("shop/late.ibd", good, 100) + end("shop/late.ibd")
    data = bytes(bad) + end("shop/bad.ibd") + packed + late + xbstream({"shop/good.ibd": good})
    found = {str(r.table): r for r in rows(data, tmp_path)}
    assert {t: r.status for t, r in found.items()} == {
        "bad": "not-a-tablespace", "p": "not-a-tablespace", "late": "not-a-tablespace", "good": "ok",
    }  # fmt: skip
    assert "wrong checksum" in str(found["bad"].error)
    assert "out of order" in str(found["late"].error)


GOOD = chunk("a", b"x", 0)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (GOOD, "ends within a"),
        (GOOD[:-1], "ends within a chunk"),
        (GOOD[:12], "no chunk begins"),
        (GOOD + b"garbage of some length", "no chunk begins"),
        (b"XBSTCK01\0P" + (1 << 31).to_bytes(4, "little"), "a name of"),
        (b"XBSTCK01\0Q" + (1).to_bytes(4, "little") + b"a", "unknown type"),
        (b"XBSTCK01\0S" + (1).to_bytes(4, "little") + b"a" + b"\xff" * 24, "holes"),
        (b"XBSTCK01\0P" + (1).to_bytes(4, "little") + b"a" + b"\xff" * 20, "bytes of holes"),
        (chunk("a", b"xyz", 0, [(0, 2)]), "do not fit"),
        (PACK["xz"](GOOD * 1000)[:-60], "damaged or cut short"),
    ],
)
def test_a_damaged_stream_is_one_line(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "b"
    path.write_bytes(data)
    with pytest.raises(IbdError, match=words):
        list(scan(path, jobs=1))
    done = CliRunner().invoke(main, ["scan", str(path)])
    assert done.exit_code == 1
    assert words in done.stderr
    assert "Traceback" not in done.output


def test_quick_is_refused(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "b.xb"
    path.write_bytes(xbstream(files))
    with pytest.raises(UsageError, match="as it comes"):
        scan(path, quick=True)


def test_match_and_size(files: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "b.xb"
    path.write_bytes(xbstream(files))
    assert [r.table for r in scan(path, jobs=1, match=("shop.half*",))] == ["half_deleted"]
    assert {r.table for r in scan(path, jobs=1, min_size=1 << 20)} == {"import_multi", "half_deleted"}


def test_standard_input(files: dict[str, bytes], expected: dict[str, dict[str, object]]) -> None:
    done = CliRunner().invoke(main, ["scan", "-", "--format", "jsonl"], input=xbstream(files))
    assert done.exit_code == 0, done.output
    assert {json.loads(line)["table"] for line in done.stdout.splitlines()} == set(NAMES)
    one = CliRunner().invoke(main, ["info", "-", "--format", "json"], input=files["shop/import_multi.ibd"])
    leaf = json.loads(one.stdout)["files"][0]["indexes"][0]["leaf"]
    assert leaf["records"] == 10_000
    alone = CliRunner().invoke(main, ["scan", "-", "--format", "jsonl"], input=files["shop/empty.ibd"])
    assert json.loads(alone.stdout.splitlines()[0])["status"] == "ok"
    archive = CliRunner().invoke(main, ["info", "-"], input=xbstream(files))
    assert (archive.exit_code, "ibdscan scan reads those" in archive.stderr) == (1, True)


@pytest.mark.parametrize("packing", ["zst", "lz4"])
def test_packed_copies(packing: str, files: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "backup" / "shop"
    folder.mkdir(parents=True)
    path = folder / f"import_multi.ibd.{packing}"
    path.write_bytes(PACK[packing](files["shop/import_multi.ibd"]))
    done = CliRunner().invoke(main, ["info", str(path), "--format", "json"])
    assert json.loads(done.stdout)["files"][0]["indexes"][0]["leaf"]["records"] == 10_000
    (row,) = scan(tmp_path / "backup", jobs=1)
    assert (row.table, row.status, row_data(row)["leaf"]) == ("import_multi", "ok", row_data(row)["leaf"])
    assert row.records >= 10_000
