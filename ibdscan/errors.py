"""The errors that ibdscan raises: one root, few children, each with path, page and offset."""

from __future__ import annotations


class IbdError(Exception):
    """The question cannot be answered for this file.

    ``path``, ``page_no`` and ``offset`` (byte in the page) say where, as far as is known; they are
    part of the message: ``t.ibd: page 4, offset 38: ...``.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        page_no: int | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.page_no = page_no
        self.offset = offset

    def __str__(self) -> str:
        where = [] if self.path is None else [f"{self.path}: "]
        if self.page_no is not None:
            where.append(f"page {self.page_no}")
            where.append(f", offset {self.offset}: " if self.offset is not None else ": ")
        return "".join(where) + self.message


class UnreadableError(IbdError):
    """The file cannot be opened or read: missing, a directory, no permission, an I/O error."""


class ShrunkError(UnreadableError):
    """The file became shorter while it was being read (a TRUNCATE or a copy in progress)."""


class NotATablespaceError(IbdError):
    """The bytes are not those of an InnoDB tablespace: empty, too short, text, random."""


class UnsupportedFormatError(IbdError):
    """A valid tablespace of a format this version does not read; the message names the format."""


class MissingExtraError(IbdError):
    """An optional package is needed; the message names the extra to install."""


class UnreadPageError(IbdError):
    """A page that the file has but that can not be read: ``kind`` says why.

    ``encrypted`` (no key was given), ``wrong-key``, ``missing-codec`` (an extra is to be installed) or
    ``damaged-image``.
    """

    def __init__(self, message: str, kind: str, *, path: str | None = None, page_no: int | None = None) -> None:
        super().__init__(message, path=path, page_no=page_no)
        self.kind = kind


class NotKeptError(IbdError):
    """What is asked for takes a second look at a file that came by once, as a stream."""


class UsageError(IbdError):
    """The question itself is wrong: no such index, a page number outside the file."""
