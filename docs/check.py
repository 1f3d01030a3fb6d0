"""Check the docs: links lead somewhere, and what is generated is in step with the code.

    python -m docs.check [--update]

``--update`` writes the generated pages and pictures anew instead of comparing them.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

from docs.generate import PAGES, PICTURES

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)
SKIPPED = ("http://", "https://", "mailto:")


def documents() -> list[Path]:
    """All Markdown files of the project."""
    skipped = {".venv", ".git", "node_modules", "build", "dist"}
    return sorted(p for p in ROOT.rglob("*.md") if not skipped & set(p.relative_to(ROOT).parts))


def anchors(text: str) -> set[str]:
    """Anchors of the headings, as common Markdown viewers make them."""
    found = set()
    for heading in HEADING.findall(text):
        words = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
        found.add(words.replace(" ", "-"))
    return found


def broken_links() -> list[str]:
    """Links to files or headings that do not exist."""
    problems = []
    for document in documents():
        text = re.sub(r"```.*?```", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
        for target in LINK.findall(text):
            if target.startswith(SKIPPED):
                continue
            path, _, anchor = target.partition("#")
            file = (document.parent / path) if path else document
            where = f"{document.relative_to(ROOT)}: {target}"
            if not file.exists():
                problems.append(f"{where}: no such file")
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                problems.append(f"{where}: no such heading")
    return problems


def stale_pages(update: bool) -> list[str]:
    """Generated pages that differ from what the code prints now."""
    problems = []
    for name, make in PAGES.items():
        path, text = ROOT / name, make()
        if update:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            problems.append(f"{name}: out of step, run python -m docs.check --update")
    return problems


def stale_pictures(update: bool) -> list[str]:
    """Pictures whose decoded pixels differ from what the code draws now."""
    from PIL import Image

    from ibdscan.views.images import write_png

    problems = []
    for name, make in PICTURES.items():
        path, image = ROOT / name, make()
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_png(image, path)
            continue
        with tempfile.TemporaryDirectory() as folder:
            write_png(image, Path(folder) / "now.png")
            with Image.open(Path(folder) / "now.png") as now:
                pixels = (now.size, now.convert("RGB").tobytes())
        if not path.exists():
            problems.append(f"{name}: missing")
            continue
        with Image.open(path) as kept:
            if (kept.size, kept.convert("RGB").tobytes()) != pixels:
                problems.append(f"{name}: out of step, run python -m docs.check --update")
    return problems


def main() -> None:
    """Print every problem; exit 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true")
    update = parser.parse_args().update
    problems = stale_pages(update) + stale_pictures(update) + broken_links()
    print("\n".join(problems) if problems else f"docs: {len(documents())} pages, all in step")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
