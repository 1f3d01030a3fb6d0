"""Every checksum a page may have: on fixtures given new ones, and on the real files of the corpus."""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ibdscan.errors import NotATablespaceError
from ibdscan.measures.verify import verify_file
from ibdscan.pages.format import checksums as c
from tests.corpus import corpus_root, require_corpus
from tests.files import every_fixture
from tests.formats.keys import key_file
from tests.verify.faults import MYSQL, Patient


def crc32(page: bytearray) -> None:
    page[:4] = page[-8:-4] = c.classic_crc32_of(page).to_bytes(4, "big")


def innodb(page: bytearray) -> None:
    new = c.fold(page[4:26]) + c.fold(page[38:-8]) & 0xFFFFFFFF
    page[:4] = new.to_bytes(4, "big")
    page[-8:-4] = c.fold(page[:26]).to_bytes(4, "big")


def none(page: bytearray) -> None:
    page[:4] = page[-8:-4] = c.NO_CHECKSUM.to_bytes(4, "big")


def legacy(page: bytearray) -> None:
    page[:4] = page[-8:-4] = c.legacy_crc32_of(page).to_bytes(4, "big")


STAMPS: dict[str, Callable[[bytearray], None]] = {
    "crc32": crc32,
    "innodb": innodb,
    "none": none,
    "crc32 (big-endian build)": legacy,
}


def restamp(patient: Patient, stamps: list[str]) -> None:
    for page_no in range(patient.survey.n_pages):
        page = bytearray(patient.page(page_no))
        if any(page):
            STAMPS[stamps[page_no % len(stamps)]](page)
            patient.put(page_no, page)


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(MYSQL.replace("import_multi", "compact"), tmp_path)


@pytest.mark.parametrize("name", STAMPS)
def test_one_algorithm(patient: Patient, name: str) -> None:
    restamp(patient, [name])
    found = patient.verify()
    assert found.ok
    assert set(found.checksums) == {name, "never_written"}


def test_many_pages_of_innodb_take_the_path_of_rows(tmp_path: Path) -> None:
    patient = Patient(MYSQL, tmp_path)
    restamp(patient, ["innodb"])
    assert patient.verify().ok
    patient.flip(7, 9000, 1)
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no) == ("bad-checksum", 7)


def test_mixed_algorithms_are_legal_unless_strict(patient: Patient) -> None:
    restamp(patient, list(STAMPS))
    assert patient.verify().ok
    strict = patient.verify(strict="crc32").findings
    written = [p for p in range(patient.survey.n_pages) if any(patient.page(p))]
    assert [f.page_no for f in strict] == [p for p in written if p % 4]
    assert {f.kind for f in strict} == {"other-algorithm"}


@pytest.mark.parametrize("name", ["crc32", "innodb", "crc32 (big-endian build)"])
def test_a_bit_of_any_algorithm(patient: Patient, name: str) -> None:
    restamp(patient, [name])
    for page, offset in ((3, 38), (4, 200), (5, patient.size - 9), (4, 4), (4, 25)):
        patient.flip(page, offset, 5)
        assert page in {f.page_no for f in patient.verify().findings}, (page, offset)
        patient.flip(page, offset, 5)


def test_the_lsn_in_place_of_the_old_checksum() -> None:
    """Before 4.0.14: the first field held the space id, 0, the second the high word of the LSN."""
    page = np.zeros((1, 16384), np.uint8)
    page[0, 16:20] = page[0, -8:-4] = (0, 0, 0, 9)
    page[0, 100] = 1
    zero = np.zeros(1, np.uint32)
    assert [int(a[0]) for a in c.classic_algorithms(page, zero)] == [c.INNODB, c.INNODB]
    page[0, 37] = 5  # another space: there was none then
    assert [int(a[0]) for a in c.classic_algorithms(page, zero)] == [c.WRONG, c.WRONG]


def test_an_all_zero_page_with_one_bit_is_not_never_written(patient: Patient) -> None:
    zero = next(p for p in range(patient.survey.n_pages) if not any(patient.page(p)))
    patient.flip(zero, 12_345, 2)
    assert zero in {f.page_no for f in patient.verify().findings}


@every_fixture
def test_fixtures_are_whole(path: Path) -> None:
    found = verify_file(str(path))
    assert found.findings == []
    assert sum(found.checksums.values()) == found.pages


def healthy() -> list[Path]:
    root = corpus_root()
    if root is None:
        return []
    suffixes = (".ibd", ".ibt", "ibdata1", "undo_001", "undo_002", "undo001", "undo002", "undo003", "ibtmp1")
    files = (p for p in root.rglob("*") if p.is_file())
    names = (p for p in files if p.name.removesuffix(".xz").endswith(suffixes))
    return sorted(p for p in names if "/live/" not in str(p) or "/recovered/" in str(p))


def innochecksum_of(path: Path) -> int | None:
    """The exit code of the server's own innochecksum; None where it was not asked."""
    plain = str(path).removesuffix(".xz")
    for oracle in (Path(plain + ".oracle.json"), Path(plain + ".oracle.json.xz")):
        if oracle.exists():
            raw = oracle.read_bytes()
            said: dict[str, Any] = json.loads(lzma.decompress(raw) if oracle.suffix == ".xz" else raw)
            code: int | None = ((said.get("innochecksum") or {}).get("verify") or {}).get("rc")
            return code
    return None


@pytest.mark.corpus
def test_no_false_finding_on_a_healthy_file_of_the_corpus() -> None:
    """Also where innochecksum is wrong: MySQL's fails encrypted files, MariaDB's its own doublewrite area."""
    require_corpus()
    files = healthy()
    assert len(files) > 1000
    wrong = {str(p): verify_file(str(p)).findings[:3] for p in files}
    assert {p: f for p, f in wrong.items() if f} == {}
    failed = [p for p in files if innochecksum_of(p) == 1]
    assert all("/enc/" in str(p) or p.name.startswith("ibdata1") for p in failed)


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria105", "maria1011", "maria118"])
def test_encrypted_files_with_their_keys_are_checked_in_full(engine: str) -> None:
    pytest.importorskip("cryptography")
    from ibdscan.pages.decode.keyring import read_keyring

    folder = require_corpus() / engine / "enc"
    keys = key_file(folder / "any.ibd")
    assert keys is not None
    keyring = read_keyring(keys)
    files = [p for p in healthy() if folder in p.parents]
    assert len(files) > 5
    for path in files:
        found = verify_file(str(path), keyring=keyring)
        assert (found.findings, found.unchecked) == ([], None), path
        assert "key_needed" not in found.checksums


def test_a_text_file_is_no_tablespace(tmp_path: Path) -> None:
    path = tmp_path / "t.ibd"
    path.write_bytes(b"no tablespace at all\n" * 5000)
    with pytest.raises(NotATablespaceError):
        verify_file(str(path))
