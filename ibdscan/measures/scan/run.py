"""A scan: an iterator over the rows of files as they are done, that sums them up on the way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from ibdscan.errors import UsageError
from ibdscan.measures.scan.find import Found, Unlisted, Walk
from ibdscan.measures.scan.measure import HowTo, failed_row
from ibdscan.measures.scan.places import NameFilter
from ibdscan.measures.scan.pool import Chunk, Limits, rows_here, rows_of_pool
from ibdscan.measures.scan.row import FileRow
from ibdscan.measures.scan.saved import Saved, open_saved
from ibdscan.measures.scan.streams import is_stream, rows_of_stream
from ibdscan.measures.scan.totals import Report
from ibdscan.pages.decode.keyring import Keyring, read_keyring
from ibdscan.pages.source.cores import available_cores

CHUNK_FILES = 128
CHUNK_BYTES = 64 << 20
HUGE_BYTES = 1 << 30
"""Files from here on come after all others, the largest first, one to a worker."""
WORTH_PROCESSES = (500, 2 << 30)
"""Files or bytes below which starting processes takes longer than the scan."""
DEFAULT_OPEN_FILES = 256


class Scan:
    """The rows of all tablespaces below some folders; ``report`` has the sums of those given out so far.

    Iterate over it once. The files come in the order of their names, those of 1 GiB and more at the end.
    """

    def __init__(
        self,
        walk: Walk,
        how: HowTo,
        limits: Limits,
        report: Report,
        resumed: Saved | None = None,
        done: Callable[[int, int], None] | None = None,
        streams: Iterable[Iterator[FileRow]] = (),
    ) -> None:
        self.report = report
        self.walk = walk
        self._how, self._limits = how, limits
        self._resumed, self._done, self._streams = resumed, done, streams
        self._rows = self._run()

    def __iter__(self) -> Iterator[FileRow]:
        return self._rows

    def close(self) -> None:
        """End the scan early; its processes end."""
        self._rows.close()  # type: ignore[attr-defined]

    def run(self) -> Report:
        """Go through all that is left."""
        for _ in self:
            pass
        return self.report

    def _run(self) -> Iterator[FileRow]:
        for row in self._all_rows():
            self.report.add(row)
            if self._done is not None:
                self._done(1, row.bytes)
            yield row

    def _all_rows(self) -> Iterator[FileRow]:
        for stream in self._streams:
            yield from stream
        chunks = _Chunks(self.walk, self._how, self._resumed)
        ahead = list(islice(chunks, CHUNKS_LOOKED_AT))
        files = sum(len(chunk) for chunk in ahead)
        worth = files >= WORTH_PROCESSES[0] or chunks.bytes >= WORTH_PROCESSES[1]
        survey = rows_of_pool if self._limits.workers > 1 and worth else rows_here
        rows = survey(chain(ahead, chunks), self._how, self._limits)
        for row in rows:
            yield from chunks.known()
            yield row
        yield from chunks.known()


CHUNKS_LOOKED_AT = 4


class _Chunks:
    """The files of a walk in chunks of small ones, each large one alone, huge ones last.

    Rows that need no survey (unreadable folders, files that a resumed scan has) are handed out by ``known``.
    """

    def __init__(self, walk: Walk, how: HowTo, resumed: Saved | None) -> None:
        self.bytes = 0
        self._how, self._resumed = how, resumed
        self._known: list[FileRow] = []
        self._chunks = self._run(walk)

    def __iter__(self) -> Iterator[Chunk]:
        return self._chunks

    def known(self) -> list[FileRow]:
        """Rows since the last call that were there without a survey."""
        out, self._known = self._known, []
        return out

    def _run(self, walk: Iterable[Found | Unlisted]) -> Iterator[Chunk]:
        chunk: Chunk = []
        size = 0
        huge: list[Found] = []
        for found in walk:
            if isinstance(found, Unlisted):
                self._known.append(
                    failed_row(found.path, "unreadable", f"folder: {found.message}", self._how.quick)
                )
                continue
            row = (
                self._resumed.row(found.path, found.bytes, found.mtime_ns, self._how.quick)
                if self._resumed
                else None
            )
            if row is not None:
                self._known.append(row)
                continue
            self.bytes += found.bytes
            if found.bytes >= HUGE_BYTES:
                huge.append(found)
                continue
            chunk.append(found.path)
            size += found.bytes
            if len(chunk) >= CHUNK_FILES or size >= CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
        if chunk:
            yield chunk
        for found in sorted(huge, key=lambda f: (-f.bytes, f.path)):
            yield [found.path]


def scan(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    quick: bool = False,
    match: Iterable[str] = (),
    exclude: Iterable[str] = (),
    min_size: int = 0,
    sort: str | None = None,
    top: int = 20,
    jobs: int | None = None,
    open_files: int = DEFAULT_OPEN_FILES,
    max_mib_s: float | None = None,
    keyring: str | os.PathLike[str] | Keyring | None = None,
    system: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    done: Callable[[int, int], None] | None = None,
) -> Scan:
    """Survey every tablespace below ``paths``, folders or files: an iterator over one row a file. A path can be a
    backup stream (xbstream) or a tar, packed or not, and ``-`` is the standard input: read once, in order.

    ``quick`` reads only the pages that manage space. Tables are ranked by ``sort``, by default by what a rebuild
    gives back; a quick scan can not know that and ranks by free space.
    ``jobs`` is the number of processes (None: all cores), ``open_files`` how many files they may hold open
    together, ``max_mib_s`` how much they may read a second.
    ``resume`` names a saved scan (JSON lines or Parquet) whose rows are taken for files that have not changed.
    ``done`` is called with files and bytes done since its last call. ``scan(...).run()`` gives the sums.

    >>> import ibdscan
    >>> report = ibdscan.scan("fixtures/mysql97", jobs=1).run()
    >>> report.tables()[0].key.name
    'half_deleted'
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    keys = keyring if keyring is None or isinstance(keyring, Keyring) else read_keyring(keyring)
    how = HowTo(quick, keys, None if system is None else os.fspath(system))
    limits = Limits(jobs or available_cores(), open_files, max_mib_s)
    names = NameFilter(tuple(match), tuple(exclude))
    named = [os.fspath(p) for p in listed]
    streams = [p for p in named if is_stream(p)]
    if quick and streams:
        raise UsageError("a quick scan skips pages, and a stream is read as it comes", path=streams[0])
    walk = Walk([p for p in named if p not in streams], names, min_size)
    resumed = None if resume is None else open_saved(os.fspath(resume))
    return Scan(
        walk,
        how,
        limits,
        Report(sort or ("free" if quick else "saved"), top, quick),
        resumed,
        done,
        (rows_of_stream(p, how, names, min_size) for p in streams),
    )
