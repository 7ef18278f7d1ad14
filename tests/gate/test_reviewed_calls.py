"""Calls on their whole way through the gate, with a reviewer behind a real endpoint."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.gate.approval import Approval
from callgate.gate.database import Database
from callgate.gate.gate import ApprovalGate
from callgate.gate.openai_reviewer import OpenAIReviewer
from callgate.gate.state import StateFolder
from tests.gate.loopback import Act, Loopback, loopback, response, says

SMART = {"permissions": {"approval": {"mode": "smart", "wait_timeout_seconds": 0}}}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load("echo", SMART)


def check(
    engine: Engine, state: Path, texts: list[str], *acts: Act
) -> tuple[list[Approval], Loopback]:
    """The gate's answers to shell texts, one after the other, and the reviewer's server."""

    async def main() -> tuple[list[Approval], Loopback]:
        async with loopback(*acts) as server:
            reviewer = OpenAIReviewer(server.url, "m", "k", 30, 0)
            gate = ApprovalGate(engine, state=StateFolder(state / "state"), reviewer=reviewer)
            return [await gate.check(call(text, state / "work")) for text in texts], server

    return asyncio.run(main())


def call(text: str, cwd: Path) -> dict[str, Any]:
    context = {"channel": "chat", "session_key": "s", "user_id": "u", "agent_id": "a"}
    where = {"cwd": str(cwd), "workspace": str(cwd), "home": str(cwd)}
    return {"tool": "exec", "args": {"command": text}, "context": {**context, **where}}


def test_what_the_reviewer_approves_runs_and_leaves_no_grant(
    engine: Engine, tmp_path: Path
) -> None:
    (first, second), server = check(engine, tmp_path, ["rm -r x", "rm -r x"], says("APPROVE"))
    for approval in (first, second):
        assert approval.allowed
        assert approval.approval_source == "auto"
        assert (approval.grant_id, approval.request_id) == ("", "")
    # Nothing was kept: it was asked again.
    assert len(server.requests) == 2
    rows = Database(tmp_path / "state" / "state.db").read().execute("SELECT id FROM grants")
    assert rows.fetchall() == []


def test_what_the_reviewer_refuses_stays_refused(engine: Engine, tmp_path: Path) -> None:
    texts = ["rm -r x", "rm --recursive ./x", "true; rm -r x"]
    found, server = check(engine, tmp_path, texts, says("DENY"), says("APPROVE"))
    assert [approval.allowed for approval in found] == [False] * 3
    assert {approval.kind for approval in found} == {"approval_denied"}
    assert len(server.requests) == 1
    # In the next process, too.
    (again,), server = check(engine, tmp_path, ["rm -r x"], says("APPROVE"))
    assert not again.allowed
    assert server.requests == []


def test_a_broken_reviewer_denies_and_the_user_is_told(engine: Engine, tmp_path: Path) -> None:
    (approval,), _ = check(engine, tmp_path, ["rm -r x"], response(b"oops", "500 No"))
    assert not approval.allowed
    assert approval.kind == "approval_unavailable"
    assert approval.notice


@pytest.mark.parametrize("reply", ["APPROVE DENY", "ESCALATE", "Sure, APPROVE"])
def test_anything_else_goes_to_a_person(engine: Engine, tmp_path: Path, reply: str) -> None:
    (approval,), _ = check(engine, tmp_path, ["rm -r x"], says(reply))
    assert not approval.allowed
    assert approval.request_id


def test_what_is_not_shown_whole_is_not_even_asked(engine: Engine, tmp_path: Path) -> None:
    text = "rm -r x; echo " + "y" * 5_000
    (approval,), server = check(engine, tmp_path, [text], says("APPROVE"))
    assert not approval.allowed
    assert server.requests == []
