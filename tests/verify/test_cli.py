from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ibdscan.cli import main
from tests.files import fixture
from tests.verify.faults import MYSQL, Patient


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["verify", *arguments])


@pytest.fixture
def damaged(tmp_path: Path) -> Patient:
    patient = Patient(MYSQL, tmp_path)
    patient.flip(patient.leaf_chain()[3], 7000, 1)
    patient.path.write_bytes(bytes(patient.data))
    return patient


def test_a_whole_file_is_ok() -> None:
    result = run(str(fixture(MYSQL)))
    assert result.exit_code == 0
    assert "OK: checksums, links, lists, extents and segments hold" in result.output


def test_findings_and_exit_code_3(damaged: Patient) -> None:
    result = run(str(damaged.path))
    assert result.exit_code == 3
    assert "1 finding:" in result.output
    assert "bad-checksum" in result.output


def test_json(damaged: Patient) -> None:
    result = run("--format", "json", str(fixture(MYSQL)), str(damaged.path))
    assert result.exit_code == 3
    good, bad = json.loads(result.stdout)["files"]
    assert (good["ok"], good["findings"], good["structures_checked"]) == (True, [], True)
    assert sum(good["checksums"].values()) == good["pages"]
    (finding,) = bad["findings"]
    assert (bad["ok"], finding["kind"], finding["page_no"]) == (False, "bad-checksum", damaged.leaf_chain()[3])


def test_pages_that_hold_but_do_not_fit_each_other(damaged: Patient, tmp_path: Path) -> None:
    """As in a file that was copied while a server was writing: a leaf links to a page not yet there."""
    cut = Patient(MYSQL, tmp_path)
    cut.stamp(cut.leaf_chain()[5], 12, 9_999)
    cut.path.write_bytes(bytes(cut.data))
    result = run("--format", "json", str(fixture(MYSQL)), str(cut.path))
    good, bad = json.loads(result.stdout)["files"]
    assert (good["pages_hold"], bad["pages_hold"], bad["ok"]) == (True, True, False)
    says = "Each page by itself is sound, but they do not fit each other"
    assert says in run(str(cut.path)).output
    assert says not in run(str(fixture(MYSQL))).output
    damaged.path.write_bytes(bytes(damaged.data))
    (both,) = json.loads(run("--format", "json", str(damaged.path)).stdout)["files"]
    assert both["pages_hold"] is False
    assert says not in run(str(damaged.path)).output


def test_csv(damaged: Patient) -> None:
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv", str(damaged.path)).stdout)))
    assert [(r["path"], r["kind"], r["page_no"]) for r in rows] == [
        (str(damaged.path), "bad-checksum", str(damaged.leaf_chain()[3]))
    ]


def test_one_file_that_can_not_be_read_of_two() -> None:
    result = run(str(fixture(MYSQL)), "/no/such/file")
    assert result.exit_code == 1
    assert "no such file" in result.stderr
    assert "OK" in result.stdout
    assert run("/no/such/file").exit_code == 1


def test_strict() -> None:
    assert run("--strict", "crc32", str(fixture(MYSQL))).exit_code == 0
    assert run("--strict", "innodb", str(fixture(MYSQL))).exit_code == 3
    assert run("--strict", "md5", str(fixture(MYSQL))).exit_code == 2


def test_output_file(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    assert run("--format", "json", "-o", str(target), str(fixture(MYSQL))).exit_code == 0
    assert json.loads(target.read_text("utf-8"))["files"][0]["ok"] is True
    assert run("-o", str(target), str(fixture(MYSQL))).exit_code == 2


def test_the_bar_appears_when_the_work_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    from ibdscan.views import bars

    bar = bars.Bar("t.ibd")
    bar.advance(10, 100)
    assert bar.percentage is None
    monkeypatch.setattr(bars, "BAR_AFTER", 0)
    monkeypatch.setattr(bars, "BAR_EVERY", 0)
    bar = bars.Bar("t.ibd")
    bar.advance(10, 100)
    bar.advance(20, 100)
    assert bar.percentage == 30
    bar.close()
