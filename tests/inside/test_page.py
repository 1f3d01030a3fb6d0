"""``page N``: every field from its bytes, records, keys, the directory, the picture."""

from __future__ import annotations

import json
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibdscan
from ibdscan.layout.catalogue import catalogue
from ibdscan.layout.geometry import PAGE_SIZES, Geometry
from ibdscan.pages.page.fields import read_fields
from ibdscan.pages.page.full import read_parts
from ibdscan.pages.page.heap import read_heap
from ibdscan.views.data.page import full_page, record_key
from ibdscan.views.data.page_bytes import (
    DIRECTORY,
    FREE,
    GARBAGE,
    OTHER,
    RECORD_DATA,
    RECORD_HEADER,
    ZERO,
    label_bytes,
)
from ibdscan.views.text.page import hex_lines
from tests.files import every_fixture, fixture, fixture_bytes
from tests.fixture_files import fixture_facts
from tests.inside.commands import run

DELETED = fixture("mysql97/half_deleted")


def data_of(path: Path, page_no: int, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("page", str(path), str(page_no), "--format", "json", *options).stdout)
    return found


@every_fixture
def test_fields_are_their_bytes_and_lie_inside_their_parts(path: Path) -> None:
    with ibdscan.open(path) as space:
        for page_no in range(min(space.n_pages, 40)):
            body = space.space.read_page(page_no)
            end = 0
            for part in read_parts(space.space, page_no, body):
                assert part.offset >= end, (page_no, part.name)
                end = part.end
                at = part.offset
                for field in part.fields:
                    assert field.offset == at
                    at += field.size
                    assert field.raw == body[field.offset : at]
                    if isinstance(field.value, int):
                        assert field.value.to_bytes(field.size, "big") == field.raw
                assert at in (part.offset, part.end)
            assert end == len(body)


@pytest.mark.parametrize("size", PAGE_SIZES)
def test_every_layout_can_be_read_field_by_field(size: int) -> None:
    rng = np.random.default_rng(size)
    for entry in catalogue(Geometry(size, size)):
        body = rng.bytes(entry.layout.sizeof())
        fields = list(read_fields(entry.layout, body, 0))
        assert b"".join(f.raw for f in fields) == body
        assert all(f.meaning for f in fields)


def test_a_leaf_in_full() -> None:
    data = data_of(DELETED, 6, "--records")
    assert data["type"] == "INDEX"
    account = data["account"]
    assert (account["index"], account["level"], account["rank"], account["fragment_slot"]) == ("PRIMARY", 0, 0, 0)
    assert (account["state"], account["is_free"], account["extent_state"]) == ("live", False, "FREE_FRAG")
    parts = {p["name"]: {f["name"]: f for f in p["fields"]} for p in data["parts"]}
    assert parts["FIL header"]["type"]["note"] == "INDEX"
    assert parts["FIL header"]["prev"]["note"] == "none"
    assert parts["index header"]["n_heap"]["note"] == "87 records, compact format"
    assert parts["FIL trailer"]["lsn_low"]["note"] == "as in the header"
    assert len(data["records"]) == 44
    assert data["records"][0]["status"] == "infimum"
    assert data["records"][-1]["status"] == "supremum"
    assert data["records"][-1]["next"] is None
    assert [r["key"] for r in data["records"][1:4]] == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert len(data["free_records"]) == 43
    assert len(data["directory"]) == 12
    assert data["directory"][0]["record"] == 99
    assert sum(slot["n_owned"] for slot in data["directory"]) == 44
    text = run("page", str(DELETED), "6", "--records").stdout
    assert "42 records, 7,508 bytes of data: 46.2 % of the room; 7,672 bytes of garbage" in text
    assert "number 1 of 60 along the leaf chain" in text


def test_other_kinds_of_pages() -> None:
    zero = {p["name"]: p for p in data_of(DELETED, 0)["parts"]}
    assert [n for n in zero if n.startswith("XDES")] == [f"XDES entry {i}" for i in range(6)]
    fields = {f["name"]: f for f in zero["XDES entry 1"]["fields"]}
    assert fields["state"]["note"] == "FSEG"
    assert fields["bitmap"]["note"].startswith("." * 29 + "#.#")
    assert {f["name"]: f["value"] for f in zero["SDI header"]["fields"]} == {"version": 1, "root": 3}
    assert {f["name"]: f["note"] for f in zero["FIL header"]["fields"]}["prev"] == "server version 9.7.4"
    inodes = {p["name"]: p for p in data_of(DELETED, 2)["parts"]}
    assert len([n for n in inodes if n.startswith("inode ")]) == 6
    fragments = inodes["inode 3"]["fields"][-1]
    assert fragments["name"] == "fragments"
    assert fragments["note"].startswith("31 used: 6, 7, 8,")
    bitmap = {p["name"]: p for p in data_of(DELETED, 1)["parts"]}
    assert bitmap["change buffer bitmap"]["size"] == 8192
    freed = data_of(DELETED, 62)
    assert freed["account"]["state"] == "free"


