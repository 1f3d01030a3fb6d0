"""What is generated in the docs: the printed manual, command outputs, pictures of the fixtures."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

import ibdscan
from docs.gallery import GALLERY
from ibdscan.cli import main
from ibdscan.views.table.declared import COLUMNS

if TYPE_CHECKING:
    from PIL.Image import Image

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = "fixtures/mysql97"
COLUMN_TABLE = re.compile(r"(<!-- columns: (\w+) -->\n)(\|.*?\n)?(\n|\Z)", re.DOTALL)
OUTPUT = re.compile(r"(<!-- output: (.*?) -->\n```text\n)(.*?)(```)", re.DOTALL)


def run(command: str) -> str:
    """What a command prints, run from the project's root as in the docs; ``| head -N`` keeps N lines."""
    import os

    command, _, only = command.partition(" | head -")
    words = command.split()
    if words[0] != "ibdscan":
        raise ValueError(f"not a command of this project: {command}")
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        result = CliRunner().invoke(main, words[1:], prog_name="ibdscan")
    finally:
        os.chdir(before)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return "".join(result.output.splitlines(keepends=True)[: int(only) if only else None])


def column_table(command: str) -> str:
    """The columns of a command's table, as ``--help`` has them."""
    lines = [f"| `{c.key}` | {c.meaning} |" for c in COLUMNS[command]]
    return "\n".join(["| column | meaning |", "|---|---|", *lines]) + "\n"


def generated(name: str) -> Callable[[], str]:
    """A page with every block after ``<!-- output: COMMAND -->`` replaced by what the command prints, every table
    after ``<!-- columns: COMMAND -->`` by the declared columns."""

    def make() -> str:
        text = (ROOT / name).read_text(encoding="utf-8")
        text = COLUMN_TABLE.sub(lambda m: m[1] + column_table(m[2]) + m[4], text)
        return OUTPUT.sub(lambda m: m[1] + run(m[2]) + m[4], text)

    return make


def manual_page() -> str:
    """docs/layout.md, from the layouts."""
    from ibdscan.views.data.manual import manual_data

    lines = [
        "# The on-disk structures",
        "",
        "Printed from the declarations that ibdscan itself reads with (`ibdscan layout`). Numbers are big-endian;",
        "offsets are those in the page where the structure has a fixed place, else from its start (16 KiB pages).",
    ]
    for entry in manual_data(16384):
        lines += ["", f"## {entry['name']}", "", f"{entry['where']}, {entry['bytes']} bytes.", ""]
        lines += ["| offset | size | field | meaning |", "|--:|--:|---|---|"]
        lines += [
            f"| {field['offset']} | {field['size']} | `{field['name']}` | {field['meaning']} |"
            for field in entry["fields"]
        ]
    return "\n".join(lines) + "\n"


def _map(fixture: str, by: str, width: int = 1600) -> Callable[[], Image]:
    def make() -> Image:
        with ibdscan.open(ROOT / fixture) as space:
            return space.map(by, width=width)

    return make


def _compare(a: str, b: str) -> Callable[[], Image]:
    def make() -> Image:
        from ibdscan.views.images import draw_compare

        with ibdscan.open(ROOT / a) as first, ibdscan.open(ROOT / b) as second:
            return draw_compare([first, second])

    return make


PAGES: dict[str, Callable[[], str]] = {
    "docs/layout.md": manual_page,
    "README.md": generated("README.md"),
    "docs/testing.md": generated("docs/testing.md"),
    "docs/pages.md": generated("docs/pages.md"),
    "docs/json.md": generated("docs/json.md"),
    "docs/gallery.md": generated("docs/gallery.md"),
    "docs/from-innodb-ruby.md": generated("docs/from-innodb-ruby.md"),
}


def _page(fixture: str, page_no: int) -> Callable[[], Image]:
    def make() -> Image:
        from ibdscan.views.data.page import full_page
        from ibdscan.views.images.page import draw_page

        with ibdscan.open(ROOT / fixture) as space:
            return draw_page(full_page(space, page_no))

    return make


PICTURES: dict[str, Callable[[], Image]] = {
    "docs/pictures/import-compare.png": _compare(
        f"{FIXTURES}/import_single.ibd.xz", f"{FIXTURES}/import_multi.ibd.xz"
    ),
    "docs/pictures/import-multi-index.png": _map(f"{FIXTURES}/import_multi.ibd.xz", "index"),
    "docs/pictures/uuid-compare.png": _compare(
        f"{FIXTURES}/uuid_random.ibd.xz", f"{FIXTURES}/uuid_rebuilt.ibd.xz"
    ),
    "docs/pictures/half-deleted-index.png": _map(f"{FIXTURES}/half_deleted.ibd.xz", "index"),
    "docs/pictures/half-deleted-page.png": _page(f"{FIXTURES}/half_deleted.ibd.xz", 6),
    "docs/pictures/half-deleted-lsn.png": _map(f"{FIXTURES}/half_deleted.ibd.xz", "lsn"),
    **GALLERY,
}
