"""Compare every file of the corpus and write docs/accuracy.md: ``python -m tests.oracle [-o FILE]``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.corpus import VARIABLE, corpus_files, corpus_root
from tests.oracle.report import render, tally
from tests.oracle.run import run_files

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument(
        "-o", "--output", type=Path, default=PAGE, help="where to write (default: docs/accuracy.md)"
    )
    args = parser.parse_args()
    root = corpus_root()
    if root is None:
        print(f"set {VARIABLE} to the folder of the corpus", file=sys.stderr)
        return 2
    results = list(run_files(corpus_files(root)).values())
    args.output.parent.mkdir(exist_ok=True)
    args.output.write_text(render(results), encoding="utf-8")
    different = tally(results).different.total()
    print(f"Wrote {args.output}: {len(results)} files, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
