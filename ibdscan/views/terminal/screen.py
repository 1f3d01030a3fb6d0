"""What a terminal can show: its width, its colours, light or dark."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ibdscan.views.images.parts.theme import Theme, theme_named

COLORS = ("true", "256", "never")


@dataclass(frozen=True)
class Screen:
    """A terminal, or a stream that is none."""

    width: int
    """Columns."""
    lines: int
    """Lines that a map may take."""
    colors: str
    """``true`` (24 bits), ``256``, or ``never``: plain characters and no escapes."""
    theme: Theme

    @property
    def colored(self) -> bool:
        return self.colors != "never"


MIN_LINES, MAX_LINES = 16, 60
"""Lines of a map are as many as the terminal has, within these."""


def screen_of(
    environ: Mapping[str, str],
    size: tuple[int, int],
    *,
    is_terminal: bool,
    encoding: str | None,
    colors: str = "auto",
    theme: str | None = None,
) -> Screen:
    """What the environment says of a terminal of so many columns and lines; ``colors`` other than ``auto``
    overrules it.

    Half blocks need Unicode: with another encoding there are plain characters whatever is asked.
    """
    if colors == "auto":
        colors = _colors(environ) if is_terminal else "never"
    if "utf" not in (encoding or "").lower():
        colors = "never"
    lines = min(MAX_LINES, max(MIN_LINES, size[1] - 4))
    return Screen(size[0], lines, colors, theme_named(theme or _theme(environ)))


def _colors(environ: Mapping[str, str]) -> str:
    term = environ.get("TERM", "")
    if environ.get("NO_COLOR") or term in ("", "dumb"):
        return "never"
    if environ.get("COLORTERM", "").lower() in ("truecolor", "24bit") or term.endswith("-direct"):
        return "true"
    return "256" if "256" in term else "never"


_LIGHT_BACKGROUNDS = ("7", "15")


def _theme(environ: Mapping[str, str]) -> str:
    """Dark, unless the terminal says that its background is light."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if background in _LIGHT_BACKGROUNDS else "dark"
