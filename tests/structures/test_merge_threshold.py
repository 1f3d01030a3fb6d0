"""MERGE_THRESHOLD from comments, with the values that MySQL 9.7 and MariaDB 10.11 gave (INNODB_INDEXES)."""

from __future__ import annotations

from typing import Any

import pytest

from ibdscan.structures.definition.sdi import index_names, parse_merge_threshold
from tests.made_sdi import sdi_object

MERGE_COMMENTS = [
    ("MERGE_THRESHOLD=45", 45),
    ("foo, MERGE_THRESHOLD=45", 45),
    (" MERGE_THRESHOLD=7", 7),
    ("MERGE_THRESHOLD= 8", 8),
    ("MERGE_THRESHOLD=\t11", 11),
    ("MERGE_THRESHOLD=\u00a015", 50),
    ("MERGE_THRESHOLD=+9", 9),
    ("MERGE_THRESHOLD=-9", 50),
    ("MERGE_THRESHOLD=- 5", 50),
    ("MERGE_THRESHOLD=0", 50),
    ("MERGE_THRESHOLD=50", 50),
    ("MERGE_THRESHOLD=51", 50),
    ("MERGE_THRESHOLD=", 50),
    ("MERGE_THRESHOLD=x", 50),
    ("MERGE_THRESHOLD=\u0663", 50),
    ("MERGE_THRESHOLD=012", 12),
    ("MERGE_THRESHOLD=12a", 12),
    ("merge_threshold=12", 50),
    ("MERGE_THRESHOLD =12", 50),
    ("MERGE_THRESHOLD=x MERGE_THRESHOLD=20", 50),
    ("MERGE_THRESHOLD=20 MERGE_THRESHOLD=30", 20),
    ("MERGE_THRESHOLD=4294967306", 10),
    ("MERGE_THRESHOLD=9223372036854775817", 50),
    ("MERGE_THRESHOLD=18446744073709551626", 50),
    ("nothing", 50),
    ("", 50),
]


@pytest.mark.parametrize(("comment", "value"), MERGE_COMMENTS)
def test_a_comment_is_read_as_the_server_reads_it(comment: str, value: int) -> None:
    assert parse_merge_threshold(comment) == value


@pytest.mark.parametrize(
    ("comment", "value"), [("", 33), ("MERGE_THRESHOLD=21", 21), ("no number", 50), ("MERGE_THRESHOLD=0", 50)]
)
def test_only_an_index_without_a_comment_has_the_tables(comment: str, value: int) -> None:
    index = {"name": "k", "type": 3, "comment": comment, "se_private_data": "id=7;"}
    part = {"name": "p0", "indexes": [{"index_opx": 0, "se_private_data": "id=8;"}]}
    table: dict[str, Any] = {"comment": "MERGE_THRESHOLD=33", "indexes": [index], "partitions": [part]}
    names, _ = index_names([sdi_object(1, 1, {"dd_object": table})])
    assert {i: name.merge_threshold for i, name in names.items()} == {7: value, 8: value}
