"""Which segments need not be kept any longer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from callgate.record.store import Retention, Segment

__all__ = ["surplus"]


def surplus(segments: Iterable[Segment], keep: Retention, now: datetime) -> list[Segment]:
    """The segments that may go, oldest first: of each chain its first ones, none that is not
    sealed, none whose time can't be told, and not the last one that holds records: what is left
    has to show that the chain went on.

    `segments`: all of a store, those of a chain in order; `now`: with a time zone.
    """
    everything = list(segments)
    total = sum(segment.size for segment in everything)
    oldest = ""
    if keep.age is not None:
        moment = (now - keep.age).astimezone(UTC)
        oldest = moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
    last = {each.chain: each.number for each in everything if each.size}
    going: list[Segment] = []
    staying: set[str] = set()
    for until, segment in _by_age(everything):
        aged = until < oldest
        large = keep.total_bytes is not None and total > keep.total_bytes
        earlier = segment.chain in staying
        stays = not segment.sealed or segment.number >= last.get(segment.chain, 0)
        if earlier or stays or not segment.until or not (aged or large):
            # What came after it in its chain has to stay, too: retention leaves no gaps.
            staying.add(segment.chain)
        else:
            going.append(segment)
            total -= segment.size
    return going


def _by_age(segments: list[Segment]) -> list[tuple[str, Segment]]:
    """The segments with their last times, oldest first, those of a chain in their order: a record
    may tell an earlier time than what was written before it, as when its call waited for a
    person."""
    latest: dict[str, str] = {}
    found = []
    for segment in segments:
        until = latest[segment.chain] = max(segment.until, latest.get(segment.chain, ""))
        found.append((until, segment))
    return sorted(found, key=lambda item: item[0])
