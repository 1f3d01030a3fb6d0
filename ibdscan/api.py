"""The front door: ``ibdscan.open`` and the object it gives."""

from __future__ import annotations

import os
from dataclasses import fields
from types import TracebackType
from typing import TYPE_CHECKING, Any, Unpack

from ibdscan.measures.file.compare import Comparison, compare_surveys
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.pages.decode.keyring import Keyring, read_keyring
from ibdscan.pages.page.columns import Progress
from ibdscan.views.data.survey import survey_data

if TYPE_CHECKING:
    from PIL.Image import Image

    from ibdscan.views.data.pages import PagesTable
    from ibdscan.views.images.look import Choices


class Space(Survey):
    """A tablespace file as surveyed: all measures of :class:`~ibdscan.measures.file.survey.Survey`, and views.

    >>> import ibdscan
    >>> space = ibdscan.open("fixtures/mysql97/import_single.ibd.xz")
    >>> round(space.index("PRIMARY").leaf.fill, 2)
    0.93
    """

    def to_dict(self) -> dict[str, Any]:
        """The object that ``ibdscan info --format json`` prints for this file."""
        return survey_data(self)

    def map(self, by: str = "index", **look: Unpack[Choices]) -> Image:
        """A space map as a PIL image, coloured by ``index``, ``fill``, ``order``, ``lsn``, ``type``, ``segment``,
        ``level``, ``garbage`` or ``state``; ``index``, ``width``, ``cell``, ``pages``, ``title`` and ``theme`` are
        as for :func:`ibdscan.views.images.draw_map`."""
        from ibdscan.views.images import draw_map

        return draw_map(self, by, **look)

    def pages_table(self) -> PagesTable:
        """One row a page, as ``ibdscan pages`` prints it: ``.columns()`` gives numpy arrays by name for pandas,
        polars or DuckDB, ``.to_arrow()`` a pyarrow table, ``.write_parquet(path)`` a file."""
        from ibdscan.views.data.pages import PagesTable

        return PagesTable(self)

    def __enter__(self) -> Space:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _repr_html_(self) -> str:
        """What a notebook shows of the space: the survey as a table."""
        from ibdscan.views.notebook import survey_html

        return survey_html(self)

    def _repr_png_(self) -> bytes:
        """The map by index, for front ends that show pictures."""
        from ibdscan.views.notebook import map_png

        return map_png(self)

    def __repr__(self) -> str:
        return f"<ibdscan.Space {self.path!r}: {self.n_pages} pages, {len(self.user_indexes)} indexes>"


def open(
    path: str | os.PathLike[str],
    *,
    keyring: str | os.PathLike[str] | Keyring | None = None,
    system: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Space:
    """Survey a tablespace file (``.ibd``, or an ``.xz``, ``.gz``, ``.zst`` or ``.lz4`` copy of one; ``-`` is the
    standard input). The last two and ``-`` are read once: single pages can not be read afterwards.

    ``keyring`` is the key file that decrypts it (MySQL's keyring file, MariaDB's ``file_key_management``),
    or what :func:`ibdscan.pages.decode.keyring.read_keyring` made of one.

    ``system`` is the ``ibdata1`` that has the names of tables and indexes (MySQL up to 5.7, MariaDB); without it
    the one beside the file or in the folder above is used, else the ``.frm`` beside the file.

    ``progress`` is called with the number of pages read since its last call, and of all pages. Raises
    :class:`ibdscan.IbdError` when the file can not be read or is no tablespace; damage inside it becomes
    ``space.findings``. The file stays open, read-only, until :meth:`Space.close`.
    """
    keys = keyring if keyring is None or isinstance(keyring, Keyring) else read_keyring(keyring)
    survey = open_survey(os.fspath(path), progress, keys, None if system is None else os.fspath(system))
    return Space(**{f.name: getattr(survey, f.name) for f in fields(survey)})


def compare(a: str | os.PathLike[str] | Survey, b: str | os.PathLike[str] | Survey) -> Comparison:
    """Compare two files (paths or surveys) index by index."""
    first = a if isinstance(a, Survey) else open(a)
    second = b if isinstance(b, Survey) else open(b)
    return compare_surveys(first, second)
