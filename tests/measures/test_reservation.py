"""DATA_FREE and segment sizes: by hand, by the server's own words, and as built."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.layout.geometry import Geometry
from ibdscan.measures.file.survey import open_survey
from ibdscan.measures.index.reservation import data_free_bytes
from ibdscan.testing import IndexSpec, build_space
from tests.files import every_fixture, facts, surveyed

G16 = Geometry(16384, 16384)
MIB = 1 << 20


@pytest.mark.parametrize(
    ("size", "limit", "free", "expected"),
    [
        (7, 64, 0, 0),  # smaller than an extent
        (64, 64, 0, 0),
        (640, 640, 6, 4 * MIB),  # reserve: 2 + 10 * 2 / 200 = 2
        (640, 576, 6, 4 * MIB),  # one extent above the limit counts for nothing
        (640, 512, 6, 5 * MIB),  # of two, one
        (640, 640, 1, 0),  # never below zero
        (64_000, 64_000, 100, (100 - 2 - 10) * MIB),  # reserve: 2 + 1000 * 2 / 200
        (64_000, 640, 0, (989 - 3 - 12) * MIB),  # 990 above, less one, less 989 / 256 with descriptors
        (640, 5000, 6, 4 * MIB),  # a limit beyond the size
    ],
)
def test_data_free_by_hand(size: int, limit: int, free: int, expected: int) -> None:
    assert data_free_bytes(G16, size, limit, free) == expected


def test_data_free_of_key_block_size_8_counts_physical_pages() -> None:
    assert data_free_bytes(Geometry(8192, 16384), 640, 640, 7) == 5 * 64 * 8192


@every_fixture
def test_data_free_is_the_servers(path: Path) -> None:
    with surveyed(path) as survey:
        assert survey.data_free_bytes == facts(path)["data_free"]


@every_fixture
def test_sizes_of_segments_are_the_servers(path: Path) -> None:
    with surveyed(path) as survey:
        for said in facts(path)["indexes"]:
            index = survey.index(said["index_id"])
            assert index.reserved_pages == said["size"]


def test_reservation_as_built(tmp_path: Path) -> None:
    spec = IndexSpec("PRIMARY", leaves=100, fill=0.5, stale=10, reserved_extents=3)
    built = build_space([spec, IndexSpec("k", leaves=2)], free_extents=5, unused_extents=4)
    survey = open_survey(str(built.write(tmp_path / "t.ibd")))
    survey.close()
    leaf = survey.index("PRIMARY").leaf_segment
    assert leaf is not None
    assert leaf.used_pages == 100
    stale_fragments = sum(p < 64 for p in built.index("PRIMARY").stale_pages)
    assert leaf.reserved_pages == 32 - stale_fragments + (2 + 3) * 64
    assert leaf.free_extents == 3
    assert survey.page_classes["free_extent"] == 5 * 64
    assert survey.page_classes["above_free_limit"] == 4 * 64
    assert survey.page_classes["reserved_unused"] == leaf.reserved_pages - 100
    assert survey.data_free_bytes == (5 + 3 - 2) * MIB
