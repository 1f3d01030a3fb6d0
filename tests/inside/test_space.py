"""``segments``, ``extents``, ``lists``, ``regions``: the same facts from different sides."""

from __future__ import annotations

import csv
import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibdscan
from ibdscan.layout.numbers import FIL_NULL
from ibdscan.measures.detail.extents import find_regions, last_used, map_extents
from ibdscan.measures.detail.owners import segment_of, segment_owners
from ibdscan.structures.space.lists import all_lists
from ibdscan.views.data.structure import runs_text
from tests.files import every_fixture, fixture, fixture_bytes
from tests.fixture_files import fixture_facts
from tests.inside.commands import run

DELETED = fixture("mysql97/half_deleted")


def data_of(command: str, path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(command, str(path), "--format", "json").stdout)
    return found


def csv_of(command: str, path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(run(command, str(path), "--format", "csv").stdout)))


@every_fixture
def test_segments_are_the_servers_sizes(path: Path) -> None:
    """The pages reserved by both segments of an index are its ``size`` in innodb_index_stats."""
    segments = data_of("segments", path)["segments"]
    for index in fixture_facts(path)["indexes"]:
        mine = [s for s in segments if s["index_id"] == index["index_id"]]
        assert sorted(s["role"] for s in mine) == ["leaf", "top"]
        assert sum(s["reserved_pages"] for s in mine) == index["size"]
        top = next(s for s in mine if s["role"] == "top")
        assert top["first_page_no"] == index["root_page_no"]


@every_fixture
def test_extents_and_segments_agree(path: Path) -> None:
    extents = data_of("extents", path)
    segments = {s["segment_id"]: s for s in data_of("segments", path)["segments"]}
    for segment in segments.values():
        mine = [e for e in extents["extents"] if e["segment_id"] == segment["segment_id"]]
        assert len(mine) == sum(segment[k] for k in ("free_extents", "not_full_extents", "full_extents"))
        assert sum(e["used_pages"] for e in mine) + segment["fragment_pages"] == segment["used_pages"]
    with ibdscan.open(path) as space:
        bitmap = "".join(e["bitmap"] for e in extents["extents"])
        assert len(bitmap) == space.n_pages
        assert bitmap.count("#") == space.page_states["live"]
        assert bitmap.count("o") == space.page_states["stale"]
        pages = [e["bitmap"].count("#") for e in extents["extents"]]
        assert pages == [e["used_pages"] for e in extents["extents"]]
    totals = extents["states"].values()
    assert sum(s["extents"] for s in totals) == len(extents["extents"])


@every_fixture
def test_lists_hold_each_extent_once_and_of_the_right_state(path: Path) -> None:
    lists = data_of("lists", path)["lists"]
    extents = {e["extent_no"]: e for e in data_of("extents", path)["extents"]}
    seen: list[int] = []
    states = {"free": "FREE", "free_frag": "FREE_FRAG", "full_frag": "FULL_FRAG"}
    for item in lists:
        assert item["problem"] is None
        assert item["length"] == len(item["page_nos"])
        for extent in item["extents"] or []:
            seen.append(extent)
            found = extents.get(extent)
            if found is None:  # described, but beyond the file's end: small files
                continue
            assert found["segment_id"] == item["segment_id"]
            if item["segment_id"] is None:
                assert found["state"] == states[item["list"]]
    assert len(seen) == len(set(seen))
    listed = [n for n, e in extents.items() if e["state"] not in ("NOT_INITIALISED",)]
    assert set(listed) <= set(seen)


def test_lists_of_the_fixture() -> None:
    found = {(i["list"], i["segment_id"]): i["extents"] for i in data_of("lists", DELETED)["lists"] if i["length"]}
    assert found == {
        ("free", None): [3, 4, 5],
        ("free_frag", None): [0],
        ("inodes_free", None): None,
        ("not_full", 4): [2, 1],
    }
    rows = {(r["list"], r["segment_id"]): r["extents"] for r in csv_of("lists", DELETED)}
    assert rows["free", ""] == "3 4 5"
    assert rows["inodes_free", ""] == "2"
    text = run("lists", str(DELETED)).stdout
    assert "4 lists hold something, 19 are empty" in text


def node(extent: int) -> int:
    """Offset in page 0 of the list node of an extent, by hand: 150 bytes before the first entry, 40 an entry."""
    return 150 + 40 * extent + 8


LINKS = [
    # the base's first node: a page beyond the file
    (66, struct.pack(">I", 1 << 20), f"it leads to page 1048576, offset {node(3)}, where no node of its kind is"),
    (62, struct.pack(">I", 9), "it has 3 nodes, its base says 9"),
    (72, struct.pack(">IH", 0, node(0)), f"its base names page 0, offset {node(0)} as the last node"),
    (node(5) + 6, struct.pack(">IH", 0, node(3)), f"it comes back to page 0, offset {node(3)}"),
    (node(4), struct.pack(">I", 1), f"the node at page 0, offset {node(4)} does not link back"),
    (node(4) + 10, struct.pack(">H", 7), "it leads to page 0, offset 7, where no node of its kind is"),
]


