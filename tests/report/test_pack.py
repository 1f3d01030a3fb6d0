"""Packed columns come back as they were; read here by hand, and in test_browser.py by the page's own script."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ibdscan.views.report.pack import LARGEST, pack, pack_sparse, pack_steps

COLUMNS = arrays(np.int64, st.integers(0, 60), elements=st.integers(0, LARGEST) | st.integers(0, 300))


def unpacked(packed: dict[str, Any]) -> npt.NDArray[np.int64]:
    n, planes = packed["n"], packed["planes"]
    if not planes:
        return np.zeros(n, np.int64)
    raw = np.frombuffer(zlib.decompress(base64.b64decode(packed["z"])), np.uint8).reshape(planes, n)
    values = sum((raw[p].astype(np.int64) << (8 * p) for p in range(planes)), np.zeros(n, np.int64))
    if packed.get("delta"):
        values = np.cumsum((values >> 1) ^ -(values & 1))
    return np.array(packed["dict"], np.int64)[values] if "dict" in packed else values


@given(COLUMNS)
def test_what_is_packed_comes_back(column: npt.NDArray[np.int64]) -> None:
    assert unpacked(pack(column)).tolist() == column.tolist()
    assert pack(column)["max"] == column.max(initial=0)


@pytest.mark.parametrize(
    ("column", "way"),
    [
        (np.arange(5000) * 16_500, "delta"),
        (np.random.default_rng(1).choice([7, 70_000, 9_000_000], 5000), "dict"),
        (np.random.default_rng(1).integers(0, 1 << 40, 5000), None),
    ],
)
def test_the_shortest_way_is_taken(column: npt.NDArray[np.int64], way: str | None) -> None:
    packed = pack(column)
    assert [key for key in ("delta", "dict") if key in packed] == ([way] if way else [])
    assert unpacked(packed).tolist() == column.tolist()


@pytest.mark.parametrize("value", [-1, LARGEST + 1])
def test_what_javascript_can_not_count_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="holds 0 to"):
        pack(np.array([5, value]))


@given(COLUMNS, st.data())
def test_sparse(column: npt.NDArray[np.int64], data: st.DataObject) -> None:
    expected = np.where(data.draw(arrays(np.bool_, len(column))), column, 3)
    packed = pack_sparse(column, expected)
    expected[unpacked(packed["at"])] = unpacked(packed["value"])
    assert expected.tolist() == column.tolist()


def stepped(
    packed: dict[str, Any], of: npt.NDArray[Any], mask: npt.NDArray[Any], group: npt.NDArray[Any]
) -> list[int]:
    out = np.full(len(of), -1, np.int64)
    for page in np.flatnonzero(mask):
        table = packed["steps"][str(group[page])]
        out[page] = [v for e, v in zip(table["edges"], table["values"], strict=True) if e <= of[page]][-1]
    out[unpacked(packed["at"])] = unpacked(packed["value"])
    return [int(v) for v in out]


@given(st.data(), st.integers(0, 40))
def test_steps_with_any_values(data: st.DataObject, n: int) -> None:
    of = data.draw(arrays(np.int64, n, elements=st.integers(0, 50)))
    values = data.draw(arrays(np.int64, n, elements=st.integers(0, 9)))
    group = data.draw(arrays(np.int64, n, elements=st.integers(0, 2)))
    mask = data.draw(arrays(np.bool_, n))
    packed = pack_steps(values, of, mask, group)
    assert stepped(packed, of, mask, group) == np.where(mask, values, -1).tolist()


def test_steps_of_a_scale_need_no_exceptions() -> None:
    of = np.random.default_rng(2).integers(0, 16_000, 10_000)
    values = np.round(of / 16_000 * 199).astype(np.int64)
    packed = pack_steps(values, of, np.ones(len(of), np.bool_))
    assert packed["at"]["n"] == 0
    assert len(packed["steps"]["0"]["edges"]) == len(np.unique(values))
