"""Maps and comparisons drawn in the terminal: half blocks in colour, or plain characters. May import
all rooms before it, ``images`` for its modes and colours.
"""

from ibdscan.views.terminal.compare import draw_compare_text
from ibdscan.views.terminal.map import draw_map_text
from ibdscan.views.terminal.screen import Screen, screen_of

__all__ = ["Screen", "draw_compare_text", "draw_map_text", "screen_of"]
