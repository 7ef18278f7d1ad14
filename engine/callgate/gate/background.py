"""Work that goes on beside the checks, in one thread that is there only while there is some."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import Lock, Thread
from typing import Final
from weakref import WeakSet

__all__ = ["Background"]

_ALL: Final[WeakSet[Background]] = WeakSet()


class Background:
    """Does a job in a thread of its own as long as there is something to do.

    `job` does what is to be done; `more` says whether there is more. Neither may raise. `alone` is
    a lock for the same kind of work done elsewhere; in a forked process it is free.
    """

    def __init__(self, name: str, job: Callable[[], None], more: Callable[[], bool]) -> None:
        self._name = name
        self._job = job
        self._more = more
        self.forget()
        _ALL.add(self)

    def forget(self) -> None:
        """Begin anew in a process that was forked: threads that held the locks are not in it."""
        self.alone = Lock()
        self._lock = Lock()
        self._thread: Thread | None = None

    def wake(self) -> None:
        """See that a thread is at work. What was to be done before this is called will be done."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()

    def settle(self) -> None:
        """Wait until there is nothing to do."""
        while (thread := self._thread) is not None and thread.is_alive():
            thread.join()

    def _run(self) -> None:
        while True:
            self._job()
            with self._lock:
                if not self._more():
                    self._thread = None
                    return


def _forked() -> None:
    for background in _ALL:
        background.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
