"""All real files: each is opened or refused with a plain word, and docs/formats.md says what came of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ibdscan
from tests.corpus import require_corpus

from .__main__ import DOCUMENT
from .keys import key_file
from .table import SECTIONS, Proof, prove, render

pytestmark = pytest.mark.corpus

REFUSED = ("not yet written it when the file was copied", "page 0 is all zeros")
"""Whole files of zeros, copied before the server had written anything."""
MAY_HAVE_FINDINGS = "/live/"
"""Copies of files that the server was writing."""
NO_TABLESPACES = (".json", ".frm", ".cfg", ".md", ".tsv", ".keys", "keyring_file")


@pytest.fixture(scope="module")
def proofs() -> dict[str, Proof]:
    return prove(require_corpus())


def test_the_document_is_what_the_files_give(proofs: dict[str, Proof]) -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render(proofs), "python -m tests.formats writes it again"


def test_every_page_compared_is_the_servers(proofs: dict[str, Proof]) -> None:
    assert {name: proof.unlike for name, proof in proofs.items() if proof.unlike} == {}


def test_every_format_that_has_files_is_proven(proofs: dict[str, Proof]) -> None:
    unproven = [row.name for rows in SECTIONS.values() for row in rows if row.of and not proofs[row.name].files]
    assert unproven == []


def test_every_file_opens_or_is_refused_with_a_plain_word() -> None:
    root = require_corpus()
    refused, found = [], []
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        if path.name.removesuffix(".xz").endswith(NO_TABLESPACES):
            continue
        try:
            with ibdscan.open(path, keyring=key_file(path)) as space:
                found += [(str(path), f.kind) for f in space.findings]
                space.to_dict()
        except ibdscan.IbdError as e:
            refused.append(str(e))
    assert [r for r in refused if not any(words in r for words in REFUSED)] == []
    assert 0 < len(refused) < 10
    assert [f for f in found if MAY_HAVE_FINDINGS not in f[0]] == []


def test_without_keys_nothing_of_an_encrypted_file_is_invented() -> None:
    root = require_corpus()
    seen = 0
    for path in sorted(p for p in root.glob("*/enc*/enc/*.ibd*") if "oracle" not in p.name):
        with ibdscan.open(path) as space:
            if space.columns.forms.encrypted_pages:
                seen += 1
                assert space.indexes == []
                assert space.findings == []
                assert space.storage.unread_pages > 0
    assert seen > 20


def test_the_document_is_there() -> None:
    assert Path(DOCUMENT).is_file()
