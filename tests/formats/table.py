"""The table of formats of docs/formats.md, made from files that were opened and compared just now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import ibdscan
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageState
from tests.corpus import Oracle, corpus_files, load_oracle

from . import test_older as older
from .keys import key_file
from .real import header_of_page

INDEX_TYPES = frozenset({"INDEX", "RTREE_INDEX", "SDI_INDEX"})
MARIADB_FAMILIES = ("maria105", "maria1011", "maria118")


@dataclass
class Proof:
    """What the files of one format gave."""

    files: int = 0
    refused: int = 0
    engines: Counter[str] = field(default_factory=Counter)
    pages: int = 0
    """Index pages compared with the server's records and data size."""
    unlike: int = 0


@dataclass(frozen=True)
class Row:
    """One format. ``of`` says whether a surveyed file is of it; without it no file of it is at hand."""

    name: str
    of: Callable[[Survey], bool] | None
    read: str


def algorithm(survey: Survey) -> str | None:
    return survey.storage.compression if survey.columns.forms.packed_pages else None


def has_type(survey: Survey, *types: int) -> bool:
    live = survey.columns.type[survey.state == PageState.LIVE]
    return bool(np.isin(live, types).any())


def packed(family: str, full_crc32: bool, name: str) -> Callable[[Survey], bool]:
    def of(survey: Survey) -> bool:
        space = survey.space
        return (space.family, space.flags.full_crc32) == (family, full_crc32) and name == algorithm(survey)

    return of


def version(prefix: str) -> Callable[[Survey], bool]:
    return lambda survey: (survey.space.server_version or "").startswith(prefix)


def sized(page_size: int, key_block: int) -> Callable[[Survey], bool]:
    def of(survey: Survey) -> bool:
        geometry = survey.space.geometry
        return survey.space.flags.is_zip and (geometry.logical, geometry.physical) == (page_size, key_block)

    return of


def encrypted(family: str, full_crc32: bool, compressed: bool) -> Callable[[Survey], bool]:
    def of(survey: Survey) -> bool:
        space = survey.space
        form = (space.family, space.flags.full_crc32, bool(survey.columns.forms.packed_pages))
        return survey.storage.encrypted and form == (family, full_crc32, compressed)

    return of


def old(words: str) -> Callable[[Survey], bool]:
    from ibdscan.pages.space.version import server_words

    return lambda survey: server_words(survey.space).startswith(words)


def is_of_server(survey: Survey, *names: str) -> bool:
    """Whether the file lies among those of that server: the oldest do not say who wrote them."""
    return Path(survey.space.path).parent.name in names


def is_old(survey: Survey) -> bool:
    unmarked = not survey.space.family_is_certain and not old("MySQL up to 5.1.6")(survey)
    return unmarked and not is_of_server(survey, *older.WORDS)


def is_instant(survey: Survey) -> bool:
    return survey.space.family == "mariadb" and has_type(survey, 18)


def of_page_size(size: int) -> Callable[[Survey], bool]:
    return lambda survey: survey.space.geometry.logical == size


