"""Is the file whole? Every page's checksum, number, space id and LSN; links, lists, extents and segments."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ibdscan.errors import IbdError, NotATablespaceError, ShrunkError, UnreadableError
from ibdscan.layout.numbers import PageType
from ibdscan.layout.trx import TRX_SYS_PAGE_NO
from ibdscan.pages.check.heads import Check, Heads, PageChecks, ScannedSource
from ibdscan.pages.check.integrity import check_sums
from ibdscan.pages.check.sums import PageSums, Progress, sum_pages
from ibdscan.pages.page.columns import scan_columns
from ibdscan.pages.space.doublewrite import doublewrite_mask
from ibdscan.pages.space.headless import read_headless
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.read import Structures, read_structures
from ibdscan.structures.space.list_agreement import check_lists
from ibdscan.structures.space.states import PageState

if TYPE_CHECKING:
    from ibdscan.pages.decode.keyring import Keyring

STRICT_ALGORITHMS = ("crc32", "innodb", "none", "full_crc32")
FREE_PREFIX = "free-page-"
"""Begins the kind of a finding on a page that is not in use: the server will overwrite it unread."""
_NOT_FLUSHED = "never-written"
_PAGE_KINDS = frozenset(
    [
        "page-0",
        "page-number",
        "space-id",
        "bad-checksum",
        "torn-page",
        "bad-compression",
        "bad-header",
        "other-algorithm",
        "page-header",
        "root-level",
        "inode-magic",
        "sdi-record",
        "record-count",
    ]
)
"""Kinds of findings on one page alone."""


@dataclass(frozen=True)
class Verification:
    """What was checked of one file, and what was found."""

    space: Tablespace
    pages: int
    checksums: dict[str, int]
    """Pages by the algorithm of their checksum, and by why they have none that could be checked."""
    unchecked: str | None
    """Why links, lists, extents and segments could not be checked; None where they were."""
    findings: list[Finding]

    @property
    def path(self) -> str:
        return self.space.path

    @property
    def ok(self) -> bool:
        """Nothing was found."""
        return not self.findings

    @property
    def pages_hold(self) -> bool:
        """Each page by itself is sound, as far as it could be checked: what was found is that pages do not fit
        each other."""
        return not any(f.kind.removeprefix(FREE_PREFIX) in _PAGE_KINDS for f in self.findings)


def verify_source(
    source: ScannedSource,
    *,
    keyring: Keyring | None = None,
    strict: str | None = None,
    skip_free: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Verify an open file. Raises IbdError when it can not be answered; whatever is merely broken is a finding.

    ``strict``: the one checksum algorithm allowed; ``skip_free``: nothing of pages that are not in use.
    """
    broken: NotATablespaceError | None = None
    try:
        space = read_tablespace(source, keyring)
    except NotATablespaceError as e:
        space, broken = read_headless(source, e), e
    try:
        sums = sum_pages(source.descriptor, source.size, space.flags, progress)
    except BrokenExecutor as e:
        raise UnreadableError("a process that read it was ended (out of memory?)", path=source.path) from e
    if sums is None:
        raise _unread(source, space)
    return _judged(source, space, sums, broken, strict=strict, skip_free=skip_free)


def _judged(
    source: ScannedSource,
    space: Tablespace,
    sums: PageSums,
    broken: NotATablespaceError | None,
    *,
    strict: str | None,
    skip_free: bool,
) -> Verification:
    """What a finished pass and the structures say."""
    heads = Heads(sums)
    source.heads, source.page_bytes = heads, space.geometry.physical
    copies = None if broken else doublewrite_mask(space)
    checks = check_sums(space, sums, copies=copies, strict=strict, heads=heads)
    heads.settle()
    findings = Findings()
    found: Structures | None = None
    unchecked: str | None = "page 0 is damaged"
    if broken:
        findings.add("page-0", broken.message, 0, broken.offset)
    else:
        found, unchecked = _structures(space, findings)
    return Verification(
        space, space.n_pages, checks.counts(), unchecked, _collect(space, checks, found, findings, skip_free)
    )


