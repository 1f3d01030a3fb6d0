"""The vectorised record walk against the page headers, a walk record by record, and COUNT(*)."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import ibdscan
from ibdscan.measures.detail.records import measure_records
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.pages.decode.keyring import read_keyring
from ibdscan.structures.finding import Findings
from ibdscan.structures.rows.records import walk_records
from ibdscan.testing import IndexSpec, build_space
from tests.corpus import corpus_files, load_oracle, require_corpus
from tests.files import every_fixture, surveyed
from tests.formats.keys import key_file
from tests.formats.real import bytes_of, facts, open_real
from tests.oracle.records import Uncounted, count_uncounted


@every_fixture
def test_walk_is_the_page_headers(path: Path) -> None:
    with surveyed(path) as survey:
        levels, findings = measure_records(survey, survey.indexes)
    assert not findings
    assert levels
    for found in levels:
        level = next(lv for lv in found.index.levels if lv.level == found.level)
        assert (found.pages, found.records) == (level.pages, level.records)


@every_fixture
def test_walk_is_the_slow_walk(path: Path) -> None:
    with surveyed(path) as survey:
        for index in survey.indexes:
            if not index.has_leaf:
                continue
            slow = Uncounted()
            for page_no in index.leaf.page_nos.tolist():
                count_uncounted(survey.space.read_page(page_no), slow)
            walk = walk_records(survey.space, survey.columns, index.leaf.page_nos, Findings())
            assert (walk.delete_marked.sum(), walk.min_rec.sum()) == (slow.delete_marked, slow.metadata)


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria105", "maria1011", "maria118"])
def test_rows_are_count_star(engine: str) -> None:
    """On each file of the corpus, encrypted ones by their keys. COUNT(*) leaves out what system-versioned tables
    keep of their history."""
    compared = marked = encrypted = 0
    for file in corpus_files(require_corpus()):
        if file.engine != engine:
            continue
        oracle = load_oracle(file)
        keys = key_file(file.path)
        try:
            survey = open_survey(str(file.path), keyring=None if keys is None else read_keyring(keys))
        except ibdscan.IbdError:
            continue
        with survey_closed(survey):
            for table in oracle.tables:
                clustered = [
                    i for i in survey.indexes if table.clustered and i.index_id == table.clustered.index_id
                ]
                if not clustered or table.row_count is None or "SYSTEM VERSIONING" in table.create_table:
                    continue
                levels, findings = measure_records(survey, clustered)
                leaf = levels[-1]
                assert not findings, file.id
                assert leaf.rows == table.row_count, file.id
                encrypted += survey.columns.forms.encrypted_pages > 0
                compared += 1
                marked += leaf.delete_marked
    assert compared > 90
    assert encrypted >= 5
    assert marked >= (5000 if engine != "maria105" else 0)


class survey_closed:  # noqa: N801 - a context manager
    def __init__(self, survey: Survey) -> None:
        self.survey = survey

    def __enter__(self) -> Survey:
        return self.survey

    def __exit__(self, *_: object) -> None:
        self.survey.close()


@pytest.fixture
def built(tmp_path: Path) -> Path:
    return build_space([IndexSpec("PRIMARY", leaves=20)], page_size=4096).write(tmp_path / "t.ibd")


def patched(path: Path, page_no: int, offset: int, value: bytes) -> Survey:
    with open(path, "r+b") as f:
        f.seek(page_no * 4096 + offset)
        f.write(value)
    return open_survey(str(path))


def first_record(survey: Survey, page_no: int) -> int:
    body = survey.space.read_page(page_no)
    return 99 + int.from_bytes(body[97:99], "big")


@pytest.mark.parametrize(
    ("target", "kind"), [(50, "record-pointer"), (0, "record-loop"), (4000, "record-pointer")]
)
def test_wild_pointer_is_a_finding(built: Path, target: int, kind: str) -> None:
    with surveyed(built) as survey:
        page = int(survey.index("PRIMARY").leaf.chain[3])
        origin = first_record(survey, page)
        second = origin + int.from_bytes(survey.space.read_page(page)[origin - 2 : origin], "big")
    to = target if target else origin
    survey = patched(built, page, second - 2, ((to - second) & 0xFFFF).to_bytes(2, "big"))
    with survey_closed(survey):
        _, findings = measure_records(survey, [survey.index("PRIMARY")])
    assert [(f.kind, f.page_no) for f in findings] == [(kind, page)]


def test_skipped_record_is_a_finding(built: Path) -> None:
    with surveyed(built) as survey:
        page = int(survey.index("PRIMARY").leaf.chain[3])
        body = survey.space.read_page(page)
        origin = first_record(survey, page)
        second = origin + int.from_bytes(body[origin - 2 : origin], "big")
        third = second + int.from_bytes(body[second - 2 : second], "big")
    survey = patched(built, page, origin - 2, (third - origin).to_bytes(2, "big"))
    with survey_closed(survey):
        levels, findings = measure_records(survey, [survey.index("PRIMARY")])
        n = survey.index("PRIMARY").leaf.records
    assert [f.kind for f in findings] == ["record-count"]
    assert levels[-1].records == n - 1


def test_delete_mark_counts(built: Path) -> None:
    with surveyed(built) as survey:
        page = int(survey.index("PRIMARY").leaf.chain[3])
        origin = first_record(survey, page)
        info = survey.space.read_page(page)[origin - 5]
    survey = patched(built, page, origin - 5, bytes([info | 0x20]))
    with survey_closed(survey):
        levels, _ = measure_records(survey, [survey.index("PRIMARY")])
        leaf = levels[-1]
        n = survey.index("PRIMARY").leaf.records
    assert (leaf.delete_marked, leaf.rows) == (1, n - 1)
    assert leaf.delete_marked_share == 1 / n
    assert 50 < leaf.delete_marked_bytes < 200


def test_node_pointers_have_no_delete_marks(built: Path) -> None:
    """The server copies the mark of the record it points to, once, and never takes it off."""
    with surveyed(built) as survey:
        (root,) = survey.index("PRIMARY").levels[0].page_nos.tolist()
        origin = first_record(survey, root)
        second = origin + int.from_bytes(survey.space.read_page(root)[origin - 2 : origin], "big")
        info = survey.space.read_page(root)[second - 5]
    survey = patched(built, root, second - 5, bytes([info | 0x20]))
    with survey_closed(survey):
        levels, findings = measure_records(survey, [survey.index("PRIMARY")])
    assert not findings
    root_level = levels[0]
    assert (root_level.level, root_level.records) == (1, 20)
    assert (root_level.delete_marked, root_level.delete_marked_bytes) == (0, 0)


@pytest.mark.parametrize("name", [n for n in facts() if facts()[n]["table"]])
def test_rows_of_each_format(name: str) -> None:
    """Encrypted and page-compressed files of both servers: all bodies in clear, the server's COUNT(*)."""
    with open_real(name) as space:
        levels, findings = measure_records(space, space.user_indexes)
    assert not findings
    rows = [v for v in levels if v.index.clustered and v.level == 0]
    assert [v.rows for v in rows] == [facts()[name]["rows"]]


