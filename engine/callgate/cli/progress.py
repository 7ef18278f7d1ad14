"""A progress bar on standard error, for work that takes more than two seconds."""

from __future__ import annotations

import sys
import time
from typing import Final

__all__ = ["Progress"]

_DELAY: Final = 2.0
_EVERY: Final = 0.1
_CELLS: Final = 30


class Progress:
    """Counts calls, or what `noun` names, and bytes; draws itself only on a terminal. `total`:
    bytes, when known."""

    def __init__(self, total: int | None, noun: str = "calls") -> None:
        self._on = sys.stderr.isatty()
        self._total = total
        self._noun = noun
        self._bytes = 0
        self._calls = 0
        self._start = self._drawn = time.monotonic()
        self._shown = False

    def advanced(self, bytes_: int) -> None:
        """More bytes were read."""
        self._bytes += bytes_

    def called(self, count: int = 1) -> None:
        """One more call was decided, or so many more are done."""
        self._calls += count
        if not self._on or self._calls % 64 >= count:
            return
        now = time.monotonic()
        if now - self._start > _DELAY and now - self._drawn > _EVERY:
            self._drawn = now
            self._shown = True
            sys.stderr.write("\r\x1b[2K" + self.text(now - self._start))
            sys.stderr.flush()

    def text(self, seconds: float) -> str:
        """The bar after so many seconds."""
        rate = f"{self._calls:,} {self._noun}, {self._calls / seconds:,.0f}/s"
        if not self._total:
            return rate
        done = min(1.0, self._bytes / self._total)
        filled = round(done * _CELLS)
        return f"[{'█' * filled}{'░' * (_CELLS - filled)}] {done:4.0%}  {rate}"

    def clear(self) -> None:
        """Remove the bar, so that something else can be written."""
        if self._shown:
            self._shown = False
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
