"""Where records are kept: what every store can do, whatever it is made of.

A store holds *chains* of lines; a chain is written by one process at a time and is cut into
*segments*, of which all but the last are sealed. A line is an envelope of canonical JSON as
`callgate.record.line` builds it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

from callgate.record.errors import RecordError

if TYPE_CHECKING:
    from callgate.record.archive import GraphArchive

__all__ = ["Lane", "Removed", "Retention", "Segment", "Store", "Sync", "open_store"]

Sync: TypeAlias = Literal["written", "each"] | timedelta
"""When `append` returns. `written`: the system has the line: a killed process loses nothing, a
power cut may lose what the system had not put on the disk yet. `each`: it is on the disk. A
duration: as `written`, and on the disk at most that long afterwards."""

_MARKS: Final = ("checkpoints.jsonl", "graphs", "key")
"""What one of stands in a folder that was ever recorded into."""

_SQLITE_ENDINGS: Final = frozenset({".db", ".sqlite", ".sqlite3"})


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a chain, as it was when it was looked at; the last one of a chain may grow.

    `number` counts from 1. `first_seq`, `last_seq`: of its first and last whole line, -1 where
    there is none that can be read. `since`, `until`: their times, "" where they tell none.
    `size`: bytes of its lines.
    """

    chain: str
    number: int
    sealed: bool
    first_seq: int
    last_seq: int
    since: str
    until: str
    size: int


@dataclass(frozen=True, slots=True)
class Retention:
    """How long records are kept. `age`: segments whose last line is older go; `total_bytes`: the
    oldest go until the rest is no larger. None sets no bound. Only sealed segments ever go, so a
    record may stay until the segment that it is in is full and has aged."""

    age: timedelta | None = None
    total_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Removed:
    """A segment that retention removed: its first and last `seq`, and the hash of its last line."""

    chain: str
    segment: int
    first: int
    last: int
    hash: str


class Lane(Protocol):
    """A chain that this process alone may write to. Threads and tasks share it; after a fork the
    child's lane goes on with a chain of its own."""

    @property
    def chain(self) -> str:
        """The name of the chain: 32 hex digits."""

    @property
    def head(self) -> tuple[int, str]:
        """`seq` of the last line, -1 before the first, and its hash."""

    def append(self, record: bytes) -> tuple[int, str]:
        """Write a record (canonical JSON, one line) and return its line's `seq` and hash once that
        is as durable as the store's `sync` says.

        Raises RecordError; then nothing was acknowledged, and the chain is as it was: a part of a
        line is cut off again, at the latest before the next one is written.
        """

    def append_at_once(self, record: bytes) -> bool:
        """As `append`, where that waits for nothing but one write: not for another thread, for the
        beginning of a segment, or for what other processes hold. Else false; then nothing is
        written."""

    def flush(self) -> None:
        """Put on the disk what was written. Raises RecordError."""

    def close(self) -> None:
        """Flush, note the head in a checkpoint and leave the chain to others. A closed lane writes
        no more; closing it again does nothing. Raises RecordError."""


class Store(Protocol):
    """A place of records. Safe to share between threads; processes open it each by themselves."""

    @property
    def folder(self) -> Path:
        """Where `checkpoints.jsonl`, the graphs and the key are: for JSON lines the store itself,
        for a SQLite file `FILE` the folder `FILE.d`."""

    @property
    def places(self) -> tuple[Path, ...]:
        """Every file and folder that it consists of: whoever can write there can change it."""

    @property
    def sync(self) -> Sync:
        """When what is appended is on the disk."""

    @property
    def waits(self) -> bool:
        """Whether each `append` may wait: for the disk, or for a lock that others hold."""

    @property
    def archive(self) -> GraphArchive:
        """The graphs that decided."""

    @property
    def key(self) -> bytes:
        """32 random bytes of this store: the key of the hashes that stand for secrets. Made when
        first asked for. Raises RecordError."""

    def lane(self) -> Lane:
        """The lane of this process, the same one until it is closed: a chain that nobody writes to
        any more, or else a new one. Raises RecordError."""

    def chains(self) -> list[str]:
        """The names of the chains, sorted. Raises RecordError."""

    def segments(self, chain: str) -> list[Segment]:
        """The segments of a chain in order; none where there is no such chain. Raises
        RecordError."""

    def head(self, chain: str) -> tuple[int, str]:
        """`seq` and hash of the last whole line of a chain, whoever writes to it; -1 and
        `line.NO_HASH` without one. `seq` is -1, too, for a line that is no envelope. Raises
        RecordError."""

    def lines(self, segment: Segment) -> Iterator[bytes]:
        """The whole lines of a segment in order, without their line ends; the torn part of a line
        at the end is none. Raises RecordError, also when the segment is gone."""

    def backwards(self, chain: str) -> Iterator[bytes]:
        """The whole lines of a chain, the newest first; none where there is no such chain. Raises
        RecordError."""

    def torn(self, segment: Segment) -> int:
        """How many bytes of a torn line stand at a segment's end. Raises RecordError."""

    def candidates(
        self, needles: Sequence[bytes], since: str, until: str, newest_first: bool
    ) -> Iterator[bytes]:
        """Lines that may be wanted: all of the wanted ones, and possibly others.

        `needles`: fragments of canonical JSON such as `"rule":"x"`, that all stand in a wanted
        line; none: any line. A whole `"tool":"…"`, `"decision":"…"` or `"sender_id":"…"` asks for
        the record's own tool and decision and its call's sender, which may have an index; so does
        a `"decision_id":"` with the first hex digits of the record's own.
        `since`, `until`: the timestamps, inclusive, between which a wanted line lies; "" sets no
        bound. By time over all chains, as their records tell it. Raises RecordError.
        """

    def line_of(self, decision_id: str) -> bytes | None:
        """The line of a decision by its id or the first 8 or more hex digits of that; None where
        there is none. Raises RecordError, also when several begin so."""

    def prune(self, keep: Retention) -> list[Removed]:
        """Remove the sealed segments that need not be kept, oldest first, each noted among the
        checkpoints before it goes. Raises RecordError."""

    @property
    def passed_over(self) -> tuple[str, ...]:
        """What could not be read and was passed over since the store was opened, as `chains`,
        `backwards`, `candidates` and checkpoints do, a message each: at most a thousand."""

    def pass_over(self, why: RecordError) -> None:
        """Note what could not be read."""

    def close(self) -> None:
        """Close the lane, if any, and what else is open. Raises RecordError."""


def open_store(path: str | Path, *, sync: Sync = "written", create: bool = True) -> Store:
    """The store at a path: a folder holds JSON lines; a file, or a new one whose name ends in
    `.db`, `.sqlite` or `.sqlite3`, is SQLite.

    `create`: false to use only one that is there. Raises RecordError when it can't be used, or
    when there were never records in it.
    """
    from callgate.record.json_lines import JsonLines
    from callgate.record.sqlite_store import SqliteStore

    place = Path(path)
    if place.is_file() or (not place.exists() and place.suffix in _SQLITE_ENDINGS):
        return SqliteStore(place, sync=sync, create=create)
    store = JsonLines(place, sync=sync, create=create)
    if not create and not any(os.path.lexists(place / name) for name in _MARKS):
        if not store.chains():
            raise RecordError(f"`{path}` holds no records{_nearby(place)}")
    return store


def _nearby(place: Path) -> str:
    """Where they are instead, if that is easily seen: the folder above may have been named."""
    inside = place / "records"
    return f"; did you mean `{inside}`?" if inside.is_dir() else ""
