"""Page compression: each codec, damage, and a codec that is not installed."""

from __future__ import annotations

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable

import cramjam
import lzallright
import pytest

import ibdscan
from ibdscan.pages.decode import inflate
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace

from .real import bytes_of, open_real, path_of

SIZE = 16384
PAGE = bytes(range(256)) * 64
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "zlib": zlib.compress,
    "lzma": lzma.compress,
    "bzip2": bz2.compress,
    "lz4": lambda data: bytes(cramjam.lz4.compress_block(data, store_size=False)),
    "snappy": lambda data: bytes(cramjam.snappy.compress_raw(data)),
    "lzo": lambda data: bytes(lzallright.LZOCompressor().compress(data)),
}


def full_crc32_page(algorithm: str) -> bytes:
    """A stored page as ``fil_page_compress_for_full_crc32`` makes it."""
    data = PACKERS[algorithm](PAGE)
    length = 26 + len(data) + (1 if algorithm in ("lz4", "lzo", "snappy") else 0)
    size = -(-(length + 4) // 256) * 256
    raw = bytearray(SIZE)
    raw[24:26] = (0x8000 | size >> 8).to_bytes(2, "big")
    raw[26 : 26 + len(data)] = data
    if algorithm in ("lz4", "lzo", "snappy"):
        raw[size - 5] = (26 + len(data) + 5) & 0xFF
    return bytes(raw)


@pytest.mark.parametrize("algorithm", list(PACKERS))
@pytest.mark.parametrize("n", [None, 94])
def test_full_crc32_pages_of_every_algorithm(algorithm: str, n: int | None) -> None:
    out = inflate.inflate_full_crc32(full_crc32_page(algorithm), algorithm, n)
    assert out == PAGE[:n]


@pytest.mark.parametrize("algorithm", list(PACKERS))
def test_classic_pages_of_every_algorithm(algorithm: str) -> None:
    number = next(k for k, v in inflate.MARIADB_ALGORITHMS.items() if v == algorithm)
    data = PACKERS[algorithm](PAGE)
    raw = bytearray(SIZE)
    raw[24:26] = (34354).to_bytes(2, "big")
    raw[32:34] = number.to_bytes(2, "big")
    raw[38:40] = len(data).to_bytes(2, "big")
    raw[40 : 40 + len(data)] = data
    assert inflate.inflate_mariadb(bytes(raw)) == PAGE


@pytest.mark.parametrize(("number", "algorithm"), [(1, "zlib"), (2, "lz4")])
def test_mysql_pages_of_both_algorithms(number: int, algorithm: str) -> None:
    data = PACKERS[algorithm](PAGE[38:])
    raw = bytearray(SIZE)
    raw[:38] = PAGE[:38]
    raw[24:38] = (14).to_bytes(2, "big") + bytes([1, number]) + (17855).to_bytes(2, "big") + bytes(8)
    raw[30:32] = (SIZE - 38).to_bytes(2, "big")
    raw[32:34] = len(data).to_bytes(2, "big")
    raw[38 : 38 + len(data)] = data
    out = inflate.inflate_mysql(bytes(raw))
    assert out[38:] == PAGE[38:]
    assert out[24:26] == (17855).to_bytes(2, "big")


@pytest.mark.parametrize("name", ["mysql97_page_compressed.ibd", "mariadb1011_page_compressed.ibd"])
def test_an_inflated_page_is_whole_and_carries_its_number(name: str) -> None:
    space = read_tablespace(Source(path_of(name)))
    for page_no in range(1, 30):
        body = space.read_page(page_no)
        assert len(body) == SIZE
        assert int.from_bytes(body[4:8], "big") == page_no
        assert body[:94] == space.read_head(page_no, 94)[:94]
        assert body != space.read_raw(page_no)
    space.source.close()


def test_damage_in_an_image_is_a_finding_and_the_rest_is_read(tmp_path: object) -> None:
    import pathlib

    name = "mysql97_page_compressed.ibd"
    data = bytearray(bytes_of(name))
    with open_real(name) as whole:
        page = int(whole.index("PRIMARY").leaf.page_nos[3])
        leaves = whole.index("PRIMARY").leaf.pages
    data[page * SIZE + 38 : page * SIZE + 60] = b"\xff" * 22
    path = pathlib.Path(str(tmp_path)) / "t.ibd"
    path.write_bytes(data)
    with ibdscan.open(path) as space:
        kinds = {(f.kind, f.page_no) for f in space.findings}
        assert ("damaged-image", page) in kinds
        assert space.index("PRIMARY").leaf.pages == leaves - 1
        assert space.page_classes["unread"] == 1
        with pytest.raises(ibdscan.UnreadPageError) as error:
            space.space.read_page(page)
        assert error.value.kind == "damaged-image"


def test_a_codec_that_is_missing_names_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    import pathlib

    monkeypatch.setitem(sys.modules, "cramjam", None)
    data = bytearray(bytes_of("mysql97_page_compressed.ibd"))
    for page in range(len(data) // SIZE):
        if data[page * SIZE + 24 : page * SIZE + 26] == b"\x00\x0e":
            data[page * SIZE + 27] = 2  # lz4
    path = pathlib.Path(str(tmp_path)) / "t.ibd"
    path.write_bytes(data)
    with ibdscan.open(path) as space:
        assert [f.kind for f in space.findings] == ["missing-codec"]
        assert "ibdscan[codecs]" in space.findings[0].message
        assert space.indexes == []
        assert space.storage.unread_pages == 37
        assert space.page_classes["leaf"] == 0
        assert space.page_classes["system"] == 3  # the types are in clear


@pytest.mark.parametrize(
    ("at", "value", "words"),
    [(32, b"\xff\xff", "impossible sizes"), (27, b"\x09", "not known"), (30, b"\x00\x01", "impossible sizes")],
)
def test_impossible_headers_are_refused(at: int, value: bytes, words: str) -> None:
    space = read_tablespace(Source(path_of("mysql97_page_compressed.ibd")))
    raw = bytearray(space.read_raw(4))
    space.source.close()
    raw[at : at + len(value)] = value
    with pytest.raises(inflate.InflateError, match=words):
        inflate.inflate_mysql(bytes(raw))
