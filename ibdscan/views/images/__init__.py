"""Pictures: maps of one file and comparisons of several. Importing this imports Pillow. A mode of maps is declared
in ``modes``; ``parts`` is what pictures are made of. May import ``table``, ``data`` and ``text``.
"""

from ibdscan.views.images.compare import draw_compare
from ibdscan.views.images.map import draw_map
from ibdscan.views.images.modes import MODES
from ibdscan.views.images.parts.draw import write_png
from ibdscan.views.images.svg import draw_compare_svg, draw_map_svg

__all__ = ["MODES", "draw_compare", "draw_compare_svg", "draw_map", "draw_map_svg", "write_png"]
