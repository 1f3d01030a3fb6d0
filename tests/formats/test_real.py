"""Small real files of each format against what their server says: records and data size of every page."""

from __future__ import annotations

import pytest

from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageState

from .real import KEYS, facts, header_of_page, open_real, path_of

WITH_TABLE = [name for name in facts() if facts()[name]["table"]]


@pytest.mark.parametrize("name", list(facts()))
def test_each_index_page_has_the_servers_records_and_data_size(name: str) -> None:
    with open_real(name) as space:
        said = {int(page): row for page, row in facts()[name]["pages"].items()}
        assert {page: header_of_page(space, page) for page in said} == said
        assert space.findings == []


@pytest.mark.parametrize("name", WITH_TABLE)
def test_the_leaves_hold_all_rows(name: str) -> None:
    with open_real(name) as space:
        clustered = next(i for i in space.user_indexes if i.clustered)
        assert clustered.leaf.records == facts()[name]["rows"]
        if space.space.family == "mysql":
            assert clustered.table == facts()[name]["table"]
            assert space.space.server_version == facts()[name]["server_version"].partition("-")[0]


@pytest.mark.parametrize("name", list(facts()))
def test_pages_are_in_one_class_and_one_state(name: str) -> None:
    with open_real(name, keys=False) as space:
        assert sum(space.page_classes.values()) == space.n_pages
        assert sum(space.page_states.values()) == space.n_pages


@pytest.mark.parametrize(
    ("name", "algorithm", "pages"),
    [
        ("mysql97_page_compressed.ibd", "zlib", 37),
        ("mariadb1011_page_compressed.ibd", "zlib", 36),
        ("mariadb1011_page_compressed_classic.ibd", "zlib", 36),
    ],
)
def test_page_compression_is_counted(name: str, algorithm: str, pages: int) -> None:
    with open_real(name) as space:
        storage = space.storage
        assert (storage.compression, storage.compressed_pages) == (algorithm, pages)
        assert storage.compression_ratio is not None
        assert 0.02 < storage.compression_ratio < 0.2
        data = space.to_dict()
        assert data["compressed_bytes"] == storage.compressed_bytes
        assert data["compression"] == algorithm


@pytest.mark.parametrize("name", list(KEYS))
def test_without_its_key_an_encrypted_file_shows_what_is_in_clear(name: str) -> None:
    with open_real(name, keys=False) as space:
        assert space.indexes == []
        assert space.findings == []
        assert space.storage.encrypted
        assert space.page_classes["unread"] >= 1
        assert "key needed" in space.storage.notes[0]
        live = space.state == PageState.LIVE
        assert (space.columns.lsn[live] > 0).all()
        assert space.to_dict()["unread_pages"] == space.storage.unread_pages > 0


@pytest.mark.parametrize("name", list(KEYS))
def test_with_its_key_nothing_is_unread(name: str) -> None:
    with open_real(name) as space:
        assert space.storage.unread_pages == 0
        assert space.storage.notes == ()
        assert [i.leaf.pages for i in space.user_indexes] == [1]


def test_doublewrite_and_rollback_pages_of_a_system_tablespace_are_told_apart() -> None:
    with open_real("mariadb1011_ibdata1") as space:
        classes = space.page_classes
        assert classes["doublewrite"] == 160
        assert classes["dictionary"] == 1
        assert classes["change_buffer"] == 2
        assert classes["rollback"] > 100
        assert classes["other"] == 0


def test_a_temporary_tablespace_has_no_findings() -> None:
    with open_real("mysql97_temp.ibt") as space:
        assert space.findings == []
        assert space.space.is_temporary


def test_fill_of_a_compressed_table_is_of_the_uncompressed_image() -> None:
    with open_real("mysql97_zip8.ibd") as space:
        assert (space.page_size, space.space.geometry.logical) == (8192, 16384)
        assert space.to_dict()["fill_of"] == "uncompressed image"
        assert space.index("PRIMARY").leaf.fill == pytest.approx(
            space.index("PRIMARY").leaf.data_bytes / (16252 * space.index("PRIMARY").leaf.pages)
        )
        assert space.index("PRIMARY").rebuild is None


def first_line(survey: Survey) -> str:
    from ibdscan.views.table.tables import Style
    from ibdscan.views.text.head import head_lines

    return head_lines(survey, Style())[1]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mysql97_zip8.ibd", "MySQL 9.7.4, 8 KiB pages, compressed rows"),
        ("mariadb1011_page_compressed.ibd", "MariaDB 10.4.3 or later, 16 KiB pages"),
        ("mariadb1011_page_compressed_classic.ibd", "MariaDB 10.1.21 or later, 16 KiB pages"),
        ("mariadb1011_encrypted_classic.ibd", "MariaDB (classic format), 16 KiB pages"),
    ],
)
def test_the_first_line_names_family_and_version(name: str, words: str) -> None:
    with open_real(name, keys=False) as space:
        assert first_line(space).startswith(words)


def test_all_fixtures_are_small() -> None:
    assert sum(path_of(name).stat().st_size for name in facts()) < 400_000
