"""Streams: standard input and packed copies unpacked on the way, and the files in an archive, in one pass.

Read are tar and the xbstream format of xtrabackup and mariabackup (``xb_stream.h``: chunks of several files in
turn).
Names in an archive are data: no file is made by them. Sizes in it are not believed: everything is read in small
pieces.
"""

from __future__ import annotations

import sys
import tarfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol

from ibdscan.errors import (
    IbdError,
    MissingExtraError,
    NotATablespaceError,
    UnreadableError,
    UnsupportedFormatError,
)

STDIN = "-"
PIECE_BYTES = 1 << 20
_SLICE_BYTES = 4096
"""Fed to a decompressor at a time: what comes out is bounded by the most that it can be packed."""
_PACKED = {b"\xfd7zXZ\x00": "xz", b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst", b"\x04\x22\x4d\x18": "lz4"}
_REFUSED = {"qp": "packed with qpress", "xbcrypt": "encrypted by xtrabackup"}
_XBSTREAM = b"XBSTCK01"
_TAR_MAGIC_AT = 257
_MAX_NAME_BYTES = 4096
_MAX_HOLES = 1 << 20
_HOLES_FREE, _HOLES_A_BYTE = 1 << 30, 16
"""More holes than page compression can make of the bytes that came are a bomb."""
_HEAD_BYTES = 512


class Piece(NamedTuple):
    """Some bytes of a file in an archive; ``data`` is None at its end. ``error``: why it can not be read on."""

    name: str
    data: bytes | None
    error: IbdError | None = None


class Stream:
    """Bytes in their order. ``head``: the first ones, before they are read."""

    def __init__(self, raw: Any, path: str, beneath: Stream | None = None) -> None:
        self._raw, self.path, self._beneath = raw, path, beneath
        self.head = b""
        self.head = self.read(_HEAD_BYTES)

    def read(self, n: int) -> bytes:
        """``n`` bytes, fewer at the end. Raises NotATablespaceError where what is unpacked is damaged."""
        found = [self.head[:n]]
        self.head = self.head[n:]
        n -= len(found[0])
        try:
            while n and (more := self._raw.read(min(n, PIECE_BYTES))):
                found.append(more)
                n -= len(more)
        except Exception as e:  # each library has errors of its own
            raise _damaged(e, self.path) from e
        return found[-1] if len(found) == 2 and not found[0] else b"".join(found)

    def close(self) -> None:
        """Close the file; the standard input is not ours to close."""
        if self._raw is not sys.stdin.buffer:
            self._raw.close()
        if self._beneath is not None:
            self._beneath.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_stream(path: str) -> Stream:
    """Standard input or a file, unpacked where it is packed. Raises UnreadableError, MissingExtraError."""
    try:
        raw = sys.stdin.buffer if path == STDIN else open(path, "rb", buffering=0)  # noqa: SIM115 - closed by Stream
    except OSError as e:
        reason = "no such file" if isinstance(e, FileNotFoundError) else e.strerror
        raise UnreadableError(f"can not open: {reason}", path=path) from e
    stream = Stream(raw, path)
    kind = packed_as(stream.head)
    if kind is None:
        return stream
    try:
        return Stream(_unpacked(stream, kind, path), path, stream)
    except BaseException:
        stream.close()
        raise


def packed_as(head: bytes) -> str | None:
    """``xz``, ``gz``, ``zst`` or ``lz4`` by the first bytes; None for others, among them tablespaces, whose
    checksum may begin like one."""
    from ibdscan.pages.source.packed import is_page_0

    kind = next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)
    return None if kind is None or is_page_0(head) else kind


