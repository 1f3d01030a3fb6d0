"""System and temporary tablespaces, and other odd files that the corpus showed; made-up bytes, no corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ibdscan.measures.file.survey import open_survey
from ibdscan.pages.format.flags import parse_flags
from ibdscan.pages.page.columns import scan_columns
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.doublewrite import doublewrite_mask
from ibdscan.pages.space.tablespace import read_tablespace
from ibdscan.structures.definition.sdi import index_names
from tests.fixture_files import FOLDER, fixture_bytes
from tests.made_sdi import sdi_object

PAGE = 16384
FULL_CRC32 = 0x15
INDEX, INODE, TRX_SYS, FSP_HDR = 17855, 3, 7, 8


def put(data: bytearray, page: int, offset: int, value: int, size: int) -> None:
    data[page * PAGE + offset : page * PAGE + offset + size] = value.to_bytes(size, "big")


def system_file(path: Path, *, magic: int = 536853855, block2: int = 128) -> Path:
    """Page 0, the doublewrite area as page 5 describes it, and an index page at 40 and one copied to 70."""
    data = bytearray(200 * PAGE)
    for page, kind in ((0, FSP_HDR), (2, INODE), (5, TRX_SYS), (40, INDEX), (70, INDEX)):
        put(data, page, 4, page if page != 70 else 333, 4)
        put(data, page, 24, kind, 2)
    put(data, 0, 8, 0xFFFFFFFF, 4)
    put(data, 0, 46, 200, 4)
    put(data, 0, 54, FULL_CRC32, 4)
    area = PAGE - 200
    put(data, 5, area + 4, 2, 4)  # the segment's inode: page 2, offset 242
    put(data, 5, area + 8, 242, 2)
    put(data, 5, area + 10, magic, 4)
    put(data, 5, area + 14, 64, 4)
    put(data, 5, area + 18, block2, 4)
    put(data, 2, 242, 9, 8)
    put(data, 2, 242 + 60, 97937874, 4)
    data[2 * PAGE + 242 + 64 : 2 * PAGE + 242 + 192] = b"\xff" * 128
    put(data, 2, 242 + 64, 13, 4)  # two of its fragment pages
    put(data, 2, 242 + 68, 14, 4)
    path.write_bytes(data)
    return path


def test_doublewrite_area_is_two_extents_and_its_fragment_pages(tmp_path: Path) -> None:
    with Source(system_file(tmp_path / "ibdata1")) as source:
        space = read_tablespace(source)
        mask = doublewrite_mask(space)
        assert mask is not None
        assert np.flatnonzero(mask).tolist() == [13, 14, *range(64, 192)]
        columns = scan_columns(space)
    assert columns.is_index[40]
    assert not columns.is_index[70]


@pytest.mark.parametrize("change", [{"magic": 0}, {"block2": 0xFFFFFF00}])
def test_doublewrite_area_that_is_not_there_or_damaged(change: dict[str, int], tmp_path: Path) -> None:
    with Source(system_file(tmp_path / "ibdata1", **change)) as source:
        mask = doublewrite_mask(read_tablespace(source))
    if "magic" in change:
        assert mask is None
    else:
        assert mask is not None
        assert np.flatnonzero(mask).tolist() == [13, 14, *range(64, 128)]


def test_other_spaces_have_no_doublewrite_area() -> None:
    with Source(FOLDER / "mysql97" / "empty.ibd.xz") as source:
        assert doublewrite_mask(read_tablespace(source)) is None


@pytest.mark.parametrize("temporary", [True, False])
def test_unwritten_bitmap_page_is_a_finding_but_in_temporary_spaces(*, temporary: bool, tmp_path: Path) -> None:
    data = bytearray(fixture_bytes(FOLDER / "mysql97" / "empty.ibd.xz"))
    data[PAGE : 2 * PAGE] = bytes(PAGE)
    if temporary:
        put(data, 0, 54, int.from_bytes(data[54:58], "big") | 1 << 12, 4)
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    survey = open_survey(str(path))
    survey.close()
    assert [(f.kind, f.page_no) for f in survey.findings] == ([] if temporary else [("never-written", 1)])


@pytest.mark.parametrize(("raw", "is_zip"), [(0x2B, True), (0x29, True), (0x21, False), (0x15, False)])
def test_compressed_row_format_by_flags(raw: int, *, is_zip: bool) -> None:
    """0x2b is KEY_BLOCK_SIZE=16 on 16 KiB pages: both sizes are equal. Full_crc32 has other bits there."""
    assert parse_flags(raw, set(), "t.ibd").is_zip is is_zip


def test_key_block_size_of_a_whole_page_is_read_as_compressed_rows(tmp_path: Path) -> None:
    data = bytearray(fixture_bytes(FOLDER / "mysql97" / "empty.ibd.xz"))
    put(data, 0, 54, int.from_bytes(data[54:58], "big") | 5 << 1, 4)
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    survey = open_survey(str(path))
    assert survey.row_format == "compressed"
    assert survey.fill_of == "uncompressed image"
    survey.close()


def test_hidden_primary_key_has_the_name_that_the_server_gives_it() -> None:
    indexes = [
        {"name": "PRIMARY", "hidden": True, "type": 2, "se_private_data": "id=159;root=4;"},
        {"name": "a", "hidden": False, "type": 3, "se_private_data": "id=160;root=5;"},
    ]
    names, _ = index_names([sdi_object(1, 1, {"dd_object": {"name": "t", "schema_ref": "s", "indexes": indexes}})])
    assert {i: n.name for i, n in names.items()} == {159: "GEN_CLUST_INDEX", 160: "a"}
    assert names[159].clustered
