"""Damage in the structures is a finding of its own kind, and the survey goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.layout.fsp import INODE_ARRAY_OFFSET, XDES_ARRAY_OFFSET
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.testing import BuiltSpace, IndexSpec, build_space

PAGE = 4096
BUILT = build_space(
    [IndexSpec("PRIMARY", leaves=160, fill=0.4, record_bytes=190, order="random"), IndexSpec("k", leaves=30)],
    page_size=PAGE,
)
PRIMARY = BUILT.index("PRIMARY")
INODE_BYTES = 576
LEAF_INODE = INODE_ARRAY_OFFSET + 3 * INODE_BYTES
"""The fourth segment: SDI top, SDI leaf, PRIMARY top, PRIMARY leaf."""


def patched(tmp_path: Path, *patches: tuple[int, int, int, int], built: BuiltSpace = BUILT) -> Survey:
    """A survey of the file with (page, offset, width, value) changed."""
    data = bytearray(built.data)
    for page_no, offset, width, value in patches:
        at = page_no * built.page_size + offset
        data[at : at + width] = value.to_bytes(width, "big")
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    survey = open_survey(str(path))
    survey.close()
    return survey


def kinds(survey: Survey) -> set[str]:
    return {f.kind for f in survey.findings}


def test_the_undamaged_file_has_no_finding(tmp_path: Path) -> None:
    assert not patched(tmp_path).findings


LEAF = PRIMARY.leaf_pages
MIDDLE, ROOT = LEAF[80], PRIMARY.root_page_no


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ((MIDDLE, 4, 4, 9999), {"page-number"}),
        ((MIDDLE, 34, 4, 1), {"space-id"}),
        ((MIDDLE, 12, 4, LEAF[10]), {"link-cycle", "orphan-page"}),
        ((MIDDLE, 12, 4, MIDDLE), {"link-cycle", "orphan-page"}),
        ((MIDDLE, 12, 4, 1 << 30), {"broken-link", "orphan-page"}),
        ((MIDDLE, 12, 4, 0xFFFFFFFF), {"orphan-page"}),
        ((MIDDLE, 8, 4, 7), {"back-link"}),
        ((LEAF[0], 8, 4, 7), {"level-start"}),
        ((MIDDLE, 40, 2, 50), {"page-header"}),
        ((MIDDLE, 46, 2, 0xFFFF), {"page-header"}),
        ((MIDDLE, 64, 2, 7), {"wrong-level"}),
        ((MIDDLE, 66, 8, 424242), {"rootless-page", "broken-link"}),
        ((ROOT, 64, 2, 60000), {"root-level"}),
        ((ROOT, 78, 4, 77), {"segment-pointer"}),
        ((ROOT, 88, 4, 77), {"rootless-page"}),
        ((2, LEAF_INODE + 60, 4, 1), {"inode-magic", "extent-owner"}),
        ((2, LEAF_INODE + 8, 4, 0xFFFFFFFF), {"segment-count"}),
        ((2, LEAF_INODE + 44, 4, 0xFFFFFFF0), {"list-length"}),
        ((2, LEAF_INODE + 64, 4, 1 << 30), {"wild-page-number"}),
        ((0, 46, 4, 0xFFFFFF), {"file-too-short"}),
        ((0, XDES_ARRAY_OFFSET + 20, 4, 77), {"extent-state"}),
        ((0, XDES_ARRAY_OFFSET + 20, 4, 1), {"extent-state"}),
        ((0, 138, 4, 5), {"inode-list"}),
    ],
)
def test_a_patch_gives_its_finding(tmp_path: Path, patch: tuple[int, int, int, int], expected: set[str]) -> None:
    survey = patched(tmp_path, patch)
    assert kinds(survey) >= expected
    assert sum(survey.page_classes.values()) == survey.n_pages


def test_an_inode_list_that_is_a_circle(tmp_path: Path) -> None:
    many = build_space([IndexSpec(f"i{n}") for n in range(9)], page_size=PAGE)  # 20 segments, 7 inodes a page
    pages = [p for p in range(many.n_pages) if many.page(p)[24:26] == b"\0\x03"]
    assert len(pages) == 3
    survey = patched(tmp_path, (pages[1], 44, 4, pages[0]), (0, 118, 4, 0xFFFFFFF0), built=many)
    assert len(survey.user_indexes) >= 6


def test_swapped_pages(tmp_path: Path) -> None:
    data = bytearray(BUILT.data)
    a, b = LEAF[3], LEAF[90]
    data[a * PAGE : a * PAGE + PAGE], data[b * PAGE : b * PAGE + PAGE] = BUILT.page(b), BUILT.page(a)
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    survey = open_survey(str(path))
    survey.close()
    assert [f.page_no for f in survey.findings if f.kind == "page-number"] == sorted([a, b])


def test_a_page_never_written(tmp_path: Path) -> None:
    path = tmp_path / "t.ibd"
    path.write_bytes(BUILT.data[: MIDDLE * PAGE] + bytes(PAGE) + BUILT.data[(MIDDLE + 1) * PAGE :])
    survey = open_survey(str(path))
    survey.close()
    assert kinds(survey) >= {"never-written", "broken-link", "orphan-page"}


def test_damage_in_one_index_leaves_the_other_alone(tmp_path: Path) -> None:
    survey = patched(tmp_path, (MIDDLE, 12, 4, MIDDLE))
    other = survey.index("k").leaf
    assert other.chain.tolist() == BUILT.index("k").leaf_pages
    assert other.data_bytes == BUILT.index("k").data_bytes


def test_a_wholly_damaged_file_gives_a_list_that_one_can_read(tmp_path: Path) -> None:
    patches = [(p, 4, 4, 9999) for p in LEAF]
    survey = patched(tmp_path, *patches)
    found = [f for f in survey.findings if f.kind == "page-number"]
    assert len(found) == 101
    assert found[-1].message == "60 more findings of this kind are not listed"


def test_a_missing_descriptor_page(tmp_path: Path) -> None:
    # the second descriptor page of a space with 4 KiB pages is page 4096
    built = build_space([IndexSpec("PRIMARY", leaves=20)], page_size=PAGE, free_extents=17)
    assert built.n_pages > 2 * PAGE - PAGE // 2 or built.n_pages > PAGE
    survey = patched(tmp_path, (PAGE, 24, 2, 0), built=built)
    assert kinds(survey) >= {"missing-descriptor"}
    survey = patched(tmp_path, built=built)
    assert not survey.findings
    assert survey.page_types[9] == 1
