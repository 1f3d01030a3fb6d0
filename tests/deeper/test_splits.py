"""History, mergeable neighbours, the packing rule: on headers and loads with known answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ibdscan.measures.index.mergeable import measure_mergeable
from ibdscan.measures.index.rebuild import LoadPart, packed_pages
from ibdscan.measures.index.splits import measure_history
from ibdscan.pages.page.columns import PageColumns
from ibdscan.testing import IndexSpec, build_space
from tests.files import surveyed

SIZE = 4096


@pytest.fixture
def columns(tmp_path: Path) -> tuple[PageColumns, np.ndarray]:
    fills = [0.9] * 10 + [0.02] * 5 + [0.45] * 4 + [0.9]
    path = build_space([IndexSpec("PRIMARY", leaves=20, fill=fills, record_bytes=60)], page_size=SIZE).write(
        tmp_path / "t.ibd"
    )
    with surveyed(path) as survey:
        return survey.columns, survey.index("PRIMARY").leaf.chain


def test_history_counts(columns: tuple[PageColumns, np.ndarray]) -> None:
    found = measure_history(*columns, SIZE, freed_leaves=3)
    assert (found.empty_runs, found.empty_run_pages, found.longest_empty_run) == (1, 5, 5)
    assert (found.near_empty, found.near_half, found.freed_leaves) == (5 / 20, 4 / 20, 3)
    assert found.one_record_pages + found.two_record_pages == 5
    assert sum(p.pages for p in found.parts) == 20
    assert len(found.parts) == 20


@pytest.mark.parametrize(
    ("direction", "run", "last_insert", "built"),
    [(2, 0, 900, 1.0), (5, 0, 0, 1.0), (5, 0, 900, 0.0), (2, 1, 900, 0.0), (1, 0, 900, 0.0)],
)
def test_leaves_as_a_build_wrote_them(
    columns: tuple[PageColumns, np.ndarray], direction: int, run: int, last_insert: int, built: float
) -> None:
    """MySQL 9.7 writes direction right, no run, the last record; MariaDB 10.11 no direction, no last insert."""
    pages, chain = columns
    ones = np.ones(len(pages), np.uint16)
    made = replace(
        pages, direction=ones.astype(np.uint8) * direction, n_direction=ones * run, last_insert=ones * last_insert
    )
    assert measure_history(made, chain, SIZE).built == built
    garbage = made.garbage.copy()
    garbage[chain[:5]] = 40
    assert measure_history(replace(made, garbage=garbage), chain, SIZE).built == built * 15 / 20


@pytest.mark.parametrize(
    ("direction", "of_records", "expected"),
    [
        (2, 1.0, "whole_runs"),
        (1, 1.0, "whole_runs"),
        (2, 0.3, "part_runs"),
        (2, 2.0, "spent_runs"),
        (5, 0.0, "undirected"),
    ],
)
def test_runs(columns: tuple[PageColumns, np.ndarray], direction: int, of_records: float, expected: str) -> None:
    pages, chain = columns
    full = chain[:10]
    length = (pages.n_recs * of_records).astype(np.uint16)
    made = replace(pages, direction=np.full(len(pages), direction, np.uint8), n_direction=length)
    found = measure_history(made, full, SIZE)
    assert getattr(found, expected) == 1.0
    assert found.right == (1.0 if direction == 2 else 0.0)
    assert found.left == (1.0 if direction == 1 else 0.0)


def test_a_run_of_no_inserts_is_no_direction(columns: tuple[PageColumns, np.ndarray]) -> None:
    """MySQL's sorted build writes RIGHT with no run."""
    pages, chain = columns
    made = replace(pages, direction=np.full(len(pages), 2, np.uint8), n_direction=np.zeros(len(pages), np.uint16))
    assert measure_history(made, chain, SIZE).undirected == 1.0


def test_mergeable_neighbours(columns: tuple[PageColumns, np.ndarray]) -> None:
    pages, chain = columns
    found = measure_mergeable(pages, chain, SIZE)
    # five nearly empty leaves and four of 45 %; each has a neighbour that can take it
    assert (found.below_pages, found.mergeable_pages, found.pairs) == (9, 9, 5)
    assert measure_mergeable(pages, chain, SIZE, threshold=20).below_pages == 5


def test_full_neighbours_take_nothing(columns: tuple[PageColumns, np.ndarray]) -> None:
    pages, chain = columns
    alone = np.concatenate([chain[:3], chain[15:16], chain[3:5]])  # one leaf of 45 % among leaves of 90 %
    found = measure_mergeable(pages, alone, SIZE)
    assert (found.below_pages, found.mergeable_pages, found.pairs) == (1, 0, 0)


def packed_one_by_one(sizes: np.ndarray, room: int) -> int:
    """The sorted build's rule, a record at a time."""
    pages, n, used = 1, 0, 0
    for size in sizes.tolist():
        if n >= 2 and used + size + (2 * (n + 1) + 3) // 4 > room:
            pages, n, used = pages + 1, 0, 0
        n, used = n + 1, used + size
    return pages


@settings(deadline=None, max_examples=150, derandomize=True)
@example(mean=750, spread=8.058677516279546e-17, room=3000, seed=1)  # three or four records, by a byte
@given(
    mean=st.integers(20, 1500),
    spread=st.floats(0.0, 0.6),
    room=st.sampled_from([3000, 15000, 16000]),
    seed=st.integers(0, 1000),
)
def test_packing_is_near_a_real_packing(mean: int, spread: float, room: int, seed: int) -> None:
    """Within 3 % of records packed one by one, for any spread of sizes, from four records a page on."""
    mean = min(mean, room // 4)
    random = np.random.default_rng(seed)
    n = max(800, 600 * room // mean)
    sizes = np.maximum(10, random.uniform(mean * (1 - spread), mean * (1 + spread), n)).astype(np.int64)
    part = LoadPart(n, int(sizes.sum()), float(sizes.var() / sizes.mean() ** 2))
    real = packed_one_by_one(sizes, room)
    assert abs(packed_pages([part], room) / real - 1) <= 0.03


def test_fixed_records_pack_exactly() -> None:
    for size in (17, 100, 333, 1024, 7000):
        sizes = np.full(1000, size)
        assert packed_pages([LoadPart(1000, 1000 * size)], 15228) == packed_one_by_one(sizes, 15228)
