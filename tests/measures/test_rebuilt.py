"""What a rebuild shrinks a file by: against files rebuilt by real servers, and where nothing is promised."""

from __future__ import annotations

from dataclasses import replace

import pytest
from click.testing import CliRunner

import ibdscan
from ibdscan.cli import main
from ibdscan.measures.file.rebuilt import SHARED, rebuild_file
from ibdscan.measures.scan.run import scan
from tests.corpus import find_file, require_corpus
from tests.files import FIXTURES
from tests.formats.real import path_of
from tests.made_sdi import sdi_object

MiB = 1 << 20


@pytest.mark.parametrize(("family", "pages"), [("mysql97", 512), ("mariadb1011", 192)])
def test_a_rebuilt_file_is_packed_to_its_own_size(family: str, pages: int) -> None:
    with ibdscan.open(FIXTURES / family / "uuid_rebuilt.ibd.xz") as survey:
        assert survey.rebuild.pages == survey.space.n_pages == pages
        assert survey.rebuild.saved_bytes == 0


@pytest.mark.parametrize(("family", "pages"), [("mysql97", 8), ("mariadb1011", 6)])
def test_an_emptied_table_shrinks_to_the_smallest_file(family: str, pages: int) -> None:
    with ibdscan.open(FIXTURES / family / "all_deleted.ibd.xz") as survey:
        assert survey.rebuild.pages == pages
        assert survey.rebuild.saved_bytes == (640 - pages) * 16384


@pytest.mark.parametrize(("step", "saved"), [(4, 640 * 16384 - 4 * MiB), (512, 0)])
def test_a_file_grown_in_steps_keeps_one(step: int, saved: int) -> None:
    """AUTOEXTEND_SIZE=512M: the server's rebuilt empty table has one step again."""
    space_object = sdi_object(2, 1, {"dd_object": {"options": f"autoextend_size={step * MiB};"}})
    with ibdscan.open(FIXTURES / "mysql97" / "all_deleted.ibd.xz") as survey:
        rebuilt = rebuild_file(survey.space, survey.indexes, [space_object])
        assert rebuilt.bytes == step * MiB
        assert rebuilt.saved_bytes == saved


def test_one_index_without_an_estimate_leaves_the_file_without() -> None:
    with ibdscan.open(FIXTURES / "mysql97" / "half_deleted.ibd.xz") as survey:
        first, *rest = survey.user_indexes
        rebuilt = rebuild_file(survey.space, [*rest, replace(first, no_estimate="made up")], ())
        assert rebuilt.saved_bytes is None
        assert rebuilt.reason == f"{first.name}: made up"


@pytest.mark.parametrize("name", ["mysql97_ibdata1", "mariadb1011_ibdata1"])
def test_a_shared_space_does_not_shrink(name: str) -> None:
    with ibdscan.open(path_of(name)) as survey:
        assert (survey.rebuild.saved_bytes, survey.rebuild.reason) == (None, SHARED)


def test_every_command_gives_one_number() -> None:
    path = FIXTURES / "mysql97" / "half_deleted.ibd.xz"
    with ibdscan.open(path) as survey:
        saved = survey.rebuild.saved_bytes
        assert saved == 3 * MiB == survey.to_dict()["rebuild"]["file_saved_bytes"]
    (row,) = scan(path, jobs=1)
    assert row.file_saved_bytes == saved
    for command in ("info", "indexes"):
        shown = CliRunner().invoke(main, [command, str(path)]).output
        assert "a rebuild would give back about 3.00 MiB of 10.0 MiB" in shown, shown
    assert "a rebuild gives back" in CliRunner().invoke(main, ["compare", str(path), str(path)]).output


INSTANT = "columns were added or dropped instantly"
SPATIAL = "a spatial index row by row"


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("engine", "stem", "words"),
    [
        *(
            (e, f"instant_{s}", INSTANT)
            for e in ("mysql97", "maria105", "maria1011", "maria118")
            for s in ("add", "drop")
        ),
        *((e, "geo", SPATIAL) for e in ("mysql97", "maria105", "maria1011", "maria118")),
    ],
)
def test_rows_that_change_their_size_have_no_estimate(engine: str, stem: str, words: str) -> None:
    root = require_corpus()
    with ibdscan.open(find_file(root, engine, "main", f"feat/{stem}").path) as survey:
        assert survey.rebuild.saved_bytes is None
        assert words in (survey.rebuild.reason or "")
