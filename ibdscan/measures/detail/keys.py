"""What reads the keys of an index: by the SDI in the file, or else the ``.frm`` beside it."""

from __future__ import annotations

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.definition.sdi_keys import sdi_key_reader
from ibdscan.structures.rows.keys import KeyReader


def key_reader(survey: Survey, index: Index) -> KeyReader | None:
    """None where no definition of the index is at hand, or it is none of keys (R-tree, FULLTEXT)."""
    if survey.sdi:
        return sdi_key_reader(survey.sdi, index.index_id)
    return None
