"""``pages``: one row a page, in every format, and one truth with ``indexes`` and ``info``."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibdscan
from ibdscan.errors import UsageError
from ibdscan.structures.space.states import PageState
from ibdscan.views.data.pages import select_pages
from ibdscan.views.table import columns as columns_module
from ibdscan.views.table.columns import MemoryTable, Named, csv_parts, json_parts, jsonl_parts, text_parts
from ibdscan.views.table.declared import PAGE_COLUMNS
from ibdscan.views.table.tables import Column
from tests.files import every_fixture, fixture
from tests.fixture_files import fixture_facts
from tests.inside.commands import run
from tests.inside.truth import assert_one_truth

KEYS = [c.key for c in PAGE_COLUMNS]
DELETED = fixture("mysql97/half_deleted")


@every_fixture
def test_pages_sum_to_indexes_sum_to_info(path: Path) -> None:
    with ibdscan.open(path) as space:
        assert_one_truth(space)


@every_fixture
def test_records_and_data_are_the_servers(path: Path) -> None:
    """Every page that the server walked, and no other, has its records and data size."""
    said = {no: (n, size) for rows in fixture_facts(path)["pages"].values() for no, n, size in rows}
    with ibdscan.open(path) as space:
        table = space.pages_table().columns()
    level = np.ma.asarray(table["level"])
    ours = {
        int(no): (int(records), int(data))
        for no, records, data, kind, known in zip(
            table["page_no"],
            table["records"],
            table["data_bytes"],
            table["type"],
            ~np.ma.getmaskarray(level),
            strict=True,
        )
        if known and kind == "INDEX"
    }
    assert ours == said


def rows_of(text: str, fmt: str) -> list[dict[str, Any]]:
    """Rows with the values as JSON has them, whatever the format."""
    if fmt == "jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if fmt == "json":
        found: list[dict[str, Any]] = json.loads(text)["pages"]
        return found
    texts = {"type", "state", "class", "table", "index"}
    return [
        {k: None if v == "" else v if k in texts else float(v) if k == "fill" else int(v) for k, v in row.items()}
        for row in csv.DictReader(io.StringIO(text))
    ]


@pytest.mark.parametrize("path", [DELETED, fixture("mariadb1011/lob"), fixture("mysql97/long_names")], ids=str)
def test_all_formats_say_the_same(path: Path, tmp_path: Path) -> None:
    answers = [rows_of(run("pages", str(path), "--format", fmt).stdout, fmt) for fmt in ("csv", "jsonl", "json")]
    assert answers[0] == answers[1] == answers[2]
    assert list(answers[0][0]) == KEYS
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra ibdscan[parquet] is not installed")
    target = tmp_path / "pages.parquet"
    assert run("pages", str(path), "--format", "parquet", "-o", str(target)).exit_code == 0
    assert parquet.read_table(target).to_pylist() == answers[0]


def test_numpy_columns_are_the_rows() -> None:
    rows = rows_of(run("pages", str(DELETED), "--format", "jsonl").stdout, "jsonl")
    with ibdscan.open(DELETED) as space:
        table = space.pages_table().columns()
    assert list(table) == KEYS
    for key, column in table.items():
        assert column.tolist() == [row[key] for row in rows], key


def test_stale_pages_have_no_figures() -> None:
    with ibdscan.open(DELETED) as space:
        stale = select_pages(space, state="stale").columns()
        assert len(stale["page_no"]) == 68  # the fixture's key fact
    assert set(stale["type"]) == {"INDEX"}
    assert np.ma.getmaskarray(stale["level"]).all()
    assert np.ma.getmaskarray(stale["records"]).all()


def test_filters_are_those_rows_of_the_whole() -> None:
    every = rows_of(run("pages", str(DELETED), "--format", "csv").stdout, "csv")

    def shown(*options: str) -> list[int]:
        rows = rows_of(run("pages", str(DELETED), "--format", "csv", *options).stdout, "csv")
        return [row["page_no"] for row in rows]

    assert shown("--index", "k") == [r["page_no"] for r in every if r["index"] == "k"]
    assert shown("--level", "1") == [r["page_no"] for r in every if r["level"] == 1] == [4, 5]
    assert shown("--state", "free") == [r["page_no"] for r in every if r["state"] == "free"]
    assert shown("--pages", "10:20") == list(range(10, 20))
    assert shown("--index", "k", "--level", "0", "--pages", "0:30") == [
        r["page_no"] for r in every[:30] if r["index"] == "k" and r["level"] == 0
    ]
    assert shown("--pages", "5000:6000") == []
    with ibdscan.open(DELETED) as space, pytest.raises(UsageError, match="no state 'dead'"):
        select_pages(space, state="dead")


def test_wrong_questions() -> None:
    result = run("pages", str(DELETED), "--index", "nope")
    assert (result.exit_code, "no index 'nope'" in result.stderr) == (2, True)
    result = run("pages", str(DELETED), "--format", "parquet")
    assert (result.exit_code, "-o FILE" in result.stderr) == (2, True)


def test_missing_pyarrow_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("pages", str(DELETED), "--format", "parquet", "-o", str(tmp_path / "p.parquet"))
    assert result.exit_code == 1
    assert "ibdscan[parquet]" in result.stderr
    with ibdscan.open(DELETED) as space, pytest.raises(ibdscan.MissingExtraError):
        space.pages_table().to_arrow()


def test_text_is_for_people() -> None:
    lines = run("pages", str(DELETED), "--pages", "6:8").stdout.splitlines()
    assert lines[0].split() == [c.title for c in PAGE_COLUMNS if c.key not in ("table", "index_id")]
    words = " ".join(lines[2].split())
    assert words == "6 INDEX live leaf PRIMARY 4 0 42 7,508 7,672 46.2 % 25815417 - 7 0"


def made_table(n: int) -> MemoryTable:
    head = (
        Column("n", "n", "count"),
        Column("big", "big", right=True),
        Column("name", "name"),
        Column("x", "x", "ratio"),
    )
    names = Named(np.arange(n) % 3 - 1, ['a,"b"', "ü\n"])
    big = np.ma.array(np.arange(n, dtype=np.uint64) + np.uint64(2**63), mask=np.arange(n) % 2 == 0)
    return MemoryTable(head, {"n": np.arange(n), "big": big, "name": names, "x": np.arange(n) / 7})


def test_made_up_table_survives_csv_and_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quotes, commas, line ends, numbers beyond int64, chunks that do not come out even."""
    monkeypatch.setattr(columns_module, "CHUNK_ROWS", 4)
    names = [None, 'a,"b"', "ü\n"]
    wanted = [
        {"n": i, "big": None if i % 2 == 0 else 2**63 + i, "name": names[i % 3], "x": i / 7} for i in range(10)
    ]
    table = made_table(10)
    lines = "".join(jsonl_parts(table)).split("\n")
    assert [json.loads(line) for line in lines[:-1]] == wanted
    whole = json.loads("".join(json_parts({"path": "p", "nested": {"a": {}}}, "rows", table)))
    assert whole == {"path": "p", "nested": {"a": {}}, "rows": wanted}
    read = list(csv.DictReader(io.StringIO("".join(csv_parts(table)), newline="")))
    shown = [{k: "" if v is None else str(v) for k, v in row.items()} for row in wanted]
    assert read == shown
    text = "".join(text_parts(table)).splitlines()
    assert len(text) == 12
    assert text[4].endswith("\\n     28.6 %")
    assert len({line.index("%") for line in text[2:]}) == 1


