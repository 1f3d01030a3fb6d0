"""A missing server is a stated skip on a person's machine and a failure where CI is set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from .engines import Option, Server, mariadb_available, mysql97_available

StartServer = Callable[..., Server]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "server: needs a real server (MariaDB installed, MySQL through IBDSCAN_ENGINES)"
    )


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """`start_server(family, **options)` -> a running Server that the end of the test stops."""
    with ExitStack() as stack:

        def start(family: str, **options: Option) -> Server:
            reason = mysql97_available() if family == "mysql97" else mariadb_available()
            if reason is not None:
                (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{family}: {reason}")
            make = Server.mysql97 if family == "mysql97" else Server.mariadb
            return stack.enter_context(make(tmp_path / family, **options))

        yield start
