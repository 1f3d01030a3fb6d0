"""What the main commands print, in all formats, and how they end."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from PIL import Image

import ibdscan as package
from ibdscan.cli import COMMANDS
from tests.cli.conftest import FIXTURES, MULTI, SINGLE, Ibdscan

WRONG_USAGE = 2
PROBLEMS = 3


def test_every_command_has_help_with_an_example(ibdscan: Ibdscan) -> None:
    for name in COMMANDS:
        result = ibdscan(name, "-h")
        assert result.exit_code == 0
        assert f"ibdscan {name}" in result.stdout.split("Example", 1)[1], name
    listing = ibdscan("--help").stdout
    assert all(name in listing for name in COMMANDS)


def test_unknown_command_and_version(ibdscan: Ibdscan) -> None:
    assert ibdscan("nonsense").exit_code == WRONG_USAGE
    assert package.__version__ in ibdscan("--version").stdout


def test_info_text_shows_fill_order_and_reservation_together(ibdscan: Ibdscan) -> None:
    text = ibdscan("info", MULTI).stdout
    assert text.splitlines()[0] == MULTI
    assert text.splitlines()[1].startswith("MySQL 9.7.4, 16 KiB pages, dynamic")
    row = next(line for line in text.splitlines() if line.startswith("PRIMARY *"))
    assert " ".join(row.split()[2:]) == "2 190 10,000 67.4 % 67.5 % 7.6 % 22.8 % 76.8 % 191 225 137"
    assert "total" in text
    assert "no findings" in text


def test_info_json_is_what_python_gives(ibdscan: Ibdscan) -> None:
    printed = json.loads(ibdscan("info", MULTI, SINGLE, "--format", "json").stdout)
    assert [f["path"] for f in printed["files"]] == [MULTI, SINGLE]
    with package.open(MULTI) as space:
        assert printed["files"][0] == json.loads(json.dumps(space.to_dict()))
    data = printed["files"][0]
    assert sum(data["page_states"].values()) == sum(data["page_classes"].values()) == data["pages"] == 704
    parts = data["index_bytes"]
    assert sum(parts[k] for k in ("data_bytes", "garbage_bytes", "slack_bytes", "overhead_bytes")) == (
        parts["pages"] * data["logical_page_size"]
    )
    leaf = data["indexes"][0]["leaf"]
    assert (leaf["pages"], leaf["records"], sum(leaf["histogram"])) == (190, 10_000, 190)
    assert data["indexes"][0]["page_classes"]["leaf"] == 190


def test_info_csv_has_a_row_an_index(ibdscan: Ibdscan) -> None:
    rows = list(csv.DictReader(io.StringIO(ibdscan("info", SINGLE, MULTI, "--format", "csv").stdout)))
    assert [(row["path"], row["name"]) for row in rows] == [
        (path, name) for path in (SINGLE, MULTI) for name in ("PRIMARY", "k_1", "SDI")
    ]
    assert rows[3]["leaf.pages"] == "190"
    assert float(rows[3]["leaf.contiguous"]) == pytest.approx(43 / 189)


def test_info_goes_on_after_a_file_it_can_not_read(ibdscan: Ibdscan, tmp_path: Path) -> None:
    wrong = tmp_path / "notes.txt"
    wrong.write_text("these are notes, and by no means a tablespace\n" * 20)
    result = ibdscan("info", str(wrong), SINGLE)
    assert result.exit_code == 1
    assert "not an InnoDB tablespace" in result.stderr
    assert "PRIMARY *" in result.stdout


@pytest.mark.parametrize("words", [["info"], ["indexes"], ["layout"], ["compare"]])
def test_formats_are_one_truth(ibdscan: Ibdscan, words: list[str]) -> None:
    files = {"info": [MULTI], "indexes": [MULTI], "layout": ["index_header"], "compare": [SINGLE, MULTI]}[words[0]]
    as_json = ibdscan(*words, *files, "--format", "json")
    as_csv = ibdscan(*words, *files, "--format", "csv")
    assert as_json.exit_code == as_csv.exit_code == 0
    assert json.loads(as_json.stdout)
    rows = list(csv.reader(io.StringIO(as_csv.stdout)))
    assert len(rows) > 2
    assert {len(row) for row in rows} == {len(rows[0])}


def test_indexes_of_one_index_and_of_none(ibdscan: Ibdscan) -> None:
    text = ibdscan("indexes", MULTI, "k_1").stdout
    assert "k_1" in text
    assert "PRIMARY" not in text
    assert "16 pages used" in text or "16 pages used of" in text
    result = ibdscan("indexes", MULTI, "no_such")
    assert result.exit_code == WRONG_USAGE
    assert "no index 'no_such'; the file has: PRIMARY, k_1, SDI" in result.stderr


def test_compare_says_what_differs(ibdscan: Ibdscan, tmp_path: Path) -> None:
    picture = tmp_path / "compare.png"
    result = ibdscan("compare", SINGLE, MULTI, "-o", str(picture))
    assert result.exit_code == 0
    assert "PRIMARY: B holds the same number of records in 37.7 % more leaf pages (138 -> 190)." in result.stdout
    assert "-25.4 pp" in result.stdout
    assert result.stderr == f"Wrote {picture}\n"
    with Image.open(picture) as image:
        assert image.width == 1600
    again = ibdscan("compare", SINGLE, MULTI, "-o", str(picture))
    assert again.exit_code == WRONG_USAGE
    assert "--force" in again.stderr
    before = picture.read_bytes()
    assert ibdscan("compare", SINGLE, MULTI, "-o", str(picture), "--force").exit_code == 0
    assert picture.read_bytes() == before


def test_compare_of_a_file_with_itself_finds_nothing(ibdscan: Ibdscan) -> None:
    printed = json.loads(ibdscan("compare", MULTI, MULTI, "--format", "json").stdout)
    assert printed["summary"] == []
    for pair in printed["indexes"]:
        assert {m["difference"] for m in pair["metrics"].values()} <= {0, None}
    assert "do not differ" in ibdscan("compare", MULTI, MULTI).stdout


def test_uuid_before_and_after_a_rebuild(ibdscan: Ibdscan) -> None:
    for family in ("mysql97", "mariadb1011"):
        a, b = (str(FIXTURES / family / f"uuid_{name}.ibd.xz") for name in ("random", "rebuilt"))
        printed = json.loads(ibdscan("compare", a, b, "--format", "json").stdout)
        order = printed["indexes"][0]["metrics"]["leaf.contiguous"]
        assert order["a"] < 0.01
        assert order["b"] > 0.9


@pytest.mark.parametrize("by", ["index", "fill", "order", "lsn"])
def test_map_writes_a_picture(ibdscan: Ibdscan, tmp_path: Path, by: str) -> None:
    picture = tmp_path / "map.png"
    result = ibdscan("map", MULTI, "--by", by, "-o", str(picture), "--width", "900")
    assert result.exit_code == 0
    assert result.stderr == f"Wrote {picture}\n"
    with Image.open(picture) as image:
        assert image.width == 900
        assert len(image.convert("RGB").getcolors(1 << 20) or []) > 10


def test_map_of_a_window_and_wrong_windows(ibdscan: Ibdscan, tmp_path: Path) -> None:
    picture = str(tmp_path / "window.png")
    assert ibdscan("map", MULTI, "-o", picture, "--pages", "0:128").exit_code == 0
    for wrong in ("5", "9:3", "a:b", "-1:4"):
        result = ibdscan("map", MULTI, "-o", str(tmp_path / "w.png"), "--pages", wrong)
        assert result.exit_code == WRONG_USAGE
        assert "A:B" in result.stderr


def test_picture_that_can_not_be_written(ibdscan: Ibdscan, tmp_path: Path) -> None:
    result = ibdscan("map", MULTI, "-o", str(tmp_path / "no" / "such" / "map.png"))
    assert result.exit_code == 1
    assert "can not write" in result.stderr
    assert result.stderr.count("\n") == 1


def test_assert_holds_and_fails(ibdscan: Ibdscan) -> None:
    good = ibdscan("assert", SINGLE, "--min-fill", "PRIMARY=0.9", "--min-contiguous", "95%", "--no-findings")
    assert good.exit_code == 0
    assert good.stdout.count("  ok: ") == 3
    bad = ibdscan("assert", MULTI, "--min-fill", "PRIMARY=0.85", "--min-fill", "k_1=0.4")
    assert bad.exit_code == PROBLEMS
    assert "FAILED: fill of PRIMARY is 67.4 %, below the minimum of 85.0 %" in bad.stdout
    assert "ok: fill of k_1" in bad.stdout
    assert "90-100 %" in bad.stdout
    printed = json.loads(
        ibdscan("assert", MULTI, "--max-out-of-order", "10%", "--max-backward", "0.5", "--format", "json").stdout
    )
    assert printed["ok"] is False
    assert [(c["measure"], c["ok"]) for c in printed["checks"]] == [("out_of_order", False), ("backward", True)]


def test_assert_csv_and_directory_fill(ibdscan: Ibdscan) -> None:
    result = ibdscan("assert", SINGLE, "--min-dir-fill", "0.9", "--max-dir-fill", "0.92", "--format", "csv")
    assert result.exit_code == PROBLEMS
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert [(r["measure"], r["kind"], r["ok"]) for r in rows] == [
        ("dir_fill", "min", "True"),
        ("dir_fill", "max", "False"),
    ]


@pytest.mark.parametrize("limit", ["85", "PRIMARY=", "PRIMARY=much", "nope=0.5", "-1"])
def test_assert_of_a_wrong_question(ibdscan: Ibdscan, limit: str) -> None:
    result = ibdscan("assert", MULTI, f"--min-fill={limit}")
    assert result.exit_code == WRONG_USAGE
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


def test_assert_without_limits_and_small_indexes(ibdscan: Ibdscan) -> None:
    assert ibdscan("assert", MULTI).exit_code == WRONG_USAGE
    small = str(FIXTURES / "mysql97/compact.ibd.xz")
    assert ibdscan("assert", small, "--min-fill", "0.99").exit_code == PROBLEMS
    assert ibdscan("assert", small, "--min-fill", "0.99", "--allow-small").exit_code == 0


def test_layout_prints_the_server_names(ibdscan: Ibdscan) -> None:
    text = ibdscan("layout").stdout
    for macro in (
        "FIL_PAGE_LSN",
        "FSP_FREE_LIMIT",
        "PAGE_HEAP_TOP",
        "XDES_BITMAP",
        "FSEG_FRAG_ARR",
        "BTR_EXTERN_LEN",
    ):
        assert macro in text
    small = json.loads(ibdscan("layout", "xdes_entry", "--page-size", "4", "--format", "json").stdout)
    assert small["layouts"][0]["bytes"] == 88
    wrong = ibdscan("layout", "nothing")
    assert wrong.exit_code == WRONG_USAGE
    assert "fil_header" in wrong.stderr


def test_output_file_for_text(ibdscan: Ibdscan, tmp_path: Path) -> None:
    target = tmp_path / "info.json"
    result = ibdscan("info", MULTI, "--format", "json", "-o", str(target))
    assert (result.stdout, result.stderr) == ("", f"Wrote {target}\n")
    assert json.loads(target.read_text(encoding="utf-8"))["files"][0]["pages"] == 704
    assert ibdscan("info", MULTI, "-o", str(target)).exit_code == WRONG_USAGE


@pytest.mark.parametrize("command", ["info", "indexes", "map", "compare", "assert"])
@pytest.mark.parametrize("kind", ["missing", "directory", "empty", "text", "random", "cut"])
def test_bad_input_is_one_line(ibdscan: Ibdscan, tmp_path: Path, command: str, kind: str) -> None:
    path = tmp_path / "t.ibd"
    if kind == "directory":
        path.mkdir()
    elif kind != "missing":
        made = {
            "empty": b"",
            "text": b"hello\n" * 9999,
            "random": bytes(range(256)) * 300,
            "cut": b"\xfd7zXZ\x00" + b"abc",
        }
        path.write_bytes(made[kind])
    more = {"compare": [str(path)], "map": ["-o", str(tmp_path / "x.png")], "assert": ["--min-fill", "0.5"]}
    result = ibdscan(command, str(path), *more.get(command, []))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert str(path) in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "x.png").exists()
