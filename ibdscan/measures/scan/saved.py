"""Rows of an earlier scan, from JSON lines or Parquet: for ``--resume`` and ``--since``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ibdscan.errors import MissingExtraError, UnreadableError, UsageError
from ibdscan.measures.scan.row import FileRow, row_of

_PARQUET = b"PAR1"


class Saved:
    """Finds the row of a file by its path. Of JSON lines only the places of the lines are kept in memory."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        self._file = open(path, "rb")  # noqa: SIM115 - closed by close
        offset = 0
        for line in self._file:
            row = _row_of_line(path, line)
            if row is not None:
                self._places[row.path] = offset
            offset += len(line)

    def row(self, path: str, size: int, mtime_ns: int, quick: bool) -> FileRow | None:
        """The row of the file if it was read as it is wanted and has not changed since."""
        place = self._places.get(path)
        if place is None:
            return None
        self._file.seek(place)
        row = _row_of_line(self.path, self._file.readline())
        same = row is not None and (row.bytes, row.mtime_ns, row.mode) == (
            size,
            mtime_ns,
            "quick" if quick else "full",
        )
        return row if row is not None and same and row.is_read and not row.changed else None

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


class SavedTable(Saved):
    """The same of a Parquet file, which is held in memory as it is: in columns."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._table = _open_parquet(path).read()
        self._places = {name: i for i, name in enumerate(self._table.column("path").to_pylist())}

    def row(self, path: str, size: int, mtime_ns: int, quick: bool) -> FileRow | None:
        place = self._places.get(path)
        if place is None:
            return None
        row = _row_of_data(self.path, self._table.slice(place, 1).to_pylist()[0])
        same = (row.mtime_ns, row.mode) == (mtime_ns, "quick" if quick else "full")
        return row if same and row.bytes == size and row.is_read and not row.changed else None

    def close(self) -> None:
        self._places.clear()


def open_saved(path: str) -> Saved:
    """Open a saved scan for look-ups. Raises IbdError for a file that is none."""
    return SavedTable(path) if _is_parquet(path) else Saved(path)


def read_saved(path: str) -> Iterator[FileRow]:
    """All rows of a saved scan, one after another. Raises IbdError for a file that is none."""
    if _is_parquet(path):
        for batch in _open_parquet(path).iter_batches(batch_size=2000):
            for data in batch.to_pylist():
                yield _row_of_data(path, data)
        return
    with open(path, "rb") as lines:
        for line in lines:
            row = _row_of_line(path, line)
            if row is not None:
                yield row


def _is_parquet(path: str) -> bool:
    try:
        with open(path, "rb") as f:
            return f.read(len(_PARQUET)) == _PARQUET
    except OSError as e:
        raise UnreadableError(f"can not open: {e.strerror}", path=path) from e


def _open_parquet(path: str) -> Any:
    try:
        from pyarrow import parquet
    except ImportError as e:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'ibdscan[parquet]'") from e
    try:
        opened = parquet.ParquetFile(path)
    except (ValueError, OSError) as e:
        raise UsageError(f"not a saved scan: {e}", path=path) from e
    if not {"path", "mode"} <= set(opened.schema_arrow.names):
        raise UsageError("not a saved scan: a row has no path and mode", path=path)
    return opened


def _row_of_line(path: str, line: bytes) -> FileRow | None:
    """None for the last line of a scan that was killed while it wrote it, and for an empty one."""
    if not line.endswith(b"\n") or not line.strip():
        return None
    try:
        return _row_of_data(path, json.loads(line))
    except json.JSONDecodeError as e:
        raise UsageError(f"not a saved scan (JSON lines or Parquet): {e}", path=path) from e


def _row_of_data(path: str, data: Any) -> FileRow:
    if not isinstance(data, dict) or "path" not in data or "mode" not in data:
        raise UsageError("not a saved scan: a row has no path and mode", path=path)
    try:
        return row_of(data)
    except ValueError as e:
        raise UsageError(str(e), path=path) from e
