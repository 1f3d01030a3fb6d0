"""The process that surveys a share of the files: requests come on stdin, answers go to stdout.

A process of its own kind, not ``multiprocessing``: that imports the caller's main module again when it spawns,
which a library can not ask of the scripts that use it, and forking a process that has threads is unsafe.
"""

from __future__ import annotations

import gc
import marshal
import os
import pickle
import signal
import struct
import sys
import time
from typing import Any, BinaryIO

from ibdscan.errors import IbdError
from ibdscan.measures.scan.measure import HowTo, failed_row, measure_file, open_for_scan
from ibdscan.measures.scan.places import PACKED
from ibdscan.measures.scan.row import FileRow
from ibdscan.pages.source.file import SMALL_BYTES, Source

_LENGTH = struct.Struct(">I")
_COLLECT_EVERY = 2000


class Pace:
    """Sleeps so that no more than ``bytes_per_second`` are read in the long run (None: as fast as can be)."""

    def __init__(self, bytes_per_second: float | None) -> None:
        self._rate = bytes_per_second
        self._free_at = time.monotonic()

    def __call__(self, n: int) -> None:
        """``n`` bytes were read."""
        if self._rate is None:
            return
        now = time.monotonic()
        self._free_at = max(self._free_at, now - 0.1) + n / self._rate
        if self._free_at > now:
            time.sleep(self._free_at - now)


class FileReader:
    """Surveys lists of files one after another; opens small ones ahead, so that the kernel can read ahead."""

    def __init__(self, how: HowTo, *, open_ahead: int = 1, pace: Pace | None = None) -> None:
        self._how = how
        self._ahead = max(1, open_ahead)
        self._pace = pace or Pace(None)
        self._opened: dict[str, Source] = {}

    def rows(self, paths: list[str]) -> list[FileRow]:
        """The row of each file."""
        out = []
        try:
            for i, path in enumerate(paths):
                if self._ahead > 1 and i % self._ahead == 0:
                    self._open_ahead(paths[i : i + self._ahead])
                out.append(self._row(path))
        finally:
            for source in self._opened.values():
                source.close()
            self._opened.clear()
        return out

    def _row(self, path: str) -> FileRow:
        source = self._opened.pop(path, None)
        try:
            if source is None:
                source = open_for_scan(path)
            source.pace = self._pace
        except IbdError:
            source = None  # the row says why
        try:
            return measure_file(path, self._how, source)
        except (MemoryError, RecursionError, ArithmeticError, LookupError, TypeError, ValueError, OSError) as e:
            return failed_row(path, "crashed", f"{type(e).__name__}: {e}", self._how.quick)

    def _open_ahead(self, paths: list[str]) -> None:
        for path in paths:
            if path.endswith(PACKED):  # unpacked when opened
                continue
            try:
                source = Source(path)
            except IbdError:
                continue
            if source.is_copy:
                source.close()
                continue
            source.will_need(min(source.size, SMALL_BYTES))
            self._opened[path] = source


def send(stream: BinaryIO, message: Any) -> None:
    """Write one message."""
    body = marshal.dumps(message)
    stream.write(_LENGTH.pack(len(body)) + body)
    stream.flush()


def receive(stream: BinaryIO) -> Any:
    """Read one message. Raises EOFError at the end."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    body = stream.read(_LENGTH.unpack(head)[0])
    return marshal.loads(body)


def main() -> None:
    """Answer requests until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the parent ends us
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not come between the answers
    first = receive(requests)
    reader = FileReader(
        pickle.loads(first["how"]), open_ahead=first["open_ahead"], pace=Pace(first["bytes_per_second"])
    )
    gc.disable()  # rows and surveys hold no cycles worth a pass over everything at each 700th object
    seen = 0
    while True:
        try:
            paths = receive(requests)
        except EOFError:
            return
        send(answers, [tuple(row) for row in reader.rows(paths)])
        seen += len(paths)
        if seen > _COLLECT_EVERY:
            seen = 0
            gc.collect()
