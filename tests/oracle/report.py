"""docs/accuracy.md: the comparison as a page for people. The same results give the same bytes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.reasons import REASONS
from tests.oracle.run import FileResult
from tests.oracle.verdict import DIFFERENT, EXPLAINED, Comparison

HEAD = """# Accuracy

What ibdscan says of real files against what the server itself said of them, for every file of the corpus that
has an oracle. This page is the output of a command, and a test fails when it is not up to date:

    IBDSCAN_CORPUS=.../corpus python -m tests.oracle

*Exact* is equal to the last digit. *Explained* is an accepted difference: each has a rule that looks at the
evidence in the file, not at the file's name, and is described [below](#accepted-differences). *Different* is
anything else.
"""

CHECKS = {
    "records": "NUMBER_RECORDS of INNODB_BUFFER_PAGE, every index page that the server loaded, stale ones too",
    "data size": "DATA_SIZE of INNODB_BUFFER_PAGE, the same pages",
    "type of page": "PAGE_TYPE of INNODB_BUFFER_PAGE, every page that the server loaded",
    "page details": "index id, level, records and garbage of every index page as innochecksum prints them",
    "page types": "pages by type against innochecksum's summary of the whole file, one comparison a type",
    "live pages": "the list of live pages of each index against the pages that the server itself walked",
    "visited is live": "no page that the server walked, of any type, is taken for free",
    "tree counts": "pages, leaf pages, mean records and bytes of each B+tree against innochecksum (MariaDB)",
    "root": "index ids and root pages against INNODB_INDEXES / INNODB_SYS_INDEXES: no more and no fewer",
    "clustered": "which index is the clustered one",
    "names": "table and index names, FULLTEXT indexes included, where the file holds them",
    "SDI": "every SDI document against ibd2sdi's output",
    "n_leaf_pages": "used pages of the leaf segment against innodb_index_stats",
    "size": "reserved pages against innodb_index_stats and innodb_table_stats",
    "data_free": "DATA_FREE of INFORMATION_SCHEMA.TABLES and FILES",
    "row count": "records of the clustered index's leaves against COUNT(*)",
    "header": "page size, flags, space id, FSP_SIZE, FREE_LIMIT, FRAG_N_USED, LSN, version, family, file size",
    "account": "page classes and page states each sum to the pages of the file",
    "findings": "a healthy file has no findings",
}

_BRIEF = 5


@dataclass
class Tally:
    """Sums over some files."""

    files: int = 0
    refused: int = 0
    pages: int = 0
    indexes: int = 0
    exact: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    different: Counter[str] = field(default_factory=Counter)

    def add(self, result: FileResult) -> None:
        self.files += 1
        self.refused += bool(result.refused)
        self.pages += result.pages
        self.indexes += result.indexes
        self.exact += result.exact
        self.explained += Counter(c.check for c in result.others if c.verdict == EXPLAINED)
        self.different += Counter(c.check for c in result.others if c.verdict == DIFFERENT)


def tally(results: Iterable[FileResult]) -> Tally:
    total = Tally()
    for result in results:
        total.add(result)
    return total


def render(results: Sequence[FileResult]) -> str:
    """The page."""
    exact = [r for r in results if not r.is_approximate]
    approximate = [r for r in results if r.is_approximate]
    parts = [
        HEAD,
        _totals(results),
        _checks(results),
        "## By instance\n\n" + _instances(exact),
        "## Approximate oracles\n\nFiles that changed while the server was asked, and copies taken "
        "while it was writing. What was read from the file itself (header, page types) must be equal here too; "
        "what the server was asked may differ, and hardly does.\n\n" + _instances(approximate, names=True),
        _accepted(results),
        _refused(results),
        _different(results),
    ]
    return "\n".join(part.rstrip() + "\n" for part in parts)


def _totals(results: Sequence[FileResult]) -> str:
    total = tally(results)
    versions: dict[str, set[str]] = defaultdict(set)
    for result in results:
        if result.server_version:
            versions[result.file.engine].add(result.server_version)
    engines = "; ".join(f"{engine}: {', '.join(sorted(v))}" for engine, v in sorted(versions.items()))
    read = total.files - total.refused
    counts = (total.exact.total(), total.explained.total(), total.different.total())
    exact, explained, different = (f"{n:,}" for n in counts)
    return (
        f"**{total.files} files** ({engines}): **{read} read**, {total.refused} refused ([why](#refused-files)). "
        f"{total.pages:,} pages, {total.indexes:,} indexes; {exact} comparisons exact, {explained} explained, "
        f"**{different} different**."
    )


def _checks(results: Sequence[FileResult]) -> str:
    total = tally(results)
    rows = [
        (f"{name}", what, f"{total.exact[name]:,}", f"{total.explained[name]:,}", f"{total.different[name]:,}")
        for name, what in CHECKS.items()
    ]
    return "## By check\n\n" + _table(
        ("check", "what is compared", "exact", "explained", "different"), rows, right=2
    )


def _instances(results: Sequence[FileResult], *, names: bool = False) -> str:
    groups: dict[tuple[str, ...], Tally] = defaultdict(Tally)
    for result in results:
        file = result.file
        groups[(file.engine, file.instance, file.name) if names else (file.engine, file.instance)].add(result)
    rows = []
    for key, t in sorted(groups.items()):
        read = str(t.files - t.refused) if not names else "no" if t.refused else "yes"
        counts = (t.pages, t.indexes, t.exact.total(), t.explained.total(), t.different.total())
        sizes = () if names else (str(t.files),)
        rows.append(("/".join(key), *sizes, read, *(f"{n:,}" for n in counts)))
    head = ("file", "read") if names else ("instance", "files", "read")
    return _table((*head, "pages", "indexes", "exact", "explained", "different"), rows, right=1)


def _accepted(results: Sequence[FileResult]) -> str:
    by_reason: dict[str, list[Comparison]] = defaultdict(list)
    for result in results:
        for comparison in result.others:
            if comparison.verdict == EXPLAINED:
                by_reason[comparison.reason].append(comparison)
    parts = ["## Accepted differences\n"]
    for reason, text in REASONS.items():
        found = by_reason.get(reason, [])
        parts.append(f"### {reason}\n\n{text}\n\n{_plural(len(found), 'comparison')}:\n\n{_cases(found)}\n")
    return "\n".join(parts)


def _cases(comparisons: list[Comparison]) -> str:
    """Equal cases of several files are one row."""
    files: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)
    for c in comparisons:
        files[c.check, c.where, brief(c.ours), brief(c.theirs)].append(c.file)
    rows = [
        (*key, _plural(len(where), "file") if len(where) > 1 else where[0]) for key, where in sorted(files.items())
    ]
    return _table(("check", "where", "ibdscan", "server", "file"), rows, right=5)


def _refused(results: Sequence[FileResult]) -> str:
    groups: dict[tuple[str, str], list[FileResult]] = defaultdict(list)
    for result in results:
        if result.refused:
            groups[result.refused.partition(":")[0], result.file.engine].append(result)
    rows = [
        (message, engine, str(len(found)), "yes" if all(r.refusal_is_right for r in found) else "NO")
        for (message, engine), found in sorted(groups.items())
    ]
    text = (
        "## Refused files\n\nFormats that this version does not read, each recognised and refused with its own "
        "message, and live copies whose page 0 had not been written yet. *Right*: the oracle shows that the file "
        "is of that kind.\n\n"
    )
    return text + _table(("message", "engine", "files", "right"), rows, right=2)


def _different(results: Sequence[FileResult]) -> str:
    found = [c for r in results for c in r.others if c.verdict == DIFFERENT]
    if not found:
        return "## Differences\n\nNone."
    return "## Differences\n\n" + _cases(found)


def brief(value: Any) -> str:
    """A value in a few words; long lists by their length."""
    if isinstance(value, list):
        return (
            "none" if not value else f"{len(value)} entries" if len(value) > _BRIEF else ", ".join(map(str, value))
        )
    return "none" if value is None else str(value)


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], right: int) -> str:
    """A Markdown table; columns from ``right`` on are aligned right."""
    lines = [
        "| " + " | ".join(head) + " |",
        "|" + "|".join("--:" if i >= right else "---" for i in range(len(head))) + "|",
    ]
    lines += [
        "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in row) + " |" for row in rows
    ]
    return "\n".join(lines)
