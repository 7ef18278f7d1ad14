"""The segment of a SQLite store that a lane writes to."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from time import monotonic
from typing import Final

from callgate.record.chain_lock import leave
from callgate.record.errors import RecordError
from callgate.record.sqlite_connection import Writer

__all__ = ["SqliteSegment", "remove"]

_LOOK_EVERY: Final = 0.05
_INSERT: Final = (
    "INSERT INTO lines (chain, segment, seq, bytes, line) VALUES (?, ?, ?, ?, CAST(? AS TEXT))"
)


class SqliteSegment:
    """See `Sink`; its size is a number of lines. `lock`: the descriptor that holds the chain;
    `limit`: lines of a segment, its first one and its seal among them."""

    def __init__(
        self, writer: Writer, lock: int, chain: str, number: int, first: int, *, limit: int
    ) -> None:
        self.chain = chain
        self.number = number
        self.first = first
        self._writer = writer
        self._lock = lock
        self._limit = limit
        self._look_at = 0.0

    def full(self, size: int, more: int) -> bool:
        """See `Sink`."""
        return size + 1 >= self._limit

    def write(self, line: bytes, size: int) -> int:
        """See `Sink`."""
        now = monotonic()
        if now >= self._look_at:
            self._writer.look()
            self._look_at = now + _LOOK_EVERY
        seq = self.first + size
        with self._writer.using() as connection:
            connection.execute(_INSERT, (self.chain, self.number, seq, len(line), line))
        return size + 1

    def cut(self, seq: int, size: int) -> None:
        """See `Sink`."""
        with self._writer.using() as connection:
            row = connection.execute(
                "SELECT segment, seq FROM lines WHERE chain = ? ORDER BY segment DESC, seq DESC",
                (self.chain,),
            ).fetchone()
            last = row[1] if row else -1
            if last > seq:
                remove(connection, self.chain, seq + 1, last)
        if last < seq:
            raise RecordError(f"records were removed from `{self._writer.path}`")

    def seal(self) -> None:
        """See `Sink`. The seal is all there is to it."""

    def next(self, number: int, first: int, line: bytes) -> tuple[SqliteSegment, int]:
        """See `Sink`."""
        following = SqliteSegment(
            self._writer, self._lock, self.chain, number, first, limit=self._limit
        )
        return following, following.write(line, 0)

    def to_sync(self) -> int:
        """See `Sink`. What was moved from the log into the file itself, SQLite has synced."""
        return os.open(f"{self._writer.path}-wal", os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))

    def close(self) -> None:
        """See `Sink`."""
        try:
            with suppress(sqlite3.Error):
                self._writer.close()
        finally:
            leave(self._lock)

    def forked(self) -> None:
        """See `Sink`."""
        os.close(self._lock)


def remove(connection: sqlite3.Connection, chain: str, first: int, last: int) -> None:
    """Delete lines, which nothing else may do. Raises sqlite3.Error; then all of them stay."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        place = (chain, first, last)
        connection.execute("INSERT INTO removing VALUES (?, ?, ?)", place)
        connection.execute("DELETE FROM lines WHERE chain = ? AND seq BETWEEN ? AND ?", place)
        connection.execute("DELETE FROM removing")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
