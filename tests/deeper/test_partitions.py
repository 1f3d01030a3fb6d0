"""Names of MySQL's partitions: the first partition's file describes the table; the others name nothing."""

from __future__ import annotations

import lzma
import shutil
from pathlib import Path

import pytest

import ibdscan
from tests.files import FIXTURES

FOLDER = FIXTURES / "partitions"
GONE = {4: "PRIMARY", 5: "by_k", 8: "late"}
RANGED = {4: "PRIMARY", 5: "by_v", 6: "by_k"}
SAID = {
    "gone#p#p1": ("pt/gone#p#p1", "sdi", GONE),
    "gone#p#p2": ("pt/gone#p#p2", "partition", GONE),
    "ranged#p#pa#sp#pasp0": ("pt/ranged#p#pa#sp#pasp0", "sdi", RANGED),
    "ranged#p#p@002db#sp#p@002dbsp1": ("pt/ranged#p#p-b#sp#p-bsp1", "partition", RANGED),
}
"""File -> table, source of the names, names by root page as INNODB_BUFFER_PAGE has them."""
BESIDE = {"gone#p#p2": "gone#p#p1", "ranged#p#p@002db#sp#p@002dbsp1": "ranged#p#pa#sp#pasp0"}


def named(path: Path) -> tuple[set[str | None], set[str | None], dict[int | None, str]]:
    with ibdscan.open(path) as space:
        found = space.user_indexes
        sources = {i.name_source for i in found}
        assert [i.clustered for i in found] == [True] + [False] * (len(found) - 1)
        return {i.table for i in found}, sources, {i.root_page_no: i.name for i in found}


@pytest.mark.parametrize("name", SAID)
def test_all_partitions_have_the_names_of_the_server(name: str) -> None:
    table, source, names = SAID[name]
    assert named(FOLDER / f"{name}.ibd.xz") == ({table}, {source}, names)


@pytest.mark.parametrize("name", BESIDE)
def test_without_the_first_partition_there_are_no_names(tmp_path: Path, name: str) -> None:
    path = Path(shutil.copy(FOLDER / f"{name}.ibd.xz", tmp_path))
    tables, sources, names = named(path)
    assert (tables, sources) == ({None}, {None})
    assert all(text.startswith("index ") for text in names.values())
    holder = Path(shutil.copy(FOLDER / f"{BESIDE[name]}.ibd.xz", tmp_path))
    assert named(path)[2] == SAID[name][2]
    holder.write_bytes(holder.read_bytes()[:5000])  # damaged: as if it were not there, and none the wiser
    assert named(path)[1] == {None}


def test_a_file_of_another_table_names_nothing(tmp_path: Path) -> None:
    """The same table's name, other spaces and roots."""
    shutil.copy(FOLDER / "ranged#p#pa#sp#pasp0.ibd.xz", tmp_path / "gone#p#p1.ibd.xz")
    path = Path(shutil.copy(FOLDER / "gone#p#p2.ibd.xz", tmp_path))
    assert named(path)[1] == {None}


def test_index_ids_alone_are_not_enough(tmp_path: Path) -> None:
    """A holder whose partitions have these index ids in another space is of another time."""
    old, new = (14).to_bytes(4, "big"), (99).to_bytes(4, "big")
    data = bytearray(_unpacked("gone#p#p2"))
    for at in range(0, len(data), 16384):
        for field in (34, 74, 84):  # FIL header, and the segments of a root
            if data[at + field : at + field + 4] == old:
                data[at + field : at + field + 4] = new
    data[38:42] = new
    shutil.copy(FOLDER / "gone#p#p1.ibd.xz", tmp_path)
    path = tmp_path / "gone#p#p2.ibd"
    path.write_bytes(data)
    assert named(path)[1] == {None}


def _unpacked(name: str) -> bytes:
    return lzma.decompress((FOLDER / f"{name}.ibd.xz").read_bytes())
