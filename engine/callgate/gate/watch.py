"""Watching a policy's files: an option for those who want a saved file to count at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

__all__ = ["Watch"]

_EVERY: Final = 1.0


class Watch:
    """Notices that files changed and have come to rest. Safe to share between threads.

    `look` tells what the files look like; it is asked at most once in `every` seconds, by `clock`.
    What is different must look the same twice in a row to count: files are saved one by one.
    """

    def __init__(
        self,
        look: Callable[[], Any],
        every: float = _EVERY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look = look
        self._every = every
        self._clock = clock
        self._lock = Lock()
        self._taken = self._last = look()
        self._next = clock() + every

    def changed(self) -> bool:
        """Whether the files changed since this last said so, or since `take`; true once a change.
        Between two looks the answer is no, at the price of reading the clock."""
        now = self._clock()
        if now < self._next or not self._lock.acquire(blocking=False):
            return False
        try:
            self._next = now + self._every
            found = self._look()
            at_rest, self._last = found == self._last, found
            if not at_rest or found == self._taken:
                return False
            self._taken = found
            return True
        finally:
            self._lock.release()

    def take(self) -> None:
        """Note what the files look like now, right before they are read."""
        with self._lock:
            self._taken = self._last = self._look()
