"""The pass over a file: in threads or alone it gives the same; and a file cut short is said so."""

from __future__ import annotations

import itertools
import lzma
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibdscan.errors import ShrunkError
from ibdscan.measures.verify import verify_file
from ibdscan.pages.check import sums as module
from ibdscan.pages.check.heads import Heads, ScannedSource
from ibdscan.pages.check.sums import PageSums, sum_pages
from ibdscan.pages.format import checksums as c
from ibdscan.pages.format.flags import Flags, parse_flags
from tests.files import fixture

NAMES = ["mysql97/import_multi", "mariadb1011/half_deleted", "mysql97/page4k", "mysql97/page64k"]


@pytest.fixture(params=NAMES)
def plain(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "t.ibd"
    path.write_bytes(lzma.decompress(fixture(request.param).read_bytes()))
    return path


def flags_of(data: bytes) -> Flags:
    return parse_flags(int.from_bytes(data[54:58], "big"), set(), "")


def summed(path: Path, seen: list[tuple[int, int]] | None = None) -> PageSums:
    data = path.read_bytes()
    with ScannedSource(path) as source:
        note = None if seen is None else lambda done, of: seen.append((done, of))
        sums = sum_pages(source.descriptor, source.size, flags_of(data), note)
    assert sums is not None
    return sums


def test_crcs_and_words_are_those_of_the_pages(plain: Path) -> None:
    data = plain.read_bytes()
    flags = flags_of(data)
    size = flags.geometry.physical
    with ScannedSource(plain) as source:
        sums = summed(plain)
        heads = Heads(sums)
        pages = [data[at : at + size] for at in range(0, len(data), size)]
        assert heads.crc.tolist() == [c.checksum_of(page, flags) for page in pages]
        assert heads.is_zero.tolist() == [not any(page) for page in pages]
        assert [t.tolist() for t in heads.tail] == [
            [int.from_bytes(page[at : at + 4], "big") for page in pages] for at in (size - 8, size - 4)
        ]
        source.heads, source.page_bytes = heads, size
        for _ in range(2):  # from the pass, whose memory is given back then; and from the file
            assert source.gather(0, sums.n_pages, size, 74).tobytes() == b"".join(page[:74] for page in pages)
        assert all(part is None for part in sums.words)


def test_heads_are_taken_in_order_and_forgotten(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK_BYTES", 1 << 20)
    data, sums = plain.read_bytes(), summed(plain)
    size, n = sums.flags.geometry.physical, sums.n_pages
    cuts = sorted({0, 1, n, *(min(n, sums.pages_a_part + more) for more in (0, 3))})
    for first, after in itertools.pairwise(cuts):
        wanted = [data[i * size : i * size + 80] for i in range(first, after)]
        assert [row.tobytes() for row in sums.take(first, after - first, 80)] == wanted
        assert all(part is None for part in sums.words[: after // sums.pages_a_part])


def test_bytes_26_to_33(plain: Path) -> None:
    data = bytearray(plain.read_bytes())
    flags = flags_of(bytes(data))
    size = flags.geometry.physical
    wanted = [bytes(8), b"\1\2\3\4\5\6\7\x08", b"\xf0" + bytes(7), bytes(7) + b"\x0f"]
    for page, value in enumerate(wanted):
        data[page * size + 26 : page * size + 34] = value
    plain.write_bytes(data)
    heads = Heads(summed(plain))
    assert heads.key_version[:4].tolist() == [int.from_bytes(v[:4], "big") for v in wanted]
    assert heads.crypt_sum[:4].tolist() == [int.from_bytes(v[4:], "big") for v in wanted]
    assert heads.uses_bytes_26[:4].tolist() == [False, True, True, True]


def test_threads_give_the_same(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is another thread, nothing is forked."""
    whole = summed(plain)
    assert whole.words[0] is not None
    monkeypatch.setattr(module, "_CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(module, "_SMALL_BYTES", 1)
    monkeypatch.setattr(module, "available_cores", lambda: 3)
    monkeypatch.setattr("threading.active_count", lambda: 2)
    seen: list[tuple[int, int]] = []
    parted = summed(plain, seen)
    assert parted.crc.tolist() == whole.crc.tolist()
    words = np.concatenate([part for part in parted.words if part is not None])
    assert words.tobytes() == whole.words[0].tobytes()
    assert [of for _, of in seen] == [whole.n_pages] * len(parted.words)
    assert sum(done for done, _ in seen) == whole.n_pages


FORKED = """
import os, sys
from ibdscan.pages.check import sums
from ibdscan.pages.format.flags import parse_flags
fd = os.open(sys.argv[1], os.O_RDONLY)
flags = parse_flags(int.from_bytes(os.pread(fd, 4, 54), "big"), set(), "")
size = os.fstat(fd).st_size
sums.available_cores = lambda: 2
alone = sums.sum_pages(fd, size, flags)
sums._CHUNK_BYTES, sums._SMALL_BYTES = 1 << 18, 1
pids = set()
real = sums._sum_chunk
sums._sum_chunk = lambda *a: (real(*a), print(os.getpid(), file=sys.stderr))[0]
sums.partial = lambda _, *a: Work(a)
class Work:
    def __init__(self, a): self.a = a
    def __call__(self, pages): return sums._sum_chunk(*self.a, pages)
parted = sums.sum_pages(fd, size, flags)
import numpy as np
assert parted.crc.tolist() == alone.crc.tolist()
assert np.concatenate(parted.words).tobytes() == np.concatenate(alone.words).tobytes()
print(os.getpid())
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks on Linux only")
def test_processes_give_the_same(plain: Path) -> None:
    """In a program of its own: here the test runner has threads."""
    command = [sys.executable, "-c", FORKED, str(plain)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() not in done.stderr.split()
    assert done.stderr.split()


KILLED = """
import os, signal, sys
from ibdscan.pages.check import sums
sums._CHUNK_BYTES, sums._SMALL_BYTES = 1 << 18, 1
sums.available_cores = lambda: 2
sums._fill = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from ibdscan.measures.verify import verify_file
from ibdscan.errors import IbdError
try:
    verify_file(sys.argv[1])
except IbdError as e:
    print(e.message)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks on Linux only")
def test_a_killed_worker_is_said_so(plain: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", KILLED, str(plain)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "a process that read it was ended" in done.stdout
    assert done.stderr == ""


def test_a_file_cut_short_meanwhile(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.sum_pages

    def cut(fd: int, size: int, *rest: Any) -> PageSums | None:
        os.truncate(plain, size // 2)
        return real(fd, size, *rest)

    monkeypatch.setattr("ibdscan.measures.verify.sum_pages", cut)
    with pytest.raises(ShrunkError):
        verify_file(str(plain))


def test_fold_of_rows_is_fold_of_each() -> None:
    rows = np.random.default_rng(1).integers(0, 256, (40, 700)).astype(np.uint8)
    assert c.fold_rows(rows).tolist() == [c.fold(row.tobytes()) for row in rows]
