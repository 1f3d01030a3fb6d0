"""Every command on every file of the corpus: an answer, never a traceback; and one truth in all of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibdscan
from ibdscan.measures.detail.extents import find_regions
from ibdscan.structures.space.lists import all_lists
from tests.corpus import ENGINES, require_corpus
from tests.inside.commands import TABLES, run, surveyed
from tests.inside.truth import assert_one_truth

pytestmark = pytest.mark.corpus
DRAW_EVERY = 10
"""Pictures are drawn for one file in ten: they take longer than all else."""
SUFFIXES = (".ibd", ".ibd.xz", ".ibu", ".ibu.xz")


def files_of(engine: str) -> Iterator[Path]:
    root = require_corpus() / engine
    for path in sorted(root.rglob("*")):
        is_system = path.name.startswith(("ibdata", "undo", "ibtmp")) and ".json" not in path.name
        if path.is_file() and (path.name.endswith(SUFFIXES) or is_system):
            yield path


def pages_to_show(space: ibdscan.Space) -> list[int]:
    """The first page of each type, and the last page."""
    _, first = np.unique(space.columns.type, return_index=True)
    return sorted({*first.tolist(), space.n_pages - 1})


def check_lists(space: ibdscan.Space, data: dict[str, Any]) -> None:
    by_name = {(item["list"], item["segment_id"]): item for item in data["lists"]}
    for segment in space.segments:
        lengths = (segment.free_extents, segment.not_full_extents, segment.full_extents)
        for name, length in zip(("free", "not_full", "full"), lengths, strict=True):
            assert by_name[name, segment.segment_id]["length"] == length
    walked = [n for item in data["lists"] if item["extents"] for n in item["extents"]]
    assert len(walked) == len(set(walked))


def check_file(path: Path, tmp_path: Path, *, draw: bool) -> None:
    space = ibdscan.open(path)
    with surveyed(space), space:
        for command in TABLES:
            for fmt in ("text", "csv", "json"):
                result = run(command, str(path), "--format", fmt)
                assert result.exit_code == 0, (command, fmt, result.output)
                if fmt == "json":
                    data = json.loads(result.stdout)
                    if command == "lists":
                        check_lists(space, data)
                elif fmt == "csv":
                    assert csv.reader(io.StringIO(result.stdout))
        assert run("sdi", str(path)).exit_code == run("sdi", str(path), "--format", "text").exit_code == 0
        for page_no in pages_to_show(space):
            number = str(page_no)
            assert run("page", str(path), number, "--records", "--hex").exit_code == 0
            data = json.loads(run("page", str(path), number, "--format", "json", "--records").stdout)
            assert data["page_no"] == page_no
        regions = find_regions(space)
        assert int(regions.count.sum()) == space.n_pages
        if not space.findings and not space.columns.unread.any() and "live" not in path.parts:
            problems = [item.problem for item in all_lists(space.space, space.extents, space.segments)]
            assert not any(problems)
        assert_one_truth(space)
        if draw:
            picture = str(tmp_path / "page.png")
            assert run("page", str(path), str(min(3, space.n_pages - 1)), "-o", picture, "--force").exit_code == 0


@pytest.mark.parametrize("engine", [*ENGINES, "peers"])
def test_every_command_answers_on_every_file(engine: str, tmp_path: Path) -> None:
    done = 0
    for i, path in enumerate(files_of(engine)):
        try:
            check_file(path, tmp_path, draw=i % DRAW_EVERY == 0)
            done += 1
        except ibdscan.IbdError:  # not a tablespace, or one cut short on purpose: refused in words
            continue
        except BaseException as e:
            e.add_note(str(path))
            raise
    assert done, "no file of this engine"
