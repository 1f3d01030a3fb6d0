"""``python -m ibdscan.cli``."""

from ibdscan.cli import main

main(prog_name="ibdscan")
