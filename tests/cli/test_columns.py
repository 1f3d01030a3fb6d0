"""Columns are declared once: what ``--help`` and the header line of CSV say of them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from ibdscan.cli import main
from ibdscan.views.table.declared import COLUMNS

FILE = "fixtures/mysql97/half_deleted.ibd.xz"


@pytest.mark.parametrize("command", COLUMNS)
def test_csv_has_the_declared_columns(command: str) -> None:
    printed = CliRunner().invoke(main, [command, FILE, "--format", "csv"]).output
    assert printed.splitlines()[0].split(",") == [c.key for c in COLUMNS[command]]


@pytest.mark.parametrize("command", COLUMNS)
def test_help_tells_what_each_column_means(command: str) -> None:
    assert all(c.meaning for c in COLUMNS[command])
    words = " ".join(CliRunner().invoke(main, [command, "--help"]).output.split())
    for column in COLUMNS[command]:
        assert f"{column.key} {column.meaning}" in words


def test_commands_without_a_table_have_no_columns_in_their_help() -> None:
    assert "Columns" not in CliRunner().invoke(main, ["sdi", "--help"]).output
