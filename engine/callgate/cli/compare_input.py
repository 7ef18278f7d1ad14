"""Calls to compare two policies by: from files, or from records of decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from callgate.cli.calls import STDIN, Item, read_calls, total_bytes

__all__ = ["Given", "Sources"]

_MOST_REASONS: Final = 100
_SQLITE: Final = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class Given:
    """A call. `live`: whether it is judged as one that runs, as it was when it was recorded."""

    item: Item
    name: str
    live: bool = False


@dataclass(slots=True)
class Sources:
    """Where calls come from: files, `-`, a call's JSON, folders of records and their SQLite files.

    `skipped`: why recorded decisions could not be used → how many; `damaged`: whether there were
    records that can't be read, which are told on standard error.
    """

    names: Sequence[str]
    skipped: dict[str, int] = field(default_factory=dict)
    damaged: bool = False

    def total(self) -> int | None:
        """How many bytes there are to read; None where that can't be told before."""
        return None if any(map(_is_store, self.names)) else total_bytes(self.names)

    def calls(self, advanced: Callable[[int], None]) -> Iterator[Given]:
        """The calls, one by one. `advanced` is told how many more bytes were read. Raises OSError
        for a file, and RecordError for a store, that can't be read."""
        several = len(self.names) > 1
        for source in self.names:
            if _is_store(source):
                yield from self._recorded(source, advanced)
                continue
            for item in read_calls([source], advanced):
                place = f"{item.file}:{item.line}" if several else f"line {item.line}"
                id_ = item.value.get("id") if type(item.value) is dict else None
                yield Given(item, id_ if type(id_) is str and id_ else place)

    def _recorded(self, source: str, advanced: Callable[[int], None]) -> Iterator[Given]:
        """Recorded calls, without the answers: what people said then is not what a policy says."""
        from callgate.cli.log_damage import Damages
        from callgate.record.find import find
        from callgate.record.query import Query
        from callgate.record.recorded import call_of
        from callgate.record.rewalk import why_not
        from callgate.record.store import open_store

        damages = Damages()
        store = open_store(source, create=False)
        try:
            for entry in find(store, Query(), damages, newest_first=False):
                record = entry.record
                advanced(len(entry.line))
                if record.get("rewalk") is not True:
                    self._skip(why_not(record))
                    continue
                id_ = str(record["decision_id"])
                try:
                    call: Any = call_of(record, answers=False)
                except ValueError as error:
                    self._skip(str(error))
                    continue
                yield Given(Item(source, entry.seq + 1, call), id_, record.get("live") is True)
        finally:
            store.close()
        if damages.close():
            self.damaged = True

    def _skip(self, why: str) -> None:
        if why not in self.skipped and len(self.skipped) >= _MOST_REASONS:
            why = "other reasons"
        self.skipped[why] = self.skipped.get(why, 0) + 1


def _is_store(source: str) -> bool:
    """Whether a source holds records: a folder, or a SQLite file."""
    if source == STDIN or source.lstrip()[:1] == "{":
        return False
    try:
        path = Path(source)
        if path.is_dir():
            return True
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except ValueError:  # a NUL in it
        return False
