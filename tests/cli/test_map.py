"""``map`` and ``compare``: pictures by their extension, the terminal, two to six files."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PIL import Image

from ibdscan.cli.pictures import MODES
from ibdscan.views.images.modes import MODES as DRAWN_MODES
from tests.cli.conftest import FIXTURES, MULTI, SINGLE, Ibdscan

WRONG_USAGE = 2
RANDOM = str(FIXTURES / "mysql97/uuid_random.ibd.xz")


def on_terminal(*words: str, columns: int = 100, **environ: str) -> str:
    """What a command prints on a real (pseudo) terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    dropped = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "COLORFGBG")
    env = {k: v for k, v in os.environ.items() if k not in dropped} | {"TERM": "xterm-256color"} | environ
    command = [sys.executable, "-c", "from ibdscan.cli import main; main()", *words]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=env)
    os.close(theirs)
    out = b""
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:
            break
        if not part:
            break
        out += part
    os.close(ours)
    assert process.wait() == 0, out
    return out.decode("utf-8").replace("\r\n", "\n")


def test_modes_are_those_that_can_be_drawn() -> None:
    assert tuple(DRAWN_MODES) == MODES


@pytest.mark.parametrize("by", MODES)
def test_map_into_a_pipe_is_plain(ibdscan: Ibdscan, by: str) -> None:
    result = ibdscan("map", MULTI, "--by", by)
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "\x1b" not in result.stdout
    assert result.stdout.startswith("import_multi.ibd.xz\n")
    assert " total" in result.stdout
    assert max(map(len, result.stdout.split("\n"))) <= 80


def test_map_on_a_terminal_has_colours_and_its_width() -> None:
    true = on_terminal("map", MULTI, COLORTERM="truecolor")
    assert "\x1b[38;2;" in true
    assert "▀" in true
    few = on_terminal("map", MULTI)
    assert "\x1b[38;5;" in few
    assert ";2;" not in few
    none = on_terminal("map", MULTI, COLORTERM="truecolor", NO_COLOR="1", columns=50)
    assert "\x1b" not in none
    assert 40 < max(map(len, none.split("\n"))) <= 50


def test_map_with_colours_into_a_pipe_when_asked(ibdscan: Ibdscan) -> None:
    result = ibdscan("map", MULTI, "--color", "256", "--width", "120")
    assert "\x1b[38;5;" in result.stdout
    light = ibdscan("map", MULTI, "--color", "256", "--width", "120", "--theme", "light")
    assert light.stdout != result.stdout


def test_map_as_svg_and_its_options(ibdscan: Ibdscan, tmp_path: Path) -> None:
    picture = tmp_path / "map.SVG"
    result = ibdscan(
        "map", MULTI, "-o", str(picture), "--width", "900", "--theme", "dark", "--title", "T", "--cell", "4"
    )
    assert (result.exit_code, result.stderr) == (0, f"Wrote {picture}\n")
    root = ET.fromstring(picture.read_text(encoding="utf-8"))
    assert root.attrib["width"] == "900"
    assert "#12151a" in picture.read_text(encoding="utf-8")


