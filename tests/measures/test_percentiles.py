"""Percentiles are those of np.percentile."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibdscan.measures.index.percentiles import percentiles_of

MARKS = (0, 5, 25, 50, 75, 95, 100)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_as_numpy_has_them(values: list[float]) -> None:
    given_values = np.array(values)
    assert percentiles_of(given_values, MARKS) == pytest.approx(
        np.percentile(given_values, MARKS).tolist(), abs=1e-12
    )
    assert given_values.tolist() == values


def test_known_answers() -> None:
    assert percentiles_of(np.array([0.4, 0.1, 0.2, 0.3, 0.0]), (0, 50, 75, 100)) == [0.0, 0.2, 0.3, 0.4]
    assert percentiles_of(np.array([0.7]), MARKS) == [0.7] * len(MARKS)
