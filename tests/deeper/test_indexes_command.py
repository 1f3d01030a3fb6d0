"""``ibdscan indexes``: what it prints, and that its JSON is one truth with ``info``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ibdscan.cli import main
from tests.files import every_fixture, fixture


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


def index_objects(*arguments: str) -> list[dict[str, Any]]:
    result = run("indexes", *arguments, "--format", "json")
    assert result.exit_code == 0, result.output
    objects: list[dict[str, Any]] = json.loads(result.stdout)["indexes"]
    return objects


@every_fixture
def test_indexes_is_info(path: Path) -> None:
    info = json.loads(run("info", str(path), "--format", "json").stdout)["files"][0]["indexes"]
    deep = index_objects(str(path), "--records")
    assert len(info) == len(deep)
    for ours, theirs in zip(deep, info, strict=True):
        for key in ours.keys() & theirs.keys() - {"rebuild", "page_classes", "findings"}:
            assert ours[key] == theirs[key], key
        walk = ours["record_walk"]
        assert [w["records"] for w in walk] == [level["records"] for level in ours["levels"]]
        if ours["lobs"]:
            assert ours["lobs"]["pages"] == ours["off_page_pages"]


@every_fixture
def test_text_has_verdict_and_rebuild(path: Path) -> None:
    result = run("indexes", str(path), "--records")
    assert result.exit_code == 0
    for index in index_objects(str(path)):
        assert index["verdict"]["text"] in result.stdout
        if index["rebuild"]:
            assert f"{index['rebuild']['leaf_pages']:,} leaf pages" in result.stdout


def test_fill_factor_changes_the_estimate() -> None:
    path = str(fixture("mysql97/import_single"))
    full, less = index_objects(path, "PRIMARY")[0], index_objects(path, "PRIMARY", "--fill-factor", "50")[0]
    assert (full["rebuild"]["fill_factor"], less["rebuild"]["fill_factor"]) == (100, 50)
    assert 1.7 < less["rebuild"]["leaf_pages"] / full["rebuild"]["leaf_pages"] < 2.1
    assert "rebuilt at innodb_fill_factor 50:" in run("indexes", path, "PRIMARY", "--fill-factor", "50").stdout
    assert run("indexes", path, "--fill-factor", "9").exit_code == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mysql97/import_single", "ordered inserts: "),
        ("mysql97/uuid_random", "random inserts: "),
        ("mysql97/uuid_rebuilt", "sorted build: "),
        ("mariadb1011/uuid_rebuilt", "sorted build: "),
        ("mysql97/half_deleted", "entries moved or deleted: "),
        ("mariadb1011/half_deleted", "entries moved or deleted: "),
        ("mysql97/import_multi", "interleaved: "),
    ],
)
def test_verdict_of_fixtures(name: str, words: str) -> None:
    assert words in index_objects(str(fixture(name)))[0]["verdict"]["text"]
    assert words in run("info", str(fixture(name))).stdout


def test_names_no_system_file() -> None:
    result = run("indexes", str(fixture("mariadb1011/import_single")), "--system", "/nowhere")
    assert result.exit_code == 2
    assert "can not read the system tablespace" in result.stderr
