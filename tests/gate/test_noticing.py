"""A check notices what operators have set, whatever comes of it, and while it looks, too."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.control import Control
from callgate.gate.gate import ApprovalGate
from callgate.gate.live_policy import LivePolicy
from callgate.gate.observe import Observations
from callgate.gate.state import StateFolder
from tests.gate.gating import Seen, call, engine
from tests.gate.tiny import CALL, say, write_bundle


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def test_a_freeze_during_the_look_counts(state: StateFolder) -> None:
    class Slow(Seen):
        async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
            Control(state).freeze("local:root", "an incident")
            return await super().observe(paths, hosts)

    gate = ApprovalGate(engine(), state=state, observer=Slow(), wait=False)
    asked = call("run", command="git status")
    assert ApprovalGate(engine(), observer=Seen()).policy.program.decide(asked).decision == "allow"
    found = asyncio.run(gate.check(asked))
    assert not found.allowed
    assert found.kind == "approval_pending"


@pytest.mark.parametrize(
    ("context", "kind"),
    [
        ({"channel": "chat"}, ""),
        (CALL["context"], "policy"),
        ({"channel": 5}, "invalid"),
        ({"channel": "chat", "workspace": "etc"}, "approval_unavailable"),
    ],
    ids=["allowed", "denied", "invalid", "refused"],
)
def test_any_check_notices_another_version(
    tmp_path: Path, state: StateFolder, context: dict[str, Any], kind: str
) -> None:
    bundle = write_bundle(tmp_path / "etc" / "tiny")
    policy, other = LivePolicy(bundle, state=state), LivePolicy(bundle, state=state)
    gate = ApprovalGate(policy, state=state, observer=Seen())
    say(bundle, "second")
    assert other.reload().ok
    assert policy.digest != other.digest
    if "workspace" in context:
        context = {**context, "workspace": str(bundle.parent)}  # which holds the policy
    assert asyncio.run(gate.check({"tool": "look", "context": context})).kind == kind
    policy.settle()
    assert policy.digest == other.digest
