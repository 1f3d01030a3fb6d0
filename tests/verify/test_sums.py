"""The pass over a file: forked, in threads or alone, it gives the same table; and it survives what can happen."""

from __future__ import annotations

import lzma
import mmap
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ibdscan.errors import ShrunkError
from ibdscan.measures.verify import verify_source
from ibdscan.pages.check import sums as module
from ibdscan.pages.check.heads import Heads, ScannedSource
from ibdscan.pages.check.sums import HEAD_WORDS, PageSums
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


def table(path: Path, workers: int, seen: list[tuple[int, int]] | None = None) -> bytes:
    data = path.read_bytes()
    with ScannedSource(path) as source:
        sums = PageSums(source.descriptor, source.size, flags_of(data)).start(workers)
        assert sums.finish(None if seen is None else lambda done, of: seen.append((done, of)))
        sums.close()
        return bytes(sums.table)


def test_crcs_and_words_are_those_of_the_pages(plain: Path) -> None:
    data = plain.read_bytes()
    flags = flags_of(data)
    size = flags.geometry.physical
    with ScannedSource(plain) as source:
        sums = PageSums(source.descriptor, source.size, flags).start()
        assert sums.finish()
        heads = Heads(sums)
        pages = [data[at : at + size] for at in range(0, len(data), size)]
        assert heads.crc.tolist() == [c.checksum_of(page, flags) for page in pages]
        assert heads.is_zero.tolist() == [not any(page) for page in pages]
        assert [t.tolist() for t in heads.tail] == [
            [int.from_bytes(page[at : at + 4], "big") for page in pages] for at in (size - 8, size - 4)
        ]
        source.heads, source.page_bytes = heads, size
        sums.close()
        for _ in range(2):  # from the pass, whose memory is given back then; and from the file
            assert source.gather(0, sums.n_pages, size, 74).tobytes() == b"".join(page[:74] for page in pages)


@pytest.mark.skipif(not hasattr(mmap, "MADV_REMOVE"), reason="memory is given back on Linux only")
def test_memory_of_heads_is_given_back(plain: Path) -> None:
    with ScannedSource(plain) as source:
        sums = PageSums(source.descriptor, source.size, flags_of(plain.read_bytes())).start()
        assert sums.finish()
        sums.close()
    before = bytes(sums.table)
    first, count = 3, sums.n_pages - 3
    sums.forget(first, count)
    kept = 8 * HEAD_WORDS * sums.n_pages
    assert bytes(sums.table)[kept:] == before[kept:]
    for word in range(HEAD_WORDS):
        column, was = sums.column(word), before[8 * word * sums.n_pages : 8 * (word + 1) * sums.n_pages]
        assert column[: 8 * first] == was[: 8 * first]
    if kept > 2 * HEAD_WORDS * mmap.PAGESIZE:
        assert bytes(sums.table)[:kept].count(0) > before[:kept].count(0)


def test_bytes_26_to_33(plain: Path) -> None:
    data = bytearray(plain.read_bytes())
    flags = flags_of(bytes(data))
    size = flags.geometry.physical
    wanted = [bytes(8), b"\1\2\3\4\5\6\7\x08", b"\xf0" + bytes(7), bytes(7) + b"\x0f"]
    for page, value in enumerate(wanted):
        data[page * size + 26 : page * size + 34] = value
    plain.write_bytes(data)
    with ScannedSource(plain) as source:
        sums = PageSums(source.descriptor, source.size, flags).start()
        assert sums.finish()
        heads = Heads(sums)
        sums.close()
    assert heads.key_version[:4].tolist() == [int.from_bytes(v[:4], "big") for v in wanted]
    assert heads.crypt_sum[:4].tolist() == [int.from_bytes(v[4:], "big") for v in wanted]
    assert heads.uses_bytes_26[:4].tolist() == [False, True, True, True]


def test_threads_give_the_same(plain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_CHUNK_BYTES", 1 << 20)
    monkeypatch.setattr(module, "_is_single_threaded", lambda: False)
    seen: list[tuple[int, int]] = []
    assert table(plain, 3, seen) == table(plain, 0)
    n_pages = seen[0][1]
    assert sum(done for done, _ in seen) == n_pages


FORK = """
import sys
from ibdscan.pages.check import early
from ibdscan.pages.check import sums as module
module._CHUNK_BYTES = 1 << 18
module._SMALL_BYTES = 0
sums = early.begin(sys.argv[1])
assert sums._children, "nothing was forked"
if len(sys.argv) > 2:
    import os, signal
    for pid in sums._children:
        os.kill(pid, signal.SIGKILL)
assert sums.finish()
sys.stdout.buffer.write(bytes(sums.table))
sums.close()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="forks on Linux only")
@pytest.mark.parametrize("killed", [[], ["killed"]])
def test_forked_workers_give_the_same_and_a_killed_one_is_made_up_for(plain: Path, killed: list[str]) -> None:
    command = [sys.executable, "-W", "error", "-c", FORK, str(plain), *killed]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout == table(plain, 0)


def test_a_file_cut_short_meanwhile(plain: Path) -> None:
    with ScannedSource(plain) as source:
        sums = PageSums(source.descriptor, source.size, flags_of(plain.read_bytes()))
        os.truncate(plain, source.size // 2)
        with pytest.raises(ShrunkError):
            verify_source(source, sums=sums)


def test_fold_of_rows_is_fold_of_each() -> None:
    rows = np.random.default_rng(1).integers(0, 256, (40, 700)).astype(np.uint8)
    assert c.fold_rows(rows).tolist() == [c.fold(row.tobytes()) for row in rows]
