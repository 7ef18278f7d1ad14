"""What is too much to read is denied, and nothing lifts that."""

from __future__ import annotations

from typing import Any

import pytest

from callgate import Engine

LONG = "echo " + "a" * 200_000
CASES: list[dict[str, Any]] = [
    {"tool": "exec", "args": {"command": LONG}},
    {"tool": "execute_code", "args": {"code": LONG, "language": "bash"}},
    {"tool": "process", "args": {"action": "start", "command": LONG}},
    {"tool": "exec", "args": {"command": "true; " * 30_000 + "rm -rf x"}},
]


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


@pytest.mark.parametrize("call", CASES)
@pytest.mark.parametrize(
    "more",
    [
        {"context": {"channel": "cli"}},
        {"answers": {"grant": True, "human": "once"}},
        {"settings": {"permissions": {"approval": {"mode": "off", "auto_approve": ["exec"]}}}},
    ],
)
def test_a_bound_is_a_deny(echo: Engine, call: dict[str, Any], more: dict[str, Any]) -> None:
    decision = echo.decide({**call, **more})
    assert (decision.decision, decision.rule, decision.step) == ("deny", "builtin.bounds", "guards")
    described = decision.to_dict()
    assert described["matched"][-1]["rule"] == "builtin.bounds"
    assert described["matched"][-1]["decide"] == "deny"
    assert "understood" in described["reason"] and len(described["reason"]) < 300


def test_below_the_bound_it_is_read(echo: Engine) -> None:
    call = {"tool": "exec", "args": {"command": "echo " + "a" * 60_000}}
    assert echo.decide({**call, "context": {"channel": "cli"}}).decision == "allow"
