"""Names of older files: the dictionary in ibdata1 and the .frm, equal to the server's or left unknown."""

from __future__ import annotations

import lzma
import shutil
import struct
from collections import Counter
from pathlib import Path

import pytest

import ibdscan
from ibdscan.errors import UsageError
from ibdscan.layout.filename import decode_table
from ibdscan.measures.file.survey import open_survey
from ibdscan.structures.definition.frm import FrmKey, find_frm, names_by_frm, parse_frm
from tests.corpus import CorpusFile, corpus_files, load_oracle, require_corpus
from tests.files import fixture, surveyed

MARIADB = ("maria105", "maria1011", "maria118")
LEAST_NAMED = {"maria105": 320, "maria1011": 320, "maria118": 250}


@pytest.mark.corpus
@pytest.mark.parametrize("engine", MARIADB)
def test_names_are_the_servers(engine: str) -> None:
    named: Counter[str] = Counter()
    for file in corpus_files(require_corpus()):
        if file.engine != engine:
            continue
        said = {i.index_id: i for i in load_oracle(file).indexes if i.index_id is not None}
        try:
            survey = open_survey(str(file.path))
        except ibdscan.IbdError:
            continue
        survey.close()
        for index in survey.indexes:
            theirs = said.get(-1 if index.index_id is None else index.index_id)
            if theirs is None or index.name_source is None:
                continue
            assert (index.name, index.table, index.clustered) == (
                theirs.name,
                decode_table(theirs.table),
                theirs.clustered,
            ), file.id
            named[index.name_source] += 1
    assert named["dictionary"] > 100
    assert named.total() > LEAST_NAMED[engine]


def plain_name(path: Path) -> str:
    """The name without the ending of a compressed copy; what is in the copy tells that it is one."""
    return path.name.removesuffix(".xz")


def tables_beside(system_file: CorpusFile) -> list[Path]:
    folder = system_file.path.parent / "sm"
    return sorted(p for p in folder.iterdir() if plain_name(p).endswith(".ibd"))


@pytest.fixture
def system_file() -> CorpusFile:
    root = require_corpus()
    return next(
        f
        for f in corpus_files(root)
        if f.engine == "maria1011" and f.instance == "cksum_crc32" and f.name == "ibdata1"
    )


@pytest.mark.corpus
def test_system_tablespace_names_itself(system_file: CorpusFile) -> None:
    with surveyed(system_file.path) as survey:
        own = {i.index_id: (i.table, i.name) for i in survey.indexes if i.index_id is not None and i.index_id <= 5}
        assert all(i.name_source == "dictionary" for i in survey.indexes)
    assert own == {
        1: ("SYS_TABLES", "CLUST_IND"),
        2: ("SYS_COLUMNS", "CLUST_IND"),
        3: ("SYS_INDEXES", "CLUST_IND"),
        4: ("SYS_FIELDS", "CLUST_IND"),
        5: ("SYS_TABLES", "ID_IND"),
    }


@pytest.mark.corpus
def test_given_system_file(system_file: CorpusFile, tmp_path: Path) -> None:
    """A table moved away from its server has no names; with the server's ibdata1 it has."""
    table = system_file.path.parent / "sm" / "sec.ibd"
    table = table if table.exists() else tables_beside(system_file)[0]
    moved = tmp_path / "renamed.ibd"
    shutil.copy(table, moved)
    with ibdscan.open(moved) as alone, ibdscan.open(moved, system=system_file.path) as told:
        assert {i.name_source for i in alone.indexes} == {None}
        assert {i.name_source for i in told.indexes} == {"dictionary"}
        assert {i.table for i in told.indexes} == {f"sm/{plain_name(table).removesuffix('.ibd')}"}


@pytest.mark.corpus
def test_dictionary_of_another_server_is_not_believed(system_file: CorpusFile, tmp_path: Path) -> None:
    """Space ids, index ids and roots of two small servers are alike: the table's name must be the file's."""
    found = tables_beside(system_file)[0]
    (tmp_path / "sm").mkdir()
    shutil.copy(found, tmp_path / "sm" / "other.ibd")
    shutil.copy(system_file.path, tmp_path / "ibdata1")
    with ibdscan.open(tmp_path / "sm" / "other.ibd") as survey:
        assert {i.name_source for i in survey.indexes} == {None}
    shutil.copy(found, tmp_path / "sm" / plain_name(found))
    with ibdscan.open(tmp_path / "sm" / plain_name(found)) as survey:
        assert {i.name_source for i in survey.indexes} == {"dictionary"}


