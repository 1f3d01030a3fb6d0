"""Importing and asking for help stay quick: nothing heavy is loaded before it is needed."""

from __future__ import annotations

import subprocess
import sys

HEAVY = ("numpy", "PIL", "construct", "rich", "google_crc32c")


def loaded_after(code: str) -> set[str]:
    report = f"import sys; {code}; print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    return set(eval(done.stderr.strip().splitlines()[-1]))


def test_import_is_light() -> None:
    assert loaded_after("import ibdscan") == set()


def test_help_is_light() -> None:
    run = "from ibdscan.cli import main; main(['--help'], standalone_mode=False)"
    assert loaded_after(run) == set()
    run = "from ibdscan.cli import main; main(['info', '--help'], standalone_mode=False)"
    assert loaded_after(run) == set()


def test_info_does_not_load_pillow() -> None:
    run = "from ibdscan.cli import main; main(['info', 'fixtures/mysql97/empty.ibd.xz'], standalone_mode=False)"
    assert "PIL" not in loaded_after(run)


def test_module_runs_as_a_command() -> None:
    command = [sys.executable, "-m", "ibdscan", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("ibdscan, version ")


def test_reader_of_a_pipe_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m ibdscan layout | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("fil_header")
    assert done.returncode == 0
