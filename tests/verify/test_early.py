"""The pass that begins before anything is imported: of the right file, or none; and nothing of it stays behind."""

from __future__ import annotations

import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ibdscan.layout.bridge import fields_of
from ibdscan.layout.fsp import FSP_HEADER, FSP_HEADER_OFFSET
from ibdscan.measures.verify import verify_source
from ibdscan.pages.check import early
from ibdscan.pages.check.heads import ScannedSource
from tests.files import fixture


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "t.ibd"
    path.write_bytes(lzma.decompress(fixture("mysql97/import_multi").read_bytes()))
    return path


@pytest.fixture
def all_are_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(early, "EARLY_BYTES", 1)


def test_a_pass_over_another_file_is_dropped(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.ibd"
    other.write_bytes(file.read_bytes())
    begun = early.begin(str(other))
    assert begun is not None
    with ScannedSource(file) as source:
        assert verify_source(source, sums=begun).ok
    assert begun.fd == -1


@pytest.mark.parametrize("content", [b"", b"x" * 57, bytes(100), b"\xfd7zXZ\0" + bytes(20_000), b"\xff" * 20_000])
@pytest.mark.usefixtures("all_are_large")
def test_none_over_what_is_no_tablespace(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    assert early.begin(str(path)) is None
    early.begin_first([str(path)])
    assert early.take(str(path)) is None
    assert early.begin(str(tmp_path / "missing")) is None


@pytest.mark.usefixtures("all_are_large")
def test_the_first_word_that_names_a_file(file: Path) -> None:
    early.begin_first(["--format", "json", "nul\0byte", str(file), str(file.parent), "other"])
    begun = early._begun[str(file)]
    assert early.take(str(file)) is begun
    assert early._begun == {}
    with ScannedSource(file) as source:
        assert verify_source(source, sums=begun).ok


@pytest.mark.usefixtures("all_are_large")
def test_what_is_not_taken_ends(file: Path, tmp_path: Path) -> None:
    early.begin_first([str(file)])
    begun = early._begun[str(file)]
    assert early.take(str(tmp_path / "missing")) is None
    assert begun.fd == -1
    early.begin_first([str(file)])
    begun = early._begun[str(file)]
    early.drop()
    assert begun.fd == -1


def test_the_flags_are_where_the_layout_has_them() -> None:
    """The module reads them without it: it would import construct."""
    (flags,) = (f for f in fields_of(FSP_HEADER) if f.name == "flags")
    assert FSP_HEADER_OFFSET + flags.offset == early._FLAGS_OFFSET


def test_a_small_file_waits(file: Path) -> None:
    early.begin_first([str(file)])
    assert early._begun == {}
    assert early.take(str(file)) is None


def test_a_large_file_waits_for_the_small_one_before_it(file: Path, tmp_path: Path) -> None:
    large = tmp_path / "large.ibd"
    large.write_bytes(file.read_bytes())
    os.truncate(large, early.EARLY_BYTES)
    early.begin_first([str(file), str(large)])
    assert early._begun == {}
    early.begin_first([str(large), str(file)])
    assert list(early._begun) == [str(large)]
    early.drop()


RUN = """
import atexit
import sys
from ibdscan.pages.check import early
early.EARLY_BYTES = 1
from ibdscan.__main__ import run
begun = []
real = early.begin
early.begin = lambda path: begun.append((path, "numpy" in sys.modules, "click" in sys.modules)) or real(path)
sys.argv = ["ibdscan", *sys.argv[1:]]
atexit.register(lambda: print(begun, file=sys.stderr))
run()
"""


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [([], 0, "OK"), (["--strict", "innodb"], 3, "other-algorithm"), (["--no-such-option"], 2, "")],
)
def test_the_program_begins_before_it_imports(file: Path, words: list[str], code: int, says: str) -> None:
    command = [sys.executable, "-W", "error", "-c", RUN, "verify", str(file), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert says in done.stdout
    assert str([(str(file), False, False)]) in done.stderr
