"""A progress bar while many records are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from callgate.cli.progress import Progress

if TYPE_CHECKING:
    from callgate.record.entry import Entry
    from callgate.record.query import Query
    from callgate.record.store import Store

__all__ = ["watched"]


def watched(entries: Iterable[Entry], store: Store, query: Query) -> Iterator[Entry]:
    """The same decisions, with a bar on standard error from two seconds on. Raises RecordError."""
    total = None
    if not query.needles() and not query.since and not query.until:
        total = sum(segment.size for chain in store.chains() for segment in store.segments(chain))
    progress = Progress(total, "records")
    try:
        for entry in entries:
            progress.advanced(len(entry.line) + 1)
            progress.called()
            yield entry
    finally:
        progress.clear()