WHOLE = "all of it"
SECTIONS: dict[str, list[Row]] = {
    "Servers": [
        Row("MySQL up to 5.1.6 (page 0 without a type)", old("MySQL up to 5.1.6"), WHOLE),
        Row("MySQL 5.1.7 to 5.5", lambda s: is_of_server(s, "mysql55"), WHOLE),
        Row("MySQL 5.6 and 5.7", is_old, WHOLE),
        Row("MySQL 8.0", version("8.0"), WHOLE),
        Row("MySQL 8.4", version("8.4"), WHOLE),
        Row("MySQL 9.x", version("9."), WHOLE),
        Row("Percona Server", None, WHOLE + ", as MySQL's; its own keyring encryption is refused by name"),
        Row(
            "MariaDB 10.1 and 10.2, in files without a mark of theirs",
            lambda s: not s.space.family_is_certain and is_of_server(s, "maria101", "maria102"),
            WHOLE,
        ),
        Row("MariaDB 10.0 to 10.1.20 (flags of their own)", None, WHOLE + "; built from the sources"),
        Row(
            "MariaDB, classic format (crc32, innodb, none)",
            lambda s: s.space.family == "mariadb" and not s.space.flags.full_crc32,
            WHOLE,
        ),
        Row("MariaDB, full_crc32 (10.4.3 and later)", lambda s: s.space.flags.full_crc32, WHOLE),
    ],
    "ROW_FORMAT=COMPRESSED": [
        Row(f"KEY_BLOCK_SIZE={block // 1024}, {size // 1024} KiB pages", sized(size, block), "fill of the image")
        for size in (4096, 8192, 16384)
        for block in (1024, 2048, 4096, 8192, 16384)
        if block <= size
    ],
    "Page compression": [
        Row("MySQL (type 14), zlib", packed("mysql", False, "zlib"), WHOLE),
        Row("MySQL (type 14), lz4", packed("mysql", False, "lz4"), WHOLE + ", with `ibdscan[codecs]`"),
        Row("MySQL forks (type 14), zstd", None, WHOLE + ", with `ibdscan[codecs]`"),
        *(
            Row(f"MariaDB full_crc32, {name}", packed("mariadb", True, name), WHOLE + extra)
            for name, extra in (
                ("zlib", ""),
                ("lzma", ""),
                ("bzip2", ""),
                ("lz4", ", with `ibdscan[codecs]`"),
                ("lzo", ", with `ibdscan[codecs]`"),
                ("snappy", ", with `ibdscan[codecs]`"),
            )
        ),
        Row("MariaDB classic (type 34354), zlib", packed("mariadb", False, "zlib"), WHOLE),
        Row("MariaDB classic (type 34354), lzma, bzip2", None, WHOLE),
        Row("MariaDB classic (type 34354), lz4, lzo, snappy", None, WHOLE + ", with `ibdscan[codecs]`"),
    ],
    "Encryption, with the key (`ibdscan[crypt]`); without it types, LSN, links and sizes": [
        Row("MySQL, component_keyring_file", encrypted("mysql", False, False), WHOLE),
        Row("MySQL, page-compressed too", encrypted("mysql", False, True), WHOLE),
        Row("MySQL, keyring_file plugin", None, "the key file by its sources"),
        Row("MariaDB full_crc32", encrypted("mariadb", True, False), WHOLE),
        Row("MariaDB full_crc32, page-compressed too", encrypted("mariadb", True, True), WHOLE),
        Row("MariaDB classic", encrypted("mariadb", False, False), WHOLE),
        Row("MariaDB classic, page-compressed too (type 37401)", encrypted("mariadb", False, True), WHOLE),
    ],
    "Pages and files": [
        *(
            Row(f"{size // 1024} KiB pages", of_page_size(size), WHOLE)
            for size in (4096, 8192, 16384, 32768, 65536)
        ),
        Row("MariaDB root after instant ALTER (type 18)", is_instant, WHOLE),
        Row("R-trees", lambda s: has_type(s, 17854), WHOLE),
        Row("LOB pages of MySQL 8.0+ (22 to 24)", lambda s: has_type(s, 24), "counted, by index"),
        Row("BLOB and ZBLOB pages (10, 11, 12)", lambda s: has_type(s, 10, 11, 12), "counted, by index"),
        Row("ZLOB pages of MySQL 8.0+ (25 to 29)", None, "counted, by index"),
        Row("General tablespaces", lambda s: s.space.flags.shared and s.space.name.startswith("ts"), WHOLE),
        Row("mysql.ibd", lambda s: s.space.name.removesuffix(".xz") == "mysql.ibd", WHOLE),
        Row("System tablespace (ibdata1)", lambda s: s.space.space_id == 0, WHOLE + "; doublewrite area apart"),
        Row("Undo tablespaces", lambda s: s.space.name.startswith("undo"), "pages by kind"),
        Row("Temporary tablespaces", lambda s: s.space.is_temporary, WHOLE),
        Row("Partitions", lambda s: "#p#" in s.space.name.lower(), WHOLE),
        Row("More than one descriptor page", lambda s: s.n_pages > s.space.geometry.descriptor_interval, WHOLE),
        Row(
            "More than one INODE page",
            lambda s: s.space.fsp.inodes_full.length + s.space.fsp.inodes_free.length > 1,
            WHOLE,
        ),
        Row("Extents leased to a segment (state 5)", lambda s: bool((s.extents.state == 5).any()), WHOLE),
    ],
}
HEAD = """# Formats

What ibdscan reads, and the real files that prove it. This page is made by `python -m tests.formats` from the files
themselves; a test says when it is out of date. *pages* are index pages whose number of records and data size
were compared with what the server said of them (INNODB_BUFFER_PAGE), all equal unless it says so; copies taken
under a running server and files that the server changed before it was asked are left out of that count.
Of MySQL 5.5, which can not say that of a page, root, leaf pages and size of each index were compared with its
table monitor. "unproven" rows are built from the servers' sources; no real file of them was at hand.
"""