def _unread(source: ScannedSource, space: Tablespace) -> IbdError:
    page = space.geometry.physical
    try:
        source.read((space.n_pages - 1) * page, page)
    except IbdError as e:
        return e
    return ShrunkError("the file could not be read to its end", path=source.path)


def _structures(space: Tablespace, findings: Findings) -> tuple[Structures | None, str | None]:
    """Structures and, where they could not be checked, why not."""
    try:
        columns = scan_columns(space)
        found = read_structures(space, columns, findings)
        if found.is_blind:
            return found, next(message for kind, message in columns.forms.problems if kind != "damaged-image")
        check_lists(space, columns, found.extents, found.segments, findings)
    except ShrunkError:
        raise
    except IbdError as e:
        return None, e.message
    return found, None


def _collect(
    space: Tablespace, checks: PageChecks, found: Structures | None, structural: Findings, skip_free: bool
) -> list[Finding]:
    """All findings in the order of their pages; those of pages not in use under names of their own."""
    n = space.n_pages
    live = np.ones(n, np.bool_) if found is None else found.state == PageState.LIVE
    out = Findings()
    for fault in checks.faults:
        if live[fault.page_no]:
            out.add(fault.kind, fault.message, fault.page_no, fault.offset)
        elif not skip_free:
            out.add(
                FREE_PREFIX + fault.kind, f"{fault.message} (the page is not in use)", fault.page_no, fault.offset
            )
    _check_numbers(space, checks, live, found is None, skip_free, out)
    rest = [_reworded(f) for f in structural.closed() if not _is_hidden_copy(f, space, found)]
    return sorted([*out.closed(), *rest], key=lambda f: (f.page_no is None, f.page_no or 0, f.offset or 0, f.kind))


def _check_numbers(
    space: Tablespace, checks: PageChecks, live: Any, every: bool, skip_free: bool, out: Findings
) -> None:
    """Page number and space id of the pages that the structural checks did not look at."""
    if skip_free and not every:
        return
    heads = checks.heads
    prefix, more = ("", "") if every else (FREE_PREFIX, " (the page is not in use)")
    looked = np.isin(checks.check, [Check.GOOD, Check.BAD, Check.KEY_NEEDED, Check.CODEC_NEEDED])
    if not every:
        looked &= ~live
    wrong = np.flatnonzero(looked & (heads.page_no != np.arange(space.n_pages, dtype=np.uint32)))
    for page in wrong:
        out.add(
            prefix + "page-number", f"page {page} carries page number {heads.page_no[page]}{more}", int(page), 4
        )
    in_clear = ~np.isin(heads.type, [int(PageType.PAGE_COMPRESSED), int(PageType.PAGE_COMPRESSED_ENCRYPTED)])
    if space.flags.full_crc32:  # from byte 26 on compressed or encrypted
        in_clear = (heads.stored == 0) & (heads.type & np.uint16(0x8000) == 0)
    foreign = np.flatnonzero(looked & in_clear & (heads.space_id != np.uint32(space.space_id)))
    for page in foreign:
        out.add(prefix + "space-id", f"page {page} carries space id {heads.space_id[page]}{more}", int(page), 34)


def _is_hidden_copy(finding: Finding, space: Tablespace, found: Structures | None) -> bool:
    """In an encrypted system tablespace the page that says where the doublewrite area lies can not be read;
    some pages of that area are in use and never written."""
    if finding.kind != _NOT_FLUSHED or found is None or space.space_id != 0 or space.n_pages <= TRX_SYS_PAGE_NO:
        return False
    return bool(found.columns.unread[TRX_SYS_PAGE_NO])


def _reworded(finding: Finding) -> Finding:
    if finding.kind != _NOT_FLUSHED or finding.page_no is None:
        return finding
    return replace(
        finding,
        message=f"page {finding.page_no} is marked used and is all zeros: lost, or not yet flushed when the file "
        "was copied",
    )


def verify_file(
    path: str,
    *,
    keyring: Keyring | None = None,
    strict: str | None = None,
    skip_free: bool = False,
    progress: Progress | None = None,
) -> Verification:
    """Open a file and verify it; see :func:`verify_source`."""
    with ScannedSource(path) as source:
        return verify_source(source, keyring=keyring, strict=strict, skip_free=skip_free, progress=progress)
