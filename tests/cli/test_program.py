"""The program as it is run: it ends with the right code, and says so when nobody can read what it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILE = "fixtures/mysql97/empty.ibd.xz"
SHORT = [
    "layout",
    f"info {FILE}",
    f"map {FILE}",
    f"verify {FILE}",
    "scan fixtures/mysql97",
    "--version",
    "info -h",
]


def run(command: str, redirect: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """Without the marks by which a measured test run watches the programs it starts."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("COV")} | env
    line = f"'{sys.executable}' -W error -m ibdscan {command} {redirect}"
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, env=clean)


@pytest.mark.parametrize(
    ("redirect", "why"), [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
@pytest.mark.parametrize("command", SHORT)
def test_output_that_can_not_be_written_is_said(command: str, redirect: str, why: str) -> None:
    if redirect == ">/dev/full" and not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full on this system")
    done = run(command, redirect)
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert done.stderr.endswith(f": {why}\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", SHORT)
def test_a_closed_stderr_changes_nothing(command: str) -> None:
    done = run(command, "2>&-")
    assert done.returncode == 0
    assert done.stdout == run(command).stdout != ""


def test_a_closed_stdout_does_not_matter_for_a_file(tmp_path: Path) -> None:
    done = run(f"info {FILE} --format json -o {tmp_path}/out.json", ">&-")
    assert done.returncode == 0
    assert (tmp_path / "out.json").read_text("utf-8") == run(f"info {FILE} --format json").stdout


@pytest.mark.parametrize(
    ("command", "code"), [(f"verify --strict innodb {FILE}", 3), ("info /no/such/file", 1), ("info --nonsense", 2)]
)
def test_exit_codes(command: str, code: int) -> None:
    assert run(command).returncode == code


def test_an_interrupt_while_importing_is_no_traceback() -> None:
    code = "import sys, signal; from ibdscan.__main__ import run\n"
    code += "class Find:\n"
    code += "    def find_spec(*_): signal.raise_signal(signal.SIGINT)\n"
    code += "sys.meta_path.insert(0, Find); run()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted\n")
