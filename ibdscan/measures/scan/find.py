"""Walking folders for tablespaces: in the order of their names, without holding them all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from ibdscan.errors import UnreadableError
from ibdscan.measures.scan.places import NameFilter, is_system_part, is_tablespace_name
from ibdscan.pages.source.joined import SEPARATOR


@dataclass(frozen=True, slots=True)
class Found:
    """A file to be surveyed; several parts of a system tablespace are one, their paths joined by colons."""

    path: str
    bytes: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A folder that could not be read."""

    path: str
    message: str


class Walk:
    """Iterates over the tablespaces below some paths. A path that is itself a file is taken whatever its name."""

    def __init__(self, paths: list[str], names: NameFilter, min_bytes: int = 0) -> None:
        self._paths = paths
        self._names = names
        self._min_bytes = min_bytes

    def __iter__(self) -> Iterator[Found | Unlisted]:
        seen: set[tuple[int, int]] = set()
        for path in self._paths:
            try:
                status = os.stat(path)
            except OSError as e:
                reason = "no such file or folder" if isinstance(e, FileNotFoundError) else e.strerror
                raise UnreadableError(f"can not open: {reason}", path=path) from e
            if os.path.isdir(path):
                yield from self._folder(path, seen)
            elif self._wanted(path, status.st_size):
                yield Found(path, status.st_size, status.st_mtime_ns)

    def count(self) -> tuple[int, int]:
        """Files and bytes; a walk of its own, for the progress bar."""
        files = total = 0
        for found in self:
            if isinstance(found, Found):
                files, total = files + 1, total + found.bytes
        return files, total

    def _wanted(self, path: str, size: int) -> bool:
        return size >= self._min_bytes and self._names.takes(path)

    def _folder(self, folder: str, seen: set[tuple[int, int]]) -> Iterator[Found | Unlisted]:
        try:
            status = os.stat(folder)
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as e:
            yield Unlisted(folder, e.strerror or str(e))
            return
        if (status.st_dev, status.st_ino) in seen:  # a link to a folder already walked
            return
        seen.add((status.st_dev, status.st_ino))
        system: list[Found] = []
        folders = []
        for entry in listed:
            if is_tablespace_name(entry.name):
                found = _file(entry)
                if found is None:
                    continue
                if is_system_part(entry.name):
                    system.append(found)
                elif self._wanted(found.path, found.bytes):
                    yield found
            elif _is_folder(entry):
                folders.append(entry.path)
        for found in _joined(system):
            if self._wanted(found.path, found.bytes):
                yield found
        for path in folders:
            yield from self._folder(path, seen)


def _file(entry: os.DirEntry[str]) -> Found | None:
    try:
        if not entry.is_file():
            return None
        status = entry.stat()
    except OSError:  # gone since it was listed, or a dangling link
        return Found(entry.path, 0, 0)
    return Found(entry.path, status.st_size, status.st_mtime_ns)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _joined(parts: list[Found]) -> list[Found]:
    """``ibdata1`` and the files that continue it as one; others stay as they are."""
    if len(parts) < 2 or not parts[0].path.endswith("ibdata1"):
        return parts
    parts = sorted(parts, key=lambda p: int(p.path.rpartition("ibdata")[2]))
    return [
        Found(SEPARATOR.join(p.path for p in parts), sum(p.bytes for p in parts), max(p.mtime_ns for p in parts))
    ]
