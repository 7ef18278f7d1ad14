"""Approval requests: what people are asked, and what becomes of each, exactly once.

Every change is one UPDATE that names the status it changes, so that of two processes one wins. A
request counts from its making to its end on the clock: before and after that, and once it ended, no
answer and no clock brings it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.answerers import RequestError, check_answer
from callgate.gate.clock import Clock, now, stamp
from callgate.gate.events import write_event
from callgate.gate.question import Choice, Question
from callgate.gate.request_rows import (
    REQUESTS,
    ApprovalRequest,
    Status,
    question_json,
    request_of,
)
from callgate.gate.signatures import ApproverKeys

if TYPE_CHECKING:
    from callgate.gate.connection import Connection
    from callgate.gate.database import Database

__all__ = [
    "KEYS_FILE",
    "MAX_PENDING",
    "MAX_PENDING_IN_SESSION",
    "SCHEMA",
    "ApprovalRequest",
    "Choice",
    "FloodError",
    "Question",
    "RequestError",
    "Requests",
]

SCHEMA: Final = REQUESTS

MAX_PENDING: Final = 50
MAX_PENDING_IN_SESSION: Final = 10
"""More than these at a time nobody reads: what comes then is refused."""

KEYS_FILE: Final = "approvers.keys"
"""The file of approvers' keys, beside the database."""

_DENY: Final = "deny"
_SLACK: Final = 5_000_000
"""By how many microseconds a clock may be set back without a request being from the future."""
_SPEND_WITHIN: Final = 60_000_000
"""How many microseconds after a request's end its approval can still be used up."""
_KEPT: Final = 1000
_KEPT_FOR: Final = 30 * 86_400_000_000


class FloodError(RequestError):
    """Too many requests wait for an answer."""


