"""Approval requests as they are kept: one row each, what was asked as JSON beside what became of
it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final, Literal

import orjson

from callgate.gate.clock import time_of
from callgate.gate.question import Choice, Question
from callgate.gate.state import StateError

__all__ = ["REQUESTS", "STATUSES", "ApprovalRequest", "Status", "question_json", "request_of"]

Status = Literal["pending", "approved", "denied", "expired", "cancelled"]
"""What became of a request; nothing becomes of it twice."""

STATUSES: Final[tuple[Status, ...]] = ("pending", "approved", "denied", "expired", "cancelled")

REQUESTS: Final = (
    """CREATE TABLE requests (
        id TEXT PRIMARY KEY,
        seal TEXT NOT NULL,
        digest TEXT NOT NULL,
        session TEXT NOT NULL,
        question TEXT NOT NULL,
        made INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        askers INTEGER NOT NULL,
        status TEXT NOT NULL
            CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'cancelled')),
        decided INTEGER CHECK ((decided IS NULL) = (status = 'pending')),
        decided_by TEXT NOT NULL DEFAULT '',
        answer TEXT NOT NULL DEFAULT '',
        signature TEXT NOT NULL DEFAULT '',
        spent INTEGER CHECK (spent IS NULL OR status = 'approved')
    )""",
    "CREATE UNIQUE INDEX requests_pending ON requests (seal) WHERE status = 'pending'",
    "CREATE INDEX requests_unspent ON requests (seal) WHERE status = 'approved' AND spent IS NULL",
    "CREATE INDEX requests_denied ON requests (seal, decided) WHERE status = 'denied'",
    "CREATE INDEX requests_by_session ON requests (session) WHERE status = 'pending'",
    "CREATE INDEX requests_by_time ON requests (made)",
)
"""Times are microseconds. `askers`: how many callers wait for the answer. Of each seal one request
at most is pending."""

_FIELDS: Final = tuple(item.name for item in fields(Question))


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest(Question):
    """A question that was put to people, and what became of it.

    `created`, `expires`: when it was asked, and until when it can be answered. `decided`: when it
    ended, None while it is pending. `decided_by`: who answered; `answer`: one of the levels, or
    `deny`; `signature`: theirs, "" where none was given. `spent`: when the one call that it allows
    was let pass, or None.
    """

    id: str
    created: datetime
    expires: datetime
    status: Status
    decided: datetime | None
    decided_by: str
    answer: str
    signature: str
    spent: datetime | None

    def seconds_left(self, at: datetime) -> float:
        """How many seconds are left at a time to answer it; 0 when it is too late."""
        left = (self.expires - at).total_seconds() if self.status == "pending" else 0.0
        return max(0.0, left)


def question_json(question: Question) -> str:
    """A question to be stored. Raises StateError for what is no JSON."""
    form: dict[str, Any] = {name: getattr(question, name) for name in _FIELDS}
    form["choices"] = [[choice.level, choice.text] for choice in question.choices]
    try:
        return orjson.dumps(form).decode()
    except TypeError:
        raise StateError("a request can't be stored: it is not JSON") from None


def request_of(row: Mapping[str, Any]) -> ApprovalRequest:
    """A request as it was stored. Raises StateError for a row that nobody could have stored."""
    try:
        form = orjson.loads(row["question"])
        choices = tuple(Choice(*choice) for choice in form.pop("choices"))
        for name in ("reasons", "effects", "approvers"):
            form[name] = tuple(form[name])
        request = ApprovalRequest(
            **form,
            choices=choices,
            id=row["id"],
            created=time_of(row["made"]),
            expires=time_of(row["expires"]),
            status=row["status"],
            decided=None if row["decided"] is None else time_of(row["decided"]),
            decided_by=row["decided_by"],
            answer=row["answer"],
            signature=row["signature"],
            spent=None if row["spent"] is None else time_of(row["spent"]),
        )
        if request.seal == row["seal"]:
            return request
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError):
        pass
    raise StateError("a request in the gate's database is damaged")
