"""``sdi``: the JSON of ibd2sdi, and the summary."""

from __future__ import annotations

import json

import pytest

import ibdscan
from tests.corpus import corpus_files, require_corpus
from tests.files import fixture
from tests.inside.commands import run

PATH_KEY = "filename"


def test_json_has_the_form_of_ibd2sdi() -> None:
    data = json.loads(run("sdi", str(fixture("mysql97/import_single"))).stdout)
    assert data[0] == "ibd2sdi"
    assert [(o["type"], o["object"]["dd_object_type"]) for o in data[1:]] == [(1, "Table"), (2, "Tablespace")]
    assert list(data[1]["object"])[:3] == ["mysqld_version_id", "dd_version", "sdi_version"]


def test_summary_names_columns_and_indexes() -> None:
    text = run("sdi", str(fixture("mysql97/import_single")), "--format", "text").stdout
    assert "table fx_import_single/sbtest1: engine InnoDB, row format dynamic" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "id int not null auto_increment" in lines
    assert "c char(120) not null" in lines
    assert "PRIMARY primary id" in lines
    assert "k_1 k" in lines
    assert "DB_TRX_ID - not null hidden" in lines


def test_a_file_without_sdi_says_so() -> None:
    path = fixture("mariadb1011/import_single")
    assert json.loads(run("sdi", str(path)).stdout) == ["ibd2sdi"]
    assert "the file has no SDI" in run("sdi", str(path), "--format", "text").stdout


@pytest.mark.corpus
def test_equal_to_ibd2sdi_on_the_corpus() -> None:
    """Text for text, so that the order of the keys counts; paths of DATA DIRECTORY were replaced in the oracle."""
    compared = 0
    for file in corpus_files(require_corpus()):
        if file.engine != "mysql97":
            continue
        raw = file.oracle_path.read_bytes()
        if file.oracle_path.name.endswith(".xz"):
            import lzma

            raw = lzma.decompress(raw)
        oracle = json.loads(raw).get("sdi")
        if not oracle or oracle[0] != "ibd2sdi":
            continue
        result = run("sdi", str(file.path))
        if result.exit_code == 1 and "key" in result.stderr:
            continue  # encrypted, and no key given
        ours = json.loads(result.stdout)
        for objects in (ours, oracle):
            for entry in objects[1:]:
                for data_file in entry["object"]["dd_object"].get("files") or []:
                    if file.stem == "datadir":
                        data_file.pop(PATH_KEY)
        assert json.dumps(ours) == json.dumps(oracle), file.id
        compared += 1
    assert compared > 150


def test_a_made_up_document_does_not_break_the_summary() -> None:
    from ibdscan.views.table.tables import Style
    from ibdscan.views.text.definition import sdi_text
    from tests.made_sdi import sdi_object

    odd = {
        "dd_object": {"columns": [{"name": "a\n"}, 3], "indexes": [{"elements": [{"column_opx": 9}, {}]}, None]}
    }
    with ibdscan.open(fixture("mysql97/empty")) as space:
        space.sdi[:] = [sdi_object(1, 1, odd), sdi_object(1, 2, {"dd_object": []})]
        text = sdi_text(space, Style())
    assert "a\\n" in text
