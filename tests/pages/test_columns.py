"""The header columns of all pages against the parse of each page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibdscan.layout.fil import FIL_HEADER
from ibdscan.layout.index import INDEX_HEADER, INDEX_HEADER_OFFSET
from ibdscan.pages.page import columns as module
from ibdscan.pages.page.columns import scan_columns
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace
from ibdscan.testing import IndexSpec, build_space
from tests.files import every_fixture

FIL_NAMES = ("page_no", "prev", "next", "lsn", "type", "space_id")
INDEX_NAMES = ("n_dir_slots", "heap_top", "n_heap", "garbage", "n_direction", "n_recs", "level", "index_id")


@every_fixture
def test_columns_are_what_a_parse_says(path: Path) -> None:
    with Source(path) as source:
        space = read_tablespace(source)
        columns = scan_columns(space)
        assert len(columns) == space.n_pages
        for page_no in range(space.n_pages):
            page = space.read_page(page_no)
            fil = FIL_HEADER.parse(page)
            index = INDEX_HEADER.parse(page[INDEX_HEADER_OFFSET:])
            assert [int(getattr(columns, n)[page_no]) for n in FIL_NAMES] == [fil[n] for n in FIL_NAMES]
            assert [int(getattr(columns, n)[page_no]) for n in INDEX_NAMES] == [index[n] for n in INDEX_NAMES]
            assert columns.direction[page_no] == index.direction & 7
            assert columns.written[page_no] == any(page[:38])


def test_columns_do_not_depend_on_the_chunk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = build_space([IndexSpec("PRIMARY", leaves=50)], page_size=4096).write(tmp_path / "t.ibd")
    with Source(path) as source:
        space = read_tablespace(source)
        whole = scan_columns(space)
        monkeypatch.setattr(module, "CHUNK_PAGES", 7)
        done: list[tuple[int, int]] = []
        parts = scan_columns(space, lambda *pages: done.append(pages))
    assert sum(n for n, _ in done) == space.n_pages
    assert {of for _, of in done} == {space.n_pages}
    for name in FIL_NAMES + INDEX_NAMES:
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
        assert getattr(parts, name).dtype.isnative


def test_a_page_outside_the_file_is_refused(tmp_path: Path) -> None:
    path = build_space([IndexSpec("PRIMARY")], page_size=4096).write(tmp_path / "t.ibd")
    with Source(path) as source:
        space = read_tablespace(source)
        for page_no in (-1, space.n_pages):
            with pytest.raises(Exception, match="no such page"):
                space.read_page(page_no)