@pytest.mark.parametrize(("offset", "patch", "words"), LINKS)
def test_a_damaged_list_is_told_and_the_walk_ends(offset: int, patch: bytes, words: str, tmp_path: Path) -> None:
    data = bytearray(fixture_bytes("mysql97/half_deleted"))
    data[offset : offset + len(patch)] = patch
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    with ibdscan.open(path) as space:
        walked = all_lists(space.space, space.extents, space.segments)
        lists = {(i.name, i.segment and i.segment.segment_id): i for i in walked}
        assert lists["free", None].problem == words
        assert len(lists["free", None].items) <= 3
        others = [i.problem for key, i in lists.items() if key != ("free", None)]
        assert not any(others)
    assert "1 lists are not sound" in run("lists", str(path)).stdout


@every_fixture
def test_regions_are_the_file_and_nothing_twice(path: Path) -> None:
    rows = csv_of("regions", path)
    with ibdscan.open(path) as space:
        pages = space.pages_table().columns()
        at = 0
        before: tuple[Any, ...] | None = None
        for row in rows:
            start, end, count = int(row["start"]), int(row["end"]), int(row["count"])
            assert (start, end) == (at, at + count - 1)
            key = tuple(row[k] for k in ("type", "state", "class", "index"))
            assert key != before or row["table"] != ""
            for name, value in zip(("type", "state", "class", "index"), key, strict=True):
                assert {v or "" for v in pages[name][start : end + 1]} == {value}
            at, before = end + 1, key
        assert at == space.n_pages
        assert len(find_regions(space)) == len(rows)


def test_what_keeps_the_file_from_shrinking() -> None:
    facts = data_of("extents", DELETED)["last_used_page"]
    assert facts | {"free_pages_before": 0} == {
        "page_no": 149,
        "type": "INDEX",
        "class": "leaf",
        "segment_id": 4,
        "table": "fx_half_deleted/t",
        "index": "PRIMARY",
        "role": "leaf",
        "extent_used_pages": 11,
        "free_pages_after": 640 - 150,
        "free_pages_before": 0,
    }
    text = run("extents", str(DELETED)).stdout
    assert (
        "the last used page is 149 (type INDEX), of segment 4, index PRIMARY (leaf) of fx_half_deleted/t" in text
    )


@every_fixture
def test_last_used_page_counts(path: Path) -> None:
    with ibdscan.open(path) as space:
        found = last_used(map_extents(space))
        used = space.extents.used
        assert found is not None
        assert used[found.page_no]
        assert not used[found.page_no + 1 :].any()
        assert found.free_after + found.free_before + int(used.sum()) == space.n_pages


def test_pages_beside_descriptor_pages(tmp_path: Path) -> None:
    """A 4 KiB file has a descriptor page every 4,096 pages: the fixture made longer by hand."""
    data = bytearray(fixture_bytes("mysql97/page4k"))
    size, pages = 4096, 4096 + 256
    data += bytes(pages * size - len(data))
    struct.pack_into(">II", data, 46, pages, pages)  # FSP_SIZE, FSP_FREE_LIMIT
    second = 4096 * size
    struct.pack_into(">I", data, second + 4, 4096)
    struct.pack_into(">H", data, second + 24, 9)
    data[second + 34 : second + 38] = data[34:38]
    bitmap = bytearray(b"\xff" * 64)
    bitmap[0] = 0b11111010  # the first two pages in use
    entry = struct.pack(">Q12sI", 0, struct.pack(">IHIH", FIL_NULL, 0, FIL_NULL, 0), 2) + bitmap
    data[second + 150 : second + 150 + len(entry)] = entry
    path = tmp_path / "t.ibd"
    path.write_bytes(data)
    loss = data_of("extents", path)["descriptor_extents"]
    assert loss == {"extents": 1, "leased_extents": 0, "lost_pages": 254}
    text = run("extents", str(path)).stdout
    assert "1 more descriptor pages: 254 pages beside them" in text
    assert data_of("extents", path)["last_used_page"]["page_no"] < 4096
    struct.pack_into(">QI", data, second + 150, 1, FIL_NULL)
    struct.pack_into(">I", data, second + 170, 5)
    path.write_bytes(data)
    assert data_of("extents", path)["descriptor_extents"] == {"extents": 1, "leased_extents": 1, "lost_pages": 0}


def test_owners_name_the_first_page_in_use() -> None:
    with ibdscan.open(DELETED) as space:
        of_page = segment_of(space)
        for owner in segment_owners(space, of_page):
            mine = np.flatnonzero(space.extents.used & (of_page == owner.ordinal))
            assert owner.first_page_no == (int(mine[0]) if len(mine) else None)


def test_runs() -> None:
    assert runs_text([]) == ""
    assert runs_text([7]) == "7"
    assert runs_text([1, 2, 3, 4, 8, 9, 3]) == "1-4 8 9 3"


@pytest.mark.parametrize("command", ["segments", "extents", "lists", "regions", "pages", "sdi"])
def test_errors_and_output_files(command: str, tmp_path: Path) -> None:
    missing = run(command, str(tmp_path / "none.ibd"))
    assert (missing.exit_code, missing.stdout) == (1, "")
    assert "no such file" in missing.stderr
    target = tmp_path / "out"
    assert run(command, str(DELETED), "-o", str(target)).stderr == f"Wrote {target}\n"
    assert target.read_text("utf-8") == run(command, str(DELETED)).stdout
    again = run(command, str(DELETED), "-o", str(target))
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    assert "Example: ibdscan " + command in run(command, "-h").stdout