def is_archive(stream: Stream) -> bool:
    """Whether a stream is one of the archives that :func:`pieces` takes apart."""
    return stream.head.startswith(_XBSTREAM) or stream.head[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar"


def pieces(stream: Stream) -> Iterator[Piece]:
    """The files of an archive piece by piece, files in turn where the archive has them so. Raises IbdError where
    the archive itself can not be read on."""
    yield from _XbStream(stream).pieces() if stream.head.startswith(_XBSTREAM) else _tar_pieces(stream)


def read_pieces(stream: Stream) -> Iterator[bytes]:
    """The bytes of a stream."""
    while data := stream.read(PIECE_BYTES):
        yield data


def _damaged(error: Exception, path: str) -> IbdError:
    if isinstance(error, IbdError):
        return error
    return NotATablespaceError(f"the stream is damaged or cut short: {error}", path=path)


def _unpacked(stream: Any, kind: str, path: str) -> Any:
    if kind == "xz":
        import lzma

        return lzma.LZMAFile(stream)
    if kind == "gz":
        import gzip

        return gzip.GzipFile(fileobj=stream)
    if kind == "zst":
        return _library("zstandard", path).ZstdDecompressor().stream_reader(stream, read_across_frames=True)
    return _library("lz4.frame", path).LZ4FrameFile(stream)


def _library(name: str, path: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        what = f"reading it needs {name.partition('.')[0]}: install ibdscan[streams]"
        raise MissingExtraError(what, path=path) from None


def _tar_pieces(stream: Stream) -> Iterator[Piece]:
    path = stream.path
    try:
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # type: ignore[call-overload]
            for member in archive:
                file = archive.extractfile(member) if member.isreg() else None
                if file is not None:
                    with Stream(file, f"{path}/{member.name}") as bytes_of:
                        yield from _unpacked_pieces(member.name, read_pieces(bytes_of), path)
                archive.members = []  # it would remember each
    except (tarfile.TarError, OSError, EOFError) as e:
        raise _damaged(e, path) from e


def _unpacked_pieces(name: str, data: Iterator[bytes], path: str) -> Iterator[Piece]:
    stem, feed = _member(name, path)
    try:
        for part in data:
            for out in feed(part):
                yield Piece(stem, out)
        yield Piece(stem, None)
    except IbdError as e:
        yield Piece(stem, None, e)


class _Unpacker(Protocol):
    eof: bool
    unused_data: bytes

    def decompress(self, data: bytes, /) -> bytes: ...


def _member(name: str, path: str) -> tuple[str, Callable[[bytes], Iterator[bytes]]]:
    """The name of a file in an archive without the ending that says how it is packed, and what unpacks it."""
    stem, _, ending = name.rpartition(".")
    if ending in _REFUSED:
        error = UnsupportedFormatError(f"{_REFUSED[ending]}: unpack it first", path=f"{path}/{name}")

        def refuse(_: bytes) -> Iterator[bytes]:
            raise error

        return stem, refuse
    if ending not in _PACKED.values() or not stem:
        return name, lambda data: iter((data,))
    return stem, _Unpacking(lambda: _decompressor(ending, path), f"{path}/{name}").feed


def _decompressor(kind: str, path: str) -> Any:
    if kind == "xz":
        import lzma

        return lzma.LZMADecompressor()
    if kind == "gz":
        return zlib.decompressobj(31)
    if kind == "zst":
        return _library("zstandard", path).ZstdDecompressor().decompressobj()
    return _library("lz4.frame", path).LZ4FrameDecompressor()


class _Unpacking:
    """Unpacks what it is fed with; one packed stream may follow another."""

    def __init__(self, make: Callable[[], _Unpacker], path: str) -> None:
        self._make, self._path = make, path
        self._unpacker = make()

    def feed(self, data: bytes) -> Iterator[bytes]:
        for at in range(0, len(data), _SLICE_BYTES):
            rest = data[at : at + _SLICE_BYTES]
            while rest:
                if self._unpacker.eof:
                    self._unpacker = self._make()
                try:
                    out = self._unpacker.decompress(rest)
                except Exception as e:
                    raise _damaged(e, self._path) from e
                rest = self._unpacker.unused_data if self._unpacker.eof else b""
                if out:
                    yield out


class _XbStream:
    """Chunks: magic, flags, type, name; then length, offset and CRC of a payload, of a sparse one its holes."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._path = stream, stream.path
        self._feeds: dict[str, tuple[str, Callable[[bytes], Iterator[bytes]]]] = {}
        self._places: dict[str, int] = {}
        self._broken: set[str] = set()
        self._bytes = self._holes = 0

    def pieces(self) -> Iterator[Piece]:
        while head := self._stream.read(14):
            if len(head) < 14 or not head.startswith(_XBSTREAM):
                raise self._wrong("no chunk begins where one should")
            kind, length = head[9:10], int.from_bytes(head[10:14], "little")
            if length > _MAX_NAME_BYTES:
                raise self._wrong(f"a name of {length} bytes")
            name = self._exactly(length).decode("utf-8", "replace")
            if name not in self._feeds:
                self._feeds[name] = _member(name, self._path)
                self._places[name] = 0
            if kind == b"E":
                stem, _ = self._feeds.pop(name)
                del self._places[name]
                if name not in self._broken:
                    yield Piece(stem, None)
                self._broken.discard(name)
            elif kind in (b"P", b"S"):
                yield from self._payload(name, sparse=kind == b"S")
            else:
                raise self._wrong(f"a chunk of unknown type {kind!r}")
        if self._feeds:
            raise self._wrong(f"it ends within {next(iter(self._feeds))}")

    def _payload(self, name: str, *, sparse: bool) -> Iterator[Piece]:
        n_holes = int.from_bytes(self._exactly(4), "little") if sparse else 0
        length, offset = (int.from_bytes(self._exactly(8), "little") for _ in range(2))
        crc = int.from_bytes(self._exactly(4), "little")
        if n_holes > _MAX_HOLES:
            raise self._wrong(f"a chunk of {n_holes} holes")
        map_bytes = self._exactly(8 * n_holes)
        found = zlib.crc32(map_bytes)
        spans = [(max(0, offset - self._places[name]), length)]
        if offset < self._places[name]:
            yield from self._break(name, f"its bytes come out of order: {offset} after {self._places[name]}")
        if n_holes:
            numbers = [int.from_bytes(map_bytes[i : i + 4], "little") for i in range(0, len(map_bytes), 4)]
            holes = zip(numbers[::2], numbers[1::2], strict=True)
            spans = [(skip + (spans[0][0] if not i else 0), n) for i, (skip, n) in enumerate(holes)]
            if sum(n for _, n in spans) != length:
                raise self._wrong("a chunk whose holes do not fit its length")
        self._holes += sum(skip for skip, _ in spans)
        if self._holes > _HOLES_FREE + _HOLES_A_BYTE * self._bytes:
            raise self._wrong(f"{self._holes} bytes of holes in {name}")
        for skip, n in spans:
            self._places[name] += skip + n
            self._bytes += n
            for at in range(0, skip, PIECE_BYTES):
                yield from self._fed(name, bytes(min(PIECE_BYTES, skip - at)))
            for at in range(0, n, PIECE_BYTES):
                data = self._exactly(min(PIECE_BYTES, n - at))
                found = zlib.crc32(data, found)
                yield from self._fed(name, data)
        if found != crc:
            yield from self._break(name, "a chunk of it has a wrong checksum")

    def _fed(self, name: str, data: bytes) -> Iterator[Piece]:
        if name in self._broken:
            return
        stem, feed = self._feeds[name]
        try:
            for out in feed(data):
                yield Piece(stem, out)
        except IbdError as e:
            self._broken.add(name)
            yield Piece(stem, None, e)

    def _break(self, name: str, why: str) -> Iterator[Piece]:
        if name not in self._broken:
            self._broken.add(name)
            error = NotATablespaceError(why, path=f"{self._path}/{name}")
            yield Piece(self._feeds[name][0], None, error)

    def _exactly(self, n: int) -> bytes:
        data = self._stream.read(n)
        if len(data) != n:
            raise self._wrong("it ends within a chunk")
        return data

    def _wrong(self, why: str) -> IbdError:
        return NotATablespaceError(f"the backup stream is damaged or cut short: {why}", path=self._path)
