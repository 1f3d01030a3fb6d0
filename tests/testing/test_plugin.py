"""The pytest plugin in pytest runs of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
import sys

def test_nothing_heavy_is_loaded():
    assert not {"numpy", "construct", "PIL"} & set(sys.modules)

def test_built(ibd_build, ibd_assert_fill, ibd_assert_order):
    from ibdscan.testing import IndexSpec
    space = ibd_build([IndexSpec("PRIMARY", leaves=20, fill=0.7)], page_size=4096)
    assert space.index("PRIMARY").leaf.pages == 20
    ibd_assert_fill(space, min="69 %", max=0.71)
    ibd_assert_order(space, min_contiguous=1)

def test_two_files(ibd_build, ibd_open, tmp_path):
    from ibdscan.testing import IndexSpec, build_space
    one = ibd_build([IndexSpec("PRIMARY")], name="one.ibd")
    two = ibd_open(build_space([IndexSpec("PRIMARY")], seed=1).write(tmp_path / "two.ibd"))
    assert {one.path, two.path} == {str(tmp_path / "one.ibd"), str(tmp_path / "two.ibd")}

spaces = []

def test_remember(ibd_build):
    from ibdscan.testing import IndexSpec
    spaces.append(ibd_build([IndexSpec("PRIMARY")]))
    assert spaces[0].space.source._fd >= 0

def test_it_was_closed():
    assert spaces[0].space.source._fd < 0
"""

FAILING = """
def test_fill(ibd_build, ibd_assert_fill):
    from ibdscan.testing import IndexSpec
    ibd_assert_fill(ibd_build([IndexSpec("PRIMARY", leaves=20, fill=0.7)], page_size=4096), min=0.85)

def test_order(ibd_build, ibd_assert_order):
    from ibdscan.testing import IndexSpec
    space = ibd_build([IndexSpec("PRIMARY", leaves=20, fill=0.7, order="descending")], page_size=4096)
    ibd_assert_order(space, min_contiguous="90%")
"""


def run_pytest(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a folder of its own. The entry point loads the plugin where the package is installed."""
    (folder / "test_it.py").write_text(source)
    probe = "import importlib.metadata as m; print([e.name for e in m.entry_points(group='pytest11')])"
    installed = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    plugin = [] if "'ibdscan'" in installed.stdout else ["-p", "ibdscan.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-W", "error", "-p", "no:cacheprovider", *plugin, *options]
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    package = str(Path(__file__).parents[2])
    environment["PYTHONPATH"] = os.pathsep.join([package, environment.get("PYTHONPATH", "")])
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_the_fixtures(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, TESTS)
    assert run.returncode == 0, run.stdout
    assert "5 passed" in run.stdout


def test_a_failure_shows_figures_limit_and_histogram(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, FAILING)
    assert run.returncode == 1
    assert "2 failed" in run.stdout
    assert "fill of PRIMARY is 70.0 %, below the minimum of 85.0 %" in run.stdout
    assert "70-80 % ████████████████████████████████████████ 20" in run.stdout
    assert "emptiest: page" in run.stdout
    assert "contiguous of PRIMARY is 0.0 %, below the minimum of 90.0 %" in run.stdout
    assert "longest: page" in run.stdout
    assert "ibdscan/testing/asserts.py" not in run.stdout  # the traceback ends in the person's own test


def test_the_fixtures_are_listed(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, "", "--fixtures")
    for name in ("ibd_open", "ibd_assert_fill", "ibd_assert_order", "ibd_build"):
        assert name in run.stdout


def test_without_the_plugin(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, "def test_it(ibd_open): pass", "-p", "no:ibdscan", "-p", "no:ibdscan.pytest_plugin")
    assert "fixture 'ibd_open' not found" in run.stdout


@pytest.mark.parametrize("name", ["assert_fill", "assert_order", "IndexSpec", "build_space"])
def test_testing_is_reached_from_the_package(name: str) -> None:
    import ibdscan

    assert hasattr(ibdscan.testing, name)
