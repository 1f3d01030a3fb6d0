"""Is the file whole? Every page's checksum, number, space id and LSN; links, lists, extents and segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ibdscan.errors import IbdError, ShrunkError
from ibdscan.layout.numbers import PageType
from ibdscan.measures.survey import Survey, survey_columns
from ibdscan.pages.columns import scan_columns
from ibdscan.pages.doublewrite import doublewrite_mask
from ibdscan.pages.integrity import Check, Heads, PageChecks, ScannedSource, check_sums
from ibdscan.pages.sums import PageSums
from ibdscan.pages.tablespace import Tablespace, read_tablespace
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.list_check import check_lists
from ibdscan.structures.states import PageState

if TYPE_CHECKING:
    from ibdscan.pages.keyring import Keyring

STRICT_ALGORITHMS = ("crc32", "innodb", "none", "full_crc32")
FREE_PREFIX = "free-page-"
"""Begins the kind of a finding on a page that is not in use: the server will overwrite it unread."""
_NOT_FLUSHED = "never-written"


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


def verify_source(
    source: ScannedSource,
    *,
    sums: PageSums | None = None,
    keyring: Keyring | None = None,
    strict: str | None = None,
    skip_free: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Verification:
    """Verify an open file. ``sums``: a pass over it that has begun already. Raises IbdError when it can not be
    answered; whatever is merely broken is a finding.

    ``strict``: the one checksum algorithm allowed; ``skip_free``: nothing of pages that are not in use.
    """
    space = read_tablespace(source, keyring)
    sums = _fitting(sums, space) or PageSums(source.descriptor, source.size, space.flags).start()
    try:
        if not sums.finish(progress):
            raise _unread(source, sums)
    finally:
        sums.close()
    heads = Heads(sums)
    source.heads, source.page_bytes = heads, sums.page_bytes
    copies = doublewrite_mask(space)
    checks = check_sums(space, sums, copies=copies, strict=strict, heads=heads)
    findings = Findings()
    survey, unchecked = _survey(space, findings)
    return Verification(
        space, space.n_pages, checks.counts(), unchecked, _collect(space, checks, survey, findings, skip_free)
    )


def _fitting(sums: PageSums | None, space: Tablespace) -> PageSums | None:
    """A pass begun early is of use only if page 0 was understood in the same way then."""
    if sums is None:
        return None
    if sums.flags == space.flags and sums.n_pages == space.n_pages:
        return sums
    sums.close()
    return None


def _unread(source: ScannedSource, sums: PageSums) -> IbdError:
    try:
        source.read((sums.n_pages - 1) * sums.page_bytes, sums.page_bytes)
    except IbdError as e:
        return e
    return ShrunkError("the file could not be read to its end", path=source.path)


def _survey(space: Tablespace, findings: Findings) -> tuple[Survey | None, str | None]:
    try:
        columns = scan_columns(space)
        survey = survey_columns(space, columns)
        blind = columns.forms.is_blind
        if not blind:
            check_lists(space, columns, survey.extents, survey.segments, findings)
    except ShrunkError:
        raise
    except IbdError as e:
        return None, e.message
    return survey, next(iter(columns.forms.problems), ("", None))[1] if blind else None


def _collect(
    space: Tablespace, checks: PageChecks, survey: Survey | None, lists: Findings, skip_free: bool
) -> list[Finding]:
    """All findings in the order of their pages; those of pages not in use under names of their own."""
    n = space.n_pages
    live = np.ones(n, np.bool_) if survey is None else survey.state == PageState.LIVE
    out = Findings()
    for fault in checks.faults:
        if live[fault.page_no]:
            out.add(fault.kind, fault.message, fault.page_no, fault.offset)
        elif not skip_free:
            out.add(FREE_PREFIX + fault.kind, f"{fault.message} (the page is not in use)", fault.page_no, fault.offset)
    _check_numbers(space, checks, live, survey is None, skip_free, out)
    found = [*out.closed(), *lists.closed()]
    if survey is not None:
        found += [_reworded(f) for f in survey.findings]
    return sorted(found, key=lambda f: (f.page_no is None, f.page_no or 0, f.offset or 0, f.kind))


def _check_numbers(
    space: Tablespace, checks: PageChecks, live: Any, every: bool, skip_free: bool, out: Findings
) -> None:
    """Page number and space id of the pages that the survey did not look at."""
    if skip_free and not every:
        return
    heads = checks.heads
    prefix, more = ("", "") if every else (FREE_PREFIX, " (the page is not in use)")
    looked = np.isin(checks.check, [Check.GOOD, Check.BAD, Check.KEY_NEEDED, Check.CODEC_NEEDED])
    if not every:
        looked &= ~live
    wrong = np.flatnonzero(looked & (heads.page_no != np.arange(space.n_pages, dtype=np.uint32)))
    for page in wrong:
        out.add(prefix + "page-number", f"page {page} carries page number {heads.page_no[page]}{more}", int(page), 4)
    in_clear = ~np.isin(heads.type, [int(PageType.PAGE_COMPRESSED), int(PageType.PAGE_COMPRESSED_ENCRYPTED)])
    if space.flags.full_crc32:  # from byte 26 on compressed or encrypted
        in_clear = (heads.stored == 0) & (heads.type & np.uint16(0x8000) == 0)
    foreign = np.flatnonzero(looked & in_clear & (heads.space_id != np.uint32(space.space_id)))
    for page in foreign:
        out.add(prefix + "space-id", f"page {page} carries space id {heads.space_id[page]}{more}", int(page), 34)


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
    sums: PageSums | None = None,
    progress: Callable[[int], None] | None = None,
) -> Verification:
    """Open a file and verify it; see :func:`verify_source`."""
    with ScannedSource(path) as source:
        return verify_source(
            source, sums=sums, keyring=keyring, strict=strict, skip_free=skip_free, progress=progress
        )
