"""Files that are damaged, vanish, change or are enormous; bounds on open files, memory and rate."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from benchmarks.many_tables import make
from ibdscan.measures.scan import measure
from ibdscan.measures.scan.measure import HowTo, measure_file
from ibdscan.measures.scan.pool import Limits, rows_of_pool
from ibdscan.measures.scan.run import scan
from ibdscan.measures.scan.worker import FileReader, Pace
from ibdscan.pages.source import file as source_module
from ibdscan.pages.source.gather import read_heads


def test_bad_files_are_rows_and_the_rest_goes_on(datadir: Path) -> None:
    shop = datadir / "shop"
    (shop / "zeros.ibd").write_bytes(bytes(1 << 16))
    (shop / "text.ibd").write_text("hello\n" * 50)
    (shop / "void.ibd").write_bytes(b"")
    (shop / "half.ibd").write_bytes((shop / "import_single.ibd").read_bytes()[: 3 << 20])
    (shop / "broken.ibd.xz").write_bytes(b"\xfd7zXZ\x00broken")
    os.mkfifo(shop / "pipe.ibd")
    good = sorted(datadir.rglob("[ac-gi-oq-su]*.ibd"))
    rows = {Path(row.path).name: row for row in scan(datadir, jobs=1)}
    for name in ("zeros.ibd", "text.ibd", "void.ibd", "broken.ibd.xz"):
        assert rows[name].status == "not-a-tablespace", name
        assert rows[name].error, name
    assert rows["half.ibd"].status == "ok"
    assert "file-too-short" in {f[0] for f in rows["half.ibd"].findings}
    assert "pipe.ibd" not in rows
    assert all(rows[path.name].status == "ok" for path in good)
    report = scan(datadir, jobs=1).run()
    assert report.statuses["not-a-tablespace"] == 4
    assert report.total.files == len(rows) - 4


def test_a_file_that_vanishes(datadir: Path) -> None:
    row = measure_file(str(datadir / "shop" / "gone.ibd"), HowTo())
    assert (row.status, row.table, row.bytes) == ("vanished", "gone", 0)


def test_a_file_cut_short_while_it_is_read(datadir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = datadir / "shop" / "import_single.ibd"

    def cut(*arguments: int) -> object:
        os.truncate(path, 1 << 16)
        return read_heads(*arguments)

    monkeypatch.setattr(source_module, "read_heads", cut)
    monkeypatch.setattr(measure, "ATTEMPTS", 1)
    assert measure_file(str(path), HowTo()).status == "cut-short"


def test_a_file_that_changed_is_read_again(datadir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = datadir / "shop" / "import_single.ibd"
    whole = path.read_bytes()
    path.write_bytes(whole[: 3 << 20])
    calls = []
    original = measure._measure

    def growing(*arguments: object) -> object:
        row = original(*arguments)  # type: ignore[arg-type]
        calls.append(row.n_findings)
        if len(calls) == 1:
            path.write_bytes(whole)
        return row

    monkeypatch.setattr(measure, "_measure", growing)
    row = measure_file(str(path), HowTo())
    assert calls[0] > 0
    assert len(calls) == 2
    assert (row.n_findings, row.changed, row.bytes) == (0, False, len(whole))


def test_a_bug_is_a_row_of_one_file(datadir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = measure.survey_row

    def fails(survey: object) -> object:
        if "uuid_random" in survey.path:  # type: ignore[attr-defined]
            raise ValueError("a bug")
        return original(survey)  # type: ignore[arg-type]

    monkeypatch.setattr(measure, "survey_row", fails)
    report = scan(datadir, jobs=1).run()
    assert report.statuses["crashed"] == 1
    assert "ValueError: a bug" in [row.error for row in report.problems]


def test_a_process_that_dies_costs_one_file(datadir: Path) -> None:
    """A worker is killed by the file it reads: a memory limit that a compressed copy breaks."""
    paths = sorted(str(p) for p in datadir.rglob("*.ibd"))[:4]
    killer = str(datadir / "shop" / "killer.ibd")
    code = (
        f"import os, sys; sys.path[:] = {sys.path!r}\n"
        "from ibdscan.measures.scan import worker\n"
        "original = worker.FileReader._row\n"
        "def row(self, path):\n"
        "    if path.endswith('killer.ibd'): os._exit(9)\n"
        "    return original(self, path)\n"
        "worker.FileReader._row = row\n"
        "worker.main()\n"
    )
    original = subprocess.Popen

    def popen(arguments: list[str], **options: object) -> object:
        return original([arguments[0], "-c", code], **options)  # type: ignore[call-overload]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subprocess, "Popen", popen)
        chunk = [*paths[:2], killer, *paths[2:]]
        rows = list(rows_of_pool([chunk], HowTo(), Limits(jobs=2)))
    assert [row.path for row in rows] == chunk
    assert [row.status for row in rows] == ["ok", "ok", "crashed", "ok", "ok"]


def test_open_files_are_bounded(datadir: Path, tmp_path: Path) -> None:
    many = tmp_path / "many"
    make(many, 300, "mariadb")
    most = 0
    original = FileReader._row

    def counted(self: FileReader, *arguments: object) -> object:
        nonlocal most
        links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _is_open(fd)]
        most = max(most, sum(link.endswith(".ibd") for link in links))
        return original(self, *arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FileReader, "_row", counted)
        report = scan(many, jobs=1, open_files=40).run()
    assert report.total.files == 300
    assert 20 < most <= 40


def _is_open(fd: str) -> bool:
    return os.path.islink(f"/proc/self/fd/{fd}")


@pytest.mark.parametrize(("open_files", "jobs"), [(8, 1), (8, 16), (64, 4), (256, 2), (16384, 2)])
def test_limits_share_the_open_files(open_files: int, jobs: int) -> None:
    limits = Limits(jobs=jobs, open_files=open_files)
    assert 1 <= limits.workers <= jobs
    assert limits.workers * limits.open_ahead <= open_files


def test_few_descriptors_are_enough(tmp_path: Path) -> None:
    """A scan of 2,000 files under a limit of 64 descriptors a process."""
    make(tmp_path / "many", 2000, "mariadb")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n"
        "import sys; from ibdscan.cli import main\n"
        "main(['scan', sys.argv[1], '-j', '2', '--open-files', '64', '--format', 'json', '--top', '1'])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "many")], capture_output=True, text=True, check=True
    )
    assert '"files": 2000' in out.stdout


def test_clones_are_whole(tmp_path: Path) -> None:
    for family in ("mariadb", "mysql"):
        make(tmp_path / family, 3, family)
        rows = list(scan(tmp_path / family, jobs=1))
        assert [(r.status, r.n_findings, r.is_minimal) for r in rows] == [("ok", 0, True)] * 3
        assert len({r.space_id for r in rows}) == 3
        command = [sys.executable, "-m", "ibdscan", "verify", *(r.path for r in rows)]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="needs sparse files")
def test_a_sparse_giant_does_not_hold_others_up(datadir: Path) -> None:
    shop = datadir / "shop"
    shutil.copy(shop / "import_single.ibd", shop / "giant.ibd")
    os.truncate(shop / "giant.ibd", 50 << 30)
    start = time.monotonic()
    before_giant = 0.0
    rows = []
    for row in scan(datadir, jobs=1):
        if row.table == "giant":
            before_giant = time.monotonic() - start
        rows.append(row)
    seconds = time.monotonic() - start
    assert rows[-1].table == "giant"
    single = next(row for row in rows if row.table == "import_single")
    assert (rows[-1].records, rows[-1].leaf_pages) == (single.records, single.leaf_pages)
    assert rows[-1].free_bytes - single.free_bytes == (50 << 30) - single.bytes
    assert before_giant <= seconds
    assert seconds < 60
    assert _cached_bytes(shop / "giant.ibd") < 1 << 30  # its holes were not read


def _cached_bytes(path: Path) -> int:
    return path.stat().st_blocks * 512


def test_holes_read_as_zeros(tmp_path: Path) -> None:
    path = tmp_path / "holes"
    n, stride = 4096, 4096
    with path.open("wb") as f:
        for page in (0, 700, 2000, 2001, 4000):
            f.seek(page * stride)
            f.write(page.to_bytes(4, "big") + b"\1" * 100)
        f.truncate(n * stride)
    fd = os.open(path, os.O_RDONLY)
    heads = read_heads(fd, n * stride, 0, n, stride, 8)
    written = set(np.flatnonzero(heads.any(axis=1)).tolist())
    assert written == {0, 700, 2000, 2001, 4000}
    assert int.from_bytes(bytes(heads[2001, :4]), "big") == 2001
    os.truncate(path, 1000 * stride)
    with pytest.raises(EOFError):
        read_heads(fd, n * stride, 0, n, stride, 8)
    os.close(fd)


def test_the_rate_is_held(datadir: Path) -> None:
    pace = Pace(1 << 20)
    start = time.monotonic()
    for _ in range(10):
        pace(50 << 10)
    assert 0.3 < time.monotonic() - start < 3


def test_rate_limit_slows_a_scan(datadir: Path) -> None:
    def seconds(limit: float | None) -> float:
        start = time.monotonic()
        scan(datadir, jobs=1, max_mib_s=limit, match=("uuid_*", "import_*")).run()
        return time.monotonic() - start

    assert seconds(4) > 1.0


def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    make(tmp_path / "many", 1500, "mariadb")
    code = (
        "import sys, resource; from ibdscan.measures.scan.run import scan\n"
        "scan(sys.argv[1], jobs=1, match=('t0000*',)).run()\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "scan(sys.argv[1], jobs=1).run()\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "many")], capture_output=True, text=True, check=True
    )
    unit = 1024 if sys.platform.startswith("linux") else 1
    assert int(out.stdout) * unit < 20 << 20
    assert resource.getpagesize() > 0


def test_public_name() -> None:
    import ibdscan

    assert ibdscan.scan is scan


def test_a_small_file_takes_little_time(tmp_path: Path) -> None:
    """A guard, not a benchmark: some 0.3 ms of processor time a file here, on any machine far below 2 ms."""
    make(tmp_path / "many", 400, "mariadb")
    paths = sorted(str(p) for p in tmp_path.rglob("*.ibd"))
    reader = FileReader(HowTo(), open_ahead=64)
    reader.rows(paths)
    times = []
    for _ in range(3):
        start = time.process_time()
        reader.rows(paths)
        times.append(time.process_time() - start)
    assert min(times) / len(paths) < 0.002
