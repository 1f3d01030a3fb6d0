"""Off-page data: bytes known from how the tables were made, chains, damage."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.measures.detail.lobs import Lobs, measure_lobs
from ibdscan.measures.file.survey import open_survey
from tests.corpus import find_file, require_corpus
from tests.files import FIXTURES, fixture_bytes, surveyed


def lobs_of(path: Path) -> Lobs:
    with surveyed(path) as survey:
        found, findings = measure_lobs(survey, survey.user_indexes[0])
        assert not findings
        assert found is not None
        assert found.pages == survey.user_indexes[0].off_page_pages
        return found


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria105", "maria1011", "maria118"])
def test_known_values(engine: str) -> None:
    """lob_only: 100 values of 50,000 bytes, each in pages side by side."""
    found = lobs_of(find_file(require_corpus(), engine, "main", "lob_only").path)
    assert (found.values, found.data_bytes, found.pages, found.unknown_pages) == (100, 5_000_000, 400, 0)
    assert (found.links, found.contiguous, found.backward) == (300, 1.0, 0.0)
    assert found.slack_bytes == found.last_page_slack_bytes > 0
    assert found.fill == found.data_bytes / (found.data_bytes + found.slack_bytes)


@pytest.mark.corpus
def test_updated_values_are_out_of_order() -> None:
    found = lobs_of(find_file(require_corpus(), "mysql97", "main", "lob_upd").path)
    assert found.backward_links > 0
    assert found.contiguous is not None
    assert found.contiguous < 1


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
def test_fixture(family: str) -> None:
    found = lobs_of(FIXTURES / family / "lob.ibd.xz")
    assert found.values >= 5
    assert found.values + found.links + found.index_pages == found.pages
    assert (found.index_pages > 0) == (family == "mysql97" and found.index_pages > 0)
    assert 0 < found.data_bytes < found.pages * 16384


def damaged(tmp_path: Path, family: str, page_type: int, offset: int, value: int) -> list[str]:
    body = bytearray(fixture_bytes(f"{family}/lob"))
    page = next(
        at for at in range(0, len(body), 16384) if int.from_bytes(body[at + 24 : at + 26], "big") == page_type
    )
    body[page + offset : page + offset + 4] = value.to_bytes(4, "big")
    path = tmp_path / "t.ibd"
    path.write_bytes(body)
    survey = open_survey(str(path))
    try:
        _, findings = measure_lobs(survey, survey.user_indexes[0])
    finally:
        survey.close()
    return [f.kind for f in findings]


def test_wild_link_is_a_finding(tmp_path: Path) -> None:
    assert "lob-link" in damaged(tmp_path, "mariadb1011", 10, 42, 5_000_000)


def test_impossible_length_is_a_finding(tmp_path: Path) -> None:
    assert "lob-length" in damaged(tmp_path, "mariadb1011", 10, 38, 17_000)
    assert "lob-length" in damaged(tmp_path, "mysql97", 24, 54, 60_000)


def test_wild_index_is_a_finding(tmp_path: Path) -> None:
    assert "lob-index" in damaged(tmp_path, "mysql97", 24, 64 + 4, 5_000_000)
