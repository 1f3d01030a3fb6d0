"""A scan of what comes by once: the tablespaces of a backup stream or a tar, each surveyed as it goes by."""

from __future__ import annotations

import os
from collections.abc import Iterator

from ibdscan.errors import IbdError
from ibdscan.measures.file.streamed import StreamedSurvey
from ibdscan.measures.scan.measure import HowTo, row_of_error, survey_row
from ibdscan.measures.scan.places import NameFilter, is_tablespace_name
from ibdscan.measures.scan.row import FileRow
from ibdscan.pages.source.archive import STDIN, Stream, is_archive, open_stream, pieces, read_pieces

NEW = ".new"
"""mariabackup's ending of a table that was created while it ran; prepared, it is an ``.ibd``."""


def is_stream(path: str) -> bool:
    """Standard input, or a file that is an archive."""
    if path == STDIN:
        return True
    if not os.path.isfile(path):
        return False
    try:
        with open_stream(path) as stream:
            return is_archive(stream)
    except IbdError:
        return False


def rows_of_stream(path: str, how: HowTo, names: NameFilter, min_bytes: int = 0) -> Iterator[FileRow]:
    """One row a tablespace, in the order in which they end. Raises IbdError where the stream can not be read
    on."""
    with open_stream(path) as stream:
        if not is_archive(stream):
            survey = StreamedSurvey(path, how.keyring)
            try:
                for data in read_pieces(stream):
                    survey.feed(data)
                yield _row(survey, how)
            except IbdError as e:
                yield row_of_error(path, e, how)
            return
        for row in _rows_of_archive(stream, path, how, names):
            if row.bytes >= min_bytes:
                yield row


def _rows_of_archive(stream: Stream, path: str, how: HowTo, names: NameFilter) -> Iterator[FileRow]:
    running: dict[str, StreamedSurvey | FileRow | None] = {}
    for name, data, error in pieces(stream):
        if name not in running:
            running[name] = _begun(path, name, how, names)
        found = running[name]
        try:
            if error is not None:
                raise error
            if isinstance(found, StreamedSurvey) and data is not None:
                found.feed(data)
                continue
            if isinstance(found, StreamedSurvey):
                found = _row(found, how)
        except IbdError as e:
            if found is not None:
                running[name] = found = row_of_error(_path(path, name), e, how)
        if data is None:
            del running[name]
            if isinstance(found, FileRow):
                yield found


def _begun(path: str, name: str, how: HowTo, names: NameFilter) -> StreamedSurvey | None:
    """None for a file that is not looked at."""
    inside = _path(path, name)
    wanted = is_tablespace_name(os.path.basename(inside)) and names.takes(inside)
    return StreamedSurvey(inside, how.keyring) if wanted else None


def _path(path: str, name: str) -> str:
    if name.endswith(NEW):
        name = name.removesuffix(NEW) + ".ibd"
    return f"{path}/{name.removeprefix('./')}"


def _row(survey: StreamedSurvey, how: HowTo) -> FileRow:
    return survey_row(survey.finish(how.system, lean=True))
