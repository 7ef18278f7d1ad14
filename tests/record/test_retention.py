"""Which segments retention removes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from callgate.record.retention import surplus
from callgate.record.store import Retention, Segment

NOW = datetime(2026, 12, 10, tzinfo=UTC)
DAY = timedelta(days=1)


def segment(name: str, day: int, sealed: bool = True) -> Segment:
    """A segment of 100 bytes. `name`: chain and number; `day`: its last; 0 if it tells none."""
    until = f"2026-12-{day:02}T00:00:00.000000Z" if day else ""
    return Segment(name[0], int(name[1]), sealed, 0, 9, until, until, 100)


TWO_CHAINS = [
    segment("a1", 1),
    segment("a2", 5),
    segment("a3", 9, sealed=False),
    segment("b1", 2),
    segment("b2", 3),
    segment("b3", 4, sealed=False),
]
BACKWARDS = [segment("a1", 5), segment("a2", 2), segment("a3", 9, sealed=False)]
UNKNOWN = [segment("a1", 0), segment("a2", 2), segment("b1", 3), segment("b2", 4)]
"""And of `b` the last one is sealed."""
UNREADABLE = [segment("a1", 1), segment("a2", 2), Segment("a", 3, False, -1, -1, "", "", 0)]


@pytest.mark.parametrize(
    ("segments", "keep", "going"),
    [
        (TWO_CHAINS, Retention(), []),
        (TWO_CHAINS, Retention(age=DAY), ["a1", "b1", "b2", "a2"]),
        (TWO_CHAINS, Retention(age=7 * DAY), ["a1", "b1"]),
        (TWO_CHAINS, Retention(age=5 * DAY), ["a1", "b1", "b2"]),
        (TWO_CHAINS, Retention(age=8 * DAY + timedelta(microseconds=1)), ["a1"]),
        (TWO_CHAINS, Retention(age=9 * DAY), []),
        (TWO_CHAINS, Retention(total_bytes=600), []),
        (TWO_CHAINS, Retention(total_bytes=599), ["a1"]),
        (TWO_CHAINS, Retention(total_bytes=301), ["a1", "b1", "b2"]),
        (TWO_CHAINS, Retention(total_bytes=0), ["a1", "b1", "b2", "a2"]),
        (TWO_CHAINS, Retention(age=8 * DAY, total_bytes=400), ["a1", "b1"]),
        # A chain goes from its beginning, whatever its clock told.
        (BACKWARDS, Retention(age=6 * DAY), []),
        (BACKWARDS, Retention(age=4 * DAY), ["a1", "a2"]),
        (BACKWARDS, Retention(total_bytes=200), ["a1"]),
        (UNKNOWN, Retention(total_bytes=0), ["b1"]),
        (UNKNOWN, Retention(age=DAY), ["b1"]),
        # Something is left that shows that the chain went on.
        (UNREADABLE, Retention(age=DAY), ["a1"]),
    ],
)
def test_surplus(segments: list[Segment], keep: Retention, going: list[str]) -> None:
    found = [f"{each.chain}{each.number}" for each in surplus(segments, keep, NOW)]
    assert found == going
