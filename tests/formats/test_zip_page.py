"""ROW_FORMAT=COMPRESSED pages unpacked: chains, links to children, and damage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.layout.index import INFIMUM_COMPACT, SUPREMUM_COMPACT
from ibdscan.layout.numbers import SDI_INDEX_ID
from ibdscan.pages.decode.inflate import InflateError
from ibdscan.pages.page.zip_page import count_delete_marked, dense_directory, inflate_zip_page

from .real import bytes_of, open_real

NAME = "mysql97_zip8.ibd"


def records_of(image: bytes) -> list[int]:
    """Origins in the order of their NEXT links."""
    origin = INFIMUM_COMPACT
    found: list[int] = []
    while True:
        origin = (origin + int.from_bytes(image[origin - 2 : origin], "big")) % 65536
        if origin == SUPREMUM_COMPACT:
            return found
        found.append(origin)


def test_every_page_unpacks_to_as_many_records_as_its_header_says() -> None:
    with open_real(NAME) as space:
        pages = np.flatnonzero((space.page_class == 1) | (space.page_class == 2) | (space.columns.type == 17853))
        assert len(pages) == 26
        for page_no in pages:
            page = inflate_zip_page(space.space.read_page(int(page_no)), space.space.geometry)
            assert len(page.image) == 16384
            assert len(records_of(page.image)) == space.columns.n_recs[page_no]
            assert page.image[:94] == space.space.read_page(int(page_no))[:94]
            assert page.stream_bytes > 0


def test_node_pointers_lead_to_the_level_below() -> None:
    with open_real(NAME) as space:
        for index in space.user_indexes:
            for upper, lower in zip(index.levels, index.levels[1:], strict=False):
                children = []
                for page_no in upper.chain:
                    page = inflate_zip_page(space.space.read_page(int(page_no)), space.space.geometry)
                    size = sum(f.fixed for f in page.fields)
                    if any(not f.fixed or f.nullable for f in page.fields):
                        pytest.skip("variable keys")
                    ends = [origin + size for origin in records_of(page.image)]
                    children += [int.from_bytes(page.image[end : end + 4], "big") for end in ends]
                assert children == list(lower.chain)
                return
    pytest.fail("no index of two levels")


def test_the_sdi_of_a_compressed_file_is_read() -> None:
    with open_real(NAME) as space:
        assert [o.type for o in space.sdi] == [1, 2]
        assert space.index(str(SDI_INDEX_ID)).kind == "sdi"
        assert space.index("PRIMARY").table == "sm/rf_comp8"


def test_delete_marks_come_from_the_dense_directory() -> None:
    with open_real(NAME) as space:
        page_no = int(space.index("PRIMARY").leaf.page_nos[0])
        body = bytearray(space.space.read_page(page_no))
    assert count_delete_marked(bytes(body)) == 0
    body[-2] |= 0x80
    body[-4] |= 0x80
    assert count_delete_marked(bytes(body)) == 2
    used, freed = dense_directory(bytes(body))
    assert len(used) == int.from_bytes(body[54:56], "big")
    assert len(used) + len(freed) == (int.from_bytes(body[42:44], "big") & 0x7FFF) - 2


@given(at=st.integers(40, 8191), value=st.integers(0, 255))
@settings(max_examples=400, deadline=None, derandomize=True)
def test_damage_is_an_inflate_error_or_nothing(at: int, value: int) -> None:
    body = bytearray(bytes_of(NAME)[5 * 8192 : 6 * 8192])
    body[at] = value
    with open_real(NAME) as space:
        geometry = space.space.geometry
    try:
        page = inflate_zip_page(bytes(body), geometry)
    except InflateError:
        return
    assert len(page.image) == geometry.logical
