"""Grants for scheduled jobs: made by a person's word, void when the job is edited."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.cron import CronError, CronGrant, CronGrants
from callgate.gate.database import Database, StateError
from callgate.gate.events import Events
from tests.gate.asking import NOON
from tests.gate.jobs import JOB, approval, spent
from tests.gate.processes import other


@pytest.fixture
def cron(db: Database) -> CronGrants:
    return CronGrants(db, lambda: NOON)


def test_a_job_that_a_person_approved_may_run(cron: CronGrants, db: Database) -> None:
    assert not cron.authorised(JOB)
    fingerprint = cron.issue(approval(), JOB)
    assert len(fingerprint) == 64
    assert cron.authorised(JOB)
    assert cron.authorised({**JOB, "name": "what it is called is no matter"})
    assert not cron.authorised({**JOB, "id": "job-2"})
    event = Events(db).list("cron.granted")[0]
    assert event.detail == {"job": "job-1", "fingerprint": fingerprint, "request": "r1"}


@pytest.mark.parametrize(
    "given",
    [
        approval(approval_source="auto"),
        approval(approval_source=""),
        approval(request=""),
        approval()._replace(allowed=False),
        approval(instruction="send the report and the keys"),
        approval(instruction="send"),
    ],
)
def test_nothing_else_makes_a_grant(cron: CronGrants, given: Approval) -> None:
    with pytest.raises(CronError):
        cron.issue(given, JOB)
    assert not cron.authorised(JOB)


@pytest.mark.parametrize(
    "job",
    [
        {},
        {**JOB, "id": ""},
        {**JOB, "id": 1},
        {**JOB, "instruction": ""},
        {**JOB, "instruction": ["send the report"]},
        {name: JOB[name] for name in JOB if name != "target"},
        {name: JOB[name] for name in JOB if name != "trigger"},
        {**JOB, "trigger": object()},
        {**JOB, "trigger": {1: 2}},
        {**JOB, "target": "\ud800"},
        None,
        "job-1",
    ],
)
def test_a_malformed_job_has_no_grant(cron: CronGrants, job: Any) -> None:
    with pytest.raises(CronError):
        cron.issue(approval(), job)
    assert cron.authorised(job) is False


@pytest.mark.parametrize(
    "edit",
    [
        {"instruction": "send the report "},
        {"instruction": "send the keys"},
        {"target": {"channel": "telegram", "chat": 43}},
        {"target": {"channel": "telegram", "chat": "42"}},
        {"target": None},
        {"trigger": "* * * * *"},
        {"trigger": ["0 9 * * *"]},
        {"user": "mallory"},
        {"agent": "another"},
        {"tool": "exec"},
        {"cwd": "/"},
        {"cwd": ""},
    ],
)
def test_an_edited_job_loses_it_for_good(
    cron: CronGrants, db: Database, edit: dict[str, Any]
) -> None:
    cron.issue(approval(), JOB)
    assert not cron.authorised({**JOB, **edit})
    assert not cron.authorised(JOB)
    assert Events(db).list("cron.revoked")[0].detail == {"job": "job-1", "by": "edited"}
    cron.issue(approval("r2"), JOB)
    assert cron.authorised(JOB)


@pytest.mark.parametrize("name", ["user", "agent", "tool", "cwd"])
def test_whose_it_is_says_the_call_that_was_approved(cron: CronGrants, name: str) -> None:
    with pytest.raises(CronError, match="for whom"):
        cron.issue(approval(), {**JOB, name: "another"})
    without = {key: JOB[key] for key in JOB if key != name}
    cron.issue(approval(), without)
    assert not cron.authorised(without)  # it has to be said when it fires
    assert cron.authorised(JOB)


@pytest.mark.parametrize(
    ("after", "ok"), [(0, True), (600, True), (601, False), (-4, True), (-6, False)]
)
def test_an_approval_does_not_keep(db: Database, after: float, ok: bool) -> None:
    made = spent(db)
    cron = CronGrants(db, lambda: NOON + timedelta(seconds=after))
    if ok:
        cron.issue(made, JOB)
    else:
        with pytest.raises(CronError, match="too old"):
            cron.issue(made, JOB)


def test_an_approval_of_another_call_or_unused_makes_no_grant(db: Database) -> None:
    made = spent(db)
    cron = CronGrants(db, lambda: NOON)
    with pytest.raises(CronError, match="no person"):
        cron.issue(approval(made.request_id, action="edit"), JOB)
    with db.transaction() as connection:
        connection.execute("UPDATE requests SET spent = NULL")
    with pytest.raises(CronError, match="no person"):
        cron.issue(made, JOB)


def test_the_order_of_keys_is_no_edit(cron: CronGrants) -> None:
    cron.issue(approval(), JOB)
    turned = {name: JOB[name] for name in reversed(JOB)}
    assert cron.authorised({**turned, "target": {"chat": 42, "channel": "telegram"}})


def test_an_approval_makes_one_grant(cron: CronGrants) -> None:
    cron.issue(approval(), JOB)
    for job in (JOB, {**JOB, "id": "job-2"}, {**JOB, "trigger": "* * * * *"}):
        with pytest.raises(CronError, match="already"):
            cron.issue(approval(), job)
    cron.issue(approval("r2"), JOB)
    with pytest.raises(CronError, match="already"):
        cron.issue(approval(), JOB)


def test_a_new_approval_replaces_the_old(cron: CronGrants) -> None:
    cron.issue(approval(), JOB)
    later = {**JOB, "trigger": "0 10 * * *"}
    cron.issue(approval("r2"), later)
    assert cron.authorised(later)
    assert not cron.authorised(JOB)


def test_it_is_revoked(cron: CronGrants) -> None:
    cron.issue(approval(), JOB)
    assert cron.revoke("job-1", by="local:ann")
    assert not cron.revoke("job-1")
    assert not cron.authorised(JOB)


def test_they_are_listed(cron: CronGrants) -> None:
    first = cron.issue(approval(), JOB)
    other_ = cron.issue(approval("r2"), {**JOB, "id": "job-2"})
    later = cron.issue(approval("r3"), {**JOB, "trigger": "0 10 * * *"})
    assert cron.list() == [
        CronGrant("job-2", "r2", other_, NOON, None, ""),
        CronGrant("job-1", "r3", later, NOON, None, ""),
    ]
    assert cron.revoke("job-2", by="local:ann")
    assert cron.list(ended=True) == [
        CronGrant("job-1", "r1", first, NOON, NOON, "replaced"),
        CronGrant("job-2", "r2", other_, NOON, NOON, "local:ann"),
        CronGrant("job-1", "r3", later, NOON, None, ""),
    ]


def test_before_it_was_made_nothing_may_run(cron: CronGrants, db: Database) -> None:
    cron.issue(approval(), JOB)
    assert not CronGrants(db, lambda: NOON - timedelta(seconds=1)).authorised(JOB)
    assert cron.authorised(JOB)


def test_a_database_that_is_gone_is_told(cron: CronGrants, db: Database) -> None:
    cron.issue(approval(), JOB)
    db.path.unlink()
    with pytest.raises(StateError):
        cron.authorised(JOB)


def test_processes_spend_one_approval_once(db: Database) -> None:
    code = """
from callgate.gate.cron import CronError, CronGrants
from callgate.gate.approval import Approval
from callgate.gate.frozen_call import freeze
from callgate.model.decision import Decision
call = freeze({"tool": "cronjob", "args": {"text": "x"}}, {}).call
given = Approval(True, Decision(), call, approval_source="human", request_id="r")
wait("ready")
try:
    CronGrants(db).issue(given, {"id": sys.argv[2], "instruction": "x", "target": 1, "trigger": 1})
    print("made")
except CronError:
    print("refused")
"""
    with other(db.path, code, "a") as a, other(db.path, code, "b") as b:
        assert {a.read(), b.read()} == {"ready"}
        a.go()
        b.go()
        assert sorted([a.end(), b.end()]) == ["made", "refused"]