def test_off_page_data() -> None:
    seen: set[str] = set()
    path = fixture("mysql97/lob")
    with ibdscan.open(path) as space:
        for page_no in np.flatnonzero(space.state == 0).tolist():
            page = full_page(space, page_no)
            names = {p.name.rstrip("0123456789 ") for p in page.parts}
            if page.type.startswith("LOB"):
                seen |= {f"{page.type}: {name}" for name in names - {"FIL header", "FIL trailer"}}
    assert seen == {
        "LOB_FIRST: LOB first page header",
        "LOB_FIRST: LOB index entry",
        "LOB_FIRST: LOB data",
        "LOB_DATA: LOB data page header",
        "LOB_DATA: LOB data",
        "LOB_INDEX: LOB index entry",
    }
    old = fixture("mariadb1011/lob")
    with ibdscan.open(old) as space:
        page_no = int(np.flatnonzero((space.columns.type == 10) & (space.state == 0))[0])
    assert {p["name"] for p in data_of(old, page_no)["parts"]} >= {"BLOB header", "BLOB data"}


@every_fixture
def test_heap_of_every_live_index_page(path: Path) -> None:
    """The record list, the free list and the directory account for what the header says."""
    with ibdscan.open(path) as space:
        columns = space.columns
        for page_no in np.flatnonzero((space.state == 0) & columns.is_index).tolist():
            heap = read_heap(space.space.read_page(page_no))
            assert not heap.problems
            assert len(heap.user_records) == columns.n_recs[page_no]
            n_heap = int(columns.n_heap[page_no]) & 0x7FFF
            assert len(heap.records) + len(heap.free) == n_heap
            assert sorted(r.heap_no for r in heap.records + heap.free) == list(range(n_heap))
            origins = [r.origin for r in heap.records]
            owners = [origins.index(slot.record) for slot in heap.slots]
            assert owners[0] == 0
            assert owners[-1] == len(origins) - 1
            assert [b - a for a, b in pairwise(owners)] == [s.n_owned for s in heap.slots[1:]]


KEYED = [
    "half_deleted",
    "import_single",
    "uuid_random",
    "uuid_rebuilt",
    "lob",
    "long_names",
    "page4k",
    "page64k",
    "compact",
]


@pytest.mark.parametrize("name", KEYED)
def test_keys_ascend_along_the_chain_and_are_all_rows(name: str) -> None:
    path = fixture(f"mysql97/{name}")
    with ibdscan.open(path) as space:
        for index in space.user_indexes:
            keys: list[Any] = []
            for page_no in index.leaf.chain.tolist():
                page = full_page(space, page_no)
                assert page.heap is not None
                found = [record_key(page, r) for r in page.heap.user_records]
                assert all(found)
                keys += [tuple(k.values()) for k in found if k]
            assert len(keys) == fixture_facts(path)["row_count"]
            if index.clustered:
                assert all(a < b for a, b in pairwise(keys))
            if name == "half_deleted" and index.clustered:
                ids = [key[0] for key in keys]
                assert ids[:2500] == list(range(1, 2501))
                assert len(ids) == 5000
                assert not set(range(2501, 5001)) & set(ids)
            if name == "half_deleted" and not index.clustered:
                assert all(a < b for a, b in pairwise(keys))
                assert {len(key) for key in keys} == {2}  # k, and id of the clustered key


PATCHES = [
    (6 * 16384 + 126, b"\x00\x00", "ends at offset 128"),
    (6 * 16384 + 126, struct.pack(">h", 20_000), "the record list leads to offset 20128"),
    (6 * 16384 + 126, struct.pack(">H", 65536 - 29), "the record list comes back to offset 99"),
    (6 * 16384 + 38, b"\xff\xff", "claims 65535 directory slots"),
    (6 * 16384 + 40, b"\xff\xff", "the heap claims to end at offset 65535"),
    (6 * 16384 + 44, b"\xff\xff", "the free list leads to offset 65535"),
]


@pytest.mark.parametrize(("at", "patch", "words"), PATCHES)
def test_damage_is_told_in_words(at: int, patch: bytes, words: str, tmp_path: Path) -> None:
    data = bytearray(fixture_bytes("mysql97/half_deleted"))
    data[at : at + len(patch)] = patch
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    problems = data_of(path, 6, "--records")["problems"]
    assert any(words in problem for problem in problems), problems
    assert words in run("page", str(path), "6", "--records").stdout
    assert run("page", str(path), "6", "-o", str(tmp_path / "p.png")).exit_code == 0


