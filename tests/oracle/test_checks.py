"""The comparison itself must be able to fail: an oracle that lies in one place is found out. Needs no corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ibdscan.measures.file.survey import open_survey
from tests import corpus
from tests.corpus import Innochecksum, Oracle
from tests.fixture_files import FOLDER, fixture_bytes, fixture_oracle
from tests.oracle import innochecksum
from tests.oracle.compare import compare
from tests.oracle.records import Uncounted, count_uncounted
from tests.oracle.report import CHECKS, brief
from tests.oracle.verdict import DIFFERENT, EXPLAINED, Comparison

PATH = FOLDER / "mysql97" / "half_deleted.ibd.xz"
Lie = Callable[[Oracle], Oracle]


def _page(oracle: Oracle, *, n: int = 0, size: int = 0, kind: str = "INDEX") -> Oracle:
    page, _, name, n_recs, data_size = oracle.buffer_pages[5]
    row = (page, kind, name, n_recs + n, data_size + size)
    return replace(oracle, buffer_pages=(*oracle.buffer_pages[:5], row, *oracle.buffer_pages[6:]))


def _index(oracle: Oracle, **change: object) -> Oracle:
    (table,) = oracle.tables
    first = replace(table.indexes[0], **change)  # type: ignore[arg-type]
    return replace(oracle, tables=(replace(table, indexes=(first, *table.indexes[1:])),))


def _table(oracle: Oracle, **change: object) -> Oracle:
    return replace(oracle, tables=(replace(oracle.tables[0], **change),))  # type: ignore[arg-type]


def _tool(text: str, *pages: tuple[int, str, str | None]) -> Lie:
    return lambda o: replace(o, innochecksum=Innochecksum(text, pages, has_tree_counts="#pages" in text))


LIES: dict[str, tuple[str, Lie]] = {
    "records": ("records", lambda o: _page(o, n=1)),
    "data size": ("data size", lambda o: _page(o, size=-1)),
    "type of page": ("type of page", lambda o: _page(o, kind="RTREE_INDEX")),
    "one live page more": ("live pages", lambda o: replace(o, visited={k: v | {2} for k, v in o.visited.items()})),
    "one live page fewer": (
        "live pages",
        lambda o: replace(o, visited={k: v - {max(v)} for k, v in o.visited.items()}),
    ),
    "an R-tree": ("live pages", lambda o: replace(o, visited={**o.visited, "?.?": frozenset({9})})),
    "a free page visited": (
        "visited is live",
        lambda o: replace(o, visited={**o.visited, "LOB_DATA": frozenset({600})}),
    ),
    "root": ("root", lambda o: _index(o, root_page_no=7)),
    "an index of another id": ("root", lambda o: _index(o, index_id=1)),
    "index name": ("names", lambda o: _index(o, name="PRIMÄR")),
    "table name": ("names", lambda o: _index(o, table_name="u")),
    "clustered": ("clustered", lambda o: _index(o, type=2)),
    "n_leaf_pages": ("n_leaf_pages", lambda o: _index(o, n_leaf_pages=1)),
    "size": ("size", lambda o: _index(o, size=161)),
    "size of the table": ("size", lambda o: _table(o, clustered_size=160, other_sizes=0)),
    "data_free": ("data_free", lambda o: _table(o, data_free=0)),
    "data_free of the file": ("data_free", lambda o: replace(o, datafile_free=1)),
    "row count": ("row count", lambda o: _table(o, row_count=4999)),
    "SDI": ("SDI", lambda o: replace(o, sdi={(1, 1): {"dd_object": {}}})),
    "header": ("header", lambda o: replace(o, header={**o.header, "free_limit": 64})),
    "version": ("header", lambda o: replace(o, server_version="9.7.5")),
    "family": ("header", lambda o: replace(o, server_version="10.11.1-MariaDB")),
    "file size": ("account", lambda o: replace(o, file_bytes=(o.file_bytes or 0) - 16384)),
    "page types": ("page types", _tool("       1\tIndex page\n")),
    "page details": (
        "page details",
        _tool("", (4, "Index page", "index id=1, page level=0, No. of records=2, garbage=0")),
    ),
    "tree counts": ("tree counts", _tool("index_id\t#pages\n1\t\t2\t\t1\t\t3\t\t4\n\n")),
}


def _compare(oracle: Oracle) -> list[Comparison]:
    survey = open_survey(str(PATH))
    with survey.space.source:
        return compare("f", survey, oracle)


def test_the_truth_has_no_difference() -> None:
    assert [str(c) for c in _compare(fixture_oracle(PATH)) if c.verdict == DIFFERENT] == []


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found_out(lie: str) -> None:
    check, change = LIES[lie]
    different = {c.check for c in _compare(change(fixture_oracle(PATH))) if c.verdict == DIFFERENT}
    assert check in different


def test_every_check_has_a_lie() -> None:
    """But the findings: those need a damaged file, below."""
    assert {check for check, _ in LIES.values()} == set(CHECKS) - {"findings"}


def test_findings_of_a_damaged_file_are_a_difference(tmp_path: Path) -> None:
    data = bytearray(fixture_bytes(PATH))
    page = fixture_oracle(PATH).buffer_pages[5][0]
    data[page * 16384 + 12 : page * 16384 + 16] = (2).to_bytes(4, "big")  # NEXT
    damaged = tmp_path / "t.ibd"
    damaged.write_bytes(data)
    survey = open_survey(str(damaged))
    with survey.space.source:
        found = [c for c in compare("f", survey, fixture_oracle(PATH)) if c.verdict == DIFFERENT]
    assert "findings" in {c.check for c in found}


def test_delete_marks_are_counted_one_by_one() -> None:
    """A mark set by hand explains a count that is one too high, and only that."""
    oracle = fixture_oracle(PATH)
    leaf = max(oracle.visited[oracle.indexes[0].visited_names[0]])
    page = bytearray(fixture_bytes(PATH)[leaf * 16384 : (leaf + 1) * 16384])
    clean = Uncounted()
    count_uncounted(bytes(page), clean)
    assert clean == Uncounted(0, 0)
    first = 99 + int.from_bytes(page[97:99], "big")
    page[first - 5] |= 0x20
    count_uncounted(bytes(page), clean)
    assert clean == Uncounted(delete_marked=1)
    page[first - 2 : first] = (0).to_bytes(2, "big")
    with pytest.raises(ValueError, match="loop"):
        count_uncounted(bytes(page), Uncounted())


def test_small_index_rule_of_mariadb() -> None:
    """n_leaf_pages = 1 is accepted below the sampling threshold, and not above it."""
    path = FOLDER / "mariadb1011" / "import_multi.ibd.xz"
    oracle = fixture_oracle(path)
    (table,) = oracle.tables
    lying = replace(table, indexes=tuple(replace(i, n_leaf_pages=1) for i in table.indexes))
    survey = open_survey(str(path))
    with survey.space.source:
        found = [c for c in compare("f", survey, replace(oracle, tables=(lying,))) if c.check == "n_leaf_pages"]
    assert [c.verdict for c in found] == [DIFFERENT, EXPLAINED]


def test_words_of_the_tools() -> None:
    assert innochecksum.parse_details("index id=5, page level=1, No. of records=40, garbage=7") == (5, 1, 40, 7)
    assert innochecksum.parse_details(None) is None
    assert innochecksum.buffer_type(18, 5, mysql=False) == "INDEX"
    assert innochecksum.buffer_type(18, 5, mysql=True) == "SDI_BLOB"
    assert innochecksum.buffer_type(60000, 5, mysql=True) == "UNKNOWN"
    assert innochecksum.parse_tree_counts("index_id\t#pages\n-4294967296\t\t1\t\t1\t\t0\t\t0\n\n") == {
        0xFFFFFFFF00000000: (1, 1, 0, 0)
    }
    assert brief([1, 2]) == "1, 2"
    assert brief(list(range(9))) == "9 entries"


def test_missing_corpus_fails_in_ci_and_is_a_stated_skip_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(corpus.VARIABLE, "/nonexistent")
    monkeypatch.setenv("CI", "1")
    with pytest.raises(pytest.fail.Exception, match="IBDSCAN_CORPUS is /nonexistent"):
        corpus.require_corpus()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="IBDSCAN_CORPUS is /nonexistent"):
        corpus.require_corpus()
