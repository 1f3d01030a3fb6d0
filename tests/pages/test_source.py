"""Sources: plain files, compressed copies, files cut short under the reader."""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.errors import NotATablespaceError, ShrunkError, UnreadableError
from ibdscan.pages.page.columns import scan_columns
from ibdscan.pages.source import file as source_module
from ibdscan.pages.source import gather
from ibdscan.pages.source.file import Source
from ibdscan.pages.source.gather import read_heads
from ibdscan.pages.space.tablespace import read_tablespace
from ibdscan.testing import IndexSpec, build_space

BUILT = build_space([IndexSpec("PRIMARY", leaves=40, fill=0.5)], page_size=4096)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return BUILT.write(tmp_path / "t.ibd")


@given(
    count=st.integers(1, 700),
    width=st.integers(1, 200),
    stride=st.sampled_from([256, 4096]),
    first=st.integers(0, 9),
)
@settings(max_examples=40, deadline=None, derandomize=True)
def test_heads_of_pages(
    tmp_path_factory: pytest.TempPathFactory, count: int, width: int, stride: int, first: int
) -> None:
    path = tmp_path_factory.mktemp("gather") / "f"
    data = np.random.default_rng(count).integers(0, 256, (first + count) * stride, np.uint8)
    data.tofile(path)
    with path.open("rb") as f:
        heads = read_heads(f.fileno(), data.size, first, count, stride, width)
        assert np.array_equal(heads, data.reshape(-1, stride)[first:, :width])
        with pytest.raises(EOFError):
            read_heads(f.fileno(), data.size, first, count + 1, stride, width)


def test_heads_of_more_pages_than_are_read_ahead(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gather, "_READAHEAD_BYTES", 512 * 700)
    path.write_bytes(np.arange(20_000, dtype=np.uint32).repeat(128).tobytes())
    with path.open("rb") as f:
        size = path.stat().st_size
        heads = read_heads(f.fileno(), size, 0, 20_000, 512, 74)
        assert np.array_equal(heads[:, :4].copy().view(np.uint32)[:, 0], np.arange(20_000))
        os.truncate(path, 512 * 5000)
        assert len(read_heads(f.fileno(), size, 0, 5000, 512, 74)) == 5000
        with pytest.raises(EOFError):
            read_heads(f.fileno(), size, 0, 5001, 512, 74)


@pytest.mark.parametrize("keep", [0, 100, 4096, 5 * 4096, 5 * 4096 + 10])
@pytest.mark.parametrize("small", [True, False])
def test_a_file_that_shrinks_after_opening(
    path: Path, keep: int, small: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not small:
        monkeypatch.setattr(source_module, "SMALL_BYTES", 0)
    with Source(path) as source:
        space = read_tablespace(source)
        os.truncate(path, keep)
        with pytest.raises(ShrunkError, match="cut short while it was read") as e:
            scan_columns(space)
        assert e.value.path == str(path)
        if not small:
            with pytest.raises(ShrunkError):
                space.read_page(space.n_pages - 1)


SHRINKING = """
import os, sys
from ibdscan.errors import ShrunkError
from ibdscan.pages.page import columns
from ibdscan.pages.source import file as source
from ibdscan.measures.file.survey import open_survey
columns.CHUNK_PAGES = 8
source.SMALL_BYTES = int(sys.argv[2])
done = 0
def progress(n, of):
    global done
    done += n
    if done == 16:
        os.truncate(sys.argv[1], 17 * 4096 + 10)
try:
    open_survey(sys.argv[1], progress)
except ShrunkError as e:
    print(e)
"""


@pytest.mark.parametrize("small_bytes", [0, 1 << 20])
def test_a_file_that_shrinks_between_two_chunks_kills_nobody(path: Path, small_bytes: int) -> None:
    command = [sys.executable, "-W", "error", "-c", SHRINKING, str(path), str(small_bytes)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"{run.returncode}: {run.stderr}"  # -7 would be SIGBUS
    assert run.stdout.startswith(f"{path}: the file was cut short while it was read: {len(BUILT.data)} bytes")


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_compressed_copies_are_unpacked(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"t.ibd{suffix}"
    path.write_bytes(pack(BUILT.data))
    with Source(path) as source:
        assert source.is_copy
        assert source.allocated_bytes is None
        assert source.read(0, source.size) == BUILT.data


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
@pytest.mark.parametrize("damage", ["cut", "flip", "head", "noise"])
def test_damaged_copies_say_so(tmp_path: Path, pack: Callable[[bytes], bytes], damage: str) -> None:
    packed = bytearray(pack(BUILT.data))
    if damage == "cut":
        del packed[len(packed) // 2 :]
    elif damage == "flip":
        packed[len(packed) // 2] ^= 0x55
        packed[-20] ^= 0x55
    elif damage == "head":
        del packed[8:]
    else:
        packed[12:] = bytes(range(256)) * 4
    path = tmp_path / "t.ibd.xz"
    path.write_bytes(packed)
    with pytest.raises(NotATablespaceError, match="damaged or cut short"):
        Source(path)


def test_a_sparse_copy_keeps_its_length(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"x" + bytes(5 << 20)))
    with Source(path) as source:
        assert source.size == (5 << 20) + 1
        assert source.read(source.size - 10, 10) == bytes(10)


def test_no_descriptor_is_left_open(tmp_path: Path, path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    bad = tmp_path / "bad.xz"
    bad.write_bytes(lzma.compress(BUILT.data)[:-30])
    packed = tmp_path / "good.xz"
    packed.write_bytes(lzma.compress(BUILT.data))
    for _ in range(3):
        with pytest.raises(NotATablespaceError):
            Source(bad)
        for file in (path, packed):
            with Source(file) as source:
                scan_columns(read_tablespace(source))
        with pytest.raises(UnreadableError):
            Source(tmp_path / "none")
    assert len(os.listdir("/proc/self/fd")) == before
