"""The command: formats, since, resume, errors, Ctrl-C."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ibdscan.cli import main
from ibdscan.measures.scan.row import COLUMNS
from ibdscan.measures.scan.run import scan
from ibdscan.measures.scan.worker import FileReader


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["scan", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_text(datadir: Path) -> None:
    out = run(datadir).stdout
    assert "16 tablespace files" in out or "tablespace files, " in out
    for words in ("three wastes", "free in the files", "reserved but unused", "slack in index pages"):
        assert words in out
    assert "shop/half_deleted" in out
    assert "a file for each table costs" in out
    assert "no findings" in out


def test_text_of_one_order_of_files(datadir: Path) -> None:
    assert run(datadir).stdout == run(datadir, "-j", 2).stdout


def test_json_has_files_and_sums(datadir: Path) -> None:
    data = json.loads(run(datadir, "--format", "json", "--top", 2).stdout)
    assert len(data["tables"]) == 2
    assert sum(f["bytes"] for f in data["files"]) == data["totals"]["bytes"]
    for name, value in data["totals"]["wastes"].items():
        assert sum(f["wastes"][name] for f in data["files"]) == value
    assert data["interrupted"] is False


def test_jsonl_and_csv_and_json_have_the_same_rows(datadir: Path) -> None:
    lines = lines_of(run(datadir, "--format", "jsonl").stdout)
    assert lines == json.loads(run(datadir, "--format", "json").stdout)["files"]
    table = list(csv.DictReader(io.StringIO(run(datadir, "--format", "csv").stdout)))
    assert len(table) == len(lines)
    for row, line in zip(table, lines, strict=True):
        assert row["path"] == line["path"]
        assert int(row["wastes.slack_bytes"]) == line["wastes"]["slack_bytes"]
        fill = line["leaf"]["fill"]
        assert row["leaf.fill"] == ("" if fill is None else repr(fill))


def test_parquet(datadir: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "scan.parquet"
    run(datadir, "--format", "parquet", "-o", target)
    assert parquet.read_table(target).to_pylist() == lines_of(run(datadir, "--format", "jsonl").stdout)
    assert set(parquet.read_schema(target).names) == {key.partition(".")[0] for key, _, _ in COLUMNS}


def test_parquet_wants_a_file(datadir: Path) -> None:
    assert "needs -o FILE" in run(datadir, "--format", "parquet", code=2).stderr


def test_parquet_without_pyarrow_names_the_extra(
    datadir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run(datadir, "--format", "parquet", "-o", tmp_path / "x.parquet", code=1)
    assert "ibdscan[parquet]" in result.stderr


def test_prometheus_is_read_by_its_parser(datadir: Path) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    odd = datadir / 'odd"\\schema'
    odd.mkdir()
    shutil.copy(datadir / "shop" / "uuid_random.ibd", odd / "t.ibd")
    families = {
        f.name: f for f in parser.text_string_to_metric_families(run(datadir, "--format", "prometheus").stdout)
    }
    report = scan(datadir, jobs=1).run()
    assert all(f.type == "gauge" and f.documentation for f in families.values())
    assert all(name.startswith("ibdscan_") for name in families)
    sizes = families["ibdscan_schema_size_bytes"].samples
    assert sum(s.value for s in sizes) == report.total.bytes
    assert 'odd"\\schema' in {s.labels["schema"] for s in sizes}
    saved = families["ibdscan_table_rebuild_saved_bytes"].samples
    assert {(s.labels["table"], s.value) for s in saved} == {
        (t.key.name, float(t.file_saved_bytes)) for t in report.tables()
    }
    assert families["ibdscan_files"].samples[0].labels == {"status": "ok"}


def test_since(datadir: Path, tmp_path: Path) -> None:
    shop, before = datadir / "shop", tmp_path / "before.jsonl"
    shutil.copy(shop / "uuid_rebuilt.ibd", shop / "decays.ibd")
    shutil.copy(shop / "empty.ibd", shop / "grows.ibd")
    run(datadir, "--format", "jsonl", "-o", before)
    shutil.copy(shop / "uuid_random.ibd", shop / "decays.ibd")
    shutil.copy(shop / "import_single.ibd", shop / "grows.ibd")
    shutil.copy(shop / "empty.ibd", shop / "fresh.ibd")
    (shop / "lob.ibd").unlink()
    data = json.loads(run(datadir, "--since", before, "--format", "json").stdout)["since"]
    names = {k: [Path(c["path"]).stem for c in v["changes"]] for k, v in data.items() if k != "path"}
    assert names["new"] == ["fresh"]
    assert names["gone"] == ["lob"]
    assert "grows" in names["grew"]
    assert names["worse"] == ["decays"]
    reasons = data["worse"]["changes"][0]["reasons"]
    assert any(r.startswith("fill ") for r in reasons)
    assert any(r.startswith("contiguous ") for r in reasons)
    text = run(datadir, "--since", before).stdout
    assert "1 new" in text
    assert "decays.ibd: " in text


def test_since_the_same_is_nothing(datadir: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    before = tmp_path / "before.parquet"
    run(datadir, "--format", "parquet", "-o", before)
    data = json.loads(run(datadir, "--since", before, "--format", "json").stdout)["since"]
    assert {kind: data[kind]["files"] for kind in ("new", "gone", "grew", "worse")} == {
        "new": 0, "gone": 0, "grew": 0, "worse": 0,
    }  # fmt: skip


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_resume_reads_only_what_changed(
    datadir: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kind == "parquet":
        pytest.importorskip("pyarrow")
    saved = tmp_path / f"scan.{kind}"
    run(datadir, "--format", kind, "-o", saved)
    os.utime(datadir / "shop" / "lob.ibd", ns=(1, 1))
    surveyed: list[str] = []
    original = FileReader._row

    def noted(self: FileReader, path: str) -> Any:
        surveyed.append(Path(path).name)
        return original(self, path)

    monkeypatch.setattr(FileReader, "_row", noted)
    resumed = list(scan(datadir, jobs=1, resume=saved))
    assert surveyed == ["lob.ibd"]
    assert sorted(r.path for r in resumed) == sorted(str(p) for p in datadir.rglob("*.ibd"))
    assert {r.path: r.records for r in resumed} == {r.path: r.records for r in scan(datadir, jobs=1)}


def test_resume_onto_itself_after_a_kill(datadir: Path, tmp_path: Path) -> None:
    saved = tmp_path / "scan.jsonl"
    run(datadir, "--format", "jsonl", "-o", saved)
    whole = lines_of(saved.read_text())
    saved.write_bytes(saved.read_bytes()[: saved.stat().st_size // 2])  # ends within a line
    run(datadir, "--format", "jsonl", "--resume", saved, "-o", saved, "--force")
    again = lines_of(saved.read_text())
    assert sorted(again, key=lambda r: r["path"]) == sorted(whole, key=lambda r: r["path"])
    assert not list(tmp_path.glob("*.part"))


def test_a_quick_row_is_not_resumed_as_a_full_one(datadir: Path, tmp_path: Path) -> None:
    saved = tmp_path / "quick.jsonl"
    run(datadir, "--quick", "--format", "jsonl", "-o", saved)
    assert all(row.mode == "full" for row in scan(datadir, jobs=1, resume=saved))


@pytest.mark.parametrize("content", [b"not json\n", b'{"a": 1}\n', b"[]\n", b"PAR1 broken"])
def test_what_is_no_saved_scan(datadir: Path, tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("pyarrow")
    bad = tmp_path / "bad"
    bad.write_bytes(content)
    for option in ("--since", "--resume"):
        assert "Error:" in run(datadir, option, bad, code=2).stderr


def test_no_tablespaces(tmp_path: Path) -> None:
    assert "no tablespace files" in run(tmp_path, code=1).stderr


def test_refuses_to_overwrite(datadir: Path, tmp_path: Path) -> None:
    target = tmp_path / "x.jsonl"
    target.write_text("mine")
    assert "exists" in run(datadir, "--format", "jsonl", "-o", target, code=2).stderr
    assert target.read_text() == "mine"


@pytest.mark.parametrize(("text", "n"), [("10M", 10 << 20), ("1.5GiB", 3 << 29), ("4096", 4096), ("2k", 2048)])
def test_sizes(text: str, n: int) -> None:
    from ibdscan.cli.scan import Size

    assert Size().convert(text, None, None) == n


def test_wrong_size(datadir: Path) -> None:
    assert "is no size" in run(datadir, "--min-size", "ten", code=2).stderr


def test_a_name_that_is_no_utf8(datadir: Path) -> None:
    shutil.copy(datadir / "shop" / "uuid_random.ibd", datadir / "shop" / os.fsdecode(b"r\xe9sum\xe9.ibd"))
    text = run(datadir).stdout
    assert "sum" in text
    lines = lines_of(run(datadir, "--format", "jsonl").stdout)
    assert any(os.fsencode(line["path"]).endswith(b"r\xe9sum\xe9.ibd") for line in lines)


def test_interrupt_prints_what_is_done(datadir: Path, tmp_path: Path) -> None:
    many = tmp_path / "many" / "db"
    many.mkdir(parents=True)
    for i in range(300):
        os.link(datadir / "shop" / "import_single.ibd", many / f"t{i:04}.ibd")
    process = subprocess.Popen(
        [sys.executable, "-m", "ibdscan", "scan", str(many), "-j", "1", "--max-mib-s", "10"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert out.startswith("interrupted: these are the files done so far")
    assert "Interrupted" in err
    assert "Traceback" not in err