def opened(path: Path) -> Survey:
    return ibdscan.open(path, keyring=key_file(path))


Said = Iterable[tuple[int, int, int]]
"""Page, records and data size of index pages, by a server."""


def all_files(root: Path) -> Iterator[tuple[str, Path, Said]]:
    """Every file of the corpus, and those of older servers, with its engine; nothing is said of the peers."""
    for file in corpus_files(root):
        yield file.engine, file.path, said_of(load_oracle(file))
    for path in sorted(p for p in (root / "peers").rglob("*.ibd*") if "oracle" not in p.name):
        yield "peers", path, ()
    for family in older.WORDS:
        for path in sorted((older.FOLDER / family).glob("*.xz")):
            yield family, path, older.said_of(path)


def said_of(oracle: Oracle | None) -> Said:
    if oracle is None or oracle.is_live_copy or not oracle.unchanged:
        return ()
    return [(page, n_recs, size) for page, kind, _, n_recs, size in oracle.buffer_pages if kind in INDEX_TYPES]


def prove(root: Path) -> dict[str, Proof]:
    """One pass over the corpus: what each format's files gave."""
    proofs = {row.name: Proof() for rows in SECTIONS.values() for row in rows}
    for engine, path, said in all_files(root):
        try:
            survey = opened(path)
        except ibdscan.IbdError:
            continue
        pages, unlike = compared(survey, said)
        for rows in SECTIONS.values():
            for row in rows:
                if row.of is not None and row.of(survey):
                    proof = proofs[row.name]
                    proof.files += 1
                    proof.engines[engine] += 1
                    proof.pages += pages
                    proof.unlike += unlike
        survey.close()
    return proofs


def compared(survey: Survey, said: Said) -> tuple[int, int]:
    """Index pages compared with the server's own numbers, and those that differ."""
    there = [s for s in said if s[0] < survey.n_pages and survey.columns.is_index[s[0]]]
    return len(there), sum(header_of_page(survey, page) != [n, size] for page, n, size in there)


def render(proofs: dict[str, Proof]) -> str:
    lines = [HEAD]
    for title, rows in SECTIONS.items():
        lines += [f"## {title}", "", "| format | read | files | servers | pages |", "|---|---|--:|---|--:|"]
        for row in rows:
            proof = proofs[row.name]
            engines = ", ".join(sorted(proof.engines)) or "**unproven**"
            unlike = f" ({proof.unlike} unlike)" if proof.unlike else ""
            pages = f"{proof.pages:,}{unlike}" if proof.pages else "-"
            lines.append(f"| {row.name} | {row.read} | {proof.files or '-'} | {engines} | {pages} |")
        lines.append("")
    return "\n".join(lines)
