"""Sizes of files and segments after ALTER TABLE ... FORCE: the rule against what real servers made."""

from __future__ import annotations

import pytest

from ibdscan.layout.geometry import Geometry
from ibdscan.measures.index.reservation import SegmentUse, built_file_pages, built_segment_pages

K16, K4 = Geometry(16384, 16384), Geometry(4096, 4096)
SDI = (1, 0, 0)
"""MySQL's own: one page."""

# of each index: pages of the top segment, leaf pages and off-page ones of the leaf segment; then what the
# server made: reserved pages of the leaf segments, pages of the file (MySQL 9.7, MariaDB 10.11 and 11.8)
MYSQL = [
    (K16, [(1, 2, 0)], [2], 9),
    (K16, [(1, 26, 0)], [26], 33),
    (K16, [(1, 33, 0)], [96], 128),  # the last page opened the first extent
    (K16, [(1, 86, 0)], [160], 448),  # the last page opened an extent
    (K16, [(1, 157, 0)], [224], 576),
    (K16, [(3, 1558, 0)], [1824], 2304),  # beyond 32 extents: by four
    (K16, [(11, 10192, 0)], [11680], 12288),
    (K16, [(3, 1920, 0), (17, 304, 0)], [2208, 352], 3072),
    (K16, [(4, 2162, 0), *[(1, 33, 0)] * 8], [2528, *[96] * 8], 3584),  # several fragment extents
    (K16, [(1, 0, 160)], [223], 320),  # off-page data reserves less
    (K16, [(1, 0, 4508)], [4511], 4608),
    (K4, [(14, 3234, 0)], [3712], 6144),
    (K4, [(41, 10192, 0)], [11904 - 256], 13312),  # two extents lent cost a page each of two
]
MARIADB = [
    (K16, [(1, 26, 0)], [26], 31),
    (K16, [(1, 157, 0)], [224], 256),
    (K16, [(3, 1920, 0), (17, 304, 0)], [2208, 352], 2816),
    (K16, [(11, 10192, 0)], [10464], 10496),  # four extents ahead, not an eighth
    (K4, [(31, 7453, 0)], [8576], 9216),  # three descriptor intervals
    (K16, [(1, 3, 3236)], [3296], 3328),
    (K16, [(1, 0, 4459)], [4511], 4608),
    (
        K16,
        [(1, 270, 0), (13, 214, 0), (1, 19, 0), (1, 19, 0), (1, 4, 0), (17, 254, 0)],
        [352, 288, 19, 19, 4, 352],
        1088,
    ),
]
Case = tuple[Geometry, list[tuple[int, int, int]], list[int], int]


def segments(indexes: list[tuple[int, int, int]]) -> list[SegmentUse]:
    return [use for top, leaf, off in indexes for use in (SegmentUse(top), SegmentUse(leaf, off))]


@pytest.mark.parametrize("case", MYSQL)
def test_a_file_is_as_mysql_makes_it(case: Case) -> None:
    geometry, indexes, reserved, pages = case
    assert [built_segment_pages(SegmentUse(n, off), geometry) for _, n, off in indexes] == reserved
    assert built_file_pages(segments([SDI, *indexes]), geometry) == pages


@pytest.mark.parametrize("case", MARIADB)
def test_a_file_is_as_mariadb_makes_it(case: Case) -> None:
    geometry, indexes, reserved, pages = case
    made = [built_segment_pages(SegmentUse(n, off), geometry, mariadb=True) for _, n, off in indexes]
    assert made == reserved
    assert built_file_pages(segments(indexes), geometry, mariadb=True) == pages


def test_compressed_tables_have_no_rule() -> None:
    with pytest.raises(ValueError, match="COMPRESSED"):
        built_file_pages([SegmentUse(1)], Geometry(8192, 16384))
