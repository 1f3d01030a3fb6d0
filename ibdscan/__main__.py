"""``python -m ibdscan``."""

from ibdscan.cli import main

main(prog_name="ibdscan")
