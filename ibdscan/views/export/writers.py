"""Writing a scan: JSON lines, JSON, CSV, Parquet, a Prometheus textfile. Rows go out as they come."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TextIO

from ibdscan.errors import IbdError, MissingExtraError
from ibdscan.measures.scan.row import COLUMNS, FileRow, row_data
from ibdscan.measures.scan.since import Since
from ibdscan.measures.scan.totals import Report
from ibdscan.views.data.scan import report_data
from ibdscan.views.export.prometheus import prometheus_text
from ibdscan.views.table.tables import Style
from ibdscan.views.text.scan import report_text

FORMATS = ("text", "json", "jsonl", "csv", "parquet", "prometheus")
BATCH_ROWS = 5000


class Writer(Protocol):
    """Takes the rows one by one, and the sums at the end."""

    def row(self, row: FileRow) -> None:
        """One file is done."""

    def end(self, report: Report, since: Since | None) -> None:
        """There are no more."""


@contextlib.contextmanager
def export_to(
    output: str | None, fmt: str, style: Style, *, quick: bool, sources: tuple[str | None, ...] = ()
) -> Iterator[Writer]:
    """The writer of a format, to a file or stdout. A file that is among the ``sources``, read as well, is
    replaced when the new one is whole."""
    clash = output is not None and any(s and _is_same(s, output) for s in sources)
    target = f"{output}.part" if clash else output
    try:
        if fmt == "parquet" and target is not None:
            yield ParquetWriter(target)
        else:
            with _stream(target) as out:
                yield _WRITERS[fmt](out) if fmt != "text" else TextWriter(out, style, quick=quick)
        if clash and target is not None and output is not None:
            os.replace(target, output)
    except BrokenPipeError:
        raise
    except OSError as e:
        if output is None:  # what stdout still holds is not tried again
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise IbdError(f"can not write: {e.strerror}", path=output or "stdout") from e


def _is_same(a: str, b: str) -> bool:
    return os.path.exists(a) and os.path.exists(b) and os.path.samefile(a, b)


@contextlib.contextmanager
def _stream(path: str | None) -> Iterator[TextIO]:
    """A file or stdout, on which no name of a file can fail."""
    if path is not None:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as f:
            yield f
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    yield sys.stdout
    sys.stdout.flush()


class TextWriter:
    """``--format text``: the report alone."""

    def __init__(self, out: TextIO, style: Style, *, quick: bool) -> None:
        self._out, self._style, self._quick = out, style, quick

    def row(self, row: FileRow) -> None:
        pass

    def end(self, report: Report, since: Since | None) -> None:
        self._out.write(report_text(report, self._style, quick=self._quick, since=since))


class PrometheusWriter:
    """``--format prometheus``."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def row(self, row: FileRow) -> None:
        pass

    def end(self, report: Report, since: Since | None) -> None:
        self._out.write(prometheus_text(report))


class LinesWriter:
    """``--format jsonl``: a line a file, flushed, so that a scan that was killed can be resumed."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def row(self, row: FileRow) -> None:
        self._out.write(_json(row_data(row)) + "\n")
        self._out.flush()

    def end(self, report: Report, since: Since | None) -> None:
        pass


class JsonWriter:
    """``--format json``: ``files`` as they come, then the sums."""

    def __init__(self, out: TextIO) -> None:
        self._out, self._n = out, 0
        out.write('{"files": [')

    def row(self, row: FileRow) -> None:
        self._out.write(("," if self._n else "") + "\n" + _json(row_data(row)))
        self._n += 1

    def end(self, report: Report, since: Since | None) -> None:
        rest = json.dumps(report_data(report, since), indent=2, ensure_ascii=False, allow_nan=False)
        self._out.write("\n],\n" + rest.removeprefix("{\n") + "\n")


class CsvWriter:
    """``--format csv``: a row a file; of the findings only their number."""

    def __init__(self, out: TextIO) -> None:
        self._columns = [(key, attribute) for key, attribute, kind in COLUMNS if kind is not list]
        self._csv = csv.writer(out, lineterminator="\n")
        self._csv.writerow([key for key, _ in self._columns])

    def row(self, row: FileRow) -> None:
        values = [getattr(row, attribute) for _, attribute in self._columns]
        self._csv.writerow(["" if v is None else v for v in values])

    def end(self, report: Report, since: Since | None) -> None:
        pass


_WRITERS: dict[str, Callable[[TextIO], Writer]] = {
    "json": JsonWriter,
    "jsonl": LinesWriter,
    "csv": CsvWriter,
    "prometheus": PrometheusWriter,
}


class ParquetWriter:
    """``--format parquet``: the objects of JSON as nested columns, written in batches."""

    def __init__(self, path: str) -> None:
        try:
            import pyarrow
            from pyarrow import parquet
        except ImportError as e:
            raise MissingExtraError("Parquet needs pyarrow: pip install 'ibdscan[parquet]'") from e
        self._arrow = pyarrow
        self._schema = parquet_schema()
        self._file = parquet.ParquetWriter(path, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def row(self, row: FileRow) -> None:
        self._rows.append(row_data(row))
        if len(self._rows) >= BATCH_ROWS:
            self._write()

    def _write(self) -> None:
        try:
            table = self._arrow.Table.from_pylist(self._rows, self._schema)
        except UnicodeEncodeError:  # a file name of bytes that are no UTF-8
            table = self._arrow.Table.from_pylist([_printable(row) for row in self._rows], self._schema)
        self._file.write_table(table)
        self._rows.clear()

    def end(self, report: Report, since: Since | None) -> None:
        self._write()
        self._file.close()


def parquet_schema() -> Any:
    """The Arrow schema of the rows."""
    import pyarrow as pa

    finding = pa.struct(
        [("kind", pa.string()), ("page_no", pa.int64()), ("offset", pa.int64()), ("message", pa.string())]
    )
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), list: pa.list_(finding)}
    fields: dict[str, Any] = {}
    for key, _, kind in COLUMNS:
        group, _, name = key.rpartition(".")
        (fields.setdefault(group, {}) if group else fields)[name] = types[kind]
    return pa.schema(
        [(name, pa.struct(list(t.items())) if isinstance(t, dict) else t) for name, t in fields.items()]
    )


def _printable(row: dict[str, Any]) -> dict[str, Any]:
    return {k: v.encode("utf-8", "backslashreplace").decode() if isinstance(v, str) else v for k, v in row.items()}


def _json(data: dict[str, Any]) -> str:
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # a file name of bytes that are no UTF-8: as escapes it can be read back
        return json.dumps(data, allow_nan=False)
    return text
