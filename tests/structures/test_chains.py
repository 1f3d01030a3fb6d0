"""Walking a chain with numpy == walking it page by page, whole or broken."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.layout.numbers import FIL_NULL
from ibdscan.pages.page.columns import PageColumns
from ibdscan.structures.finding import Findings
from ibdscan.structures.tree.chains import Chain, walk_chain
from tests.structures.made_up import columns_of, linked

LAW = settings(max_examples=300, deadline=None, derandomize=True)


def walked(columns: PageColumns, pages: list[int], findings: Findings) -> Chain:
    """With a table of places that has something in it already, as after the level before."""
    places = np.arange(len(columns), dtype=np.int32)[::-1].copy()
    return walk_chain(columns, np.array(sorted(pages), np.int64), "t", findings, places)


def naive_walk(columns: PageColumns, pages: list[int]) -> list[int]:
    """Follow NEXT from the first page without a left sibling, until it ends, leaves the set or comes back."""
    starts = [p for p in pages if columns.prev[p] == FIL_NULL]
    order: list[int] = []
    page = starts[0] if starts else -1
    while page in pages and page not in order:
        order.append(page)
        page = int(columns.next[page])
    return order


@st.composite
def chains(draw: st.DrawFn) -> tuple[int, list[int]]:
    """Number of pages of a file and a chain over some of them."""
    n = draw(st.integers(1, 40))
    pages = draw(st.lists(st.integers(0, n - 1), unique=True, min_size=1))
    if draw(st.booleans()):
        pages = sorted(pages)
    return n, pages


@given(chains())
@LAW
def test_a_whole_chain(case: tuple[int, list[int]]) -> None:
    n, chain = case
    prev, following = linked(chain, n)
    findings = Findings()
    found = walked(columns_of(n, prev=prev, next=following), chain, findings)
    assert found.order.tolist() == chain
    assert found.is_whole
    assert not findings


@given(chains(), st.data())
@LAW
def test_a_broken_chain(case: tuple[int, list[int]], data: st.DataObject) -> None:
    n, chain = case
    prev, following = linked(chain, n)
    value = st.one_of(st.integers(0, n), st.sampled_from([FIL_NULL, FIL_NULL - 1, 1 << 31]))
    for _ in range(data.draw(st.integers(1, 4))):
        column = data.draw(st.sampled_from([prev, following]))
        column[data.draw(st.sampled_from(chain))] = data.draw(value)
    columns = columns_of(n, prev=prev, next=following)
    pages = sorted(chain)
    findings = Findings()
    found = walked(columns, pages, findings)
    expected = naive_walk(columns, pages)
    assert found.order.tolist() == expected
    sound = linked(expected, n)
    is_sound = len(expected) == len(pages) and all(
        np.array_equal(was[pages], should[pages]) for was, should in zip((prev, following), sound, strict=True)
    )
    assert bool(findings) is not is_sound


def test_no_pages() -> None:
    findings = Findings()
    found = walked(columns_of(3), [], findings)
    assert not len(found.order)
    assert not findings


def kinds_of(chain: list[int], prev: dict[int, int], following: dict[int, int]) -> set[str]:
    n = max(chain) + 2
    links = linked(chain, n)
    for column, changes in zip(links, (prev, following), strict=True):
        for page, value in changes.items():
            column[page] = value
    findings = Findings()
    walked(columns_of(n, prev=links[0], next=links[1]), chain, findings)
    return {f.kind for f in findings}


def test_each_kind_of_damage_is_named() -> None:
    chain = [4, 2, 7, 5]
    assert kinds_of(chain, {}, {}) == set()
    assert kinds_of(chain, {}, {5: 2}) == {"link-cycle"}
    assert kinds_of(chain, {}, {5: 5}) == {"link-cycle"}
    assert kinds_of(chain, {}, {5: 1}) == {"broken-link"}
    assert kinds_of(chain, {}, {2: 1 << 30}) == {"broken-link", "orphan-page"}
    assert kinds_of(chain, {7: 4}, {}) == {"back-link"}
    assert kinds_of(chain, {4: 5}, {}) == {"level-start"}
    assert "level-start" in kinds_of(chain, {7: FIL_NULL}, {})