def test_empty_tables_are_well_formed() -> None:
    table = made_table(0)
    assert "".join(csv_parts(table)) == "n,big,name,x\n"
    assert "".join(jsonl_parts(table)) == ""
    assert json.loads("".join(json_parts({}, "rows", table))) == {"rows": []}
    assert "".join(text_parts(table)).startswith("n  big  name  x")


def test_states_of_the_option_are_those_of_pages() -> None:
    from ibdscan.cli.pages import STATES

    assert list(STATES) == [s.name.lower() for s in PageState]


EXAMPLES = re.findall(
    r"```python\n(.*?)```", (Path(__file__).parents[2] / "docs/pages.md").read_text("utf-8"), re.S
)


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb"])
def test_example_of_the_docs_runs(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = next(e for e in EXAMPLES if f"import {library}" in e)
    if importlib.util.find_spec(library) is None or importlib.util.find_spec("pyarrow") is None:
        pytest.skip(f"{library} or pyarrow is not installed: pip install '.[examples]'")
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    monkeypatch.chdir(Path(__file__).parents[2])
    found = runpy.run_path(str(script))
    if library == "pandas":
        assert found["leaves"].loc["PRIMARY", "count"] == 60
        assert found["leaves"].loc["PRIMARY", "max"] == pytest.approx(0.934, abs=0.01)
    elif library == "polars":
        states = {(i, s): n for i, s, n in found["states"].rows()}
        assert states["PRIMARY", "live"] == 61
        assert sum(states.values()) == 640
    else:
        assert len(found["emptiest"].fetchall()) == 5


def test_ten_million_pages_need_no_step_a_cell() -> None:
    """The chunked writers spell distinct values once: far fewer calls than cells."""
    calls = 0

    def spell(value: object) -> str:
        nonlocal calls
        calls += 1
        return str(value)

    values = np.tile(np.arange(100), 10_000)
    columns_module._numbers(values, spell)
    assert calls == 100