def test_random_bytes_as_an_index_page(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    clean = fixture_bytes("mysql97/half_deleted")
    path = tmp_path / "t.ibd"
    for _ in range(30):
        data = bytearray(clean)
        data[6 * 16384 + 38 : 7 * 16384] = rng.bytes(16384 - 38)
        path.write_bytes(data)
        with ibdscan.open(path) as space:
            page = full_page(space, 6)
            assert sum(label_bytes(page).counts.values()) == 16384
            assert page.heap is not None
            assert page.heap.problems


@every_fixture
def test_every_byte_has_one_kind(path: Path) -> None:
    with ibdscan.open(path) as space:
        for page_no in range(min(space.n_pages, 60)):
            page = full_page(space, page_no)
            labels = label_bytes(page)
            assert sum(labels.counts.values()) == space.page_size
            assert 0 not in labels.counts.values()
            assert labels.counts["FIL header"] == 38
            if page.heap is not None and space.state[page_no] == 0:
                heap, columns = page.heap, space.columns
                garbage, free = labels.counts.get(GARBAGE, 0), labels.counts.get(FREE, 0)
                assert abs(garbage - int(columns.garbage[page_no])) <= 8 * len(heap.free) + 8
                assert free == space.page_size - 8 - 2 * len(heap.slots) - heap.heap_top
                assert labels.counts[DIRECTORY] == 2 * len(heap.slots)


def test_bytes_beside_the_structures_of_a_page() -> None:
    """Page 0 of a table has nothing but its structures."""
    with ibdscan.open(DELETED) as space:
        counts = label_bytes(full_page(space, 0)).counts
        assert counts["XDES entries"] == 6 * 40
        assert OTHER not in counts
        assert sum(counts.values()) - counts[ZERO] == 38 + 112 + 240 + 8 + 8


def test_picture_shows_its_bytes() -> None:
    from ibdscan.views.images.page import byte_picture

    with ibdscan.open(DELETED) as space:
        picture = byte_picture(full_page(space, 6))
        again = byte_picture(full_page(space, 6))
    image = picture.canvas.image
    assert image.tobytes() == again.canvas.image.tobytes()
    left, top = picture.origin

    def pixel(offset: int) -> object:
        row, column = divmod(offset, picture.row_bytes)
        return image.getpixel((left + column * picture.cell + 2, top + row * picture.cell + 1))

    for offset, kind in ((10, "FIL header"), (50, "index header"), (125, RECORD_HEADER), (140, RECORD_DATA)):
        assert pixel(offset) == picture.colors[kind], kind
    assert pixel(9000) == picture.colors[GARBAGE]
    assert pixel(15_900) == picture.colors[FREE]
    words = [text for text, _ in picture.canvas.texts]
    assert "half_deleted.ibd.xz: page 6" in words
    for kind, n in picture.labels.counts.items():
        assert kind in words
        assert f"{n:,}" in words
    width, height = image.size
    for text, (x0, y0, x1, y1) in picture.canvas.texts:
        assert 0 <= x0 <= x1 <= width, text
        assert 0 <= y0 <= y1 <= height, text


@pytest.mark.parametrize("name", ["page4k", "page64k", "redundant", "long_names"])
def test_pictures_of_other_pages(name: str, tmp_path: Path) -> None:
    target = tmp_path / "p.png"
    assert run("page", str(fixture(f"mysql97/{name}")), "4", "-o", str(target)).stderr == f"Wrote {target}\n"
    assert target.read_bytes().startswith(b"\x89PNG")


def test_hex_is_the_page() -> None:
    body = fixture_bytes("mysql97/half_deleted")[:16384]
    assert data_of(DELETED, 0, "--hex")["hex"] == body.hex()
    back = bytearray()
    for line in hex_lines(body):
        if line == "*":
            continue
        at = int(line.split()[0])
        while len(back) < at:  # what a star stands for
            back += back[-16:]
        back += bytes.fromhex(line[13:60])
    assert bytes(back) == body
    assert run("page", str(DELETED), "0", "--hex").stdout.count("\n*\n") >= 1


def test_pages_outside_the_file() -> None:
    result = run("page", str(DELETED), "640")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "page 640: no such page: the file has 640 pages" in result.stderr
    assert run("page", str(DELETED), "-1").exit_code == 2
    assert run("page", str(DELETED), "639").exit_code == 0


def test_csv_is_the_fields() -> None:
    lines = run("page", str(DELETED), "6", "--format", "csv").stdout.splitlines()
    assert lines[0] == "part,offset,size,bytes,name,value,note,meaning"
    assert lines[1].startswith("FIL header,0,4,d9163c6e,checksum,3642113134,")
