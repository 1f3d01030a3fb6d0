"""Order along a chain: the vectorised measure against the definitions, word for word."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.measures.index.order import measure_order


@given(st.lists(st.integers(0, 60), unique=True, max_size=30))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_measure_order_is_the_definition(chain: list[int]) -> None:
    order = measure_order(np.array(chain, np.int64))
    links = list(pairwise(chain))
    n = len(chain)
    contiguous = sum(b == a + 1 for a, b in links)
    next_higher = {a: min((p for p in chain if p > a), default=None) for a in chain}
    out_of_order = sum(b != next_higher[a] for a, b in links)
    assert order.pages == n
    assert order.contiguous_links == contiguous
    assert order.out_of_order_pages == out_of_order
    assert order.backward_links == sum(b < a for a, b in links)
    assert order.seek_pages == sum(abs(b - a) for a, b in links)
    runs = [p for i, p in enumerate(chain) if i == 0 or p != chain[i - 1] + 1]
    assert order.fragments == len(runs)
    if n < 2:
        assert order.contiguous is order.out_of_order is order.backward is order.avg_seek_pages is None
    else:
        assert order.contiguous == contiguous / (n - 1)
        assert order.out_of_order == out_of_order / n
        assert order.avg_seek_pages == order.seek_pages / (n - 1)
    assert order.avg_run == (n / len(runs) if n else None)


@pytest.mark.parametrize(
    ("chain", "contiguous", "out_of_order", "backward"),
    [
        (range(5, 105), 1.0, 0.0, 0.0),
        (range(105, 5, -1), 0.0, 0.99, 0.99),
        (range(0, 200, 2), 0.0, 0.0, 0.0),  # gaps are no disorder: nine of ten leaves were deleted
        ([*range(0, 100, 2), *range(1, 100, 2)], 0.0, 0.99, 0.01),  # two streams, dealt
    ],
)
def test_the_four_measures_disagree(
    chain: range | list[int], contiguous: float, out_of_order: float, backward: float
) -> None:
    order = measure_order(np.array(chain, np.int64))
    assert order.contiguous == pytest.approx(contiguous)
    assert order.out_of_order == pytest.approx(out_of_order)
    assert order.backward == pytest.approx(backward)
