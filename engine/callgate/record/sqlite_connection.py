"""Connections to the file of a store in SQLite."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Final

from callgate.compiler.ownership import not_own
from callgate.record.errors import RecordError
from callgate.record.folder import said
from callgate.record.processes import shuts
from callgate.record.sqlite_schema import SCHEMA, SCHEMA_VERSION

__all__ = ["Writer", "connected", "failures", "identity", "made", "reading"]

_BUSY_SECONDS: Final = 10.0
_CHECKPOINT_PAGES: Final = 8000
_FLAGS: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@contextmanager
def failures(path: Path) -> Iterator[None]:
    """What SQLite refuses becomes a RecordError."""
    try:
        yield
    except sqlite3.Error as error:
        # Its messages name tables and files, never what is stored.
        raise RecordError(f"the records `{path}` can't be used: {error}") from None


def identity(path: Path) -> tuple[int, int]:
    """Which file stands at a path. Raises RecordError where there is none of one's own."""
    try:
        status = os.lstat(path)
    except OSError as error:
        raise RecordError(f"the records `{path}` can't be used: {said(error)}") from None
    if not stat.S_ISREG(status.st_mode):
        raise RecordError(f"the records are no file: `{path}`")
    if why := not_own(path, status):
        raise RecordError(f"the records are refused: {why}")
    return status.st_dev, status.st_ino


def made(path: Path, *, create: bool) -> None:
    """Make the file where there is none, and its tables. Raises RecordError, also where it is a
    file of another kind or version."""
    if create and not os.path.lexists(path):
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600))
        except FileExistsError:
            pass  # another process was faster
        except OSError as error:
            raise RecordError(f"`{path}` can't be made: {said(error)}") from None
    with failures(path), closing(connected(path)) as connection:
        if create and _empty(connection):
            connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("BEGIN IMMEDIATE")
            if _empty(connection):
                for statement in SCHEMA:
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
            connection.execute("COMMIT")
        if _version(connection) != SCHEMA_VERSION:
            raise RecordError(f"`{path}` holds no records of version {SCHEMA_VERSION}")


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to read by, of its own. Raises RecordError, also for what fails inside."""
    with failures(path), closing(connected(path)) as connection:
        connection.execute("PRAGMA query_only=ON")
        yield connection


class Writer:
    """The connection that a lane writes by, opened when it is needed. Two processes must not share
    one, nor have it open both: SQLite would lose its locks. So it is shut while a process forks.

    `each`: a transaction is on the disk when it ends.
    """

    def __init__(self, path: Path, *, each: bool) -> None:
        self.path = path
        self._identity = identity(path)
        self._each = each
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        shuts(self)

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time. Raises RecordError."""
        with self._lock, failures(self.path):
            if self._connection is None:
                self.look()
                self._connection = self._opened()
            if self._connection.in_transaction:
                # An exception came between its beginning and what ends it in every case.
                self._connection.rollback()
            yield self._connection

    def look(self) -> None:
        """Raises RecordError where the file was removed or replaced."""
        if identity(self.path) != self._identity:
            raise RecordError(f"the records were replaced: `{self.path}`")

    def close(self) -> None:
        """Close it; the next use opens it again."""
        with self._lock:
            self._shut()

    def forking(self) -> None:
        """Before a fork."""
        self._lock.acquire()
        self._shut()

    def went_on(self) -> None:
        """After it, in the parent."""
        self._lock.release()

    def forked(self) -> None:
        """After it, in the child."""
        self._lock = Lock()

    def _opened(self) -> sqlite3.Connection:
        connection = connected(self.path)
        connection.execute(f"PRAGMA synchronous={'FULL' if self._each else 'NORMAL'}")
        connection.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
        return connection

    def _shut(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def connected(path: Path) -> sqlite3.Connection:
    """A new connection to a file that is there. Raises RecordError and sqlite3.Error."""
    identity(path)
    # `mode=rw`: SQLite itself must not make a file.
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode=rw",
        timeout=_BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        uri=True,
    )
    try:
        # Not `trusted_schema=OFF`: json_extract counts as unsafe in older versions.
        connection.execute("PRAGMA cell_size_check=ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _empty(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])
