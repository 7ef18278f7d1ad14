"""What a reviewer refused: an agent must not say it in other words until it passes.

A refusal holds in its session for whatever does at least the same; about what is near it, only
people are asked. Calls without a session share one, over all processes: nobody else can be told
from whom they come. Only hashes are stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from callgate.gate.clock import Clock, now, stamp
from callgate.gate.events import write_event
from callgate.gate.fingerprint import fingerprint
from callgate.gate.touched import are_near
from callgate.gate.turns import Turns

if TYPE_CHECKING:
    from callgate.gate.database import Database

__all__ = ["LIMIT", "SCHEMA", "Refusals", "fingerprint"]

LIMIT: Final = 3
"""With so many refusals in a session, only people are asked there."""

SCHEMA: Final = (
    """CREATE TABLE refusals (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        session TEXT NOT NULL,
        marks TEXT NOT NULL
    )""",
    "CREATE INDEX refusals_by_session ON refusals (session, id)",
)
"""`marks`: the sorted marks of a fingerprint, with spaces between them."""


class Refusals:
    """The refusals in a database, and the `turns` of those under review. One object serves a whole
    gate. `clock`: gives the time that new refusals are marked with."""

    def __init__(self, db: Database, clock: Clock = now) -> None:
        self._db = db
        self._clock = clock
        self.turns = Turns()

    def add(self, session: str, marks: frozenset[str]) -> None:
        """Store that a reviewer refused a call. `session`: its key, also an empty one; `marks`: its
        fingerprint. Raises StateError, and ValueError where there are no marks: such a refusal
        would hold for everything."""
        if not marks:
            raise ValueError("a refusal of nothing")
        at = self._clock()
        with self._db.transaction() as connection:
            connection.execute(
                "INSERT INTO refusals (at, session, marks) VALUES (?, ?, ?)",
                (stamp(at), session, " ".join(sorted(marks))),
            )
            write_event(connection, at, "reviewer.refused", {"session": session})

    def holds(self, session: str, marks: frozenset[str]) -> bool:
        """Whether something that a call does was refused in its session. Raises StateError."""
        return any(map(marks.issuperset, self._of(session)))

    def only_people(self, session: str, marks: frozenset[str] = frozenset()) -> bool:
        """Whether so much was refused in a session that no reviewer is asked any more, or something
        near to what a call does. `marks`: its fingerprint. Raises StateError."""
        refused = self._of(session)
        return len(refused) >= LIMIT or any(are_near(marks, other) for other in refused)

    def _of(self, session: str) -> list[frozenset[str]]:
        """The marks of each refusal in a session."""
        rows = self._db.read().execute("SELECT marks FROM refusals WHERE session = ?", (session,))
        return [frozenset(row["marks"].split()) for row in rows]

    def forget(self, session: str, by: str) -> int:
        """Drop a session's refusals, on a person's word (`by`); gives how many there were. Raises
        StateError."""
        with self._db.transaction() as connection:
            count = connection.execute(
                "DELETE FROM refusals WHERE session = ?", (session,)
            ).rowcount
            detail = {"session": session, "by": by, "count": count}
            write_event(connection, self._clock(), "reviewer.forgotten", detail)
        return count
