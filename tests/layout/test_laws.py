"""Every layout: numpy == construct, build(parse(b)) == b, sizes as the server's."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import construct as c
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ibdscan.layout
from ibdscan.layout import fil, fsp, index, lob
from ibdscan.layout.bridge import dtype_of, fields_of, manual_rows, reader_of
from ibdscan.layout.geometry import PAGE_SIZES, Geometry

GEOMETRIES = [Geometry(s, s) for s in PAGE_SIZES] + [Geometry(8192, 16384), Geometry(1024, 16384)]


def all_layouts() -> dict[str, Any]:
    """Every Struct of every module of the stage; those that depend on the page size in all geometries."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(ibdscan.layout.__path__):
        names = vars(importlib.import_module(f"ibdscan.layout.{module.name}"))
        found |= {name: value for name, value in names.items() if isinstance(value, c.Struct)}
    for geometry in GEOMETRIES:
        for make in (fsp.xdes_entry, fsp.inode):
            found[f"{make.__name__}-{geometry.physical}-{geometry.logical}"] = make(geometry)
    return found


LAYOUTS = all_layouts()
LAW = settings(max_examples=15, deadline=None, derandomize=True)
every_layout = pytest.mark.parametrize("name", LAYOUTS)


def plain(value: Any) -> Any:
    """A construct result as plain lists, dicts, ints and bytes."""
    if isinstance(value, c.Container):
        return {k: plain(v) for k, v in value.items() if k != "_io"}
    if isinstance(value, c.ListContainer):
        return [plain(v) for v in value]
    return value


def plain_numpy(value: Any) -> Any:
    """The same of a numpy scalar or array of one of the derived dtypes."""
    if value.dtype.names:
        return {name: plain_numpy(value[name]) for name in value.dtype.names}
    if value.dtype == np.uint8 and value.ndim:
        return value.tobytes()
    return value.tolist()


def test_there_are_layouts() -> None:
    assert {"FIL_HEADER", "FSP_HEADER", "INDEX_HEADER", "RECORD_COMPACT", "EXTERN_REF"} <= set(LAYOUTS)


@every_layout
@given(data=st.data())
@LAW
def test_numpy_reads_what_construct_reads(name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    body = data.draw(st.binary(min_size=layout.sizeof(), max_size=layout.sizeof()))
    dtype = dtype_of(layout)
    assert dtype.itemsize == layout.sizeof()
    assert plain_numpy(np.frombuffer(body, dtype)[0]) == plain(layout.parse(body))


@every_layout
@given(data=st.data())
@LAW
def test_the_quick_reader_reads_what_construct_reads(name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    before = data.draw(st.integers(0, 9))
    body = data.draw(st.binary(min_size=layout.sizeof(), max_size=layout.sizeof()))
    assert reader_of(layout)(bytes(before) + body + b"x", before) == plain(layout.parse(body))


@every_layout
@given(data=st.data())
@LAW
def test_build_gives_back_what_was_parsed(name: str, data: st.DataObject) -> None:
    layout = LAYOUTS[name]
    body = data.draw(st.binary(min_size=layout.sizeof(), max_size=layout.sizeof()))
    assert layout.build(layout.parse(body)) == body


@every_layout
def test_every_field_is_documented(name: str) -> None:
    fields = list(fields_of(LAYOUTS[name]))
    assert all(field.doc for field in fields)
    assert [f.offset for f in fields] == list(np.cumsum([0, *(f.size for f in fields)])[:-1])


@every_layout
def test_the_manual_has_every_byte(name: str) -> None:
    layout = LAYOUTS[name]
    rows = [row for row in manual_rows(layout, base=38) if "." not in row[2]]
    assert rows[0][0] == 38
    assert sum(size for _, size, _, _ in rows) == layout.sizeof()


def test_a_layout_without_a_counterpart_is_refused() -> None:
    with pytest.raises(TypeError, match="no numpy counterpart"):
        dtype_of(c.VarInt)


@pytest.mark.parametrize(
    ("layout", "size"),
    [
        (fil.FIL_HEADER, 38),
        (fil.FIL_TRAILER, 8),
        (fsp.FIL_ADDR, 6),
        (fsp.LIST_BASE, 16),
        (fsp.LIST_NODE, 12),
        (fsp.FSP_HEADER, 112),
        (fsp.FSEG_HEADER, 10),
        (index.INDEX_HEADER, 36),
        (index.INDEX_SEGMENTS, 20),
        (index.RECORD_COMPACT, 5),
        (index.RECORD_REDUNDANT, 6),
        (lob.EXTERN_REF, 20),
        (lob.BLOB_HEADER, 8),
        (lob.LOB_INDEX_ENTRY, 60),
        (lob.LOB_FIRST, 96 - lob.LOB_HEADER_OFFSET),
        (lob.LOB_DATA, 49 - lob.LOB_HEADER_OFFSET),
    ],
)
def test_sizes_are_the_servers(layout: Any, size: int) -> None:
    assert layout.sizeof() == size


@pytest.mark.parametrize(
    ("page_size", "extent", "xdes", "entries", "array_end", "inode", "inodes", "sdi"),
    [
        (4096, 256, 88, 16, 1558, 576, 7, 1673),
        (8192, 128, 56, 64, 3734, 320, 25, 3849),
        (16384, 64, 40, 256, 10390, 192, 85, 10505),
        (32768, 64, 40, 512, 20630, 192, 170, 20745),
        (65536, 64, 40, 1024, 41110, 192, 341, 41225),
    ],
)
def test_geometry_is_the_servers(
    page_size: int, extent: int, xdes: int, entries: int, array_end: int, inode: int, inodes: int, sdi: int
) -> None:
    geometry = Geometry(page_size, page_size)
    assert geometry.extent_pages == extent
    assert geometry.xdes_entry_bytes == xdes == fsp.xdes_entry(geometry).sizeof()
    assert geometry.xdes_entries == entries
    assert fsp.xdes_array_end(geometry) == array_end
    assert geometry.inode_bytes == inode == fsp.inode(geometry).sizeof()
    assert geometry.inodes_per_page == inodes
    assert fsp.sdi_header_offset(geometry) == sdi


def test_geometry_of_key_block_size_8() -> None:
    geometry = Geometry(8192, 16384)
    assert (geometry.extent_pages, geometry.xdes_entries, geometry.inodes_per_page) == (64, 128, 42)
    assert fsp.xdes_array_end(geometry) == 5270
    assert fsp.sdi_header_offset(geometry) == 5385


def test_capacity_is_the_servers() -> None:
    compact, redundant = 0x8002, 2
    assert index.capacity(16384, compact) == 16252
    assert index.capacity(16384, redundant) == 16247
    assert index.data_bytes(120, compact, 0) == index.data_bytes(125, redundant, 0) == 0
