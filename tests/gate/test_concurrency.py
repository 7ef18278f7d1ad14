"""Many checks at once, in one process and in several."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.database import Database
from callgate.gate.gate import ApprovalGate
from callgate.gate.requests import Requests
from callgate.gate.reviewer import Brief
from callgate.gate.state import StateFolder
from tests.benchmarks.gate import memory
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine
from tests.gate.test_approval import SMART, granted

MANY = 1_000


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


async def all_of(gate: ApprovalGate, calls: list[dict[str, Any]]) -> list[Approval]:
    """The answers to calls that are checked at once."""
    return await asyncio.gather(*(gate.check(asked) for asked in calls))


def test_a_thousand_calls_with_and_without_grants(state: StateFolder) -> None:
    kept = {number: call("deploy", version=str(number)) for number in range(0, MANY, 50)}
    ids = {granted(state, asked, "session"): number for number, asked in kept.items()}
    gate = ApprovalGate(engine(), state=state, observer=Seen())
    calls = [call("deploy", version=str(number)) for number in range(MANY)]
    for asked in calls:
        if int(asked["args"]["version"]) not in kept:
            # Nobody is there for the others.
            asked["context"]["nested"] = True
    found = asyncio.run(all_of(gate, calls))
    for number, approval in enumerate(found):
        assert approval.allowed == (number in kept)
        assert approval.args() == {"version": str(number)}
        if approval.allowed:
            assert ids[approval.grant_id] == number


def test_a_thousand_reviews_do_not_mix(state: StateFolder) -> None:
    class Careful:
        async def review(self, brief: Brief) -> str:
            await asyncio.sleep(0)
            number = int("".join(filter(str.isdigit, brief.text)))
            return "APPROVE" if number % 2 else "DENY"

    gate = ApprovalGate(engine(SMART), state=state, observer=Seen(), reviewer=Careful())
    calls = [
        call("deploy", version=str(number), context={"session_key": f"s{number}"})
        for number in range(MANY)
    ]
    for number, approval in enumerate(asyncio.run(all_of(gate, calls))):
        assert approval.allowed == bool(number % 2), approval


def test_a_thousand_questions_at_once(state: StateFolder) -> None:
    """More than people can read are refused; each yes is used once, by its own call."""
    chat = Chat(*["once"] * MANY)
    gate = ApprovalGate(engine(), state=state, observer=Seen(), people=people_of(state, [chat]))
    calls = [
        call("deploy", version=str(number % 100), context={"session_key": f"s{number % 20}"})
        for number in range(MANY)
    ]
    found = asyncio.run(all_of(gate, calls))
    spent = [
        request for request in Requests(Database(state.database)).list(limit=MANY) if request.spent
    ]
    passed = [approval for approval in found if approval.allowed]
    assert passed
    assert len(passed) == len(spent) == len({approval.request_id for approval in passed})
    digests = {request.id: request.digest for request in spent}
    for approval in passed:
        assert approval.approval_source == "human"
        assert digests[approval.request_id] == approval.digest


def test_memory_stays_flat(tmp_path: Path) -> None:
    from callgate.engine import Engine

    sizes = memory(ApprovalGate(Engine.load("echo", cache=True)), tmp_path, 20_000)
    # What is remembered of texts fills up first.
    assert sizes[-1] - sizes[5] < 4_096
