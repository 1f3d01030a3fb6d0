"""What is no tablespace: a message of one line that says what it is."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from ibdscan.errors import IbdError, NotATablespaceError, UnreadableError
from ibdscan.measures.file.survey import open_survey
from ibdscan.testing import IndexSpec, build_space

BUILT = build_space([IndexSpec("PRIMARY", leaves=20, fill=0.5)], page_size=4096)


def message_of(path: Path, kind: type[IbdError]) -> str:
    with pytest.raises(kind) as e:
        open_survey(str(path))
    text = str(e.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    return text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"x" * 20, "the file is too short"),
        (b"CREATE TABLE t (id int);\n" * 4000, "not an InnoDB tablespace"),
        (bytes(100_000), "page 0 is all zeros"),
        (random.Random(1).randbytes(200_000), "not an InnoDB tablespace"),
        (BUILT.data[:1000], "less than its one page"),
        (BUILT.data[4096:], "the first page carries page number 1"),
        (BUILT.data[:34] + b"\0\0\0\1" + BUILT.data[38:], "two space ids"),
        (BUILT.data[:24] + b"\x45\xbf" + BUILT.data[26:], "the first page is of type 17855"),
        (BUILT.data[:24] + b"\0\x06" + BUILT.data[26:], "type SYS"),
    ],
)
def test_wrong_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "t.ibd"
    path.write_bytes(content)
    assert message in message_of(path, NotATablespaceError)


def test_wrong_flags(tmp_path: Path) -> None:
    path = tmp_path / "t.ibd"
    for raw, message in ((0x3C0, "no valid page size"), (0x21, "the page numbers fit 4096"), (0x1F, "no valid")):
        path.write_bytes(BUILT.data[:54] + raw.to_bytes(4, "big") + BUILT.data[58:])
        assert message in message_of(path, NotATablespaceError)


def test_a_missing_file(tmp_path: Path) -> None:
    assert "no such file" in message_of(tmp_path / "t.ibd", UnreadableError)


def test_a_directory(tmp_path: Path) -> None:
    assert "it is a directory" in message_of(tmp_path, UnreadableError)


def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "not a regular file" in message_of(tmp_path / "pipe", UnreadableError)


def test_a_device() -> None:
    assert "not a regular file" in message_of(Path("/dev/zero"), UnreadableError)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = BUILT.write(tmp_path / "t.ibd")
    path.chmod(0)
    assert "ermission" in message_of(path, UnreadableError)


def test_a_name_with_a_null_byte(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        open_survey(f"{tmp_path}/t\0.ibd")


def test_page_0_alone_gives_findings(tmp_path: Path) -> None:
    path = tmp_path / "t.ibd"
    path.write_bytes(BUILT.data[:4096])
    survey = open_survey(str(path))
    survey.close()
    assert survey.n_pages == 1
    assert {f.kind for f in survey.findings} >= {"file-too-short"}


def test_cut_in_mid_page(tmp_path: Path) -> None:
    path = tmp_path / "t.ibd"
    path.write_bytes(BUILT.data[: 10 * 4096 + 1000])
    survey = open_survey(str(path))
    survey.close()
    assert survey.n_pages == 10
    assert {f.kind for f in survey.findings} >= {"cut-page", "file-too-short"}
