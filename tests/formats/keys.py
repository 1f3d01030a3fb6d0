"""The key files that lie beside the encrypted files of the corpus."""

from __future__ import annotations

import atexit
import lzma
import shutil
import tempfile
from functools import cache
from pathlib import Path

KEY_FILES = ("keyring.component_keyring_file", "file_key_management.keys")


def key_file(path: Path) -> Path | None:
    """The key file of the instance that a file is of, unpacked; None where there is none."""
    for folder in path.parents[:3]:
        for name in KEY_FILES:
            for suffix in ("", ".xz"):
                if (folder / (name + suffix)).is_file():
                    return _unpacked(folder / (name + suffix))
    return None


@cache
def _unpacked(path: Path) -> Path:
    if path.suffix != ".xz":
        return path
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    out = folder / path.stem
    out.write_bytes(lzma.decompress(path.read_bytes()))
    return out
