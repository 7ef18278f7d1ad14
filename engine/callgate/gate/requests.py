"""Approval requests: what people are asked, and what becomes of each, exactly once.

Every change is one UPDATE that names the status it changes, so that of two processes one wins. A
request counts from its making to its end on the clock: before and after that, and once it ended, no
answer and no clock brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Final

from callgate.gate.answerers import RequestError, Rules, check_answer
from callgate.gate.clock import Clock, now, stamp
from callgate.gate.events import write_event
from callgate.gate.question import Choice, Question
from callgate.gate.request_limits import (
    MAX_PENDING,
    MAX_PENDING_IN_SESSION,
    MAX_PENDING_OF_USER,
    FloodError,
    check_flood,
    prune,
)
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
    "MAX_PENDING_OF_USER",
    "SCHEMA",
    "ApprovalRequest",
    "Choice",
    "FloodError",
    "Question",
    "RequestError",
    "Requests",
]

SCHEMA: Final = REQUESTS

KEYS_FILE: Final = "approvers.keys"
"""The file of approvers' keys, beside the database."""

_DENY: Final = "deny"
_SLACK: Final = 5_000_000
"""By how many microseconds a clock may be set back without a request being from the future."""
_SPEND_WITHIN: Final = 60_000_000
"""How many microseconds after a request's end its approval can still be used up."""
_NO_HOLDS_FOR: Final = 600_000_000
"""How many microseconds a person's no holds for the same question."""


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
        seal, asked = question.seal, question_json(question)
        with self._db.transaction() as connection:
            at = stamp(self._clock())
            self._expire(connection, at)
            row = connection.execute(
                "UPDATE requests SET askers = askers + 1 WHERE seal = ? AND status = 'pending'"
                " RETURNING *",
                (seal,),
            ).fetchone()
            if row is None:
                check_flood(connection, question.session, asked)
                prune(connection, at)
                row = connection.execute(
                    "INSERT INTO requests (id, seal, digest, session, question, made, expires,"
                    " askers, status) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 'pending') RETURNING *",
                    (
                        token_hex(5),
                        seal,
                        question.digest,
                        question.session,
                        asked,
                        at,
                        at + max(0, round(question.wait_seconds * 1_000_000)),
                    ),
                ).fetchone()
            return request_of(row)

    def cancel(self, id: str) -> bool:
        """One caller that waited is gone; with the last of them the request is cancelled. Whether
        it was."""
        return self._leave(id, "cancelled")

    def withdraw(self, id: str) -> bool:
        """One caller found that nobody was shown the request; with the last of them it is gone, so
        that such requests don't pile up. Whether it is."""
        if not self._leave(id, "cancelled"):
            return False
        with self._db.transaction() as connection:
            connection.execute("DELETE FROM requests WHERE id = ? AND status = 'cancelled'", (id,))
        return True

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
        return self.objection(request, Rules(question.approvers, question.signed))

    def objection(self, request: ApprovalRequest, rules: Rules) -> str:
        """Why an answer counts for nothing under the rules in force, "" if it counts: since it was
        asked or given, a reload may have taken an approver away, or begun to want signatures."""
        try:
            by, signature = request.decided_by, request.signature
            check_answer(request, request.answer, by, signature, self.keys, rules)
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

    def unspent(
        self, question: Question, counts: Callable[[ApprovalRequest], bool] = lambda request: True
    ) -> ApprovalRequest | None:
        """An approval of this very question that was given and can still be used up, as when the
        caller didn't wait for it; or None. `counts`: whether one counts, as far as the caller
        knows."""
        at = stamp(self._clock())
        where = (
            "seal = ? AND status = 'approved' AND spent IS NULL AND made <= ? AND expires > ?"
            " ORDER BY made"
        )
        found = self._select(where, (question.seal, at + _SLACK, at - _SPEND_WITHIN))
        fit = (one for one in found if counts(one) and not self.doubt(question, one))
        return next(fit, None)

    def refused(self, question: Question) -> ApprovalRequest | None:
        """A person's no to this very question, given not long ago; or None."""
        at = stamp(self._clock())
        where = "seal = ? AND status = 'denied' AND decided BETWEEN ? AND ? ORDER BY decided DESC"
        found = self._select(where, (question.seal, at - _NO_HOLDS_FOR, at + _SLACK))
        return next(found, None)

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
