"""All layouts by name, with where they lie: what the printed manual and ``page N`` go through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibdscan.layout import fil, fsp, index, lob
from ibdscan.layout.geometry import Geometry


@dataclass(frozen=True)
class Entry:
    """A named layout. ``offset`` is where it starts in its page, None where it depends; ``where`` says so."""

    name: str
    layout: Any
    offset: int | None
    where: str


def catalogue(geometry: Geometry) -> list[Entry]:
    """Every layout for the given page size, in the order in which one meets them in a file."""
    size = geometry.physical
    array = fsp.XDES_ARRAY_OFFSET
    return [
        Entry("fil_header", fil.FIL_HEADER, 0, "every page"),
        Entry("fil_trailer", fil.FIL_TRAILER, size - fil.FIL_TRAILER_BYTES, "every page"),
        Entry("fsp_header", fsp.FSP_HEADER, fsp.FSP_HEADER_OFFSET, "page 0"),
        Entry(
            "xdes_entry",
            fsp.xdes_entry(geometry),
            array,
            f"pages 0, {geometry.descriptor_interval}, ...: {geometry.xdes_entries} entries of "
            f"{geometry.xdes_entry_bytes} bytes from {array} on",
        ),
        Entry("sdi_header", fsp.SDI_HEADER, fsp.sdi_header_offset(geometry), "page 0, MySQL 8.0+"),
        Entry("list_base", fsp.LIST_BASE, None, "head of a list"),
        Entry("list_node", fsp.LIST_NODE, fsp.INODE_LIST_NODE_OFFSET, "INODE pages; XDES entries at +8"),
        Entry(
            "inode",
            fsp.inode(geometry),
            fsp.INODE_ARRAY_OFFSET,
            f"INODE pages: {geometry.inodes_per_page} entries of {geometry.inode_bytes} bytes from "
            f"{fsp.INODE_ARRAY_OFFSET} on",
        ),
        Entry("index_header", index.INDEX_HEADER, index.INDEX_HEADER_OFFSET, "INDEX, RTREE and SDI pages"),
        Entry("index_segments", index.INDEX_SEGMENTS, index.SEG_LEAF_OFFSET, "root pages"),
        Entry("record_compact", index.RECORD_COMPACT, None, "the 5 bytes before a record, compact formats"),
        Entry("record_redundant", index.RECORD_REDUNDANT, None, "the 6 bytes before a record, REDUNDANT"),
        Entry("sdi_record", index.SDI_RECORD, None, "start of a record of the SDI index"),
        Entry("extern_ref", lob.EXTERN_REF, None, "last 20 bytes of a column stored off-page"),
        Entry("blob_header", lob.BLOB_HEADER, lob.LOB_HEADER_OFFSET, "BLOB and SDI_BLOB pages"),
        Entry("lob_first", lob.LOB_FIRST, lob.LOB_HEADER_OFFSET, "LOB_FIRST pages, MySQL 8.0+"),
        Entry(
            "lob_index_entry",
            lob.LOB_INDEX_ENTRY,
            lob.LOB_FIRST_ENTRIES_OFFSET,
            f"LOB_FIRST pages: {lob.LOB_FIRST_ENTRIES} entries",
        ),
        Entry("lob_data", lob.LOB_DATA, lob.LOB_HEADER_OFFSET, "LOB_DATA pages, MySQL 8.0+"),
        Entry("page_compression", fil.PAGE_COMPRESSION_INFO, 26, "COMPRESSED pages (MySQL page compression)"),
    ]
