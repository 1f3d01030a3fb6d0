"""``ibdscan verify`` as text for people."""

from __future__ import annotations

from ibdscan.measures.verify import Verification
from ibdscan.views.table.tables import Column, Style, Table, printable
from ibdscan.views.table.units import count_text

_WORDS = {
    "bad": "damaged",
    "never_written": "never written",
    "key_needed": "not checked: key needed",
    "codec_needed": "not checked: codec needed",
    "copy": "doublewrite area",
}
_PAGES_HOLD = (
    "Each page by itself is sound, but they do not fit each other: "
    "what a copy taken while a server was writing looks like.\n"
)


def verify_text(found: Verification, style: Style) -> str:
    """The report on one file: what was checked, then each finding."""
    space = found.space
    version = f" {space.server_version}" if space.server_version else ""
    family = {"mysql": "MySQL", "mariadb": "MariaDB"}[space.family] + version
    sums = ", ".join(f"{count_text(n)} {_WORDS.get(k, k)}" for k, n in found.checksums.items())
    lines = [
        style.bold(printable(found.path)),
        f"{family}, {space.geometry.physical // 1024} KiB pages, space {space.space_id}",
        f"{count_text(found.pages)} pages: {sums}",
    ]
    if found.unchecked:
        lines.append(f"links, lists, extents and segments not checked: {printable(found.unchecked)}")
    if found.ok:
        what = "the checksums hold" if found.unchecked else "checksums, links, lists, extents and segments hold"
        return "\n".join([*lines, f"OK: {what}"]) + "\n"
    kinds: dict[str, int] = {}
    for finding in found.findings:
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
    table = Table(
        [
            Column("page", "page", right=True),
            Column("at", "byte", right=True),
            Column("k", "kind"),
            Column("m", "finding"),
        ]
    )
    for finding in found.findings:
        table.add(
            *("" if v is None else v for v in (finding.page_no, finding.offset)), finding.kind, finding.message
        )
    n = len(found.findings)
    lines += [f"{count_text(n)} finding{'' if n == 1 else 's'}:", style.table(table)]
    if found.pages_hold:
        lines[-1] += _PAGES_HOLD
    return "\n".join(lines)
