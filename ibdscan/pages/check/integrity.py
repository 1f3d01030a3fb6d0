"""Is each page as it was written? Checksum and LSN trailer of every page, from the pass (``sums``).

What the pass alone shows to be right (crc32, full_crc32, never written) is decided for all pages at once. Only
the others are read again.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages.check.heads import Check, Fault, Heads, PageChecks
from ibdscan.pages.check.sums import PageSums
from ibdscan.pages.check.undecided import MYSQL_ENCRYPTED, Judge
from ibdscan.pages.format import checksums as c
from ibdscan.pages.format.flags import Flags
from ibdscan.pages.space.tablespace import Tablespace

_BYTES_26_USED = [
    int(t)
    for t in (
        *(PageType.RTREE, PageType.COMPRESSED, *MYSQL_ENCRYPTED, PageType.PAGE_COMPRESSED),
        *(PageType.PAGE_COMPRESSED_ENCRYPTED, PageType.ZBLOB, PageType.ZBLOB2, PageType.SDI_ZBLOB),
        *(
            PageType.ZLOB_FIRST,
            PageType.ZLOB_DATA,
            PageType.ZLOB_INDEX,
            PageType.ZLOB_FRAG,
            PageType.ZLOB_FRAG_ENTRY,
        ),
    )
]
"""R-trees keep a sequence number there, compressed and encrypted pages sizes, compressed LOBs what was there."""


def check_sums(
    space: Tablespace,
    sums: PageSums,
    *,
    copies: npt.NDArray[np.bool_] | None = None,
    strict: str | None = None,
    heads: Heads | None = None,
) -> PageChecks:
    """Judge every page of a finished pass.

    ``copies``: pages of the doublewrite area; ``strict``: the only algorithm allowed.
    """
    heads = heads or Heads(sums)
    checks = PageChecks(np.full(sums.n_pages, Check.BAD, np.uint8), np.zeros(sums.n_pages, np.uint8), heads)
    good, algorithm = _at_once(heads, space.flags)
    checks.check[good] = Check.GOOD
    checks.algorithm[good] = algorithm
    checks.check[heads.is_zero] = Check.NEVER_WRITTEN
    if copies is not None:
        checks.check[copies] = Check.COPY
    Judge(space, checks).run(np.flatnonzero(checks.check == Check.BAD))
    _check_unused_bytes(space, checks)
    if strict is not None:
        _check_strict(checks, strict)
    checks.faults.sort(key=lambda f: f.page_no)
    return checks


def _at_once(heads: Heads, flags: Flags) -> tuple[npt.NDArray[np.bool_], int]:
    if flags.full_crc32:
        good = heads.tail[1] == heads.crc
        good &= (heads.stored != 0) | (heads.tail[0] == heads.lsn_low)
        if flags.compression:
            good &= heads.type & np.uint16(PAGE_COMPRESSED_BIT) == 0
        return good, c.FULL_CRC32
    good = heads.stored == heads.crc
    if not flags.is_zip:
        good &= (heads.tail[0] == heads.crc) & (heads.tail[1] == heads.lsn_low)
    packed = (heads.type == PageType.PAGE_COMPRESSED) | (heads.type == PageType.COMPRESSED)
    return good & ~packed, c.CRC32


def _check_unused_bytes(space: Tablespace, checks: PageChecks) -> None:
    """Bytes 26 to 33 are outside the classic checksums; but for a few page types they are zero."""
    if space.flags.full_crc32 or space.seal is not None or space.space_id == 0:
        return
    heads = checks.heads
    odd = np.flatnonzero((checks.check == Check.GOOD) & heads.uses_bytes_26)
    if not len(odd):
        return
    for page in odd[~np.isin(heads.type[odd], _BYTES_26_USED)]:
        checks.check[page] = Check.BAD
        message = f"page {page}: bytes 26 to 33 are not zero, as in every page of its type"
        checks.faults.append(Fault("bad-header", int(page), 26, message))


def _check_strict(checks: PageChecks, strict: str) -> None:
    wanted = c.ALGORITHMS.index(strict)
    other = np.flatnonzero((checks.check == Check.GOOD) & (checks.algorithm != wanted))
    for page in other:
        name = c.ALGORITHMS[checks.algorithm[page]]
        checks.faults.append(
            Fault("other-algorithm", int(page), 0, f"page {page} has a valid {name} checksum, not {strict}")
        )
