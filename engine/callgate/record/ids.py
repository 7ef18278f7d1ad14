"""What tells one record from another: ids that sort by time, and times."""

from __future__ import annotations

import os
import time
from typing import Final

__all__ = ["new_id", "timestamp"]

_RANDOM_BYTES: Final = 10
_second: tuple[int, str] = (-1, "")


def new_id(nanoseconds: int) -> str:
    """A new id of a decision: 32 hex digits, of which the first 12 are the milliseconds since 1970,
    the others random. `nanoseconds`: the time since 1970."""
    # The system's own randomness each time: a fork must not give the same ids.
    return f"{nanoseconds // 1_000_000 & 0xFFFFFFFFFFFF:012x}{os.urandom(_RANDOM_BYTES).hex()}"


def timestamp(nanoseconds: int) -> str:
    """A time in UTC to the microsecond: `2026-12-01T09:00:00.123456Z`. `nanoseconds`: since
    1970."""
    global _second
    second, rest = divmod(nanoseconds, 1_000_000_000)
    known = _second
    if known[0] != second:
        known = _second = second, time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
    return f"{known[1]}.{rest // 1000:06d}Z"
