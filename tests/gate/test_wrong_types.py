"""What is handed to the gate by mistake is named, and so is what is wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.gate.fixed_policy import FixedPolicy
from callgate.gate.gate import ApprovalGate
from callgate.gate.live_policy import LivePolicy
from callgate.model.diagnostic import PolicyError
from tests.gate.gating import engine


@pytest.mark.parametrize("policy", ["echo", None, Path("echo"), {}, Engine])
def test_a_policy_that_is_none(policy: Any) -> None:
    with pytest.raises(TypeError, match=r"`policy` is a LivePolicy or an Engine, such as LiveP"):
        ApprovalGate(policy)


def test_a_fixed_policy_wants_an_engine() -> None:
    wrong: Any = "echo"
    with pytest.raises(TypeError, match="`engine` is an Engine, such as"):
        FixedPolicy(wrong)


@pytest.mark.parametrize("state", ["/path", Path("/path"), 5])
def test_a_state_that_is_none(state: Any) -> None:
    with pytest.raises(TypeError, match="`state` is a StateFolder, such as StateFolder"):
        ApprovalGate(engine(), state=state)


def test_a_name_that_was_mistyped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for load in (Engine.load, LivePolicy):
        with pytest.raises(PolicyError, match="did you mean `echo`"):
            load("ecko")
