"""Pictures of the fixtures, by decoded pixels, and the same bytes every time.

Goldens hold everything but the text, whose pixels depend on the FreeType in Pillow's build; the words are in a
JSON beside them. ``IBDSCAN_UPDATE_GOLDENS=1 pytest tests/views/test_images_goldens.py`` writes them anew.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

import ibdscan
from ibdscan.views.images import draw_compare, draw_map, write_png
from ibdscan.views.images.compare import compare_picture
from ibdscan.views.images.map import map_picture
from ibdscan.views.images.parts.canvas import Canvas
from tests.fixture_files import FOLDER
from tests.views.images_made import made_survey

GOLDENS = Path(__file__).parent / "goldens"
WIDTH = 900
MAPS = [
    ("import_multi", "index"),
    ("import_multi", "order"),
    ("half_deleted", "fill"),
    ("uuid_random", "lsn"),
    ("page4k", "segment"),
]


def fixture(name: str, family: str = "mysql97") -> str:
    return str(FOLDER / family / f"{name}.ibd.xz")


def without_text(canvas: Canvas) -> Image.Image:
    image = canvas.image.copy()
    pen = ImageDraw.Draw(image)
    for _, (x0, y0, x1, y1) in canvas.texts:
        pen.rectangle((x0 - 3, y0 - 4, x1 + 3, y1 + 4), fill=canvas.theme.background)
    return image


def check(name: str, canvas: Canvas) -> None:
    image, words = without_text(canvas), [text for text, _ in canvas.texts]
    picture, text = GOLDENS / f"{name}.png", GOLDENS / f"{name}.json"
    if os.environ.get("IBDSCAN_UPDATE_GOLDENS"):
        GOLDENS.mkdir(exist_ok=True)
        image.quantize(256).save(picture, optimize=True) if _is_lossless(image) else image.save(
            picture, optimize=True
        )
        text.write_text(json.dumps(words, ensure_ascii=False, indent=0) + "\n", "utf-8")
    assert words == json.loads(text.read_text("utf-8"))
    with Image.open(picture) as golden:
        expected = np.asarray(golden.convert("RGB"))
    assert expected.shape == np.asarray(image).shape
    different = (expected != np.asarray(image)).any(axis=2)
    assert not different.any(), f"{different.sum()} pixels differ, the first at {np.argwhere(different)[0][::-1]}"


def _is_lossless(image: Image.Image) -> bool:
    return np.array_equal(np.asarray(image), np.asarray(image.quantize(256).convert("RGB")))


@pytest.mark.parametrize(("name", "by"), MAPS)
def test_maps(name: str, by: str) -> None:
    with ibdscan.open(fixture(name)) as survey:
        check(f"map-{name}-{by}", map_picture(survey, by, width=WIDTH).canvas)


def test_comparison() -> None:
    with ibdscan.open(fixture("uuid_random")) as a, ibdscan.open(fixture("uuid_rebuilt")) as b:
        check("compare-uuid", compare_picture([a, b], width=1200).canvas)


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    files = []
    for n in range(2):
        with ibdscan.open(fixture("half_deleted")) as survey:
            files.append(tmp_path / f"map{n}.png")
            write_png(draw_map(survey, "index"), files[-1])
    assert files[0].read_bytes() == files[1].read_bytes()
    for n in range(2):
        with ibdscan.open(fixture("import_single")) as a, ibdscan.open(fixture("import_multi")) as b:
            files.append(tmp_path / f"compare{n}.png")
            write_png(draw_compare([a, b]), files[-1])
    assert files[2].read_bytes() == files[3].read_bytes()


def test_a_png_carries_no_time_and_no_text(tmp_path: Path) -> None:
    image = draw_map(made_survey(640))
    image.info["icc_profile"] = b"of some screen"
    write_png(image, tmp_path / "x.png")
    with Image.open(tmp_path / "x.png") as read:
        assert read.info == {}
        assert read.mode == "RGB"
        assert np.array_equal(np.asarray(read), np.asarray(image))
