"""The records that begin and end a segment."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from callgate import __version__
from callgate.record.values import canonical

__all__ = ["moment", "seal_record", "segment_record"]


def moment() -> str:
    """The time now as records have it: UTC, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def segment_record(number: int, checkpoint: str) -> bytes:
    """The first record of a segment. `checkpoint`: hash of the newest checkpoint."""
    return canonical(
        {
            "at": moment(),
            "checkpoint": checkpoint,
            "engine": __version__,
            "kind": "segment",
            "process": os.getpid(),
            "segment": number,
        }
    )


def seal_record(first: int, last: int) -> bytes:
    """The last record of a segment. `first`, `last`: `seq` of the first line of the segment and of
    the line before the seal; `records` is how many lines these are."""
    return canonical(
        {
            "at": moment(),
            "first": first,
            "kind": "seal",
            "last": last,
            "records": last - first + 1,
        }
    )
