"""``python -m ibdscan.cli``."""

from ibdscan.__main__ import run

run()
