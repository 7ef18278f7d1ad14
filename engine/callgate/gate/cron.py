"""Grants for scheduled jobs: a person approved the call that made the job, and the job is still
the one that they saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import orjson

from callgate.gate.canonical import canonical
from callgate.gate.clock import Clock, now, stamp, time_of
from callgate.gate.events import write_event
from callgate.gate.wrong_types import check_database

if TYPE_CHECKING:
    from callgate.gate.approval import Approval
    from callgate.gate.connection import Connection
    from callgate.gate.database import Database

__all__ = ["SCHEMA", "CronError", "CronGrant", "CronGrants"]

SCHEMA: Final = (
    """CREATE TABLE cron_grants (
        request TEXT PRIMARY KEY,
        job TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        made INTEGER NOT NULL,
        ended INTEGER,
        ended_by TEXT
    )""",
    "CREATE UNIQUE INDEX cron_grants_by_job ON cron_grants (job) WHERE ended IS NULL",
)
"""A request is answered once, so it makes one grant; of a job one counts, the last."""

_BOUND: Final = ("instruction", "target", "trigger")
_CALL: Final = ("user", "agent", "tool", "cwd")
"""What the call that makes a job says of whose it is; "" where it doesn't."""

_FRESH: Final = 600_000_000
"""How many microseconds after an approval was used it may make a grant."""

_SLACK: Final = 5_000_000
"""By how many microseconds a clock may be set back meanwhile."""

_EDITED: Final = "edited"
_REPLACED: Final = "replaced"


class CronError(Exception):
    """A scheduled job that can't be granted; the message says why."""


@dataclass(frozen=True, slots=True)
class CronGrant:
    """A job's grant as it is kept. `job`: the job's id; `request`: the request that a person
    approved; `fingerprint`: of the job, as they approved it; `ended`: when it ended, None while it
    counts, and `ended_by` whose doing that was (`edited`: the job is another one; `replaced`: there
    is a later grant)."""

    job: str
    request: str
    fingerprint: str
    made: datetime
    ended: datetime | None
    ended_by: str


class CronGrants:
    """The grants for scheduled jobs in a database. A job is a mapping with `id` and `instruction`,
    texts, and `target` and `trigger`, JSON values as the scheduler keeps them; when it fires, also
    with the `user`, `agent`, `tool` and `cwd` of the call that made it, texts. `clock`: gives the
    present time."""

    def __init__(self, db: Database, clock: Clock = now) -> None:
        check_database(db)
        self._db = db
        self._clock = clock

    def issue(self, approval: Approval, job: Mapping[str, Any]) -> str:
        """Grant a job that a person has just approved; gives its fingerprint.

        `approval`: the gate's answer to the call that makes the job, in whose arguments the
        instruction stands. Whose job it is that call says; a job that says otherwise is refused. A
        grant for an earlier form of the job is replaced. Raises CronError when no person approved
        that call, when they did more than 10 minutes ago, when the approval made a grant before, or
        when the job is malformed; StateError.
        """
        if not approval.allowed or approval.approval_source != "human" or not approval.request_id:
            raise CronError("no person approved the call that makes this job")
        made_by = _made_by(approval)
        id_, found = _read({**made_by, **job} if isinstance(job, Mapping) else job)
        if not _stands_in(job["instruction"], approval.args()):
            raise CronError("the job's instruction is not what was approved")
        if any(job.get(name, value) != value for name, value in made_by.items()):
            raise CronError("the job is not for whom it was approved")
        at = self._clock()
        with self._db.transaction() as connection:
            _check_fresh(connection, approval, stamp(at))
            spent = connection.execute(
                "SELECT 1 FROM cron_grants WHERE request = ?", (approval.request_id,)
            ).fetchone()
            if spent is not None:
                raise CronError("this approval has made a grant already")
            _end(connection, stamp(at), id_, _REPLACED, None)
            connection.execute(
                "INSERT INTO cron_grants (request, job, fingerprint, made) VALUES (?, ?, ?, ?)",
                (approval.request_id, id_, found, stamp(at)),
            )
            detail = {"job": id_, "fingerprint": found, "request": approval.request_id}
            write_event(connection, at, "cron.granted", detail)
        return found

    def authorised(self, job: Mapping[str, Any]) -> bool:
        """Whether a job that fires is one that a person approved, and as they approved it. One that
        was edited loses its grant for good. Raises StateError."""
        try:
            id_, found = _read(job)
        except CronError:
            return False
        row = (
            self._db.read()
            .execute(
                "SELECT fingerprint, made FROM cron_grants WHERE job = ? AND ended IS NULL", (id_,)
            )
            .fetchone()
        )
        if row is None:
            return False
        if row["fingerprint"] != found:
            self._end(id_, _EDITED, row["fingerprint"])
            return False
        return bool(row["made"] <= stamp(self._clock()))

    def list(self, *, ended: bool = False) -> list[CronGrant]:
        """The grants, oldest first; with `ended`, those too that no longer count. Raises
        StateError."""
        rows = self._db.read().execute(
            "SELECT job, request, fingerprint, made, ended, ended_by FROM cron_grants"
            " WHERE ? OR ended IS NULL ORDER BY rowid",
            (ended,),
        )
        return [
            CronGrant(job, request, found, time_of(made), end and time_of(end), by or "")
            for job, request, found, made, end, by in rows
        ]

    def revoke(self, job_id: str, by: str = "") -> bool:
        """End a job's grant; false if it has none. `by`: whose doing it is. Raises StateError."""
        return self._end(job_id, by or "revoked", None)

    def _end(self, job_id: str, by: str, fingerprint: str | None) -> bool:
        """End a grant, unless it has another fingerprint by now."""
        at = self._clock()
        with self._db.transaction() as connection:
            ended = _end(connection, stamp(at), job_id, by, fingerprint)
            if ended:
                write_event(connection, at, "cron.revoked", {"job": job_id, "by": by})
        return ended


