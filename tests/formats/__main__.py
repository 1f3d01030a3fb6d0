"""Write docs/formats.md from the corpus: ``python -m tests.formats``."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.corpus import corpus_root

from .table import prove, render

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "formats.md"


def main() -> None:
    root = corpus_root()
    if root is None:
        sys.exit("IBDSCAN_CORPUS is not set")
    DOCUMENT.write_text(render(prove(root)), encoding="utf-8")
    print(f"Wrote {DOCUMENT}")


if __name__ == "__main__":
    main()
