"""Faults put into real fixtures. Those of structure get new checksums."""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Any

from ibdscan.layout.fsp import XDES_ARRAY_OFFSET, inode
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.measures.verify import Verification, verify_file
from ibdscan.pages.format.checksums import write_checksum
from tests.files import fixture

MYSQL, MARIADB = "mysql97/import_multi", "mariadb1011/import_multi"


class Patient:
    """A fixture unpacked, to be damaged."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.data = bytearray(lzma.decompress(fixture(name).read_bytes()))
        self.path = folder / "patient.ibd"
        survey = open_survey(str(fixture(name)))
        self.survey: Survey = survey
        survey.close()
        self.flags = survey.space.flags
        self.size = survey.page_size

    def page(self, page_no: int) -> bytearray:
        return self.data[page_no * self.size : (page_no + 1) * self.size]

    def put(self, page_no: int, page: bytes | bytearray) -> None:
        self.data[page_no * self.size : (page_no + 1) * self.size] = page

    def stamp(self, page_no: int, offset: int, value: int, width: int = 4) -> None:
        """Change one field and give the page a new checksum."""
        page = self.page(page_no)
        page[offset : offset + width] = value.to_bytes(width, "big")
        write_checksum(page, self.flags)
        self.put(page_no, page)

    def get(self, page_no: int, offset: int, width: int = 4) -> int:
        at = page_no * self.size + offset
        return int.from_bytes(self.data[at : at + width], "big")

    def flip(self, page_no: int, offset: int, bit: int) -> None:
        """Change one bit, and nothing else."""
        self.data[page_no * self.size + offset] ^= 1 << bit

    def set_used(self, page_no: int, used: bool) -> None:
        """Change a page's bit in its XDES entry, and the descriptor page's checksum."""
        geometry = self.flags.geometry
        descriptor = page_no // geometry.physical * geometry.physical
        extent, at = divmod(page_no, geometry.extent_pages)
        entry = XDES_ARRAY_OFFSET + geometry.xdes_entry_bytes * (extent % geometry.xdes_entries)
        offset = entry + 24 + at // 4
        bit = 1 << (2 * (at % 4))
        old = self.get(descriptor, offset, 1)
        assert bool(old & bit) == used, "the page is so already"
        self.stamp(descriptor, offset, old ^ bit, 1)

    def inode(self, ordinal: int) -> Any:
        """One segment inode, parsed."""
        segment = self.survey.segments[ordinal]
        return inode(self.flags.geometry).parse(bytes(self.page(segment.page_no)[segment.offset :]))

    def leaf_chain(self) -> list[int]:
        """Leaves of the clustered index in key order."""
        return [int(p) for p in self.survey.indexes[0].leaf.chain]

    def verify(self, **options: Any) -> Verification:
        self.path.write_bytes(bytes(self.data))
        return verify_file(str(self.path), **options)

    def kinds(self, **options: Any) -> set[str]:
        return {f.kind for f in self.verify(**options).findings}
