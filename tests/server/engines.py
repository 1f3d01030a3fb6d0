"""Start a real InnoDB server of one's own: own data directory, own tmpdir, unix socket, no network.

Two families.  ``Server.mariadb`` is the installed mariadbd (on PATH or in /usr/sbin).  ``Server.mysql97``
is MySQL 9.7 unpacked from Debian packages, run by the scripts in the directory that the environment
variable IBDSCAN_ENGINES names (``engine.sh``, ``mkroot.sh``); it is unpacked on first use below
$ENGINES (default ~/.cache/ibdscan-engines).

    with Server.mariadb(tmp_path, innodb_page_size="4k") as server:
        server.sql("create database d")
        print(server.query("select version()"))
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .roots import engines_root, run, unpack_mysql97, which

SOCKET_PATH_MAX = 107
LOG_TAIL_LINES = 15

Row = tuple[Any, ...]
Option = str | int | bool | None

COMMON_OPTIONS: dict[str, Option] = {
    "innodb_buffer_pool_size": "128M",
    "loose_innodb_buffer_pool_load_at_startup": False,  # "loose": MySQL 5.5 does not know it
    "loose_innodb_buffer_pool_dump_at_shutdown": False,
    "innodb_flush_log_at_trx_commit": 0,
    "loose_innodb_stats_auto_recalc": False,
    "innodb_read_ahead_threshold": 0,
    "character_set_server": "utf8mb4",
    "max_allowed_packet": "64M",
    "skip_log_bin": None,
    "skip_networking": None,
}
MYSQL_OPTIONS: dict[str, Option] = {
    "mysqlx": False,
    "innodb_purge_rseg_truncate_frequency": 1,  # the history list empties in seconds only with this
    "innodb_redo_log_capacity": "64M",
    "secure_file_priv": "",
}


class EngineError(RuntimeError):
    """A server could not be made, started or stopped; the message ends with its log."""


def _tail(log: Path) -> str:
    text = log.read_text(errors="replace") if log.exists() else ""
    return "\n".join(text.splitlines()[-LOG_TAIL_LINES:]) or "(the log is empty)"


def _worst(text: str) -> str:
    """The lines that say ERROR, or else the last ones (mariadb-install-db ends with advice on other matters)."""
    lines = text.splitlines()
    return "\n".join([line for line in lines if "ERROR" in line] or lines[-LOG_TAIL_LINES:])


def _no_pymysql() -> str | None:
    try:
        importlib.import_module("pymysql")
    except ImportError:
        return "PyMySQL is not installed"
    return None


@functools.cache
def mariadb_available() -> str | None:
    """None when an installed MariaDB can be started, else the reason why not."""
    for program in ("mariadbd", "mariadb-install-db"):
        if which(program) is None:
            return f"{program} is not installed"
    return _no_pymysql()


@functools.cache
def mysql97_available() -> str | None:
    """None when MySQL 9.7 can be started, else the reason why not; unpacks it when it is not there yet."""
    scripts = os.environ.get("IBDSCAN_ENGINES")
    if not scripts:
        return "IBDSCAN_ENGINES is not set"
    for name in ("engine.sh", "mkroot.sh"):
        if not (Path(scripts) / name).is_file():
            return f"IBDSCAN_ENGINES has no {name}"
    if (reason := _no_pymysql()) is not None:
        return reason
    return unpack_mysql97(Path(scripts).absolute())


def unpacked_available(name: str) -> str | None:
    """None when the server of that name is unpacked in the roots of ``engine.sh``, else what is missing."""
    if "IBDSCAN_ENGINES" not in os.environ:
        return "IBDSCAN_ENGINES is not set"
    root = engines_root() / "roots" / name
    return None if root.is_dir() else f"{root} is not there: mkroots.sh unpacks it"


def _script() -> str:
    return str(Path(os.environ["IBDSCAN_ENGINES"]).absolute() / "engine.sh")


def _command(name: str) -> list[str]:
    """The server of an unpacked root, with the paths of its parts."""
    is_mysql = name.startswith("mysql")
    root = engines_root() / "roots" / name / "usr"
    share = next(d for d in (root / "share" / "mysql", root / "share" / "mariadb") if (d / "english").is_dir())
    plugins = root / "lib" / "mysql" / "plugin"
    return [
        _script(), "run", name, "mysqld" if is_mysql else "mariadbd", "--no-defaults", f"--basedir={root}",
        f"--lc-messages-dir={share}", f"--character-sets-dir={share / 'charsets'}", f"--plugin-dir={plugins}",
    ]  # fmt: skip


def _arguments(options: Mapping[str, Option]) -> list[str]:
    """``{"a_b": True, "c": None}`` -> ``["--a-b=ON", "--c"]``."""
    out = []
    for name, value in options.items():
        text = {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else value
        out.append("--" + name.replace("_", "-") + ("" if text is None else f"={text}"))
    return out


class Server:
    """One server over one data directory; a context manager that starts it and stops it."""

    def __init__(
        self,
        family: str,
        workdir: Path,
        command: list[str],
        initialise: Callable[[Server], subprocess.CompletedProcess[str]],
        options: Mapping[str, Option],
    ) -> None:
        self.family = family
        self.workdir = workdir.absolute()
        self.datadir = self.workdir / "data"
        self.tmpdir = self.workdir / "tmp"
        self.log = self.workdir / "server.log"
        self.options = {**COMMON_OPTIONS, **options}
        self._command = command
        self._initialise = initialise
        self._process: subprocess.Popen[bytes] | None = None
        self._socket_dir: Path | None = None
        self._connection: Any = None
        self._pymysql: Any = importlib.import_module(
            "pymysql"
        )  # untyped, and no need of it before a server is made

    @classmethod
    def mariadb(cls, workdir: str | os.PathLike[str], **options: Option) -> Server:
        """The installed MariaDB; options are server variables (None for a bare flag)."""
        if (reason := mariadb_available()) is not None:
            raise EngineError(reason)
        return cls("mariadb1011", Path(workdir), [str(which("mariadbd")), "--no-defaults"], _init_mariadb, options)

    @classmethod
    def mysql97(cls, workdir: str | os.PathLike[str], **options: Option) -> Server:
        """MySQL 9.7 from its unpacked root; options are server variables (None for a bare flag)."""
        if (reason := mysql97_available()) is not None:
            raise EngineError(reason)
        return cls("mysql97", Path(workdir), _command("mysql97"), _init_mysql, {**MYSQL_OPTIONS, **options})

    @classmethod
    def unpacked(cls, name: str, workdir: str | os.PathLike[str], **options: Option) -> Server:
        """Any MySQL or MariaDB from its unpacked root: ``mysql97``, ``maria105``, ``maria118``, ..."""
        if name == "mysql97":
            return cls.mysql97(workdir, **options)
        if (reason := unpacked_available(name)) is not None:
            raise EngineError(reason)
        return cls(name, Path(workdir), _command(name), _init_unpacked, {"secure_file_priv": "", **options})

    @property
    def is_mysql(self) -> bool:
        return self.family.startswith("mysql")

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def socket(self) -> Path:
        """In a short directory of its own: a unix socket path is limited to 107 bytes."""
        if self._socket_dir is None:
            base = tempfile.gettempdir()
            if len(os.fsencode(base)) > SOCKET_PATH_MAX - 30:
                base = "/tmp"
            self._socket_dir = Path(tempfile.mkdtemp(prefix="ibd-", dir=base))
        return self._socket_dir / "s"

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self.running:
                if kind is None:
                    self.stop(slow=False)
                else:
                    self.kill()
        finally:
            self._forget()

    def start(self, timeout: float = 120) -> Self:
        """Start the server; makes the data directory when there is none."""
        if self.running:
            return self
        self.tmpdir.mkdir(parents=True, exist_ok=True)
        if not self.datadir.exists():
            made = self._initialise(self)
            if made.returncode:
                shutil.rmtree(self.datadir, ignore_errors=True)
                raise EngineError(f"{self.family}: cannot make a data directory\n{_worst(made.stdout)}")
        arguments = [*self.common_arguments(), f"--tmpdir={self.tmpdir}", f"--socket={self.socket}",
                     f"--pid-file={self.socket}.pid"]  # fmt: skip
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [*self._command, *arguments], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
            )
        self._await_start(timeout)
        return self

    def common_arguments(self) -> list[str]:
        """What both making the data directory and serving it are told."""
        user = ["--user=root"] if os.geteuid() == 0 else []
        return [*user, f"--datadir={self.datadir}", *_arguments(self.options)]

    def _await_start(self, timeout: float) -> None:
        until = time.monotonic() + timeout
        while time.monotonic() < until and self.running:
            if self._is_listening():
                self._connection = self.connect()
                return
            time.sleep(0.1)
        self.kill()
        raise EngineError(f"{self.family} did not start\n{_tail(self.log)}")

    def _is_listening(self) -> bool:
        """Asked with a bare socket: PyMySQL leaves one open for each attempt that fails."""
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.socket))
            except OSError:
                return False
        return True

    def connect(self, database: str | None = None) -> Any:
        """A new PyMySQL connection (autocommit) over the socket."""
        return self._pymysql.connect(
            unix_socket=str(self.socket), user="root", database=database, charset="utf8mb4", autocommit=True
        )

    @property
    def refusal(self) -> type[Exception]:
        """What a statement that the server refuses raises."""
        error: type[Exception] = self._pymysql.MySQLError
        return error

    def query(self, sql: str, *parameters: object) -> list[Row]:
        """The rows of one statement, on the server's one kept connection."""
        if not self.running:
            raise EngineError(f"{self.family} is not running")
        with self._connection.cursor() as cursor:
            cursor.execute(sql, parameters or None)
            return list(cursor.fetchall())

    def sql(self, *statements: str) -> None:
        """Statements one after another, on the server's one kept connection."""
        for statement in statements:
            self.query(statement)

    def stop(self, slow: bool = True, timeout: float = 600) -> None:
        """Shut down and wait for the process to exit; a slow shutdown purges and flushes everything."""
        if self._process is None:
            return
        if self.running:
            self.sql(f"set global innodb_fast_shutdown={0 if slow else 1}")
            if self.family == "mysql55" and self._process is not None:
                self._process.terminate()  # it has no SHUTDOWN statement
            else:
                self.sql("shutdown")
            self._disconnect()
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise EngineError(f"{self.family} did not stop\n{_tail(self.log)}") from None
        self._process = None
        if code:
            raise EngineError(f"{self.family} ended with {code}\n{_tail(self.log)}")

    def kill(self) -> None:
        """SIGKILL, as a crash; the data directory stays for recovery or a look."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._disconnect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(self._pymysql.err.Error):  # the server may have gone already
                self._connection.close()
            self._connection = None

    def _forget(self) -> None:
        if self._socket_dir is not None:
            shutil.rmtree(self._socket_dir, ignore_errors=True)
            self._socket_dir = None


def _init_mariadb(server: Server) -> subprocess.CompletedProcess[str]:
    return run(
        [str(which("mariadb-install-db")), "--no-defaults", "--auth-root-authentication-method=normal",
         "--skip-test-db", f"--tmpdir={server.tmpdir}", *server.common_arguments()]
    )  # fmt: skip


def _init_mysql(server: Server) -> subprocess.CompletedProcess[str]:
    command = [*server._command, *server.common_arguments(), f"--tmpdir={server.tmpdir}", "--initialize-insecure"]
    return run(command)


def _init_unpacked(server: Server) -> subprocess.CompletedProcess[str]:
    """MariaDB's system tables from the root's own SQL."""
    return run(
        [_script(), "init", server.family, *(a for a in (str(server.datadir), *_arguments(server.options)))]
    )
