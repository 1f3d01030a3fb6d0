"""The pytest plugin: fixtures ``ibd_*``. Nothing heavy is imported until one is used.

::

    def test_import_keeps_the_order(ibd_open, ibd_assert_order):
        space = ibd_open("/var/lib/mysql/db/t.ibd")
        ibd_assert_order(space, min_contiguous=0.9)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ibdscan.api import Space
    from ibdscan.testing import IndexSpec


@pytest.fixture
def ibd_open() -> Iterator[Callable[[str | os.PathLike[str]], Space]]:
    """``ibd_open(path)``: survey a tablespace file; it is closed when the test ends."""
    from ibdscan.api import open as open_space

    opened: list[Space] = []

    def ibd_open(path: str | os.PathLike[str]) -> Space:
        space = open_space(path)
        opened.append(space)
        return space

    yield ibd_open
    for space in opened:
        space.close()


@pytest.fixture
def ibd_assert_fill() -> Callable[..., None]:
    """:func:`ibdscan.testing.assert_fill`."""
    from ibdscan.testing import assert_fill

    return assert_fill


@pytest.fixture
def ibd_assert_order() -> Callable[..., None]:
    """:func:`ibdscan.testing.assert_order`."""
    from ibdscan.testing import assert_order

    return assert_order


@pytest.fixture
def ibd_build(tmp_path: Path, ibd_open: Callable[[str | os.PathLike[str]], Space]) -> Callable[..., Space]:
    """``ibd_build([IndexSpec(...), ...], name="t.ibd", **options)``: build a tablespace and survey it.

    The options are those of :func:`ibdscan.testing.build_space`; the file lies in ``tmp_path``.
    """
    from ibdscan.testing import build_space

    def ibd_build(indexes: Iterable[IndexSpec], *, name: str = "t.ibd", **options: Any) -> Space:
        return ibd_open(build_space(indexes, **options).write(tmp_path / name))

    return ibd_build
