"""SVG: the same pixels and words as the PNG, as shapes; many pages are refused."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image, ImageDraw

from ibdscan.errors import UsageError
from ibdscan.views.images import draw_compare_svg, draw_map, draw_map_svg
from ibdscan.views.images.compare import compare_picture
from ibdscan.views.images.map import map_picture
from ibdscan.views.images.svg import MAX_CELLS, colored_boxes
from tests.views.images_made import EMOJI, HEBREW, JAPANESE, made_survey

SPACE = "{http://www.w3.org/2000/svg}"


def painted(svg: str) -> Image.Image:
    """The shapes but not the text, drawn by a small renderer of what the pictures use."""
    root = ET.fromstring(svg)
    image = Image.new("RGB", (int(root.attrib["width"]), int(root.attrib["height"])))
    pen = ImageDraw.Draw(image)
    for shape in root:
        at = shape.attrib
        if shape.tag == f"{SPACE}rect":
            x, y, w, h = (float(at.get(k, 0)) for k in ("x", "y", "width", "height"))
            if at["fill"] == "none":
                pen.rectangle((x - 0.5, y - 0.5, x - 0.5 + w, y - 0.5 + h), outline=at["stroke"])
            else:
                pen.rectangle((x, y, x + w - 1, y + h - 1), fill=at["fill"])
        elif shape.tag == f"{SPACE}path":
            boxes = re.findall(r"M(\d+) (\d+)h(\d+)v(\d+)h-\d+z", at["d"])
            assert "".join(f"M{x} {y}h{w}v{h}h-{w}z" for x, y, w, h in boxes) == at["d"]
            for x, y, w, h in (map(int, box) for box in boxes):
                pen.rectangle((x, y, x + w - 1, y + h - 1), fill=at["fill"])
        else:
            assert shape.tag in (f"{SPACE}text", f"{SPACE}title")
    return image


@pytest.mark.parametrize("by", ["index", "order", "segment", "state"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_shapes_are_the_pixels_of_the_png(by: str, theme: str) -> None:
    survey = made_survey(3000, n_indexes=3, torn=True)
    picture = map_picture(survey, by, width=1200, theme=theme)
    drawn = np.asarray(painted(draw_map_svg(survey, by, width=1200, theme=theme))).copy()
    wanted = np.asarray(picture.canvas.image).copy()
    assert drawn.shape == wanted.shape
    for _, (x0, y0, x1, y1) in picture.canvas.texts:  # text is not drawn here
        box = (slice(int(y0) - 3, int(y1) + 3), slice(int(x0) - 3, int(x1) + 4))
        drawn[box] = wanted[box] = 0
    assert (drawn == wanted).all()


def test_words_are_those_of_the_png() -> None:
    survey = made_survey(640, n_indexes=3, index_names=["a<b>&\"'", JAPANESE, HEBREW], name=f"{EMOJI}.ibd")
    root = ET.fromstring(draw_map_svg(survey, title="<script>alert(1)</script>\x01"))
    texts = [e.text for e in root.iter(f"{SPACE}text")]
    picture = map_picture(survey, title="<script>alert(1)</script>\x01")
    assert texts == [text for text, _ in picture.canvas.texts]
    assert [e.tag for e in root.iter() if "script" in e.tag] == []
    title = root.find(f"{SPACE}title")
    assert title is not None
    assert title.text == "<script>alert(1)</script> "


def test_text_is_as_wide_as_it_was_measured() -> None:
    survey = made_survey(640)
    root = ET.fromstring(draw_map_svg(survey))
    boxes = [box for _, box in map_picture(survey).canvas.texts]
    for element, (x0, _, x1, _) in zip(root.iter(f"{SPACE}text"), boxes, strict=True):
        assert float(element.attrib["x"]) == x0
        assert float(element.attrib["textLength"]) == x1 - x0


def test_a_comparison() -> None:
    surveys = [made_survey(640, name="a.ibd"), made_survey(1000, torn=True, name="b.ibd")]
    svg = draw_compare_svg(surveys, width=1200)
    drawn, wanted = np.asarray(painted(svg)), np.asarray(compare_picture(surveys, width=1200).canvas.image)
    assert drawn.shape == wanted.shape
    assert (drawn == wanted).all(axis=2).mean() > 0.95  # all but the text
    assert "a.ibd and b.ibd</title>" in svg
    assert draw_compare_svg(surveys, width=1200) == svg


def test_many_pages_are_refused() -> None:
    survey = made_survey(MAX_CELLS + 1)
    with pytest.raises(UsageError, match=r"20,001 pages are too many for SVG .* write a \.png or a window"):
        draw_map_svg(survey)
    with pytest.raises(UsageError, match=r"write a \.png"):
        draw_compare_svg([survey, made_survey(10)])
    assert len(draw_map_svg(survey, "state", pages=(0, MAX_CELLS))) < 2_000_000


def test_the_wrong_size_is_the_same_error_as_for_a_png() -> None:
    for draw in (draw_map, draw_map_svg):
        with pytest.raises(UsageError, match="480 to 20000 pixels"):
            draw(made_survey(640), width=100)


def test_pixels_as_boxes() -> None:
    red, blue = (255, 0, 0), (0, 0, 255)
    pixels = np.array([[red, red, blue], [red, red, blue], [blue, red, blue]], np.uint8)
    assert colored_boxes(pixels) == {
        "#0000ff": [(0, 2, 1, 1), (2, 0, 1, 3)],
        "#ff0000": [(0, 0, 2, 2), (1, 2, 1, 1)],
    }
