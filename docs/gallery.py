"""The pictures of docs/gallery.md: from the fixtures, and from spaces built with ``ibdscan.testing``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import ibdscan
from ibdscan.testing import BuiltSpace, IndexSpec, build_space

if TYPE_CHECKING:
    from PIL.Image import Image

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = "fixtures/mysql97"
WIDTH = 1200


def _map(path: Path, by: str, title: str | None = None) -> Image:
    with ibdscan.open(path) as space:
        return space.map(by, width=WIDTH, title=title)


def _fixture(path: str, by: str) -> Callable[[], Image]:
    return lambda: _map(ROOT / path, by)


def _built(make: Callable[[], BuiltSpace], by: str, title: str) -> Callable[[], Image]:
    def draw() -> Image:
        with tempfile.TemporaryDirectory() as folder:
            return _map(make().write(Path(folder) / "built.ibd"), by, title)

    return draw


def gh_ost() -> BuiltSpace:
    """Rows of 4,500 bytes copied while others are inserted: pages split at the place of insertion keep two rows
    of the three that fit."""
    room = 16252
    fills = [(13_500 if n % 40 == 39 else 9_000) / room for n in range(440)]
    primary = IndexSpec("PRIMARY", 440, fills, record_bytes=4500, garbage=0.03)
    return build_space([primary], table="shop/_orders_gho")


def two_keys() -> BuiltSpace:
    """One secondary key as it is built by a sort, one as it grows by inserts in random order."""
    fills = [0.5 + 0.4 * (n * 37 % 100) / 100 for n in range(143)]
    return build_space(
        [
            IndexSpec("PRIMARY", 260, 0.92),
            IndexSpec("k_added_later", 104, 0.96, record_bytes=40),
            IndexSpec("k_from_start", 143, fills, order="random", record_bytes=40),
        ],
        table="shop/orders",
    )


GALLERY: dict[str, Callable[[], Image]] = {
    f"docs/pictures/gallery-{name}.png": make
    for name, make in {
        "sequential": _fixture(f"{FIXTURES}/import_single.ibd.xz", "order"),
        "uuid": _fixture(f"{FIXTURES}/uuid_random.ibd.xz", "order"),
        "multi": _fixture(f"{FIXTURES}/import_multi.ibd.xz", "fill"),
        "deleted": _fixture(f"{FIXTURES}/half_deleted.ibd.xz", "segment"),
        "emptied": _fixture(f"{FIXTURES}/all_deleted.ibd.xz", "state"),
        "rebuilt": _fixture(f"{FIXTURES}/uuid_rebuilt.ibd.xz", "order"),
        "gh-ost": _built(gh_ost, "fill", "A gh-ost style copy of rows of 4,500 bytes"),
        "keys": _built(two_keys, "index", "A key built by sort and a key grown by inserts"),
        "keys-order": _built(two_keys, "order", "The same two keys, in which order their leaves lie"),
        "lob": _fixture(f"{FIXTURES}/lob.ibd.xz", "index"),
        "zip": _fixture("fixtures/formats/files/mysql97_zip8.ibd.xz", "index"),
        "page-compressed": _fixture("fixtures/formats/files/mysql97_page_compressed.ibd.xz", "fill"),
    }.items()
}
