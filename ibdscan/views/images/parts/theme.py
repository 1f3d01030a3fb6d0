"""Colours: themes, Okabe-Ito hues for categories, perceptually uniform ramps for scales."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UsageError

RGB = tuple[int, int, int]
RAMP_STEPS = 200


def rgb(hexes: str) -> RGB:
    """``#0072b2`` as numbers."""
    n = int(hexes.lstrip("#"), 16)
    return n >> 16, n >> 8 & 255, n & 255


def mix(a: RGB, b: RGB, share: float) -> RGB:
    """``share`` of colour ``b`` in colour ``a``."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


@dataclass(frozen=True)
class Theme:
    """Colours of one theme; pages that hold no data of an index have one each."""

    name: str
    background: RGB
    ink: RGB
    muted: RGB
    line: RGB
    system: RGB
    other: RGB
    sdi: RGB
    off_page: RGB
    stale: RGB
    reserved: RGB
    free_fragment: RGB
    free_extent: RGB
    not_used_yet: RGB
    beyond: RGB
    greyed: RGB
    unused: RGB
    undo: RGB
    rollback: RGB
    change_buffer: RGB
    doublewrite: RGB
    unread: RGB


_LIGHT = Theme(
    name="light",
    background=rgb("ffffff"),
    ink=rgb("1b1f24"),
    muted=rgb("626b75"),
    line=rgb("cfd4da"),
    system=rgb("30343a"),
    other=rgb("7b8794"),
    sdi=rgb("9b8ac4"),
    off_page=rgb("8a6a3f"),
    stale=rgb("e0a3a0"),
    reserved=rgb("c3cbd3"),
    free_fragment=rgb("d9dee3"),
    free_extent=rgb("e9ecef"),
    not_used_yet=rgb("f3f4f6"),
    beyond=rgb("fbf3d9"),
    greyed=rgb("aeb6bf"),
    unused=rgb("eceef1"),
    undo=rgb("5b3f8c"),
    rollback=rgb("8c8c3c"),
    change_buffer=rgb("b5526a"),
    doublewrite=rgb("9db4b0"),
    unread=rgb("c4b48f"),
)
_DARK = Theme(
    name="dark",
    background=rgb("12151a"),
    ink=rgb("e9ecef"),
    muted=rgb("9aa4af"),
    line=rgb("3b424b"),
    system=rgb("d8dde3"),
    other=rgb("8f9aa6"),
    sdi=rgb("b3a2dd"),
    off_page=rgb("b08a55"),
    stale=rgb("8c5350"),
    reserved=rgb("4a525c"),
    free_fragment=rgb("373e47"),
    free_extent=rgb("2a3038"),
    not_used_yet=rgb("1e232a"),
    beyond=rgb("3a3420"),
    greyed=rgb("5d6670"),
    unused=rgb("262b32"),
    undo=rgb("8d70c4"),
    rollback=rgb("a8a85a"),
    change_buffer=rgb("cf7389"),
    doublewrite=rgb("5f7a75"),
    unread=rgb("8a7c5a"),
)
THEMES = {"light": _LIGHT, "dark": _DARK}


def theme_named(name: str) -> Theme:
    """A theme by name. Raises UsageError for an unknown one."""
    if name not in THEMES:
        raise UsageError(f"no theme {name!r}; there are: {', '.join(THEMES)}")
    return THEMES[name]


OKABE_ITO = tuple(map(rgb, ("0072b2", "e69f00", "009e73", "cc79a7", "d55e00", "56b4e9", "f0e442")))
"""Seven hues that colour-blind readers can tell apart (Okabe and Ito 2008; black is kept for text)."""

MAX_HUES = 3 * len(OKABE_ITO)


def hue(rank: int, theme: Theme) -> RGB:
    """Colour of the index of this rank: seven hues, then their dark and their pale shades."""
    base = OKABE_ITO[rank % len(OKABE_ITO)]
    shade = rank // len(OKABE_ITO)
    if shade == 0:
        return base
    return mix(base, (0, 0, 0), 0.5) if shade == 1 else mix(base, (255, 255, 255), 0.55)


_ANCHORS = {
    "viridis": "440154 482475 414487 355f8d 2a788e 21918c 22a884 44bf70 7ad151 bddf26 fde725",
    "plasma": "0d0887 41049d 6a00a8 8f0da4 b12a90 cc4778 e16462 f2844b fca636 fcce25 f0f921",
    "cividis": "00224e 123570 3b496c 575d6d 707173 8a8678 a59c74 c3b369 e1cc55 fee838",
}


@cache
def ramp(name: str, steps: int = RAMP_STEPS) -> npt.NDArray[np.uint8]:
    """A ramp of ``steps`` colours, uint8 (steps, 3); a name that ends in ``_r`` is reversed."""
    anchors = np.array([rgb(h) for h in _ANCHORS[name.removesuffix("_r")].split()], np.float64)
    at = np.linspace(0, len(anchors) - 1, steps)
    channels = [np.interp(at, np.arange(len(anchors)), anchors[:, i]) for i in range(3)]
    colours = np.round(np.stack(channels, axis=1)).astype(np.uint8)
    if name.endswith("_r"):
        colours = colours[::-1].copy()
    colours.setflags(write=False)
    return colours
