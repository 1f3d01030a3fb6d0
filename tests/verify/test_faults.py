"""Every injected fault is found, by its name and at its place."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from ibdscan.layout.numbers import FIL_NULL
from tests.files import ALL, IDS
from tests.verify.faults import MARIADB, MYSQL, Patient

both = pytest.mark.parametrize("name", [MYSQL, MARIADB])


@pytest.fixture
def patient(name: str, tmp_path: Path) -> Patient:
    return Patient(name, tmp_path)


@both
def test_the_patient_is_healthy_and_a_stamp_changes_nothing(patient: Patient) -> None:
    assert patient.verify().ok
    before = bytes(patient.data)
    patient.stamp(5, 16, patient.get(5, 16, 8), 8)
    assert bytes(patient.data) == before


@both
def test_one_bit_of_the_body(patient: Patient) -> None:
    page = patient.leaf_chain()[7]
    patient.flip(page, 5000, 3)
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no) == ("bad-checksum", page)


@both
def test_the_torn_half_of_a_page(patient: Patient) -> None:
    chain = patient.leaf_chain()
    page, other = patient.page(chain[3]), patient.page(chain[9])
    patient.put(chain[3], page[: patient.size // 2] + other[patient.size // 2 :])
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no, finding.offset) == ("torn-page", chain[3], 16)


@both
def test_one_bit_of_every_header_byte(patient: Patient) -> None:
    """Of a leaf: crc32 leaves out bytes 26 to 33, which are zero in it, and 34 to 37, the space id."""
    page = patient.leaf_chain()[4]
    rng = random.Random(1)
    for offset in range(38):
        bit = rng.randrange(8)
        patient.flip(page, offset, bit)
        found = [f for f in patient.verify().findings if f.page_no == page]
        assert found, f"byte {offset}, bit {bit}"
        patient.flip(page, offset, bit)


@both
def test_one_bit_of_every_trailer_byte(patient: Patient) -> None:
    page = patient.leaf_chain()[4]
    for offset in range(patient.size - 8, patient.size):
        patient.flip(page, offset, offset % 8)
        (finding,) = patient.verify().findings
        assert finding.page_no == page
        assert finding.kind in ("bad-checksum", "torn-page")
        patient.flip(page, offset, offset % 8)


@pytest.mark.parametrize("path", ALL, ids=IDS)
def test_one_bit_of_any_written_page(path: Path, tmp_path: Path) -> None:
    patient = Patient(f"{path.parent.name}/{path.name.removesuffix('.ibd.xz')}", tmp_path)
    rng = random.Random(path.name)
    written = [p for p in range(patient.survey.n_pages) if any(patient.page(p))]
    for page in [0, 1, 2, *rng.sample(written, 3)]:
        offset, bit = rng.randrange(38, patient.size), rng.randrange(8)
        patient.flip(page, offset, bit)
        kinds = {f.kind for f in patient.verify().findings if f.page_no == page}
        assert {k.removeprefix("free-page-") for k in kinds} & {"bad-checksum", "torn-page"}, (page, offset, bit)
        patient.flip(page, offset, bit)


@both
@pytest.mark.parametrize("offset", [0, 4, 7, 24, 34, 37, 38, 54, 57, 100, 9000])
def test_one_bit_of_page_0(patient: Patient, offset: int) -> None:
    """Also where page 0 then says that this is no tablespace at all."""
    patient.flip(0, offset, 1)
    assert 0 in {f.page_no for f in patient.verify().findings}


@both
def test_a_bit_of_a_page_that_is_not_in_use(name: str, tmp_path: Path) -> None:
    patient = Patient(name.replace("import_multi", "half_deleted"), tmp_path)
    stale = int((patient.survey.state == 1).argmax())
    patient.flip(stale, 4000, 0)
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no) == ("free-page-bad-checksum", stale)
    assert patient.verify(skip_free=True).ok


@both
def test_swapped_pages(patient: Patient) -> None:
    a, b = patient.leaf_chain()[5:7]
    one, two = patient.page(a), patient.page(b)
    patient.put(a, two)
    patient.put(b, one)
    assert {f.page_no for f in patient.verify().findings if f.kind == "page-number"} == {a, b}


@both
def test_a_page_of_another_space(patient: Patient) -> None:
    page = patient.leaf_chain()[5]
    patient.stamp(page, 34, patient.survey.space.space_id + 1)
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no, finding.offset) == ("space-id", page, 34)


@both
def test_a_lost_page(patient: Patient) -> None:
    page = patient.leaf_chain()[5]
    patient.put(page, bytes(patient.size))
    assert page in {f.page_no for f in patient.verify().findings if f.kind == "never-written"}


@both
def test_a_cut_link(patient: Patient) -> None:
    page = patient.leaf_chain()[5]
    patient.stamp(page, 12, FIL_NULL)
    assert "orphan-page" in patient.kinds()


@both
def test_a_back_link_to_another_page(patient: Patient) -> None:
    chain = patient.leaf_chain()
    patient.stamp(chain[5], 8, chain[2])
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no, finding.offset) == ("back-link", chain[5], 8)


@both
def test_a_wrong_level(patient: Patient) -> None:
    page = patient.leaf_chain()[5]
    patient.stamp(page, 64, 1, 2)
    assert patient.kinds() & {"orphan-page", "broken-link", "wrong-level"}
    patient.stamp(page, 64, 9, 2)
    assert "wrong-level" in patient.kinds()


@both
def test_a_page_of_another_index(patient: Patient) -> None:
    page = patient.leaf_chain()[5]
    patient.stamp(page, 66, 424242, 8)
    assert "rootless-page" in patient.kinds()


@both
def test_a_leaked_page_of_a_segment(patient: Patient) -> None:
    """An extent's bit says used, the segment does not count the page, no index has it."""
    extents = patient.survey.extents
    owned = [e for e in range(len(extents)) if extents.state[e] == 4 and 0 < extents.n_used[e] < extents.pages]
    first = owned[0] * extents.pages
    free = next(p for p in range(first, first + extents.pages) if not extents.used[p])
    patient.set_used(free, used=True)
    assert {"segment-count", "used-count", "never-written"} <= patient.kinds()