def test_system_file_without_dictionary() -> None:
    path = fixture("mariadb1011/import_single")
    with pytest.raises(UsageError, match="no dictionary"):
        ibdscan.open(path, system=path)
    with pytest.raises(UsageError, match="can not read the system tablespace"):
        ibdscan.open(path, system="/nowhere/ibdata1")


def made_frm(keys: list[FrmKey]) -> bytes:
    """As much of a .frm as names need."""
    block = bytes([len(keys), len(keys)]) + bytes(4)
    for key in keys:
        flags = (
            {"fulltext": 128, "rtree": 1024}.get(key.kind, 0)
            | (0 if key.unique else 1)
            | (64 if key.has_null else 0)
        )
        block += struct.pack("<HHBBH", flags, 4, 1, 1, 0) + bytes(9)
    block += b"\xff" + b"\xff".join(k.name.encode() for k in keys) + b"\xff\0"
    head = bytearray(64)
    head[:2] = b"\xfe\x01"
    struct.pack_into("<H", head, 6, 64)
    struct.pack_into("<H", head, 28, len(block))
    return bytes(head) + block


PRIMARY = FrmKey("PRIMARY", True, False, "btree")
U, N = FrmKey("u", True, True, "btree"), FrmKey("ключ", False, False, "btree")
FULL, SPATIAL = FrmKey("ft", False, False, "fulltext"), FrmKey("sp", False, False, "rtree")


def test_frm_keys_come_back() -> None:
    keys = [PRIMARY, U, N, FULL, SPATIAL]
    assert parse_frm(made_frm(keys)) == keys


@pytest.mark.parametrize("cut", [0, 3, 63, 66, 80, 90, 110])
def test_damaged_frm_is_no_frm(cut: int) -> None:
    with pytest.raises(ValueError, match=r"\.frm|key"):
        parse_frm(made_frm([PRIMARY, U, N])[:cut])


@pytest.mark.parametrize(
    ("keys", "trees", "names"),
    [
        ([PRIMARY], [7], {7: "PRIMARY"}),
        ([PRIMARY, N], [7, 8], {7: "PRIMARY", 8: "ключ"}),
        ([PRIMARY, N, FrmKey("m", False, False, "btree")], [7, 8, 9], {7: "PRIMARY", 8: "ключ", 9: "m"}),
        ([], [7], {7: "GEN_CLUST_INDEX"}),
        ([N], [7, 8], {7: "GEN_CLUST_INDEX", 8: "ключ"}),
        ([PRIMARY, U, N], [7, 8, 9], {7: "PRIMARY"}),  # u may have been added after the other
        ([PRIMARY, N], [7], {}),
        ([PRIMARY], [7, 8], {}),
        ([N], [7], {}),  # no key that could be the clustered index
        ([PRIMARY, FULL], [7, 8], {7: "PRIMARY", 8: "FTS_DOC_ID_INDEX"}),
        ([PRIMARY, N, FULL], [7, 8, 9], {7: "PRIMARY"}),
    ],
)
def test_names_only_where_certain(keys: list[FrmKey], trees: list[int], names: dict[int, str]) -> None:
    found, fulltext = names_by_frm(keys, [(i, "btree") for i in trees], "d/t")
    assert {i: n.name for i, n in found.items()} == names
    assert [n.name for n in fulltext] == (["ft"] if FULL in keys else [])


def test_frm_is_found_packed_and_for_partitions(tmp_path: Path) -> None:
    packed = tmp_path / "t.frm.xz"
    packed.write_bytes(lzma.compress(made_frm([PRIMARY])))
    for name in ("t.ibd", "t.ibd.xz", "t#P#p0.ibd", "t#p#p0#sp#s1.ibd"):
        assert find_frm(str(tmp_path / name)) == str(packed)
    assert find_frm(str(tmp_path / "other.ibd")) is None


def test_frm_names_a_mariadb_file(tmp_path: Path) -> None:
    shutil.copy(fixture("mariadb1011/import_single"), tmp_path / "t.ibd.xz")
    with surveyed(tmp_path / "t.ibd.xz") as survey:
        n = len(survey.indexes)
        assert survey.indexes[0].name_source is None
    keys = [PRIMARY, *(FrmKey(f"k{i}", False, False, "btree") for i in range(n - 1))]
    (tmp_path / "t.frm").write_bytes(made_frm(keys))
    with surveyed(tmp_path / "t.ibd.xz") as survey:
        assert [i.name for i in survey.indexes] == [k.name for k in keys]
        assert survey.index("PRIMARY").clustered_is_certain
        assert survey.index("PRIMARY").table == f"{tmp_path.name}/t"
    (tmp_path / "t.frm").write_bytes(b"TYPE=VIEW\n")
    with surveyed(tmp_path / "t.ibd.xz") as survey:
        assert survey.indexes[0].name_source is None
