"""What happened at the gate, for whoever asks later: grants, answers, reloads, freezes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.gate.clock import Clock, now, stamp, time_of
from callgate.gate.state import StateError
from callgate.gate.wrong_types import check_database

if TYPE_CHECKING:
    from callgate.gate.connection import Connection
    from callgate.gate.database import Database

__all__ = ["SCHEMA", "Event", "Events", "write_event"]

SCHEMA: Final = (
    """CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        detail TEXT NOT NULL
    )""",
    "CREATE INDEX events_by_kind ON events (kind, id)",
)
"""Rows are only added: the ids say the order, whatever a clock said."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `kind`: a dotted name, as `grant.made`; `detail`: JSON values by
    name, fit to be shown."""

    id: int
    at: datetime
    kind: str
    detail: Mapping[str, Any]


class Events:
    """The events in a database. `clock` gives the time that new ones are marked with."""

    def __init__(self, db: Database, clock: Clock = now) -> None:
        check_database(db)
        self._db = db
        self._clock = clock

    def add(self, kind: str, /, **detail: Any) -> None:
        """Add an event in a transaction of its own. `detail`: JSON values, masked by the caller.
        Raises StateError."""
        with self._db.transaction() as connection:
            write_event(connection, self._clock(), kind, detail)

    def list(
        self,
        kind: str = "",
        *,
        after: int = 0,
        since: datetime | None = None,
        limit: int = 1000,
        newest: bool = False,
    ) -> list[Event]:
        """The events with an id above `after`, oldest first, at most `limit` of them; of one kind,
        or of all that begin with it and a dot, where one is named. `since`: those only that
        happened then or later. `newest`: the last of them, where there are more than `limit`, not
        the first. Raises StateError."""
        rows = self._db.read().execute(
            f"SELECT id, at, kind, detail FROM events WHERE {_CHOSEN}"
            f" ORDER BY id {'DESC' if newest else ''} LIMIT :limit",
            {**_chosen(kind, after, since), "limit": limit},
        )
        found = [Event(id_, time_of(at), name, _read(detail)) for id_, at, name, detail in rows]
        return found[::-1] if newest else found

    def tally(
        self, kind: str, *, after: int = 0, since: datetime | None = None
    ) -> tuple[int, datetime | None]:
        """How many events `list` would give without a limit, and the time of the last, None where
        there is none. Raises StateError."""
        count, last = (
            self._db.read()
            .execute(
                f"SELECT count(*), max(at) FROM events WHERE {_CHOSEN}",
                _chosen(kind, after, since),
            )
            .fetchone()
        )
        return count, None if last is None else time_of(last)


_CHOSEN: Final = (
    "id > :after AND (:since IS NULL OR at >= :since)"
    " AND (:kind = '' OR kind = :kind OR substr(kind, 1, length(:kind) + 1) = :kind || '.')"
)


def _chosen(kind: str, after: int, since: datetime | None) -> dict[str, Any]:
    return {"kind": kind, "after": after, "since": None if since is None else stamp(since)}


def write_event(connection: Connection, at: datetime, kind: str, detail: Mapping[str, Any]) -> None:
    """Add an event as part of a transaction: it stays if what it tells of stays. Raises
    StateError, also for what is no JSON."""
    try:
        text = orjson.dumps(detail, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, ValueError):
        raise StateError("an event's detail is not JSON") from None
    connection.execute(
        "INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)", (stamp(at), kind, text)
    )


def _read(text: str) -> Mapping[str, Any]:
    try:
        detail: Any = orjson.loads(text)
    except ValueError:
        detail = None
    if type(detail) is not dict:
        raise StateError("an event in the gate's database is damaged")
    return detail
