"""Decisions as they come, over all chains of a store."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.record.entry import Entry
from callgate.record.errors import RecordError
from callgate.record.find import Told, read
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.query import Query
from callgate.record.store import Store

__all__ = ["Follower"]

_NOTHING: Final = (-1, NO_HASH)


class Follower:
    """Knows how far each chain has been read.

    `query`: which decisions are wanted. `told`: is told of each damaged record, once. `brief`: see
    `entry_of`. What was there at the start is not new. A line counts when it is whole: the torn
    part of one is waited for.
    """

    def __init__(self, store: Store, query: Query, told: Told, *, brief: bool = False) -> None:
        self._store = store
        self._query = query
        self._told = told
        self._brief = brief
        self._read = {chain: self._end(chain) for chain in store.chains()}

    def newest(self, count: int) -> list[Entry]:
        """The last so many of those that `new` does not give any more, the oldest first. Raises
        RecordError."""
        found: list[Entry] = []
        if count < 1:
            return found
        query = self._query
        for line in self._store.candidates(query.needles(), query.since, query.until, True):
            entry = read(line, self._told, brief=self._brief)
            if entry is None or not query.matches(entry.record):
                continue
            if entry.seq <= self._read.get(entry.chain, _NOTHING)[0]:
                found.append(entry)
                if len(found) == count:
                    break
        return found[::-1]

    def new(self) -> list[Entry]:
        """What was written since the last time, by time; quick where that is nothing. Raises
        RecordError."""
        found = [
            entry
            for chain in self._store.chains()
            for entry in self._new_in(chain)
            if self._query.matches(entry.record)
        ]
        found.sort(key=lambda entry: entry.record["timestamp"])
        return found

    def _new_in(self, chain: str) -> Iterator[Entry]:
        known = self._read.get(chain, _NOTHING)
        try:
            if self._store.head(chain)[1] == known[1]:
                return
        except RecordError as error:
            self._store.pass_over(error)
            return
        lines = list(self._behind(chain, known))
        if not lines:
            return
        seqs = (seq for line in lines if (seq := _seq(line)) >= 0)
        self._read[chain] = next(seqs, known[0]), line_hash(lines[0])
        for line in reversed(lines):
            if (entry := read(line, self._told, brief=self._brief)) is not None:
                yield entry

    def _behind(self, chain: str, known: tuple[int, str]) -> Iterator[bytes]:
        """The lines of a chain behind the one that is known, the newest first."""
        for line in self._store.backwards(chain):
            if _seq(line) >= 0:
                if _seq(line) <= known[0]:
                    return
            elif line_hash(line) == known[1]:
                return
            yield line

    def _end(self, chain: str) -> tuple[int, str]:
        """The last `seq` of a chain that can be told, and the hash of its last line."""
        try:
            seq, hash_ = self._store.head(chain)
        except RecordError as error:
            self._store.pass_over(error)
            return _NOTHING
        if seq < 0 and hash_ != NO_HASH:
            seq = next((seq for x in self._store.backwards(chain) if (seq := _seq(x)) >= 0), -1)
        return seq, hash_


def _seq(line: bytes) -> int:
    """-1 for a line that is no record in an envelope."""
    try:
        return split(line).seq
    except ValueError:
        return -1