@both
def test_a_used_page_marked_free(patient: Patient) -> None:
    page = patient.leaf_chain()[40]
    patient.set_used(page, used=False)
    assert patient.kinds() & {"segment-count", "fragment-page"}


@both
def test_a_fragment_page_nobody_has(patient: Patient) -> None:
    segment = next(s for s in patient.survey.segments if len(s.fragments) > 3)
    slot = patient.get(segment.page_no, segment.offset + 64 + 4 * 2)
    patient.stamp(segment.page_no, segment.offset + 64 + 4 * 2, FIL_NULL)
    assert slot in {f.page_no for f in patient.verify().findings if f.kind == "leaked-page"}


@both
def test_a_fragment_page_of_two_segments(patient: Patient) -> None:
    one, two = [s for s in patient.survey.segments if len(s.fragments) > 3][:2]
    stolen = patient.get(one.page_no, one.offset + 64 + 4 * 2)
    patient.stamp(two.page_no, two.offset + 64 + 4 * 2, stolen)
    assert stolen in {f.page_no for f in patient.verify().findings if f.kind == "fragment-page"}


@both
@pytest.mark.parametrize("at", [62, 78, 94, 118, 134])
def test_a_list_of_another_length(patient: Patient, at: int) -> None:
    patient.stamp(0, at, patient.get(0, at) + 1)
    assert [(f.kind, f.page_no, f.offset) for f in patient.verify().findings if f.kind == "list"] == [
        ("list", 0, at)
    ]


@both
def test_a_list_that_does_not_link_back(patient: Patient) -> None:
    node = patient.get(0, 62 + 8, 2)  # the second half of FREE's first address: the offset in page 0
    assert patient.get(0, 62 + 4) == 0
    patient.stamp(0, node, 0)  # PREV of the first node
    patient.stamp(0, node + 4, 150 + 8, 2)
    assert "list" in patient.kinds()


@both
def test_a_list_that_goes_round(patient: Patient) -> None:
    node = patient.get(0, 62 + 8, 2)
    patient.stamp(0, node + 6, 0)  # NEXT of the first node is itself
    patient.stamp(0, node + 10, node, 2)
    assert "list" in patient.kinds()


@both
def test_an_extent_of_another_state(patient: Patient) -> None:
    extent = next(e for e in range(len(patient.survey.extents)) if patient.survey.extents.state[e] == 4)
    entry = 150 + patient.flags.geometry.xdes_entry_bytes * extent
    patient.stamp(0, entry + 20, 3)
    assert "list-state" in patient.kinds()


@both
def test_an_extent_of_another_owner(patient: Patient) -> None:
    extents = patient.survey.extents
    extent = next(e for e in range(len(extents)) if extents.state[e] == 4)
    other = next(s for s in patient.survey.segments if s.segment_id != extents.segment_id[extent])
    entry = 150 + patient.flags.geometry.xdes_entry_bytes * extent
    patient.stamp(0, entry, other.segment_id, 8)
    assert "list-owner" in patient.kinds()
    patient.stamp(0, entry, 999_999, 8)
    assert {"list-owner", "extent-owner"} <= patient.kinds()


@both
def test_frag_n_used(patient: Patient) -> None:
    patient.stamp(0, 58, patient.get(0, 58) + 1)
    (finding,) = patient.verify().findings
    assert (finding.kind, finding.page_no, finding.offset) == ("used-count", 0, 58)


@both
def test_not_full_n_used(patient: Patient) -> None:
    segment = next(s for s in patient.survey.segments if s.not_full_extents)
    at = segment.offset + 8
    patient.stamp(segment.page_no, at, patient.get(segment.page_no, at) - 1)
    assert {"used-count", "segment-count"} <= patient.kinds()


@both
def test_a_second_root(patient: Patient) -> None:
    one, two = [i for i in patient.survey.indexes if i.kind == "btree"][:2]
    assert one.root_page_no is not None
    assert one.index_id is not None
    assert two.root_page_no is not None
    patient.stamp(two.root_page_no, 66, one.index_id, 8)
    assert "two-roots" in patient.kinds()


@both
def test_a_cut_tail(patient: Patient) -> None:
    del patient.data[-3 * patient.size // 2 :]
    assert {"cut-page", "file-too-short"} <= patient.kinds()
