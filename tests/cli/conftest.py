"""Run a command as a person would: arguments in, text and exit code out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ibdscan.cli import main

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"
SINGLE = str(FIXTURES / "mysql97/import_single.ibd.xz")
MULTI = str(FIXTURES / "mysql97/import_multi.ibd.xz")

Ibdscan = Callable[..., Result]


@pytest.fixture
def ibdscan() -> Ibdscan:
    """``ibdscan("info", path)`` -> the result, with ``stdout``, ``stderr`` and ``exit_code``."""

    def run(*words: str) -> Result:
        result = CliRunner().invoke(main, list(words), prog_name="ibdscan")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run
