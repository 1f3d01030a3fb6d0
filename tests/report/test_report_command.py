from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from ibdscan.cli import main
from tests.files import fixture

SINGLE, MULTI = (str(fixture(f"mysql97/{name}")) for name in ("import_single", "import_multi"))


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["report", *arguments])
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize("files", [[SINGLE], [SINGLE, MULTI], [SINGLE, MULTI, SINGLE]])
def test_writes_a_page(tmp_path: Path, files: list[str]) -> None:
    path = tmp_path / "r.html"
    assert run(*files, "-o", str(path)) == (0, "", f"Wrote {path}\n")
    text = path.read_text("utf-8")
    assert text.startswith("<!doctype html>\n")
    assert text.count('id="pages-') == len(files)
    assert ('"comparison":null' in text) == (len(files) == 1)


def test_never_overwrites_without_force(tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("mine")
    code, _, said = run(SINGLE, "-o", str(path))
    assert (code, path.read_text()) == (2, "mine")
    assert "--force overwrites it" in said
    assert run(SINGLE, "-o", str(path), "--force")[0] == 0
    assert path.read_text("utf-8").startswith("<!doctype html>")


def test_an_unreadable_file_writes_nothing(tmp_path: Path) -> None:
    bad, path = tmp_path / "bad.ibd", tmp_path / "r.html"
    bad.write_bytes(b"no tablespace" * 4000)
    code, _, said = run(SINGLE, str(bad), "-o", str(path))
    assert code == 1
    assert said.startswith(f"Error: {bad}")
    assert not path.exists()


def test_usage(tmp_path: Path) -> None:
    assert run(SINGLE)[0] == 2
    code, _, said = run(*[SINGLE] * 7, "-o", str(tmp_path / "r.html"))
    assert code == 2
    assert "1 to 6 files" in said
    assert "Example: ibdscan report" in run("-h")[1]
