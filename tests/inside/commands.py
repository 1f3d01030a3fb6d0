"""The commands of this folder, run in this process on a file that is surveyed once."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator

import pytest
from click.testing import CliRunner, Result

from ibdscan.api import Space
from ibdscan.cli import main

TABLES = ("segments", "extents", "lists", "regions", "pages")
COMMANDS = (*TABLES, "page", "sdi")


def run(*arguments: str) -> Result:
    """Run a command; what it raises other than its exit code is raised here."""
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False)


@contextlib.contextmanager
def surveyed(space: Space) -> Iterator[None]:
    """Within it all these commands see this survey instead of opening their file."""

    def opened(_: str) -> Space:
        return space

    with pytest.MonkeyPatch.context() as patch:
        for name in COMMANDS:
            patch.setattr(importlib.import_module(f"ibdscan.cli.{name}"), "opened", opened)
        yield
