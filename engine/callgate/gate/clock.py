"""Time as the gate sees it: from a clock that is handed in, kept as microseconds."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

__all__ = ["Clock", "now", "stamp", "time_of"]

Clock = Callable[[], datetime]
"""Gives the present time, with a time zone."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def now() -> datetime:
    """The system's time, UTC."""
    return datetime.now(UTC)


def stamp(time: datetime) -> int:
    """A time as microseconds since 1970, UTC. Raises ValueError for one without a time zone."""
    if time.tzinfo is None:
        raise ValueError("a time without a time zone")
    return (time - _EPOCH) // _MICROSECOND


def time_of(microseconds: int) -> datetime:
    """The time, UTC, of a stamp."""
    return _EPOCH + timedelta(microseconds=microseconds)