class Requests:
    """The requests in a database. `clock`: gives the present time. `keys`: the approvers' keys; by
    default those in the file beside the database. All of this raises StateError, too."""

    def __init__(self, db: Database, clock: Clock = now, keys: ApproverKeys | None = None) -> None:
        self._db = db
        self._clock = clock
        self.keys = ApproverKeys(Path(db.path).parent / KEYS_FILE) if keys is None else keys

    # -- asking

    def open(self, question: Question) -> ApprovalRequest:
        """Ask; gives the request, which is the one that waits already where the same is asked
        again. Raises FloodError when too many wait, RequestError for a question that nobody could
        answer with yes."""
        if not question.choices:
            raise RequestError("there is nothing that could be granted")
        seal = question.seal
        with self._db.transaction() as connection:
            at = stamp(self._clock())
            self._expire(connection, at)
            row = connection.execute(
                "UPDATE requests SET askers = askers + 1 WHERE seal = ? AND status = 'pending'"
                " RETURNING *",
                (seal,),
            ).fetchone()
            if row is None:
                self._check_flood(connection, question.session)
                self._prune(connection, at)
                row = connection.execute(
                    "INSERT INTO requests (id, seal, digest, session, question, made, expires,"
                    " askers, status) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 'pending') RETURNING *",
                    (
                        token_hex(5),
                        seal,
                        question.digest,
                        question.session,
                        question_json(question),
                        at,
                        at + max(0, round(question.wait_seconds * 1_000_000)),
                    ),
                ).fetchone()
            return request_of(row)

    def _check_flood(self, connection: Connection, session: str) -> None:
        """Raises FloodError when one more would be too many."""
        all_, mine = connection.execute(
            "SELECT count(*), count(*) FILTER (WHERE session = ?) FROM requests"
            " WHERE status = 'pending'",
            (session,),
        ).fetchone()
        for count, most, whose in (
            (mine, MAX_PENDING_IN_SESSION, "requests of this session"),
            (all_, MAX_PENDING, "requests"),
        ):
            if count >= most:
                raise FloodError(f"{count} {whose} wait for an answer already")

    def cancel(self, id: str) -> bool:
        """One caller that waited is gone; with the last of them the request is cancelled. Whether
        it was."""
        return self._leave(id, "cancelled")

    def give_up(self, id: str) -> bool:
        """One caller's time is over; with the last of them the request has expired. Whether it
        has."""
        return self._leave(id, "expired")

    def _leave(self, id: str, status: Status) -> bool:
        with self._db.transaction() as connection:
            left = connection.execute(
                "UPDATE requests SET askers = askers - 1 WHERE id = ? AND status = 'pending'"
                " RETURNING askers",
                (id,),
            ).fetchall()
            if not left or left[0]["askers"] > 0:
                return False
            connection.execute(
                "UPDATE requests SET status = ?, decided = ? WHERE id = ? AND status = 'pending'",
                (status, stamp(self._clock()), id),
            )
        return True

    # -- answering

    def answer(
        self, id: str, answer: str, by: str, signature: str | None = None, *, via: str = ""
    ) -> ApprovalRequest:
        """Answer a pending request; gives it as it then is. This is for people: nothing that an
        agent says may come here.

        `answer`: the level of one of its choices, or `deny`. `by`: who says so. `signature`: theirs
        on this answer, where the policy wants one. `via`: on what way, for the record. Raises
        RequestError when there is no such request, it has ended, this is none of its choices, this
        person may not answer, or the signature is missing or wrong.
        """
        request = self.get(id)
        if request is None:
            raise RequestError("there is no such request")
        check_answer(request, answer, by, signature or "", self.keys)
        with self._db.transaction() as connection:
            at = stamp(self._clock())
            row = connection.execute(
                "UPDATE requests SET status = ?, answer = ?, decided_by = ?, decided = ?,"
                " signature = ? WHERE id = ? AND status = 'pending'"
                " AND made <= ? AND expires > ? RETURNING *",
                (
                    "denied" if answer == _DENY else "approved",
                    answer,
                    by,
                    at,
                    signature or "",
                    id,
                    at + _SLACK,
                    at,
                ),
            ).fetchone()
            if row is not None:
                detail = {
                    "id": id,
                    "answer": answer,
                    "by": by,
                    "via": via,
                    "signed": bool(signature),
                    "tool": request.tool,
                    "digest": request.digest,
                    "user": request.user,
                    "agent": request.agent,
                    "session": request.session,
                }
                write_event(connection, self._clock(), "request.answered", detail)
                return request_of(row)
            self._expire(connection, at)
        ended = self.get(id)
        said = "gone" if ended is None else ended.status
        raise RequestError(f"it is too late: the request is {said} already")

    def doubt(self, question: Question, request: ApprovalRequest) -> str:
        """Why an approval that stands in the database counts for nothing, "" if it counts: whoever
        can write the file could have put it there. `question`: what was asked, as the one who asks
        remembers it."""
        if request.seal != question.seal:
            return "the request was changed after it was asked"
        try:
            by, signature = request.decided_by, request.signature
            check_answer(request, request.answer, by, signature, self.keys)
        except RequestError as error:
            return f"the answer does not count: {error}"
        return ""

    def spend(self, id: str, digest: str) -> bool:
        """Use an approval up; whether it was there to be used: approved for the call with this
        digest, not used before, and not long ago."""
        with self._db.transaction() as connection:
            at = stamp(self._clock())
            used = connection.execute(
                "UPDATE requests SET spent = ? WHERE id = ? AND digest = ? AND status = 'approved'"
                " AND spent IS NULL AND made <= ? AND expires > ?",
                (at, id, digest, at + _SLACK, at - _SPEND_WITHIN),
            )
            return used.rowcount == 1

    def unspent(self, question: Question) -> ApprovalRequest | None:
        """An approval of this very question that was given and can still be used up, as when the
        caller didn't wait for it; or None."""
        at = stamp(self._clock())
        where = (
            "seal = ? AND status = 'approved' AND spent IS NULL AND made <= ? AND expires > ?"
            " ORDER BY made"
        )
        found = self._select(where, (question.seal, at + _SLACK, at - _SPEND_WITHIN))
        return next((one for one in found if not self.doubt(question, one)), None)

    def expire(self) -> int:
        """End the requests whose time is over; gives how many they were."""
        at = stamp(self._clock())
        due = self._db.read().execute(
            "SELECT 1 FROM requests WHERE status = 'pending' AND (expires <= ? OR made > ?)",
            (at, at + _SLACK),
        )
        if due.fetchone() is None:
            return 0
        with self._db.transaction() as connection:
            return self._expire(connection, at)

    def _expire(self, connection: Connection, at: int) -> int:
        # One from the future was made before the clock was set back: how old it is, nobody knows.
        return connection.execute(
            "UPDATE requests SET status = 'expired', decided = ?"
            " WHERE status = 'pending' AND (expires <= ? OR made > ?)",
            (at, at, at + _SLACK),
        ).rowcount

    def _prune(self, connection: Connection, at: int) -> None:
        """Forget requests that ended long ago, but for the newest; the events tell of them."""
        connection.execute(
            "DELETE FROM requests WHERE status <> 'pending' AND decided < ? AND made <"
            " (SELECT made FROM requests ORDER BY made DESC LIMIT 1 OFFSET ?)",
            (at - _KEPT_FOR, _KEPT),
        )

    # -- looking

    def get(self, id: str) -> ApprovalRequest | None:
        """The request with an id, or None."""
        row = self._db.read().execute("SELECT * FROM requests WHERE id = ?", (id,)).fetchone()
        return None if row is None else request_of(row)

    def pending(self, *, session: str | None = None) -> list[ApprovalRequest]:
        """The requests that can be answered now, oldest first; those of a session, where one is
        named."""
        at = stamp(self._clock())
        where = (
            "status = 'pending' AND made <= ? AND expires > ? AND (? IS NULL OR session = ?)"
            " ORDER BY made, id"
        )
        return [*self._select(where, (at + _SLACK, at, session, session))]

    def list(self, *, session: str | None = None, limit: int = 100) -> list[ApprovalRequest]:
        """The newest requests, whatever became of them, newest first, at most `limit`."""
        where = "? IS NULL OR session = ? ORDER BY made DESC, id LIMIT ?"
        return [*self._select(where, (session, session, limit))]

    def _select(self, where: str, values: tuple[Any, ...]) -> Iterator[ApprovalRequest]:
        rows = self._db.read().execute(f"SELECT * FROM requests WHERE {where}", values)
        return map(request_of, rows)
