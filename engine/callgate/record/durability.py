"""When what was written is on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from threading import Event, Thread
from typing import Final

from callgate.record.errors import RecordError
from callgate.record.store import Sync

__all__ = ["PeriodicSync", "checked_sync", "sync_data"]

_LONGEST: Final = timedelta(days=1)

sync_data: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Put what was written by a descriptor on the disk, with as much about the file as reading it
needs. Raises OSError."""


def checked_sync(sync: Sync) -> Sync:
    """The setting itself. Raises TypeError or ValueError where it is none."""
    if isinstance(sync, timedelta):
        if not timedelta() < sync <= _LONGEST:
            raise ValueError("`sync` is a duration of more than 0 and at most a day")
    elif sync not in ("written", "each"):
        raise TypeError("`sync` is `written`, `each` or a timedelta")
    return sync


class PeriodicSync:
    """Calls `flush` at most `interval` after something is written, from a thread of its own.

    A flush that fails is not tried again: the system may count as written what it has lost. From
    then on nothing more is to be written.
    """

    def __init__(self, interval: timedelta, flush: Callable[[], None]) -> None:
        self._seconds = interval.total_seconds()
        self._flush = flush
        self._dirty = Event()
        self._stop = Event()
        self._failed = ""
        self._thread: Thread | None = None

    def writing(self) -> None:
        """Note that something is about to be written, under a lock that `flush` takes, too. Raises
        RecordError."""
        self.check()
        if not self._dirty.is_set():
            self._dirty.set()
            if self._thread is None:
                self._thread = Thread(target=self._run, name="callgate-records", daemon=True)
                self._thread.start()

    def check(self) -> None:
        """Raises RecordError after a flush that failed."""
        if self._failed:
            raise RecordError(self._failed)

    def stop(self) -> None:
        """End the thread, without a last flush."""
        self._stop.set()
        self._dirty.set()

    def _run(self) -> None:
        while self._dirty.wait() and not self._stop.wait(self._seconds):
            # Before the flush: what is written during it needs another one.
            self._dirty.clear()
            try:
                self._flush()
            except RecordError as error:
                self._failed = f"records of before may not be on the disk: {error}"
                return
