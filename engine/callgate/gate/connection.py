"""Connections to the gate's database on which every failure is a StateError.

SQLite's own messages may quote what is stored, so a failure is told by its kind.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, Self

from callgate.gate.state import StateError

__all__ = ["Connection", "Cursor", "failures"]

_SAID: Final = {
    "SQLITE_BUSY": "is locked by another process",
    "SQLITE_LOCKED": "is locked by another process",
    "SQLITE_FULL": "can't grow: the disk is full",
    "SQLITE_CORRUPT": "is damaged",
    "SQLITE_NOTADB": "is damaged",
    "SQLITE_READONLY": "can't be written",
    "SQLITE_IOERR": "can't be read or written",
    "SQLITE_CANTOPEN": "can't be opened",
    "SQLITE_PERM": "can't be opened",
    "SQLITE_CONSTRAINT": "refuses what was to be stored",
    "SQLITE_TOOBIG": "refuses what was to be stored",
}


@contextmanager
def failures() -> Iterator[None]:
    """Whatever SQLite, the file system or a value that can't be stored raises inside, as a
    StateError."""
    try:
        yield
    except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
        raise StateError(f"the gate's database {_said(error)}") from None


def _said(error: Exception) -> str:
    if isinstance(error, UnicodeError | OverflowError):
        return _SAID["SQLITE_CONSTRAINT"]
    if isinstance(error, OSError):
        return f"can't be used: {(error.strerror or type(error).__name__).lower()}"
    name: str = getattr(error, "sqlite_errorname", type(error).__name__)
    # `SQLITE_IOERR_WRITE` is a kind of `SQLITE_IOERR`.
    kind = "_".join(name.split("_")[:2])
    return _SAID.get(kind, f"can't be used: {name}")


class Cursor(sqlite3.Cursor):
    """A cursor whose failures are StateErrors."""

    def execute(self, sql: str, parameters: Any = (), /) -> Self:
        """Run one statement."""
        with failures():
            return super().execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Self:
        """Run one statement for each row of parameters."""
        with failures():
            return super().executemany(sql, parameters)

    def fetchone(self) -> Any:
        """The next row, or None."""
        with failures():
            return super().fetchone()

    def fetchall(self) -> list[Any]:
        """All rows that are left."""
        with failures():
            return super().fetchall()

    def __next__(self) -> Any:
        with failures():
            return super().__next__()


class Connection(sqlite3.Connection):
    """A connection whose failures are StateErrors; rows are `sqlite3.Row`."""

    def __del__(self) -> None:
        """Close it with the thread that it belonged to."""
        with suppress(sqlite3.Error):
            self.close()

    def execute(self, sql: str, parameters: Any = (), /) -> Cursor:
        """Run one statement; its rows are read from the cursor."""
        with failures():
            return self.cursor(Cursor).execute(sql, parameters)

    def executemany(self, sql: str, parameters: Iterable[Any], /) -> Cursor:
        """Run one statement for each row of parameters."""
        with failures():
            return self.cursor(Cursor).executemany(sql, parameters)
