"""The chain that a process writes to: one line after the other, whatever the store is made of."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta
from threading import Lock
from typing import NamedTuple, Protocol

from callgate.record.durability import PeriodicSync, sync_data
from callgate.record.errors import RecordError
from callgate.record.folder import said
from callgate.record.line import envelope, line_hash
from callgate.record.marks import seal_record, segment_record
from callgate.record.processes import ended, started
from callgate.record.store import Sync

__all__ = ["ChainLane", "Owner", "Place", "Sink"]


class Sink(Protocol):
    """A segment that a lane writes to, and alone may write to. `number`: of the segment; 0 before
    a chain's first. `first`: `seq` of its first line."""

    chain: str
    number: int
    first: int

    def full(self, size: int, more: int) -> bool:
        """Whether a record of `more` bytes would make a segment of `size` too large."""

    def write(self, line: bytes, size: int) -> int:
        """Write a line at the end, and return the size then. After any exception, RecordError among
        them, `cut` is to be called before the next line is written."""

    def cut(self, seq: int, size: int) -> None:
        """Remove what stands after the line `seq`, which ends at `size`. Raises RecordError."""

    def seal(self) -> None:
        """Make the segment, whose seal is written, one that is only read. Raises RecordError."""

    def next(self, number: int, first: int, line: bytes) -> tuple[Sink, int]:
        """The next segment of the chain, with its first line, and its size; this one is given up
        for it. Raises RecordError; then there is no next one, and this one stays."""

    def to_sync(self) -> int:
        """A new descriptor of the file that has to be put on the disk. Raises OSError."""

    def close(self) -> None:
        """Leave the chain to others."""

    def forked(self) -> None:
        """In the child of a fork: let go of what is the parent's, so that it notices nothing."""


class Place(NamedTuple):
    """Where a chain ends: the segment, `seq` and hash of the last line, the segment's size up to
    there, and whether that line is a seal, or there is no segment yet."""

    sink: Sink
    seq: int
    hash: str
    size: int
    sealed: bool


class Owner(Protocol):
    """What a lane needs of its store."""

    def take(self) -> Place:
        """The end of a chain that now is this lane's alone. Raises RecordError."""

    def checkpoint(self) -> None:
        """Note the heads of all chains. Raises RecordError."""

    def newest_checkpoint(self) -> str:
        """The hash of the newest checkpoint. Raises RecordError."""

    def sealed(self) -> None:
        """Called after a segment was sealed."""


class ChainLane:
    """See `Lane`. `owner`: the store; `sync`: a duration starts a thread that flushes."""

    def __init__(self, owner: Owner, sync: Sync) -> None:
        self._owner = owner
        self._interval = sync if isinstance(sync, timedelta) else None
        self._reset()
        self._closed = False
        started(self)
        try:
            with self._lock:
                self._ready(0)
        except BaseException:
            with suppress(RecordError):
                self.close()
            raise

    def _reset(self) -> None:
        self._lock = Lock()
        self._place: Place | None = None
        # False while a line is written, so that whatever interrupts that is made good afterwards.
        self._sound = False
        self._noted = False
        self._periodic = PeriodicSync(self._interval, self.flush) if self._interval else None

    @property
    def chain(self) -> str:
        """See `Lane`. Raises RecordError where a child of a fork can't have one."""
        with self._lock:
            return self._ready(0).sink.chain

    @property
    def head(self) -> tuple[int, str]:
        """See `Lane`. Raises RecordError as `chain` does."""
        with self._lock:
            place = self._ready(0)
            return place.seq, place.hash

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._closed

    def append(self, record: bytes) -> tuple[int, str]:
        """See `Lane`. Raises ValueError for bytes that are more than one line."""
        if b"\n" in record:
            raise ValueError("a record is one line")
        with self._lock:
            place = self._place
            if place is None or not self._sound or place.sink.full(place.size, len(record)):
                place = self._ready(len(record))
            seq, digest = self._put(place, record)
            self._sound = True
            return seq, digest

    def append_at_once(self, record: bytes) -> bool:
        """See `Lane`. Raises ValueError for bytes that are more than one line."""
        if b"\n" in record:
            raise ValueError("a record is one line")
        # Another thread that has the lock may wait for something itself.
        if not self._lock.acquire(blocking=False):
            return False
        try:
            place = self._place
            if place is None or not self._sound or place.sink.full(place.size, len(record)):
                return False
            self._put(place, record)
            self._sound = True
            return True
        finally:
            self._lock.release()

    def flush(self) -> None:
        """See `Lane`."""
        with self._lock:
            if self._place is None:
                return
            try:
                handle = self._place.sink.to_sync()
            except OSError as error:
                raise _not_on_disk(error) from None
        # Others may write meanwhile.
        try:
            sync_data(handle)
        except OSError as error:
            raise _not_on_disk(error) from None
        finally:
            os.close(handle)

    def close(self) -> None:
        """See `Lane`."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._periodic is not None:
                self._periodic.stop()
                self._periodic.check()
                self.flush()
        finally:
            with self._lock:
                place, sound = self._place, self._sound
                self._place, self._sound = None, False
                ended(self)
                if place is not None:
                    try:
                        if not sound:
                            place.sink.cut(place.seq, place.size)
                        self._owner.checkpoint()
                    finally:
                        place.sink.close()

    def forked(self) -> None:
        """In the child of a fork: what the parent held stays the parent's."""
        place = self._place
        self._reset()
        if place is not None:
            place.sink.forked()

    def _ready(self, more: int) -> Place:
        """The end of the chain, where a record of `more` bytes may be written. Raises
        RecordError."""
        if self._closed:
            raise RecordError("the records are closed")
        if self._place is None:
            self._place = self._owner.take()
        place = self._place
        if not self._sound:
            place.sink.cut(place.seq, place.size)
        if not place.sealed and place.seq > place.sink.first and place.sink.full(place.size, more):
            self._put(place, seal_record(place.sink.first, place.seq), sealed=True)
            self._noted = False
            place = self._place
        if place.sealed:
            place = self._begin(place)
        if not self._noted:
            self._owner.checkpoint()
            self._noted = True
        self._sound = True
        return place

    def _put(self, place: Place, record: bytes, sealed: bool = False) -> tuple[int, str]:
        """Write a line. The caller says when the lane is sound again."""
        self._sound = False
        if self._periodic is not None:
            self._periodic.writing()
        sink, seq = place.sink, place.seq + 1
        line = envelope(sink.chain, place.hash, record, seq)
        digest = line_hash(line)
        try:
            size = sink.write(line, place.size)
        except RecordError:
            with suppress(RecordError):  # else the next one tries
                sink.cut(place.seq, place.size)
            raise
        self._place = Place(sink, seq, digest, size, sealed)
        return seq, digest

    def _begin(self, place: Place) -> Place:
        """Begin the segment after one that is sealed."""
        sink, number, seq = place.sink, place.sink.number + 1, place.seq + 1
        sink.seal()
        record = segment_record(number, self._owner.newest_checkpoint())
        line = envelope(sink.chain, place.hash, record, seq)
        try:
            following, size = sink.next(number, seq, line)
            self._place = begun = Place(following, seq, line_hash(line), size, False)
        except RecordError:
            raise
        except BaseException:
            # Whether it is begun only the store can tell: a chain is taken over anew.
            self._place = None
            sink.close()
            raise
        if number > 1:
            self._owner.sealed()
        return begun


def _not_on_disk(error: OSError) -> RecordError:
    return RecordError(f"the records can't be put on the disk: {said(error)}")
