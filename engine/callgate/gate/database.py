"""The gate's database: one SQLite file that several processes may use at once.

What can't be read or stored is a StateError, never an empty answer: a gate that lost its file must
say so, not go on with a new one.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from threading import Lock, local
from typing import Any, Final
from weakref import WeakSet

from callgate.compiler.ownership import not_own
from callgate.gate.connection import Connection, failures
from callgate.gate.state import StateError

__all__ = ["SCHEMA_VERSION", "Database", "StateError"]

SCHEMA_VERSION: Final = 1
"""The `user_version` of a database that this code reads and writes."""

_OWNERS: Final = ("cron", "events", "grants", "refusals", "requests")
"""The modules of this package whose `SCHEMA`, a tuple of SQL statements, makes their tables."""

_SMALLEST: Final = 4096
"""It was whole when it got its name, so less than this, in bytes, was cut off."""

_LOGS: Final = ("-wal", "-journal")
_Identity = tuple[int, int]


class Database:
    """The database in one file, made with its tables when there is none; safe to share between
    threads, and between processes that open it each by themselves.

    `path`: the file; its folder must be there. `create`: false to use only a file that is there.
    `busy_seconds`: how long to wait for another process's transaction. Raises StateError when it
    can't be opened, is damaged, could be written by others, or is of another version.
    """

    def __init__(self, path: str | Path, *, create: bool = True, busy_seconds: float = 5.0) -> None:
        self.path = Path(path).absolute()
        self._busy = busy_seconds
        self._lock = Lock()
        self._mine = local()
        self._all: WeakSet[Connection] = WeakSet()
        self._left_behind: list[Connection] = []
        with failures():
            if create and not os.path.lexists(self.path):
                self._make()
            self._identity = self._look()
            self._check(self.read())

    # -- using it

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside a transaction that nobody else writes during: committed at the end,
        undone when anything is raised. Raises StateError; one inside another is one, too."""
        connection = self.read()
        if connection.in_transaction:
            raise StateError("the gate's database is in the middle of a transaction already")
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            self._undo(connection)
            raise

    def read(self) -> Connection:
        """This thread's connection, to read from. Raises StateError, also when the file is no
        longer the one that was opened."""
        with failures():
            if self._look() != self._identity:
                raise StateError(f"the gate's database was replaced: `{self.path}`")
            mine = self._mine
            if getattr(mine, "process", None) != os.getpid():
                # SQLite's connections don't survive a fork; closing one would drop its locks.
                if (old := getattr(mine, "connection", None)) is not None:
                    self._left_behind.append(old)
                mine.connection = self._connect()
                mine.process = os.getpid()
            connection: Connection = mine.connection
            return connection

    def close(self) -> None:
        """Close the connections of all threads; the next use opens new ones."""
        with self._lock:
            connections, self._all, self._mine = list(self._all), WeakSet(), local()
        for connection in connections:
            with suppress(sqlite3.Error):
                connection.close()

    # -- opening it

    def _look(self) -> _Identity:
        """Which file stands at the path. Raises StateError when it is missing or not one's own."""
        try:
            status = os.lstat(self.path)
        except FileNotFoundError:
            raise StateError(f"the gate's database is missing: `{self.path}`") from None
        if not stat.S_ISREG(status.st_mode):
            raise StateError(f"the gate's database is no file: `{self.path}`")
        if why := not_own(self.path, status):
            raise StateError(f"the gate's database is refused: {why}")
        if status.st_size < _SMALLEST:
            raise StateError("the gate's database is damaged")
        return status.st_dev, status.st_ino

    def _connect(self) -> Connection:
        connection = _open(self.path, self._busy)
        try:
            # Between the look and the opening another file may have come.
            if self._look() != self._identity:
                raise StateError(f"the gate's database was replaced: `{self.path}`")
            version = _value(connection, "PRAGMA user_version")
            if version != SCHEMA_VERSION:
                raise StateError(
                    f"the gate's database is of version {version}, not {SCHEMA_VERSION}"
                )
            for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "synchronous=FULL"):
                connection.execute(f"PRAGMA {pragma}")
            if _value(connection, "PRAGMA journal_mode=WAL") != "wal":
                raise StateError("the gate's database can't keep a log here (WAL)")
        except BaseException:
            connection.close()
            raise
        with self._lock:
            self._all.add(connection)
        return connection

    def _check(self, connection: Connection) -> None:
        try:
            if _value(connection, "PRAGMA quick_check(1)") != "ok":
                raise StateError("the gate's database is damaged")
        except BaseException:
            self.close()
            raise

    def _undo(self, connection: Connection) -> None:
        """End a transaction that failed; a connection that can't is given up."""
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except StateError:
            self._mine.connection = self._mine.process = None
            with suppress(sqlite3.Error):
                connection.close()

    # -- making it

    def _make(self) -> None:
        """Make the file whole under another name, and then give it its own: what stands at the path
        and is empty was therefore emptied by somebody."""
        for ending in _LOGS:
            if os.path.lexists(f"{self.path}{ending}"):
                if os.path.lexists(self.path):
                    return  # another process made it, and uses it already
                raise StateError(
                    f"the gate's database is missing, and its log is there: `{self.path}`"
                )
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f"{self.path.name}.")
        os.close(handle)
        try:
            connection = _open(Path(name), self._busy)
            try:
                connection.execute("PRAGMA synchronous=FULL")
                connection.execute("BEGIN")
                for statement in _schema():
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
                connection.execute("COMMIT")
            finally:
                connection.close()
            with suppress(FileExistsError):  # another process was faster
                os.link(name, self.path)
        finally:
            Path(name).unlink(missing_ok=True)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _open(path: Path, busy_seconds: float) -> Connection:
    # `mode=rw`: SQLite itself must not make a file. Threads have a connection each; only `close`
    # reaches over.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        factory=Connection,
        uri=True,
    )
    connection.row_factory = sqlite3.Row
    return connection


def _value(connection: Connection, sql: str) -> Any:
    row = connection.execute(sql).fetchone()
    return None if row is None else row[0]


def _schema() -> Iterator[str]:
    # They import this module, so they are looked up when they are needed.
    for name in _OWNERS:
        yield from import_module(f"callgate.gate.{name}").SCHEMA
