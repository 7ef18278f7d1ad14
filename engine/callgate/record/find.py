"""Finding decisions in a store, as a stream and without reading what can't be wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from callgate.record.entry import Damage, DamageError, Entry, entry_of
from callgate.record.query import Query
from callgate.record.store import Store

__all__ = ["Told", "find", "read", "with_id"]

Told = Callable[[Damage], None]
"""Is told of each damaged record on the way."""

_PREFIX: Final = re.compile("[0-9a-f]{8,32}")
_WHOLE: Final = 32


def find(
    store: Store, query: Query, told: Told, *, newest_first: bool = True, brief: bool = False
) -> Iterator[Entry]:
    """The decisions that a query wants, by time, at most as many as its limit.

    `brief`: see `entry_of`. A damaged record is passed over. Raises RecordError.
    """
    lines = store.candidates(query.needles(), query.since, query.until, newest_first)
    entries = (read(line, told, brief=brief) for line in lines)
    return islice((each for each in entries if each and query.matches(each.record)), query.limit)


def with_id(store: Store, prefix: str, told: Told, most: int) -> list[Entry]:
    """The decisions whose id begins so, the newest first, at most so many. `prefix`: 8 to 32 hex
    digits; raises ValueError for another text. Raises RecordError."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError("an id of a decision has 8 to 32 hex digits")
    found = []
    for line in store.candidates([b'"decision_id":"%b' % prefix.encode()], "", "", True):
        entry = read(line, told)
        if entry is not None and entry.record["decision_id"].startswith(prefix):
            found.append(entry)
            if len(found) == most or len(prefix) == _WHOLE:
                break
    return found


def read(line: bytes, told: Told, *, brief: bool = False) -> Entry | None:
    """See `entry_of`; None, too, for a damaged record, of which `told` is told."""
    try:
        return entry_of(line, brief=brief)
    except DamageError as error:
        told(error.damage)
        return None
