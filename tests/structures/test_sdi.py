"""Names from the SDI: of real files, and whatever a document may hold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.measures.file.survey import open_survey
from ibdscan.structures.definition.sdi import index_names
from ibdscan.testing import IndexSpec, build_space
from tests.files import ALL, facts, surveyed
from tests.made_sdi import sdi_object

MYSQL = [p for p in ALL if p.parent.name == "mysql97"]


@pytest.mark.parametrize("path", MYSQL, ids=[p.name for p in MYSQL])
def test_names_ids_and_roots_are_the_servers(path: Path) -> None:
    said = facts(path)
    with surveyed(path) as survey:
        for index in said["indexes"]:
            found = survey.index(index["index_id"])
            assert found.name == index["name"]
            assert found.root_page_no == index["root_page_no"]
            assert found.table == f"{said['database']}/{said['table']}"
        assert {i.index_id for i in survey.user_indexes} == {i["index_id"] for i in said["indexes"]}


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
PRIVATE = st.sampled_from(["id=5;root=4;", "id=;", "id=-3", "id=²", "id=" + "9" * 5000, ";;=", 7, None])
INDEX = st.fixed_dictionaries(
    {},
    optional={
        "name": ANY_JSON,
        "type": ANY_JSON | st.integers(0, 9),
        "se_private_data": ANY_JSON | PRIVATE,
        "index_opx": ANY_JSON | st.integers(-5, 5),
    },
)
INDEXES = st.lists(INDEX | ANY_JSON, max_size=4) | ANY_JSON
PARTITION = st.fixed_dictionaries({}, optional={"name": ANY_JSON, "indexes": INDEXES, "subpartitions": INDEXES})
TABLE = st.fixed_dictionaries(
    {}, optional={"name": ANY_JSON, "indexes": INDEXES, "partitions": st.lists(PARTITION, max_size=3) | ANY_JSON}
)


@given(TABLE | ANY_JSON)
@settings(max_examples=400, deadline=None, derandomize=True)
def test_any_document_gives_names_or_none(table: object) -> None:
    names, fulltext = index_names([sdi_object(1, 1, {"dd_object": table})])
    for name in [*names.values(), *fulltext]:
        name.name.encode()
        name.table.encode()


def test_lone_surrogates_can_be_printed() -> None:
    index = {"name": "a\ud800b", "se_private_data": "id=5;"}
    names, _ = index_names([sdi_object(1, 1, {"dd_object": {"name": "\udfff", "indexes": [index]}})])
    assert names[5].name == "a?b"
    assert names[5].table == "/?"


@pytest.mark.parametrize("name", ["日本語の表", "a" * 64, 'we"ird\nname', "Имя с пробелом"])
def test_names_of_built_files(tmp_path: Path, name: str) -> None:
    specs = [IndexSpec("PRIMARY", leaves=3), IndexSpec(name, leaves=2)]
    survey = open_survey(str(build_space(specs, page_size=4096, table=f"db/{name}").write(tmp_path / "t.ibd")))
    survey.close()
    assert survey.index(name).table == f"db/{name}"
    assert not survey.findings


def sdi_damaged(tmp_path: Path, offset: int, value: bytes) -> list[str]:
    built = build_space([IndexSpec("PRIMARY", leaves=3)], page_size=4096)
    at = 3 * 4096 + offset
    path = tmp_path / "t.ibd"
    path.write_bytes(built.data[:at] + value + built.data[at + len(value) :])
    survey = open_survey(str(path))
    survey.close()
    assert [i.index_id for i in survey.user_indexes] == [100]
    return [f.message for f in survey.findings if f.kind == "sdi-record"]


def first_sdi_record() -> int:
    """Offset of the origin of the first SDI record in its page."""
    page = build_space([IndexSpec("PRIMARY", leaves=3)], page_size=4096).page(3)
    return 99 + int.from_bytes(page[97:99], "big")


def test_a_damaged_document_is_a_finding(tmp_path: Path) -> None:
    origin = first_sdi_record()
    (message,) = sdi_damaged(tmp_path, origin + 40, b"\xff" * 8)
    assert "can not be read" in message
    (message,) = sdi_damaged(tmp_path, origin + 25, b"\xff" * 4)
    assert "4294967295 bytes" in message
    assert len(sdi_damaged(tmp_path, origin - 6, b"\xc0")) == 1


def test_records_that_link_in_a_circle_are_read_once(tmp_path: Path) -> None:
    origin = first_sdi_record()
    built = build_space([IndexSpec("PRIMARY", leaves=3)], page_size=4096)
    at = 3 * 4096 + origin - 2
    path = tmp_path / "t.ibd"
    path.write_bytes(built.data[:at] + (0).to_bytes(2, "big") + built.data[at + 2 :])
    survey = open_survey(str(path))
    survey.close()
    assert len(survey.sdi) == 1
