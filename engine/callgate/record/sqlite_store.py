"""Records in a table of SQLite, for those who want to ask with SQL.

records.db                       the lines, with what is asked for most as columns
records.db.d/key, …              as in the folder of JSON lines: key, checkpoints, graphs
records.db.d/<chain>.lock        held by the process that writes
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from callgate.record.chain_lock import hold, leave
from callgate.record.chained import ChainedStore
from callgate.record.errors import RecordError
from callgate.record.lane import Place
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.segments import is_seal, time_of
from callgate.record.sqlite_connection import Writer, connected, failures, identity, made, reading
from callgate.record.sqlite_search import conditions
from callgate.record.sqlite_segment import SqliteSegment, remove
from callgate.record.store import Retention, Segment, Sync

__all__ = ["SqliteStore"]

_CHAIN: Final = re.compile("[0-9a-f]{32}")
_SEGMENT_RECORDS: Final = 50_000
_FEWEST: Final = 4
_BESIDE: Final = ("-wal", "-shm", "-journal")
_LINE: Final = "SELECT CAST(line AS BLOB) FROM lines"


class SqliteStore(ChainedStore):
    """The store in a file, and in the folder `FILE.d` beside it; both are made where missing.

    `sync`: see `Sync`; `written` survives a killed process, not a power cut. `segment_records`: how
    many lines a segment has, at least 4. `keep`: what to remove each time a segment is sealed; its
    space is given back. `create`: false to use only a file that is
    there. Raises RecordError where it can't be used or others could write it, ValueError or
    TypeError for settings that are none.

    A process that forks while it reads lines must not read in the child.
    """

    def __init__(
        self,
        file: str | Path,
        *,
        sync: Sync = "written",
        segment_records: int = _SEGMENT_RECORDS,
        keep: Retention | None = None,
        create: bool = True,
    ) -> None:
        if segment_records < _FEWEST:
            raise ValueError(f"`segment_records` is at least {_FEWEST}")
        self.file = Path(file).absolute()
        if not create:
            identity(self.file)
        super().__init__(self.file.with_name(f"{self.file.name}.d"), sync, keep, create)
        self._limit = segment_records
        made(self.file, create=create)

    @property
    def places(self) -> tuple[Path, ...]:
        """See `Store`."""
        beside = (self.file.with_name(f"{self.file.name}{ending}") for ending in _BESIDE)
        return (self.folder, self.file, *beside)

    @property
    def waits(self) -> bool:
        """See `Store`. Whoever else writes to the file holds its lock."""
        return True

    def chains(self) -> list[str]:
        """See `Store`."""
        with reading(self.file) as connection:
            # A step along the index for each chain, not one for each line.
            rows = connection.execute(
                "WITH RECURSIVE found(chain) AS (SELECT min(chain) FROM lines UNION ALL"
                " SELECT (SELECT min(chain) FROM lines WHERE lines.chain > found.chain)"
                " FROM found WHERE found.chain IS NOT NULL)"
                " SELECT chain FROM found WHERE chain IS NOT NULL"
            )
            return [chain for (chain,) in rows]

    def segments(self, chain: str) -> list[Segment]:
        """See `Store`."""
        with reading(self.file) as connection:
            rows = connection.execute(
                "SELECT segment, min(seq), max(seq), sum(bytes) + count(*) FROM lines"
                " WHERE chain = ? GROUP BY segment ORDER BY segment",
                (chain,),
            ).fetchall()
            found = []
            for number, first, last, size in rows:
                begin, end = (
                    connection.execute(
                        f"{_LINE} WHERE chain = ? AND segment = ? AND seq = ?",
                        (chain, number, seq),
                    ).fetchone()[0]
                    for seq in (first, last)
                )
                since, until = time_of(begin), time_of(end)
                found.append(Segment(chain, number, is_seal(end), first, last, since, until, size))
            return found

    def head(self, chain: str) -> tuple[int, str]:
        """See `Store`."""
        line = self._newest(chain)
        if not line:
            return -1, NO_HASH
        with suppress(ValueError):
            return split(line).seq, line_hash(line)
        return -1, line_hash(line)

    def lines(self, segment: Segment) -> Iterator[bytes]:
        """See `Store`."""
        found = False
        with reading(self.file) as connection:
            for (line,) in connection.execute(
                f"{_LINE} WHERE chain = ? AND segment = ? ORDER BY seq",
                (segment.chain, segment.number),
            ):
                found = True
                yield line
        if not found:
            raise RecordError(f"segment {segment.number} of {segment.chain} is gone")

    def backwards(self, chain: str) -> Iterator[bytes]:
        """See `Store`."""
        with reading(self.file) as connection:
            for (line,) in connection.execute(
                f"{_LINE} WHERE chain = ? ORDER BY segment DESC, seq DESC", (chain,)
            ):
                yield line

    def torn(self, segment: Segment) -> int:
        """See `Store`. SQLite has whole lines or none."""
        return 0

    def candidates(
        self, needles: Sequence[bytes], since: str, until: str, newest_first: bool
    ) -> Iterator[bytes]:
        """See `Store`."""
        where, values = conditions(needles, since, until)
        order = "DESC" if newest_first else "ASC"
        with reading(self.file) as connection:
            for (line,) in connection.execute(
                f"{_LINE} {where} ORDER BY time {order}, id {order}", values
            ):
                yield line

    def take(self) -> Place:
        """See `Store.lane`."""
        for chain in self.chains():
            if _CHAIN.fullmatch(chain):
                # One that can't be gone on with stays as it is: `verify` tells what is wrong.
                with suppress(RecordError):
                    if (place := self._resume(chain)) is not None:
                        return place
        chain = secrets.token_hex(16)
        if (lock := hold(self._lock_of(chain))) is None:
            raise RecordError(f"the chain {chain} is held by another process")
        return Place(self._sink(lock, chain, 0, 0), -1, NO_HASH, 0, True)

    def _resume(self, chain: str) -> Place | None:
        if (lock := hold(self._lock_of(chain))) is None:
            return None
        place = None
        try:
            last = self.segments(chain)[-1]
            line = self._last(last)
            with suppress(ValueError):
                if split(line).chain == chain and split(line).seq == last.last_seq:
                    sink = self._sink(lock, chain, last.number, last.first_seq)
                    size = last.last_seq - last.first_seq + 1
                    place = Place(sink, last.last_seq, line_hash(line), size, last.sealed)
        finally:
            if place is None:
                leave(lock)
        return place

    def _sink(self, lock: int, chain: str, number: int, first: int) -> SqliteSegment:
        writer = Writer(self.file, each=self._sync == "each")
        return SqliteSegment(writer, lock, chain, number, first, limit=self._limit)

    def _lock_of(self, chain: str) -> Path:
        return self._folder / f"{chain}.lock"

    def _newest(self, chain: str) -> bytes:
        with reading(self.file) as connection:
            row = connection.execute(
                f"{_LINE} WHERE chain = ? ORDER BY segment DESC, seq DESC LIMIT 1", (chain,)
            ).fetchone()
            return row[0] if row else b""

    def _with_id(self, start: str) -> Iterator[bytes]:
        with reading(self.file) as connection:
            for (line,) in connection.execute(
                f"{_LINE} WHERE decision_id >= ? AND decision_id < ?", (start, f"{start}g")
            ):
                yield line

    def _last(self, segment: Segment) -> bytes:
        with reading(self.file) as connection:
            row = connection.execute(
                f"{_LINE} WHERE chain = ? AND segment = ? AND seq = ?",
                (segment.chain, segment.number, segment.last_seq),
            ).fetchone()
        if row is None:
            raise RecordError(f"segment {segment.number} of {segment.chain} is gone")
        line: bytes = row[0]
        return line

    def _remove(self, segment: Segment) -> None:
        with failures(self.file), closing(connected(self.file)) as connection:
            remove(connection, segment.chain, segment.first_seq, segment.last_seq)
            # `execute` would free a single page.
            connection.executescript("PRAGMA incremental_vacuum")
