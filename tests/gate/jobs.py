"""A scheduled job, and a person's approval of the call that makes it."""

from __future__ import annotations

from typing import Any

from callgate.gate.approval import Approval
from callgate.gate.database import Database
from callgate.gate.frozen_call import freeze
from callgate.gate.requests import Requests
from callgate.model.decision import Decision
from tests.gate.asking import NOON, question

__all__ = ["JOB", "approval", "spent"]

JOB: dict[str, Any] = {
    "id": "job-1",
    "instruction": "send the report",
    "target": {"channel": "telegram", "chat": 42},
    "trigger": "0 9 * * *",
    "user": "ann",
    "agent": "helper",
    "tool": "cronjob",
    "cwd": "/srv/app",
}
CONTEXT = {"user_id": "ann", "agent_id": "helper", "cwd": "/srv/app", "session_key": "s1"}


def approval(
    request: str = "r1",
    instruction: str = JOB["instruction"],
    action: str = "add",
    **rest: Any,
) -> Approval:
    """The answer to a call that makes a job."""
    args = {"action": action, "job": {"text": instruction, "when": ["0 9 * * *"]}}
    call = freeze({"tool": "cronjob", "args": args, "context": CONTEXT}, {}).call
    given: dict[str, Any] = {"approval_source": "human", "request_id": request, **rest}
    return Approval(True, Decision(), call, **given)


def spent(db: Database) -> Approval:
    """An approval whose request was answered and used at noon."""
    made = approval()
    requests = Requests(db, lambda: NOON)
    id_ = requests.open(question(digest=made.digest)).id
    requests.answer(id_, "once", "ann")
    assert requests.spend(id_, made.digest)
    return made._replace(request_id=id_)
