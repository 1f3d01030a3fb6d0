"""Rebuild estimates against real rebuilds, live; the long table comes from ``benchmarks/rebuild.py``."""

from __future__ import annotations

import pytest

from benchmarks.rebuild import LOADS, TOLERANCE, make_numbers, measure, survey
from ibdscan.measures.detail.lobs import measure_lobs

from .conftest import StartServer

pytestmark = pytest.mark.server

ROWS = {"4k": 4_000, "16k": 12_000}
LONG = ("random", "deleted, 3 of 4", "wide rows", "secondary keys", "LOBs")
"""Loads with 16 KiB pages, where 100 leaves are more rows."""
WITHOUT = {"spatial": "row by row", "added instantly": "instantly"}


@pytest.mark.parametrize("family", ["mysql97", "mariadb1011"])
@pytest.mark.parametrize("page_size", ["4k", "16k"])
def test_estimate_is_the_rebuild(family: str, page_size: str, start_server: StartServer) -> None:
    server = start_server(family, innodb_page_size=page_size)
    rows = ROWS[page_size]
    loads = [x for x in LOADS if (page_size == "4k" or x.name in LONG) and x.only in ("", family)]
    make_numbers(server, int(rows * max(load.rows for load in loads)))
    judged = 0
    for load in loads:
        case = measure(server, load, rows)
        if load.name in WITHOUT:
            assert case.reason
            assert WITHOUT[load.name] in case.reason
            continue
        assert case.steps_off <= 1, case
        for row in case.rows:
            low, high = row.reserved_low, row.reserved_high
            # the estimate may be a page off at the border of an extent
            extent = 256 if page_size == "4k" else 64
            assert low - extent <= row.reserved <= high + extent, row
            if row.is_judged:
                judged += 1
                assert abs(row.error) <= TOLERANCE, row
        if load.name == "LOBs":
            found = survey(server, server.datadir / "d" / "t.ibd", close=False)
            lobs, findings = measure_lobs(found, found.user_indexes[0])
            found.close()
            total = server.query("select count(*), sum(length(doc)) from t where length(doc) > 10000")[0]
            assert not findings
            assert lobs is not None
            assert (lobs.values, lobs.data_bytes) == (int(total[0]), int(total[1]))
    assert judged >= 5
