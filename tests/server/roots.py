"""The unpacked MySQL 9.7: where it is, and how it gets there."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

MYSQL97_PACKAGES = ("sid", "mysql-server-core", "mysql-client-core", "+mysql-server", "+mysql-client")


def which(program: str) -> str | None:
    """The path of an installed server program; /usr/sbin is not on everyone's PATH."""
    return shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin:/usr/local/bin")


def engines_root() -> Path:
    """Where the unpacking script puts its roots."""
    return Path(os.environ.get("ENGINES") or Path.home() / ".cache" / "ibdscan-engines").absolute()


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run to the end with stdout and stderr in one text."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip


def unpack_mysql97(scripts: Path) -> str | None:
    """Unpack MySQL 9.7 unless it is there and runs; None, or the reason why it does not."""
    root = engines_root()
    root.mkdir(parents=True, exist_ok=True)
    probe = [str(scripts / "engine.sh"), "run", "mysql97", "mysqld", "--no-defaults", "--version"]
    with (root / "mysql97.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test runs must not unpack at once
        if run(probe).returncode == 0:
            return None
        made = run([str(scripts / "mkroot.sh"), "mysql97", *MYSQL97_PACKAGES])
        tried = run(probe)
    if tried.returncode == 0:
        return None
    lines = (made.stdout + tried.stdout).strip().splitlines()
    return "MySQL 9.7 could not be unpacked: " + " | ".join(lines[-3:])