def test_a_body_that_can_not_be_read_is_a_finding(tmp_path: Path) -> None:
    """A page-compressed leaf damaged beyond what its header columns need."""
    name = "mysql97_page_compressed.ibd"
    body = bytearray(bytes_of(name))
    with open_real(name) as space:
        leaf = space.index("PRIMARY").leaf
    at = int(leaf.page_nos[2]) * 16384
    end = at + 38 + int.from_bytes(body[at + 32 : at + 34], "big")
    body[end - 40 : end] = bytes(40)
    path = tmp_path / "t.ibd"
    path.write_bytes(body)
    with surveyed(path) as survey:
        levels, findings = measure_records(survey, [survey.index("PRIMARY")])
    assert [(f.kind, f.page_no) for f in findings] == [("damaged-image", leaf.page_nos[2])]
    assert (levels[-1].pages, leaf.pages) == (len(leaf.page_nos) - 1, len(leaf.page_nos))


def test_chunks_do_not_matter(built: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    copy = shutil.copy(built, tmp_path / "c.ibd")
    with surveyed(Path(copy)) as survey:
        pages = survey.index("PRIMARY").leaf.page_nos
        whole = walk_records(survey.space, survey.columns, pages, Findings())
        monkeypatch.setattr("ibdscan.pages.page.bodies.CHUNK_BYTES", 3 * 4096)
        parts = walk_records(survey.space, survey.columns, pages, Findings())
    assert np.array_equal(whole.records, parts.records)
    assert len(whole.records) == 20
