"""What stores have in common, whatever keeps their lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from re import fullmatch
from threading import Lock
from typing import Final

import orjson

from callgate.record.archive import GraphArchive
from callgate.record.checkpoints import Checkpoints
from callgate.record.durability import checked_sync
from callgate.record.errors import RecordError
from callgate.record.folder import key_of, use_folder
from callgate.record.lane import ChainLane, Place
from callgate.record.line import line_hash, split
from callgate.record.processes import forgets_locks
from callgate.record.retention import surplus
from callgate.record.store import Removed, Retention, Segment, Sync
from callgate.storage.errors import StateError
from callgate.storage.files import locked

__all__ = ["ChainedStore"]

_MOST_TOLD: Final = 1000


class ChainedStore(ABC):
    """See `Store`. `folder`: of the checkpoints, the graphs and the key; `keep`: applied each time
    a segment is sealed. Raises RecordError where the folder can't be used."""

    def __init__(self, folder: Path, sync: Sync, keep: Retention | None, create: bool) -> None:
        self._sync: Sync = checked_sync(sync)
        self._keep = keep
        self._folder = use_folder(folder, create=create)
        self._archive = GraphArchive(self._folder / "graphs")
        self._key = b""
        self._passed_over: dict[str, None] = {}
        self._lane: ChainLane | None = None
        self._checkpoints = Checkpoints(self)
        self.forked()
        forgets_locks(self)

    @property
    def folder(self) -> Path:
        """See `Store`."""
        return self._folder

    @property
    def sync(self) -> Sync:
        """See `Store`."""
        return self._sync

    @property
    def waits(self) -> bool:
        """See `Store`."""
        return self._sync == "each"

    @property
    def archive(self) -> GraphArchive:
        """See `Store`."""
        return self._archive

    @property
    def key(self) -> bytes:
        """See `Store`."""
        if not self._key:
            self._key = key_of(self._folder)
        return self._key

    @property
    def passed_over(self) -> tuple[str, ...]:
        """See `Store`."""
        return tuple(self._passed_over)

    def pass_over(self, why: RecordError) -> None:
        """See `Store`."""
        if len(self._passed_over) < _MOST_TOLD:
            self._passed_over[str(why)] = None

    def lane(self) -> ChainLane:
        """See `Store`."""
        with self._lock:
            if self._lane is None or self._lane.closed:
                self._lane = ChainLane(self, self._sync)
            return self._lane

    def close(self) -> None:
        """See `Store`."""
        if self._lane is not None:
            self._lane.close()

    def line_of(self, decision_id: str) -> bytes | None:
        """See `Store`."""
        if not fullmatch("[0-9a-f]{8,32}", decision_id):
            raise RecordError(f"`{decision_id[:40]}` is no id of a decision: 8 to 32 hex digits")
        found: dict[bytes, None] = {}
        for line in self._with_id(decision_id):
            record = orjson.loads(split(line).record)
            if record.get("kind") == "decision" and record["decision_id"].startswith(decision_id):
                found[line] = None
                if len(found) > 1:
                    raise RecordError(f"several decisions begin with `{decision_id}`")
        return next(iter(found), None)

    def prune(self, keep: Retention) -> list[Removed]:
        """See `Store`."""
        removed: list[Removed] = []
        try:
            with locked(self._folder / "retention.lock"):
                everything: list[Segment] = []
                for chain in self.chains():
                    with suppress(RecordError):  # a damaged one keeps no other from going
                        everything += self.segments(chain)
                for segment in surplus(everything, keep, datetime.now(UTC)):
                    seal = line_hash(self._last(segment))
                    gone = Removed(
                        segment.chain, segment.number, segment.first_seq, segment.last_seq, seal
                    )
                    # First: a segment that is missing and not noted looks as if it was stolen.
                    self._checkpoints.note_removed(gone)
                    self._remove(segment)
                    removed.append(gone)
        except StateError as error:
            raise RecordError(f"retention can't begin: {error}") from None
        return removed

    # -- what a lane asks for

    def checkpoint(self) -> None:
        """Note the heads of all chains, after a look whether the graphs that decided are there.
        Raises RecordError."""
        self._archive.keep_again()
        self._checkpoints.write(durable=self._sync == "each")

    def newest_checkpoint(self) -> str:
        """The hash of the newest checkpoint. Raises RecordError."""
        return self._checkpoints.newest()

    def sealed(self) -> None:
        """Apply retention, if any. What can't be removed now is tried again after the next seal:
        that is no reason to lose a record."""
        if self._keep is not None:
            with suppress(RecordError):
                self.prune(self._keep)

    def forked(self) -> None:
        """In the child of a fork: nobody holds this store's lock."""
        self._lock = Lock()

    @abstractmethod
    def take(self) -> Place:
        """The end of a chain that nobody else writes to from now on. Raises RecordError."""

    # -- what keeps the lines

    @abstractmethod
    def chains(self) -> list[str]:
        """See `Store`."""

    @abstractmethod
    def segments(self, chain: str) -> list[Segment]:
        """See `Store`."""

    @abstractmethod
    def head(self, chain: str) -> tuple[int, str]:
        """See `Store`."""

    @abstractmethod
    def candidates(
        self, needles: Sequence[bytes], since: str, until: str, newest_first: bool
    ) -> Iterator[bytes]:
        """See `Store`."""

    @abstractmethod
    def _with_id(self, start: str) -> Iterator[bytes]:
        """The lines of the decisions whose id begins so, possibly others."""

    @abstractmethod
    def _last(self, segment: Segment) -> bytes:
        """The last line of a segment. Raises RecordError."""

    @abstractmethod
    def _remove(self, segment: Segment) -> None:
        """Remove a sealed segment. Raises RecordError."""
