"""A progress bar while many records are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from callgate.cli.progress import Progress
from callgate.record.errors import RecordError

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query
    from callgate.record.store import Store

__all__ = ["size_of", "watched"]


def size_of(store: Store) -> int:
    """The bytes of all lines that can be read. Raises RecordError."""
    size = 0
    for chain in store.chains():
        with suppress(RecordError):  # whoever reads it tells why
            size += sum(segment.size for segment in store.segments(chain))
    return size


def watched(entries: Iterable[Entry], store: Store, query: Query) -> Iterator[Entry]:
    """The same decisions, with a bar on standard error from two seconds on. Raises RecordError."""
    total = None
    if not query.needles() and not query.since and not query.until:
        total = size_of(store)
    progress = Progress(total, "records")
    try:
        for entry in entries:
            progress.advanced(len(entry.line) + 1)
            progress.called()
            yield entry
    finally:
        progress.clear()