def _end(connection: Connection, at: int, job_id: str, by: str, fingerprint: str | None) -> bool:
    found = connection.execute(
        "UPDATE cron_grants SET ended = ?, ended_by = ? WHERE job = ? AND ended IS NULL"
        " AND (? IS NULL OR fingerprint = ?)",
        (at, by, job_id, fingerprint, fingerprint),
    )
    return found.rowcount > 0


def _read(job: Mapping[str, Any]) -> tuple[str, str]:
    """A job's id and fingerprint; raises CronError."""
    id_ = job.get("id") if isinstance(job, Mapping) else None
    if not isinstance(id_, str) or not id_:
        raise CronError("a job has an `id`")
    if not isinstance(job.get("instruction"), str) or not job["instruction"]:
        raise CronError("a job has an `instruction`")
    missing = next((name for name in (*_BOUND, *_CALL) if name not in job), None)
    if missing is not None:
        raise CronError(f"a job has a `{missing}`")
    try:
        # What is no plain JSON, as an object with a meaning of its own, has no fingerprint.
        text = orjson.dumps(
            {name: job[name] for name in (*_BOUND, *_CALL)},
            option=orjson.OPT_PASSTHROUGH_SUBCLASS,
        )
    except TypeError:
        raise CronError("a job is JSON") from None
    return id_, sha256(b"callgate.cron/2\n" + canonical(orjson.loads(text))).hexdigest()


def _made_by(approval: Approval) -> dict[str, str]:
    """Whose a job is that an approved call makes."""
    context = approval.call.get("context") or {}
    frame = getattr(approval.decision, "frame", None)
    found = {
        "user": context.get("user_id"),
        "agent": context.get("agent_id"),
        "tool": getattr(frame, "tool", None) or approval.call.get("tool"),
        "cwd": context.get("cwd"),
    }
    return {name: value if isinstance(value, str) else "" for name, value in found.items()}


def _check_fresh(connection: Connection, approval: Approval, at: int) -> None:
    """Raises CronError for an approval of another call, or one that was used long ago, as far as
    the requests in this database tell."""
    row = connection.execute(
        "SELECT digest, spent FROM requests WHERE id = ?", (approval.request_id,)
    ).fetchone()
    if row is None:
        return
    if row["digest"] != approval.digest or row["spent"] is None:
        raise CronError("no person approved the call that makes this job")
    if not row["spent"] - _SLACK <= at <= row["spent"] + _FRESH:
        raise CronError("the approval of this job is too old")


def _stands_in(text: str, args: Any) -> bool:
    """Whether a text is one of the texts in JSON."""
    todo = [args]
    while todo:
        value = todo.pop()
        if isinstance(value, dict):
            todo += value.values()
        elif isinstance(value, list):
            todo += value
        elif value == text and isinstance(value, str):
            return True
    return False
