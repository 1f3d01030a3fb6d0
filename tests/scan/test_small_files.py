"""What makes small files cheap changes no answer: remembered structures, quick readers, files read at once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from ibdscan.layout.bridge import reader_of
from ibdscan.layout.catalogue import catalogue
from ibdscan.layout.geometry import Geometry
from ibdscan.measures.file.survey import open_survey
from ibdscan.pages.page import columns as columns_module
from ibdscan.pages.source import file as source_module
from ibdscan.structures.space import bookkeeping as management
from ibdscan.views.data.survey import survey_data

ENTRIES = catalogue(Geometry(16384, 16384))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_reader_is_construct(entry: object) -> None:
    layout = entry.layout  # type: ignore[attr-defined]
    random = np.random.default_rng(5)
    for _ in range(5):
        data = random.bytes(layout.sizeof() + 7)
        assert _plain(reader_of(layout)(data, 7)) == _plain(layout.parse(data[7:]))


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items() if not k.startswith("_")}
    return [_plain(v) for v in value] if isinstance(value, list) else value


def test_reader_gives_fields_as_attributes() -> None:
    record = reader_of(next(e.layout for e in ENTRIES if e.name == "list_base"))(bytes(16), 0)
    assert record.first.page_no == record["first"]["page_no"] == 0
    with pytest.raises(AttributeError, match="no_such"):
        _ = record.no_such


def data_of(path: Path) -> str:
    survey = open_survey(str(path))
    try:
        return json.dumps(survey_data(survey))
    finally:
        survey.close()


def small_files(datadirs: Path) -> list[Path]:
    return [p for p in sorted(datadirs.rglob("*.ibd")) if p.stat().st_size <= 1 << 20]


def test_a_remembered_answer_is_the_answer(datadirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_files(datadirs)
    assert len(paths) >= 6
    management._seen.clear()
    first = {p: data_of(p) for p in paths}
    assert management._seen  # small files are remembered
    again = {p: data_of(p) for p in reversed(paths)}
    monkeypatch.setattr(management, "_key", lambda *_: None)
    assert first == again == {p: data_of(p) for p in paths}


def patched(path: Path, target: Path, offset: int, data: bytes) -> Path:
    body = bytearray(path.read_bytes())
    body[offset : offset + len(data)] = data
    target.write_bytes(body)
    return target


@pytest.mark.parametrize(
    ("page", "offset", "data", "finding"),
    [
        (0, 150 + 24, b"\xff", "segment-count"),  # the first pages marked free
        (2, 50 + 12, (9999).to_bytes(4, "big"), "list-length"),
        (2, 50 + 60, b"\0\0\0\1", "inode-magic"),
        (3, 4, (77).to_bytes(4, "big"), "page-number"),
        (3, 34, (77).to_bytes(4, "big"), "space-id"),
    ],
)
def test_damage_is_found_after_a_sound_twin(
    datadirs: Path, tmp_path: Path, page: int, offset: int, data: bytes, finding: str
) -> None:
    """The sound file is remembered first; one byte that matters makes another key."""
    path = datadirs / "mariadb1011" / "shop" / "empty.ibd"
    assert json.loads(data_of(path))["findings"] == []
    broken = patched(path, tmp_path / "broken.ibd", page * 16384 + offset, data)
    for _ in range(2):  # and is found again: what was wrong is not remembered as sound
        assert finding in {f["kind"] for f in json.loads(data_of(broken))["findings"]}
    assert json.loads(data_of(path))["findings"] == []


def test_remembered_arrays_can_not_be_changed(datadirs: Path) -> None:
    path = datadirs / "mariadb1011" / "shop" / "empty.ibd"
    data_of(path)
    survey = open_survey(str(path))
    for array in (survey.extents.used, survey.state, survey.page_class):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    survey.close()


def test_memory_of_the_remembered_is_bounded(datadirs: Path, tmp_path: Path) -> None:
    path = datadirs / "mariadb1011" / "shop" / "empty.ibd"
    for i in range(management._KEPT + 20):
        data_of(patched(path, tmp_path / "t.ibd", 38 + 20, i.to_bytes(4, "big")))  # FSP_FRAG_N_USED
    assert len(management._seen) <= management._KEPT


def test_few_pages_are_read_as_many_are(datadirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = small_files(datadirs)
    few = {p: data_of(p) for p in paths}
    monkeypatch.setattr(columns_module, "_FEW_PAGES", 0)
    monkeypatch.setattr(source_module, "SMALL_BYTES", 0)
    assert few == {p: data_of(p) for p in paths}


def test_a_checksum_that_looks_like_gzip(datadirs: Path, tmp_path: Path) -> None:
    """One of 65,536 files begins with the two bytes of a gzip file: found among 100,000 cloned tables."""
    path = datadirs / "mysql97" / "shop" / "empty.ibd"
    odd = patched(path, tmp_path / "odd.ibd", 0, b"\x1f\x8b\x08\x00")
    expected, found = json.loads(data_of(path)), json.loads(data_of(odd))
    assert found["space_id"] == expected["space_id"]
    assert found["findings"] == []
    assert found["allocated_bytes"] is not None


def test_a_gzip_copy_without_a_time_is_still_one(datadirs: Path, tmp_path: Path) -> None:
    path = datadirs / "mysql97" / "shop" / "empty.ibd"
    packed = tmp_path / "empty.ibd.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    assert json.loads(data_of(packed))["space_id"] == json.loads(data_of(path))["space_id"]
