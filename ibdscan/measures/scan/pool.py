"""Worker processes, a thread for each: chunks of paths in, rows out in the same order, few under way."""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass

from ibdscan.measures.scan.measure import HowTo, failed_row
from ibdscan.measures.scan.row import FileRow
from ibdscan.measures.scan.worker import FileReader, Pace, receive, send

Chunk = list[str]
CHUNKS_AHEAD = 4
"""Chunks under way or done ahead of the one wanted, for each worker."""
FILES_NOT_DATA = 8
"""Descriptors a worker may need beside the files it opened ahead: a copy unpacked, a key file, a pipe."""


@dataclass(frozen=True)
class Limits:
    """``open_files``: of all workers together; ``mib_a_second``: read by all together."""

    jobs: int = 1
    open_files: int = 256
    mib_a_second: float | None = None

    @property
    def workers(self) -> int:
        """As many as were asked for, and as the open files allow."""
        return max(1, min(self.jobs, self.open_files // FILES_NOT_DATA))

    @property
    def open_ahead(self) -> int:
        """Files a worker may open ahead."""
        return max(1, self.open_files // self.workers - FILES_NOT_DATA)

    @property
    def bytes_a_second(self) -> float | None:
        """For one worker."""
        return None if self.mib_a_second is None else self.mib_a_second * (1 << 20) / self.workers


def rows_here(chunks: Iterable[Chunk], how: HowTo, limits: Limits) -> Iterator[FileRow]:
    """Survey in this process."""
    reader = FileReader(how, open_ahead=limits.open_ahead, pace=Pace(limits.bytes_a_second))
    for chunk in chunks:
        yield from reader.rows(chunk)


def rows_of_pool(chunks: Iterable[Chunk], how: HowTo, limits: Limits) -> Iterator[FileRow]:
    """Survey in processes. The rows come in the order of the files."""
    pool = _Pool(how, limits)
    waiting: deque[Future[list[FileRow]]] = deque()
    try:
        for chunk in chunks:
            waiting.append(pool.submit(chunk))
            if len(waiting) >= CHUNKS_AHEAD * limits.workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    finally:
        pool.stop()


class _Pool:
    def __init__(self, how: HowTo, limits: Limits) -> None:
        self._how, self._limits = how, limits
        self._idle: queue.SimpleQueue[_Worker] = queue.SimpleQueue()
        self._all: list[_Worker] = []
        self._lock = threading.Lock()
        self._stopped = False
        self._threads = ThreadPoolExecutor(limits.workers, thread_name_prefix="ibdscan")

    def submit(self, chunk: Chunk) -> Future[list[FileRow]]:
        return self._threads.submit(self._survey, chunk)

    def _survey(self, chunk: Chunk) -> list[FileRow]:
        worker = self._take()
        try:
            return worker.survey(chunk)
        except (EOFError, OSError):
            worker.end()
            worker = self._take()
            return self._survey_singly(chunk) if len(chunk) > 1 else [self._died(chunk[0])]
        finally:
            self._idle.put(worker)

    def _survey_singly(self, chunk: Chunk) -> list[FileRow]:
        """Find the file that the process died of."""
        return [row for path in chunk for row in self._survey([path])]

    def _died(self, path: str) -> FileRow:
        return failed_row(path, "crashed", "the process that read it ended (out of memory?)", self._how.quick)

    def _take(self) -> _Worker:
        with contextlib.suppress(queue.Empty):
            return self._idle.get_nowait()
        with self._lock:
            if self._stopped:
                raise RuntimeError("the scan was stopped")
            worker = _Worker(self._how, self._limits)
            self._all.append(worker)
        return worker

    def stop(self) -> None:
        """End all processes, whatever they do."""
        with self._lock:
            self._stopped = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.end()
        self._threads.shutdown(wait=True)


class _Worker:
    """One process and its pipes."""

    def __init__(self, how: HowTo, limits: Limits) -> None:
        code = f"import sys; sys.path[:] = {sys.path!r}; from ibdscan.measures.scan.worker import main; main()"
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        first = {
            "how": pickle.dumps(how),
            "open_ahead": limits.open_ahead,
            "bytes_per_second": limits.bytes_a_second,
        }
        send(self._requests, first)  # type: ignore[arg-type]

    def survey(self, chunk: Chunk) -> list[FileRow]:
        send(self._requests, chunk)  # type: ignore[arg-type]
        return [FileRow(*row) for row in receive(self._answers)]  # type: ignore[arg-type]

    def end(self) -> None:
        """Kill the process and close its pipes."""
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._answers):
            with contextlib.suppress(OSError, ValueError):
                stream.close()
