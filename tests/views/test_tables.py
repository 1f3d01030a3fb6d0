"""Units, tables and CSV with made-up data."""

from __future__ import annotations

import pytest

from ibdscan.views.table.tables import Column, Table, csv_text, histogram_text, printable, table_text
from ibdscan.views.table.units import bytes_text, count_text, number_text, ratio_text, value_text


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (16384, "16.0 KiB"),
        (1567424512, "1.46 GiB"),
        (1 << 50, "1,024 TiB"),
    ],
)
def test_bytes(n: int, text: str) -> None:
    assert bytes_text(n) == text


def test_signs_and_unknowns() -> None:
    assert (bytes_text(None), ratio_text(None), count_text(None), number_text(None)) == ("-",) * 4
    assert bytes_text(-2048, sign=True) == "-2.00 KiB"
    assert bytes_text(2048, sign=True) == "+2.00 KiB"
    assert ratio_text(0.0004, sign=True) == "0"
    assert ratio_text(-0.2, sign=True) == "-20.0 pp"
    assert (count_text(1234567), count_text(-5, sign=True), count_text(5, sign=True)) == ("1,234,567", "-5", "+5")
    assert (number_text(3.25, sign=True), number_text(0.01, sign=True)) == ("+3.2", "0")
    assert [value_text(0.5, "ratio"), value_text(7, "pages"), value_text(2.5, "number")] == ["50.0 %", "7", "2.5"]


def test_table_aligns_wide_characters() -> None:
    table = Table([Column("name", "name"), Column("n", "n", "count")])
    table.add("テーブル", 1)
    table.add("t", 1000)
    lines = table_text(table).splitlines()
    assert lines[2:] == ["テーブル      1", "t         1,000"]


def test_table_does_not_fold_numbers_on_a_narrow_terminal() -> None:
    table = Table([Column("name", "name"), *(Column(str(i), f"column {i}", "count") for i in range(9))])
    table.add("x" * 30, *range(10**9, 10**9 + 9))
    text = table_text(table, width=60)
    assert all(f"1,000,000,00{i}" in text for i in range(9))


def test_names_can_not_drive_a_terminal() -> None:
    assert printable("a\x1b[31mb\nc") == "a\\x1b[31mb\\nc"
    table = Table([Column("name", "name")])
    table.add("evil\x1b[2J")
    assert "\x1b" not in table_text(table)
    table.add("[bold]not markup[/bold]")
    assert "[bold]not markup[/bold]" in table_text(table)


def test_colour_only_when_asked() -> None:
    table = Table([Column("name", "name")])
    table.add("x")
    assert "\x1b[" in table_text(table, color=True)
    assert "\x1b[" not in table_text(table)


def test_csv_keeps_raw_values_and_unknowns_empty() -> None:
    table = Table([Column("a", "A"), Column("b", "B", "ratio")])
    table.add('say "hi", you', 0.123456789012)
    table.add(None, None)
    assert csv_text([table]) == 'a,b\n"say ""hi"", you",0.123456789012\n,\n'


def test_row_of_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="1 values for 2 columns"):
        Table([Column("a", "a"), Column("b", "b")]).add(1)


def test_histogram_bars_are_in_proportion() -> None:
    lines = histogram_text([1] + [0] * 8 + [4], width=8)
    assert lines[0] == "90-100 % ████████ 4"
    assert lines[-1] == "  0-10 % ██ 1"
    assert lines[1] == " 80-90 % 0"
    assert histogram_text([0] * 10)[0] == "90-100 % 0"
