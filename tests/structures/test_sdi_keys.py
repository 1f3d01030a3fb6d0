"""Columns and keys as the SDI describes them; objects as MySQL 9.7 writes them, cut to what counts."""

from __future__ import annotations

from typing import Any

import pytest

from ibdscan.structures.definition.sdi import SdiObject
from ibdscan.structures.definition.sdi_keys import column_type, sdi_key_reader
from ibdscan.structures.rows import key_values as kv
from tests.made_sdi import sdi_object

ENUM = {
    "name": "e",
    "type": 22,
    "is_nullable": True,
    "collation_id": 54,
    "elements": [{"name": "BDY=", "index": 1}],
}


@pytest.mark.parametrize(
    ("column", "found"),
    [
        (ENUM, kv.ColumnType("e", kv.ENUM, True, collation=54, labels=("ж",))),
        ({**ENUM, "elements": [{"name": "x"}]}, kv.ColumnType("e", kv.ENUM, True, collation=54, labels=("?",))),
        ({**ENUM, "collation_id": 999}, kv.ColumnType("e", kv.ENUM, True, collation=999, labels=("0x0436",))),
        (
            {"name": "d", "type": 21, "numeric_precision": 10, "numeric_scale": 2, "char_length": 12},
            kv.ColumnType("d", kv.DECIMAL, False, octets=12, precision=10, scale=2),
        ),
        ({"name": "b", "type": 17, "numeric_precision": 9}, kv.ColumnType("b", kv.BIT, False, 9, precision=9)),
        ({"name": "t", "type": 20, "datetime_precision": 3}, kv.ColumnType("t", kv.TIME, False, scale=3)),
        ({"name": "v", "type": 32}, kv.ColumnType("v", 0, False)),
    ],
)
def test_a_column(column: dict[str, Any], found: kv.ColumnType) -> None:
    assert column_type(column) == found


def _table(**more: Any) -> list[SdiObject]:
    columns = [{"name": n, "type": 4, "is_nullable": n == "k"} for n in ("id", "k")]
    clustered = {"type": 1, "elements": [{"column_opx": 0}, {"column_opx": 1, "hidden": True}]}
    secondary = {"type": 3, "elements": [{"column_opx": 1}, {"column_opx": 0, "hidden": True}]}
    indexes = [{**clustered, "se_private_data": "id=7;root=4;"}, {**secondary, "se_private_data": "id=17;root=5;"}]
    return [
        sdi_object(2, 1, {}),
        sdi_object(1, 1, {"dd_object": {"columns": columns, "indexes": indexes, **more}}),
    ]


def test_keys_of_a_table() -> None:
    first, second = (sdi_key_reader(_table(), n) for n in (7, 17))
    assert first
    assert second
    assert ([c.name for c in first.columns], first.n_nullable) == (["id"], 1)
    assert ([c.name for c in second.columns], second.n_nullable) == (["k", "id"], 1)
    assert sdi_key_reader(_table(), 1) is None


def test_keys_of_partitions_are_the_tables() -> None:
    part = {"indexes": [{"index_opx": 1, "se_private_data": "id=27;"}]}
    sub = {"subpartitions": [{"indexes": [{"index_opx": 0, "se_private_data": "id=28;"}]}]}
    objects = _table(partitions=[part, sub])
    names = [[c.name for c in reader.columns] for n in (27, 28) if (reader := sdi_key_reader(objects, n))]
    assert names == [["k", "id"], ["id"]]


def test_a_table_of_several_row_versions() -> None:
    objects = _table(se_private_data="instant_col=1;")
    reader = sdi_key_reader(objects, 7)
    assert reader
    assert reader.n_nullable is None
