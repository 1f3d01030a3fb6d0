from __future__ import annotations

from ibdscan.layout.numbers import PageType, type_name


def test_types_have_the_servers_names() -> None:
    assert type_name(17855) == "INDEX"
    assert type_name(24) == "LOB_FIRST"
    assert all(type_name(t.value) == t.name for t in PageType)


def test_eighteen_is_read_by_family() -> None:
    assert type_name(18, "mysql") == "SDI_BLOB"
    assert type_name(18, "mariadb") == "INSTANT"


def test_unknown_stays_unknown() -> None:
    assert type_name(77) == "UNKNOWN(77)"


def test_compressed_pages_of_full_crc32() -> None:
    assert type_name(0x8004, "mariadb", full_crc32=True) == "PAGE_COMPRESSED"
    assert type_name(0x8004, "mariadb") == "UNKNOWN(32772)"
