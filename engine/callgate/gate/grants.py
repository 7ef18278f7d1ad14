"""Grants: a person's word that counts for more than one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from secrets import token_hex
from sqlite3 import Row
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.clock import Clock, now, stamp, time_of
from callgate.gate.events import write_event
from callgate.gate.state import StateError
from callgate.gate.subject import LEVELS, Subject
from callgate.gate.wrong_types import check_database

if TYPE_CHECKING:
    from callgate.gate.connection import Connection
    from callgate.gate.database import Database

__all__ = ["SCHEMA", "SESSION_HOURS", "Grant", "GrantError", "Grants"]

SCHEMA: Final = (
    """CREATE TABLE grants (
        id TEXT PRIMARY KEY,
        level TEXT NOT NULL CHECK (level IN ('session', 'session-all', 'always')),
        owner TEXT NOT NULL,
        agent TEXT NOT NULL,
        session TEXT NOT NULL CHECK (level = 'always' OR session <> ''),
        scope TEXT NOT NULL,
        family TEXT NOT NULL,
        subject TEXT NOT NULL,
        granted_by TEXT NOT NULL,
        decision TEXT NOT NULL,
        made INTEGER NOT NULL,
        expires INTEGER,
        ended INTEGER,
        ended_by TEXT
    )""",
    "CREATE INDEX grants_by_scope ON grants (scope, owner, agent) WHERE ended IS NULL",
    "CREATE INDEX grants_by_session ON grants (session, owner, agent) WHERE ended IS NULL",
)
"""`scope` and `family` stand beside the subject to be looked up; times are microseconds."""

_ONCE: Final = LEVELS[0]
_IN_SESSION: Final = frozenset(LEVELS[1:3])
_WHOLE_SESSION: Final = LEVELS[2]
_EXPIRY: Final = "expiry"

SESSION_HOURS: Final = 12
"""How long a grant for a session counts at most."""


class GrantError(Exception):
    """A grant that can't be given or found; the message says why."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A grant as it is kept. `by`: who gave it; `decision_id`: the decision or request that it came
    from; `ended`: when it ended before its time, and `ended_by` whose doing that was (`expiry`: the
    clock's); both absent while it counts."""

    id: str
    level: str
    subject: Subject
    user: str
    agent: str
    session: str
    by: str
    decision_id: str
    made: datetime
    expires: datetime | None
    ended: datetime | None
    ended_by: str


class Grants:
    """The grants in a database. `clock`: gives the present time."""

    def __init__(self, db: Database, clock: Clock = now) -> None:
        check_database(db)
        self._db = db
        self._clock = clock
        self._latest = 0

    def add(
        self,
        subject: Subject,
        level: str,
        *,
        user: str,
        agent: str,
        session: str,
        by: str,
        decision_id: str,
        expires: datetime | None = None,
    ) -> Grant | None:
        """Store a grant; None for the level `once`, of which nothing is stored.

        `user`, `agent`, `session`: whose calls it is for; `by`: who gave it; `decision_id`: the
        decision or request that it answers; `expires`: when it ends by itself; one for a session
        ends after 12 hours at the latest. Raises GrantError for a level that the subject doesn't
        allow, for a session without a key, for nobody's word and for one that has expired already;
        StateError.
        """
        if level not in subject.levels:
            raise GrantError(f"`{level}` can't be granted for this call")
        if not by:
            raise GrantError("nobody gave this grant")
        if level == _ONCE:
            return None
        if level in _IN_SESSION and not session:
            raise GrantError("there is no session that the grant could be for")
        at, end = stamp(self._clock()), None if expires is None else stamp(expires)
        if level in _IN_SESSION:
            # Hosts keep session keys for weeks; a person has one sitting in mind.
            longest = at + SESSION_HOURS * 3_600_000_000
            end = longest if end is None else min(end, longest)
        if end is not None and end <= max(at, self._latest):
            raise GrantError("the grant would have expired already")
        row = {
            "id": token_hex(6),
            "level": level,
            "owner": user,
            "agent": agent,
            "session": session if level in _IN_SESSION else "",
            "scope": subject.scope,
            "family": subject.family or "",
            "subject": subject.to_json(),
            "granted_by": by,
            "decision": decision_id,
            "made": at,
            "expires": end,
        }
        names = ", ".join(row)
        marks = ", ".join(f":{name}" for name in row)
        with self._db.transaction() as connection:
            connection.execute(f"INSERT INTO grants ({names}) VALUES ({marks})", row)
            grant = _grant({**row, "ended": None, "ended_by": None})
            write_event(connection, time_of(at), "grant.made", _told(grant))
        return grant

    def covers(self, subject: Subject, *, user: str, agent: str, session: str) -> Grant | None:
        """A grant that covers a call of this user, agent and session, or None.

        One that has ended, or was made at a time that has not come, covers nothing, nor does one of
        a level that the call doesn't allow. Raises StateError.
        """
        if len(subject.levels) == 1:
            return None
        at = stamp(self._clock())
        self._latest = max(self._latest, at)
        expired = []
        try:
            for grant in self._candidates(subject, user, agent, session):
                if grant.expires is not None and stamp(grant.expires) <= self._latest:
                    expired.append(grant.id)
                elif stamp(grant.made) <= at and _fits(grant, subject):
                    return grant
        finally:
            if expired:
                self._expire(expired)
        return None

    def _candidates(self, subject: Subject, user: str, agent: str, session: str) -> Iterator[Grant]:
        connection = self._db.read()
        rows = connection.execute(
            "SELECT * FROM grants WHERE ended IS NULL AND scope = ? AND owner = ? AND agent = ?"
            " AND (level = 'always' OR (session <> '' AND session = ?)) ORDER BY rowid",
            (subject.scope, user, agent, session),
        ).fetchall()
        if session and subject.family is not None:
            rows += connection.execute(
                "SELECT * FROM grants WHERE ended IS NULL AND session = ? AND owner = ?"
                " AND agent = ? AND level = 'session-all' AND family = ? ORDER BY rowid",
                (session, user, agent, subject.family),
            ).fetchall()
        yield from map(_grant, rows)

    def list(
        self,
        *,
        user: str | None = None,
        agent: str | None = None,
        session: str | None = None,
        ended: bool = False,
    ) -> list[Grant]:
        """The grants, oldest first: those of a user, agent or session where one is named; with
        `ended`, those too that no longer count. Raises StateError."""
        rows = self._db.read().execute(
            "SELECT * FROM grants WHERE (:ended OR (ended IS NULL"
            " AND (expires IS NULL OR expires > :at)))"
            " AND (:user IS NULL OR owner = :user) AND (:agent IS NULL OR agent = :agent)"
            " AND (:session IS NULL OR session = :session) ORDER BY rowid",
            {
                "ended": ended,
                "at": max(stamp(self._clock()), self._latest),
                "user": user,
                "agent": agent,
                "session": session,
            },
        )
        return [_grant(row) for row in rows]

    def revoke(
        self, id: str | None = None, *, session: str | None = None, all: bool = False, by: str
    ) -> int:
        """End one grant, those of a session, or all; gives how many ended. A host calls it with
        `session` when that session ends. `by`: whose doing it is.
        Raises GrantError unless exactly one of the three is named; StateError."""
        if (id is not None) + (session is not None) + all != 1:
            raise GrantError("name a grant, a session, or all")
        with self._db.transaction() as connection:
            rows = connection.execute(
                "SELECT * FROM grants WHERE ended IS NULL"
                " AND (:all OR id = :id OR (session = :session AND session <> ''))",
                {"all": all, "id": id, "session": session},
            ).fetchall()
            self._end(connection, [row["id"] for row in rows], by)
            for row in rows:
                detail = {"id": row["id"], "by": by}
                write_event(connection, self._clock(), "grant.revoked", detail)
        return len(rows)

    def _expire(self, ids: Sequence[str]) -> None:
        """Keep that some grants have expired, whatever the clock says later."""
        with self._db.transaction() as connection:
            self._end(connection, ids, _EXPIRY)

    def _end(self, connection: Connection, ids: Sequence[str], by: str) -> None:
        at = max(stamp(self._clock()), self._latest)
        connection.executemany(
            "UPDATE grants SET ended = ?, ended_by = ? WHERE id = ? AND ended IS NULL",
            [(at, by, id_) for id_ in ids],
        )


def _fits(grant: Grant, subject: Subject) -> bool:
    if grant.level not in subject.levels:
        return False
    if grant.level == _WHOLE_SESSION:
        return grant.subject.in_family_of(subject)
    return grant.subject.covers(subject)


def _grant(row: Row | dict[str, Any]) -> Grant:
    try:
        subject = Subject.from_json(row["subject"])
    except ValueError:
        raise StateError("a grant in the gate's database is damaged") from None
    return Grant(
        row["id"],
        row["level"],
        subject,
        row["owner"],
        row["agent"],
        row["session"],
        row["granted_by"],
        row["decision"],
        time_of(row["made"]),
        None if row["expires"] is None else time_of(row["expires"]),
        None if row["ended"] is None else time_of(row["ended"]),
        row["ended_by"] or "",
    )


def _told(grant: Grant) -> dict[str, Any]:
    """A grant in the events."""
    return {
        "id": grant.id,
        "level": grant.level,
        "tool": grant.subject.tool,
        "text": grant.subject.text,
        "user": grant.user,
        "agent": grant.agent,
        "session": grant.session,
        "by": grant.by,
        "decision": grant.decision_id,
        "expires": None if grant.expires is None else grant.expires.isoformat(),
    }
