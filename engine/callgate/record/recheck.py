"""Walk all decisions of a store again, in several processes where there are many.

The lines are read by one process and walked by the others, so that it makes no difference how a
store keeps them, and where one segment ends.
"""

from __future__ import annotations

import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from callgate.record.archive import GraphArchive
from callgate.record.errors import RecordError
from callgate.record.line import split
from callgate.record.query import Query
from callgate.record.recorded import all_lines, decision_in
from callgate.record.rewalk import Difference, NoGraphError, NotWalkedError, Rewalker
from callgate.record.store import Store

__all__ = ["Differing", "Rechecked", "recheck"]

_BATCH: Final = 512
_MOST_PROCESSES: Final = 4
_MOST_TOLD: Final = 1000
_MOST_SORTS: Final = 100
_OTHERS: Final = "other reasons"

Advanced = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Differing:
    """A decision that is another one now. `engine`: the version that decided it."""

    chain: str
    seq: int
    decision_id: str
    timestamp: str
    engine: str
    differences: tuple[Difference, ...]


@dataclass(slots=True)
class Rechecked:
    """What came of walking decisions again.

    `equal`: how many came to the same. `differing`: those that did not, and how many `more` of
    these are not listed. `unwalked`: why decisions can't be walked again → how many. `graphs`:
    digest of a graph that is not there or can't run → how many decisions hang on it, and why.
    `unreadable`: lines that can't be read, as chain and `seq` ("" and -1 where they tell neither);
    `unlisted` are only counted.
    """

    equal: int = 0
    differing: list[Differing] = field(default_factory=list)
    more: int = 0
    unwalked: dict[str, int] = field(default_factory=dict)
    graphs: dict[str, tuple[int, str]] = field(default_factory=dict)
    unreadable: list[tuple[str, int, str]] = field(default_factory=list)
    unlisted: int = 0

    @property
    def differences(self) -> int:
        """How many decisions are other ones now."""
        return len(self.differing) + self.more

    @property
    def decisions(self) -> int:
        """How many decisions there are, those that could not be walked again among them."""
        missing = sum(count for count, _ in self.graphs.values())
        return self.equal + self.differences + sum(self.unwalked.values()) + missing

    @property
    def whole(self) -> bool:
        """Whether all that can be walked again came to the same, and nothing for it is missing."""
        return not (self.differing or self.graphs or self.unreadable)

    def add(self, other: Rechecked) -> None:
        """Add what came of others."""
        self.equal += other.equal
        fits = other.differing[: _MOST_TOLD - len(self.differing)]
        self.differing += fits
        self.more += other.more + len(other.differing) - len(fits)
        for why, count in other.unwalked.items():
            self._unwalked(why, count)
        for digest, (count, why) in other.graphs.items():
            self._graph(digest, count, why)
        told = other.unreadable[: _MOST_TOLD - len(self.unreadable)]
        self.unreadable += told
        self.unlisted += other.unlisted + len(other.unreadable) - len(told)

    def walk(self, line: bytes, rewalker: Rewalker, query: Query | None = None) -> None:
        """Walk the decision of a line again, if it is wanted; a line of another kind makes no
        difference."""
        try:
            chain, seq, record = decision_in(line)
            if record is None or not _wanted(record, query):
                return
            differences = rewalker.differences(record)
        except NotWalkedError as error:
            self._unwalked(str(error), 1)
        except NoGraphError as error:
            self._graph(error.digest, 1, str(error))
        except ValueError as error:
            self._unreadable(line, str(error))
        else:
            if not differences:
                self.equal += 1
            elif len(self.differing) >= _MOST_TOLD:
                self.more += 1
            else:
                self.differing.append(_differing(chain, seq, record, differences))

    def _unwalked(self, why: str, count: int) -> None:
        if why not in self.unwalked and len(self.unwalked) >= _MOST_SORTS:
            why = _OTHERS
        self.unwalked[why] = self.unwalked.get(why, 0) + count

    def _graph(self, digest: str, count: int, why: str) -> None:
        if digest not in self.graphs and len(self.graphs) >= _MOST_SORTS:
            digest, why = _OTHERS, "other graphs can't be used either"
        before, _ = self.graphs.get(digest, (0, ""))
        self.graphs[digest] = (before + count, why)

    def _unreadable(self, line: bytes, why: str) -> None:
        if len(self.unreadable) >= _MOST_TOLD:
            self.unlisted += 1
            return
        try:
            parts = split(line)
        except ValueError:
            self.unreadable.append(("", -1, why))
        else:
            self.unreadable.append((parts.chain, parts.seq, why))


def recheck(store: Store, query: Query | None, many: bool, advanced: Advanced) -> Rechecked:
    """Walk the decisions of a store again: those that a query wants, or all, without regard to a
    limit. `many`: whether there are so many that other processes are worth their start; `advanced`
    is called now and then with lines and their bytes that are done. Raises RecordError."""
    processes = min(_cores(), _MOST_PROCESSES)
    if query is None:
        lines = all_lines(store)
    else:
        lines = store.candidates(query.needles(), query.since, query.until, False)
    ways = _there if many and processes > 1 else _here
    total = Rechecked()
    done = ways(store.archive, query, _batches(lines))
    for count, size, found in done:
        total.add(found)
        advanced(count, size)
    return total


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def _batches(lines: Iterable[bytes]) -> Iterator[list[bytes]]:
    left = iter(lines)
    while batch := list(islice(left, _BATCH)):
        yield batch


def _here(
    archive: GraphArchive, query: Query | None, batches: Iterator[list[bytes]]
) -> Iterator[tuple[int, int, Rechecked]]:
    rewalker = Rewalker(archive)
    for batch in batches:
        yield _walked(batch, rewalker, query)


def _there(
    archive: GraphArchive, query: Query | None, batches: Iterator[list[bytes]]
) -> Iterator[tuple[int, int, Rechecked]]:
    processes = min(_cores(), _MOST_PROCESSES)
    # Not forked: whoever calls this may have threads.
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _begin, (archive.folder, query))
    waiting: deque[Future[tuple[int, int, Rechecked]]] = deque()
    try:
        for batch in batches:
            waiting.append(pool.submit(_walked_there, batch))
            if len(waiting) > 2 * processes:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise RecordError("a process that walked decisions again has ended") from None
    finally:
        pool.shutdown(cancel_futures=True)


_OWN: list[tuple[Rewalker, Query | None]] = []
"""What a process of `_there` walks with."""


def _begin(folder: Path, query: Query | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this one ends it
    _OWN.append((Rewalker(GraphArchive(folder)), query))


def _walked_there(batch: list[bytes]) -> tuple[int, int, Rechecked]:
    return _walked(batch, *_OWN[0])


def _walked(
    batch: list[bytes], rewalker: Rewalker, query: Query | None
) -> tuple[int, int, Rechecked]:
    found = Rechecked()
    for line in batch:
        found.walk(line, rewalker, query)
    return len(batch), sum(map(len, batch)), found


def _wanted(record: Mapping[str, Any], query: Query | None) -> bool:
    """Whether a decision is asked for. Raises ValueError where the record does not tell."""
    try:
        return query is None or query.matches(record)
    except (KeyError, TypeError, AttributeError):
        raise ValueError("the record is not in the form of a decision") from None


def _differing(
    chain: str, seq: int, record: Mapping[str, Any], differences: Iterable[Difference]
) -> Differing:
    versions = record.get("versions")
    return Differing(
        chain,
        seq,
        str(record.get("decision_id", "")),
        str(record.get("timestamp", "")),
        str(versions.get("engine", "")) if type(versions) is dict else "",
        tuple(differences),
    )
