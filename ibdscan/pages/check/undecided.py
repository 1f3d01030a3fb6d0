"""Pages that the pass alone could not decide: other algorithms, compressed and encrypted pages, damage."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UnreadPageError
from ibdscan.layout.fil import FIL_TRAILER_BYTES
from ibdscan.layout.numbers import PAGE_COMPRESSED_BIT, PageType
from ibdscan.pages.check.heads import Check, Fault, PageChecks
from ibdscan.pages.decode.clear import is_packed
from ibdscan.pages.decode.inflate import stored_bytes_full_crc32
from ibdscan.pages.format import checksums as c
from ibdscan.pages.space.tablespace import Tablespace

_BATCH_BYTES = 32 << 20
MYSQL_ENCRYPTED = (PageType.ENCRYPTED, PageType.COMPRESSED_AND_ENCRYPTED, PageType.ENCRYPTED_RTREE)
_MYSQL_VERSIONS = (1, 2)
_NONE_BYTES = c.NO_CHECKSUM.to_bytes(4, "big")
_NEVER_KEYED = (PageType.RTREE, PageType.PAGE_COMPRESSED, PageType.PAGE_COMPRESSED_ENCRYPTED)
_UNREAD = {"encrypted": Check.KEY_NEEDED, "wrong-key": Check.KEY_NEEDED, "missing-codec": Check.CODEC_NEEDED}


class Judge:
    """Decides pages one by one, or those of plain format many at once."""

    def __init__(self, space: Tablespace, checks: PageChecks) -> None:
        self._space, self._flags, self._checks, self._heads = space, space.flags, checks, checks.heads
        self._size = space.geometry.physical

    def run(self, pages: npt.NDArray[np.int64]) -> None:
        for batch in self._batches(pages):
            plain = [page for page in batch.tolist() if not self._special(page)]
            if plain:
                self._plain(plain, [self._read(page) for page in plain])

    def _batches(self, pages: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        step = max(1, _BATCH_BYTES // self._size)
        for start in range(0, len(pages), step):
            yield pages[start : start + step]

    def _read(self, page: int) -> bytes:
        return self._space.read_raw(page)

    def _good(self, page: int, algorithm: int) -> bool:
        self._checks.check[page] = Check.GOOD
        self._checks.algorithm[page] = algorithm
        return True

    def _left(self, page: int, check: Check) -> bool:
        self._checks.check[page] = check
        return True

    def _fault(self, kind: str, page: int, offset: int, message: str) -> bool:
        self._checks.faults.append(Fault(kind, page, offset, f"page {page}: {message}"))
        return True

    def _special(self, page: int) -> bool:
        """Decide a page that is compressed or encrypted; False for one that is neither."""
        kind = int(self._heads.type[page])
        if self._flags.full_crc32:
            return bool(self._flags.compression and kind & PAGE_COMPRESSED_BIT) and self._packed_full_crc32(page)
        return self._stored(page) if self._is_sealed(kind) else self._keyed(page, kind)

    def _is_sealed(self, kind: int) -> bool:
        """Whether pages of this type have their checksum inside, in a file that may have such pages."""
        if kind in MYSQL_ENCRYPTED:
            return self._space.seal is not None or self._flags.encrypted
        if kind == PageType.PAGE_COMPRESSED_ENCRYPTED:
            return self._space.seal is not None
        return kind in (PageType.COMPRESSED, PageType.PAGE_COMPRESSED) and bool(is_packed(self._space, kind))

    def _keyed(self, page: int, kind: int) -> bool:
        """An encrypted page of MariaDB's classic format: its later checksum is beside the key version."""
        if self._heads.key_version[page] and kind not in _NEVER_KEYED:
            if self._heads.crypt_sum[page] == self._heads.crc[page]:
                return self._good(page, c.CRC32)
            if self._heads.crypt_sum[page] == c.NO_CHECKSUM and self._space.seal is not None:
                return self._good(page, c.NONE)
        return False

    def _packed_full_crc32(self, page: int) -> bool:
        raw = self._read(page)
        end = stored_bytes_full_crc32(int(self._heads.type[page]))
        if not 30 < end <= self._size:
            return self._fault("bad-checksum", page, 24, f"its type says {end} bytes stored")
        found, computed = int.from_bytes(raw[end - 4 : end], "big"), c.crc32c(raw[: end - 4])
        if found == computed:
            return self._good(page, c.FULL_CRC32)
        return self._fault("bad-checksum", page, end - 4, _differs(found, "full_crc32", computed))

    def _stored(self, page: int) -> bool:
        """A page whose checksum is inside: encrypted, or compressed in a classic format."""
        raw = self._read(page)
        try:
            clear = self._space.decoder.decode(raw, page)
        except UnreadPageError as e:
            if e.kind in _UNREAD:
                return self._left(page, _UNREAD[e.kind])
            return self._fault("bad-compression", page, 38, f"can not be read: {e.message}")
        if len(clear) != self._size:
            return self._fault("bad-compression", page, 38, f"inflates to {len(clear)} bytes, not {self._size}")
        self._plain([page], [clear])
        if self._checks.check[page] == Check.GOOD:
            self._check_outside(page, raw, clear)
        return True

    def _check_outside(self, page: int, raw: bytes, clear: bytes) -> None:
        """What the checksum inside does not cover: the outer header of MariaDB's 34354, MySQL's version byte."""
        kind = int.from_bytes(raw[24:26], "big")
        at = None
        if kind == PageType.PAGE_COMPRESSED:
            if raw[:4] != _NONE_BYTES:
                at = 0
            elif (raw[4:24], raw[34:38]) != (clear[4:24], clear[34:38]) or any(raw[26:32]):
                at = 4
        elif kind == PageType.COMPRESSED and raw[26] not in _MYSQL_VERSIONS:
            at = 26
        if at is not None:
            self._checks.check[page] = Check.BAD
            self._fault("bad-header", page, at, "its header is not that of the page compressed in it")

    def _plain(self, pages: list[int], images: list[bytes]) -> None:
        """Pages in clear and of full size."""
        if self._flags.is_zip:
            for page, image in zip(pages, images, strict=True):
                self._zip(page, image)
            return
        if self._flags.full_crc32:
            for page, image in zip(pages, images, strict=True):
                found, computed = int.from_bytes(image[-4:], "big"), c.full_crc32_of(image)
                if found != computed:
                    self._sum_fault(page, image, len(image) - 4, _differs(found, "full_crc32", computed))
                elif image[-8:-4] != image[20:24]:
                    self._torn(page, image, -8, "")
            return
        rows = np.frombuffer(b"".join(images), np.uint8).reshape(len(images), -1)
        crc32 = np.array([c.classic_crc32_of(image) for image in images], np.uint32)
        one, two = c.classic_algorithms(rows, crc32)
        for i, (page, image) in enumerate(zip(pages, images, strict=True)):
            if one[i] == c.WRONG or two[i] == c.WRONG:
                first = one[i] == c.WRONG and image[:4] != int(crc32[i]).to_bytes(4, "big")
                at = 0 if first else len(image) - FIL_TRAILER_BYTES
                found = int.from_bytes(image[at : at + 4], "big")
                self._sum_fault(page, image, at, _differs(found, "crc32", int(crc32[i])))
            elif image[-4:] != image[20:24]:
                self._torn(page, image, -4, "")
            else:
                self._good(page, int(one[i]))

    def _zip(self, page: int, image: bytes) -> None:
        found = int.from_bytes(image[:4], "big")
        computed = c.zip_crc32_of(image)
        if found == computed:
            self._good(page, c.CRC32)
        elif found == c.NO_CHECKSUM:
            self._good(page, c.NONE)
        elif found == c.zip_adler32_of(image):
            self._good(page, c.INNODB)
        elif found == c.zip_legacy_crc32_of(image):
            self._good(page, c.LEGACY_CRC32)
        else:
            self._fault("bad-checksum", page, 0, _differs(found, "crc32", computed))

    def _sum_fault(self, page: int, image: bytes, offset: int, message: str) -> None:
        """A wrong checksum; where the LSN at the end is another one too, the page is torn."""
        at = -8 if self._flags.full_crc32 else -4
        keyed = self._flags.full_crc32 and any(image[:4])
        if not keyed and image[at : at + 4 or None] != image[20:24]:
            self._torn(page, image, at, f"; {message}")
        else:
            self._fault("bad-checksum", page, offset, message)

    def _torn(self, page: int, image: bytes, at: int, more: str) -> None:
        end = image[at : at + 4 or None]
        self._fault(
            "torn-page",
            page,
            16,
            f"the LSN at its end ({_hex(end)}) is not that of its head ({_hex(image[20:24])}): written in part"
            + more,
        )


def _differs(found: int, name: str, computed: int) -> str:
    return f"the checksum is 0x{found:08x}, {name} of its bytes is 0x{computed:08x}"


def _hex(data: bytes) -> str:
    return f"0x{data.hex()}"