def test_map_options_reach_the_png(ibdscan: Ibdscan, tmp_path: Path) -> None:
    def draw(*more: str) -> Image.Image:
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.png"
        assert ibdscan("map", MULTI, "-o", str(path), *more).exit_code == 0
        with Image.open(path) as image:
            return image.convert("RGB")

    plain = draw()
    assert plain.width == 1600
    assert draw("--theme", "dark").getpixel((0, 0)) == (0x12, 0x15, 0x1A)
    for more in (["--cell", "5"], ["--title", "T"], ["--index", "k_1"], ["--pages", "0:64"], ["--by", "level"]):
        assert draw(*more).tobytes() != plain.tobytes(), more


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "x.jpg"], ".png or .svg"),
        (["-o", "x"], ".png or .svg"),
        (["-o", "x.png", "--width", "100"], "480 to 20000 pixels"),
        (["-o", "x.svg", "--cell", "64"], "do not fit"),
        (["--width", "5"], "40 to 2000 columns"),
        (["--cell", "40"], "does not fit 80 columns"),
        (["--pages", "9000:9001"], "the file has pages 0 to 703"),
        (["--index", "nope"], "no index 'nope'"),
    ],
)
def test_what_can_not_be_drawn_is_one_line(
    ibdscan: Ibdscan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    result = ibdscan("map", MULTI, *words)
    assert result.exit_code == WRONG_USAGE
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_compare_draws_on_a_terminal_only(ibdscan: Ibdscan) -> None:
    piped = ibdscan("compare", SINGLE, MULTI)
    assert "Fill of the leaf pages" not in piped.stdout
    shown = on_terminal("compare", SINGLE, MULTI, COLORTERM="truecolor", columns=150)
    assert "\x1b[38;2;" in shown
    assert "Key order of the leaf pages of PRIMARY" in shown
    assert "Key order" not in on_terminal("compare", SINGLE, MULTI, "--no-map")
    assert "Key order" not in on_terminal("compare", SINGLE, MULTI, "--format", "csv")
    asked = ibdscan("compare", SINGLE, MULTI, "--map", "--by", "order")
    assert asked.stdout.startswith(piped.stdout)
    assert "Key order of the leaf pages of PRIMARY" in asked.stdout
    assert "\x1b" not in asked.stdout


def test_compare_says_what_is_wrong_before_it_prints(ibdscan: Ibdscan) -> None:
    for words, message in (
        ([SINGLE, MULTI, "--index", "nope"], "no index 'nope'"),
        ([SINGLE, MULTI, "-o", "x.gif"], ".png or .svg"),
        ([SINGLE, MULTI, "--map", "--format", "json"], "--map goes with --format text"),
        ([SINGLE] * 7, "2 to 6 files, not 7"),
    ):
        result = ibdscan("compare", *words)
        assert (result.exit_code, result.stdout) == (WRONG_USAGE, ""), message
        assert message in result.stderr
        assert result.stderr.count("\n") == 1
    assert ibdscan("compare", SINGLE).exit_code == WRONG_USAGE


def test_three_files_each_against_the_first(ibdscan: Ibdscan, tmp_path: Path) -> None:
    text = ibdscan("compare", SINGLE, MULTI, RANDOM).stdout
    head = next(line for line in text.split("\n") if line.startswith("PRIMARY *"))
    assert head.split()[2:] == ["A", "B", "C", "B", "-", "A", "C", "-", "A"]
    leaves = [line.split()[2:] for line in text.split("\n") if line.startswith("leaf pages  ")]
    assert leaves[0] == ["138", "190", "146", "+52", "+8"]
    assert leaves[1] == ["16", "16", "-", "0", "-"], "k_1 is not in the third file"
    assert "A and C:" in text
    assert "k_1 is only in file A." in text
    assert "C holds its records in 5.8 % more leaf pages (138 -> 146)" in text
    picture = tmp_path / "three.png"
    assert ibdscan("compare", SINGLE, MULTI, RANDOM, "-o", str(picture)).exit_code == 0
    with Image.open(picture) as image:
        assert image.width == 1600


def test_three_files_as_json_and_csv(ibdscan: Ibdscan) -> None:
    printed = json.loads(ibdscan("compare", SINGLE, MULTI, RANDOM, "--format", "json").stdout)
    assert list(printed) == ["files", "comparisons"]
    assert [f["path"] for f in printed["files"]] == [SINGLE, MULTI, RANDOM]
    two = json.loads(ibdscan("compare", SINGLE, RANDOM, "--format", "json").stdout)
    assert list(two) == ["files", "metrics", "indexes", "summary"]
    last = printed["comparisons"][1]
    assert (last.pop("a"), last.pop("b")) == (0, 2)
    assert last.pop("summary") == [s.replace("B holds", "C holds") for s in two["summary"]]
    assert last == {k: two[k] for k in ("metrics", "indexes")}
    rows = list(csv.DictReader(io.StringIO(ibdscan("compare", SINGLE, MULTI, RANDOM, "--format", "csv").stdout)))
    assert {row["file"] for row in rows} == {MULTI, RANDOM}
    pages = [row for row in rows if row["index"] == "PRIMARY" and row["metric"] == "leaf.pages"]
    assert [(row["a"], row["b"], row["difference"]) for row in pages] == [
        ("138", "190", "52"),
        ("138", "146", "8"),
    ]
