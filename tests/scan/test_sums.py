"""Totals equal the sum of ``info`` on each file; quick agrees with full; partitions are summed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import ibdscan
from ibdscan.errors import IbdError
from ibdscan.measures.scan.row import FileRow, row_data, row_of
from ibdscan.measures.scan.run import scan
from ibdscan.measures.scan.totals import SORTS
from ibdscan.views.data.scan import report_data
from ibdscan.views.export.prometheus import prometheus_text
from ibdscan.views.table.tables import Style
from ibdscan.views.text.scan import report_text
from tests.corpus import require_corpus

SUMMED = ("free_bytes", "reserved_unused_bytes", "slack_bytes")


def rows_of(path: Path, **options: object) -> dict[str, FileRow]:
    return {row.path: row for row in scan(path, jobs=1, **options)}  # type: ignore[arg-type]


def check_against_info(row: FileRow, keyring: str | None = None) -> None:
    with ibdscan.open(row.path, keyring=keyring) as space:
        info = space.to_dict()
    for name in SUMMED:
        assert getattr(row, name) == info["wastes"][name], (row.path, name)
    assert (row.bytes, row.allocated_bytes, row.pages) == (info["bytes"], info["allocated_bytes"], info["pages"])
    assert row.data_free_bytes == info["data_free_bytes"]
    assert row.saved_bytes == info["rebuild"]["saved_bytes"]
    assert row.rebuild_leaf_pages == info["rebuild"]["leaf_pages"]
    assert row.n_findings == len(info["findings"])
    leaves = [i["leaf"] for i in info["indexes"] if i["kind"] != "sdi" and i["leaf"]]
    assert row.leaf_pages == sum(leaf["pages"] for leaf in leaves)
    assert row.records == sum(leaf["records"] for leaf in leaves)
    assert row.data_bytes == sum(leaf["data_bytes"] for leaf in leaves)
    if len(leaves) == 1:
        for name in ("fill", "dir_fill", "contiguous", "out_of_order", "backward", "avg_seek_pages"):
            assert getattr(row, name) == leaves[0][name], (row.path, name)


def test_rows_are_what_info_says(datadirs: Path) -> None:
    rows = rows_of(datadirs)
    assert len(rows) == len(list(datadirs.rglob("*.ibd")))
    for row in rows.values():
        assert row.status == "ok"
        check_against_info(row)


def test_totals_are_the_sum_of_info(datadirs: Path) -> None:
    report = scan(datadirs, jobs=1).run()
    expected = dict.fromkeys((*SUMMED, "bytes", "saved_bytes"), 0)
    for path in datadirs.rglob("*.ibd"):
        with ibdscan.open(path) as space:
            info = space.to_dict()
        for name in SUMMED:
            expected[name] += info["wastes"][name]
        expected["bytes"] += info["bytes"]
        expected["saved_bytes"] += info["rebuild"]["saved_bytes"]
    assert {name: getattr(report.total, name) for name in expected} == expected
    assert report.total.wasted_bytes == sum(expected[name] for name in SUMMED)


def test_schemas_and_tables_sum_to_the_total(datadirs: Path) -> None:
    report = scan(datadirs, jobs=1, top=0, sort="size").run()
    assert set(report.schemas) == {(str(datadirs / f / "shop"), "shop") for f in ("mysql97", "mariadb1011")}
    assert sum(s.bytes for s in report.schemas.values()) == report.total.bytes
    tables = report.tables()
    assert sum(t.wasted_bytes for t in tables) == report.total.wasted_bytes
    assert [t.bytes for t in tables] == sorted((t.bytes for t in tables), reverse=True)


def test_quick_has_the_same_sizes_and_spaces(datadirs: Path) -> None:
    full, quick = rows_of(datadirs), rows_of(datadirs, quick=True)
    assert full.keys() == quick.keys()
    for path, row in quick.items():
        for name in ("bytes", "pages", "free_bytes", "reserved_unused_bytes", "data_free_bytes", "live_pages"):
            assert getattr(row, name) == getattr(full[path], name), (path, name)
        assert row.mode == "quick"
        assert (row.leaf_pages, row.slack_bytes) == (0, 0)
        assert (row.file_saved_bytes, row.n_without_estimate) == (0, int(row.kind == "table"))


def test_quick_promises_nothing_of_a_rebuild(datadirs: Path) -> None:
    """It reads neither roots nor the SDI: spatial indexes, instant columns and AUTOEXTEND_SIZE are not seen."""
    report = scan(datadirs, quick=True, jobs=1).run()
    assert report.sort == "free"
    assert [t.free_bytes for t in report.tables()] == sorted((t.free_bytes for t in report.tables()), reverse=True)
    text = report_text(report, Style(), quick=True)
    for words in ("gives back", "a file for each table costs"):
        assert words not in text
    for words in ("rebuild_saved", "cost_bytes"):
        assert words not in prometheus_text(report)
    assert report_data(report)["file_per_table"]["cost_bytes"] is None


def test_quick_reads_no_index_page(datadir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ibdscan.pages.space.tablespace import Tablespace

    read: list[int] = []
    original = Tablespace.read_raw

    def noted(self: Tablespace, page_no: int) -> bytes:
        read.append(page_no)
        return original(self, page_no)

    monkeypatch.setattr(Tablespace, "read_raw", noted)
    rows_of(datadir, quick=True, match=("import_single",))
    assert set(read) == {0, 2}


def test_partitions_are_one_table(datadir: Path) -> None:
    shop = datadir / "shop"
    shutil.copy(shop / "uuid_random.ibd", shop / "sales#p#p2024.ibd")
    shutil.copy(shop / "uuid_rebuilt.ibd", shop / "sales#p#p2025#sp#s1.ibd")
    report = scan(shop, jobs=1, match=("sales", "uuid_*"), top=0, sort="size").run()
    tables = {t.key.name: t for t in report.tables()}
    assert set(tables) == {"sales", "uuid_random", "uuid_rebuilt"}
    assert report.n_tables == 3
    both = [tables["uuid_random"], tables["uuid_rebuilt"]]
    assert tables["sales"].files == 2
    for name in ("bytes", "leaf_pages", "records", "slack_bytes", "file_saved_bytes"):
        assert getattr(tables["sales"], name) == sum(getattr(t, name) for t in both), name
    fill = tables["sales"].fill
    assert fill is not None
    assert min(t.fill for t in both if t.fill) < fill < max(t.fill for t in both if t.fill)


def test_ranking_by_what_a_rebuild_gives_back(datadir: Path) -> None:
    report = scan(datadir, jobs=1).run()
    tables = report.tables()
    saved = [t.file_saved_bytes for t in tables]
    assert saved == sorted(saved, reverse=True)
    assert min(saved) > 0
    assert {"half_deleted", "uuid_random"} <= {t.key.name for t in tables}
    assert all(t.file_saved_bytes >= t.saved_bytes for t in tables)
    assert not {"empty", "uuid_rebuilt", "redundant"} & {t.key.name for t in tables}


@pytest.mark.parametrize("sort", SORTS)
def test_top_is_the_head_of_the_whole_ranking(datadirs: Path, sort: str) -> None:
    whole = scan(datadirs, jobs=1, sort=sort, top=0).run().tables()
    first = scan(datadirs, jobs=1, sort=sort, top=3).run().tables()
    assert [t.path for t in first] == [t.path for t in whole[:3]]


def test_small_tables_are_counted_and_never_ranked(datadir: Path) -> None:
    report = scan(datadir, jobs=1, top=0).run()
    names = {t.key.name for t in report.tables()}
    assert report.minimal.files == 1  # empty
    small = {r.table for r in scan(datadir, jobs=1) if r.too_small_to_judge}
    assert {"empty", "all_deleted"} <= small
    assert not small & names


def test_cost_of_files_of_ones_own(datadir: Path) -> None:
    report = scan(datadir, jobs=1, match=("empty",)).run()
    page = 16384
    # the clustered index's root, the SDI's few bytes, an INODE page, a descriptor and a bitmap page
    assert report.shared_bytes == (1 + 1 + 1 + 2) * page
    assert report.own_files_cost_bytes == 7 * page - report.shared_bytes


def test_a_row_survives_json(datadir: Path) -> None:
    for row in scan(datadir, jobs=1):
        assert row_of(row_data(row)) == row


def test_processes_give_the_same_rows_in_the_same_order(datadirs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ibdscan.measures.scan.run.WORTH_PROCESSES", (1, 1))
    monkeypatch.setattr("ibdscan.measures.scan.run.CHUNK_FILES", 3)
    assert list(scan(datadirs, jobs=2)) == list(scan(datadirs, jobs=1))


def test_huge_files_come_last(datadir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ibdscan.measures.scan.run.HUGE_BYTES", 10 << 20)
    rows = list(scan(datadir, jobs=1))
    sizes = [row.bytes >= 10 << 20 for row in rows]
    assert True in sizes
    assert sizes == sorted(sizes)
    big = [row.bytes for row in rows if row.bytes >= 10 << 20]
    assert big == sorted(big, reverse=True)


@pytest.mark.corpus
def test_the_whole_corpus_as_one_tree() -> None:
    root = require_corpus()
    rows = list(scan(root, jobs=2))
    assert len(rows) > 500
    assert {row.status for row in rows} <= {"ok", "encrypted", "not-a-tablespace", "unsupported"}
    assert sum(row.status == "ok" for row in rows) > 0.9 * len(rows)
    for row in rows[::7]:
        if row.status == "ok" and row.bytes < 8 << 20:
            check_against_info(row)


@pytest.mark.corpus
def test_quick_over_the_corpus() -> None:
    root = require_corpus()
    full = {row.path: row for row in scan(root, jobs=2) if row.status == "ok"}
    compared = 0
    for row in scan(root, jobs=2, quick=True):
        if row.path in full and row.status == "ok":
            compared += 1
            expected = full[row.path]
            assert row.free_bytes == expected.free_bytes, row.path
            assert row.reserved_unused_bytes == expected.reserved_unused_bytes, row.path
    assert compared == len(full)


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(IbdError, match="no such file or folder"):
        list(scan("/no/such/folder", jobs=1))


REBUILT_GIVES_BACK = {"mariadb1011": 7340032, "mysql97": 2097152}
"""Of ``import_single``, 640 pages: both rebuilt tables of so many rows have files of 192 and of 512 pages, as the
servers left them."""


def test_free_space_taken_ahead_is_what_the_servers_rule_leaves(datadirs: Path) -> None:
    """A rebuilt file gives nothing back; one grown by inserts has extents taken ahead that a rebuild does not."""
    for family, bytes_back in REBUILT_GIVES_BACK.items():
        (rebuilt,) = scan(datadirs / family, jobs=1, match=("uuid_rebuilt",))
        assert rebuilt.file_saved_bytes == 0
        (loaded,) = scan(datadirs / family, jobs=1, match=("import_single",))
        assert loaded.file_saved_bytes == bytes_back
        assert loaded.saved_bytes < loaded.bytes * 0.02
    (emptied,) = scan(datadirs / "mysql97", jobs=1, match=("all_deleted",))
    assert emptied.free_bytes > 9 << 20


def test_free_space_beyond_that_is_gain(datadir: Path) -> None:
    path = datadir / "shop" / "import_single.ibd"
    (before,) = scan(path, jobs=1)
    with path.open("r+b") as f:
        f.truncate(before.bytes + (40 << 20))
        f.seek(46)
        f.write((before.pages + 40 * 64).to_bytes(4, "big"))
    (after,) = scan(path, jobs=1)
    assert after.free_bytes == before.free_bytes + (40 << 20)
    assert after.file_saved_bytes == before.file_saved_bytes + (40 << 20)
