"""The reference's facts: names, defaults, dynamic tools, risk."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callgate.model.catalogue import DynamicTools, Risk, RiskRule, Tool
from callgate.model.condition import Condition
from callgate.model.effect import EffectSet
from callgate.model.expr import (
    Apply,
    Const,
    Fact,
)
from callgate.model.policy import (
    Policy,
)
from callgate.model.values import UNKNOWN
from callgate.runtime.reference import Outcome, evaluate
from callgate.runtime.reference_facts import CallFacts
from tests.small import LEVELS, policy


def _evaluate(source: Policy, call: dict[str, Any]) -> Outcome:
    return evaluate(source, {}, call, EffectSet())


_TOOLS = {
    "exec": Tool("exec", capabilities=("process.exec",), aliases=("bash",)),
    "read_file": Tool("read_file"),
}


@pytest.mark.parametrize(
    ("fact", "call", "expected"),
    [
        ("call.tool", {"tool": "bash"}, "exec"),
        ("call.called_as", {"tool": "bash"}, "bash"),
        ("call.tool", {"tool": "EXEC"}, "EXEC"),
        ("call.channel", {"tool": "x"}, ""),
        ("call.channel", {"tool": "x", "context": {"channel": None}}, ""),
        ("call.parent_execution_id", {"tool": "x"}, None),
        ("call.groups", {"tool": "x"}, ()),
        ("call.extra", {"tool": "x"}, {}),
        ("args.a.b", {"tool": "x", "args": {"a.b": 1}}, 1),
        ("args.a", {"tool": "x", "args": None}, None),
        ("declared.annotations", {"tool": "x"}, {}),
        ("observed.dns", {"tool": "x"}, {}),
        ("observed.time", {"tool": "x"}, UNKNOWN),
        ("observed.time", {"tool": "x", "observed": {"time": "1970-01-01T00:00:01Z"}}, 1_000_000),
        ("capabilities", {"tool": "bash", "declared": {"capabilities": ["a", "a"]}}, None),
    ],
)
def test_facts(fact: str, call: dict[str, Any], expected: Any) -> None:
    facts = CallFacts(policy(tools=_TOOLS), {}, call, EffectSet(), lambda *_: False)
    if fact == "capabilities":
        assert facts(fact) == ["process.exec", "a"]
    else:
        assert facts(fact) == expected or facts(fact) is expected


def test_tools_outside_the_catalogue() -> None:
    def entry(name: str, glob: str, capability: str, listed: bool) -> DynamicTools:
        when = Condition(name, Apply("like", (Fact("call.tool"), Const(glob))))
        return DynamicTools(name, when, (capability,), listed=listed)

    entries = (
        entry("a", "mcp_*", "one", False),
        entry("b", "*", "two", False),
        entry("c", "*e*", "three", True),
    )
    source = replace(policy(tools=_TOOLS), dynamic=entries)
    assert _evaluate(source, {"tool": "mcp_x"}).capabilities == ["one", "two"]
    assert _evaluate(source, {"tool": "other"}).capabilities == ["two", "three"]
    assert _evaluate(source, {"tool": "read_file"}).capabilities == ["three"]


@pytest.mark.parametrize(
    ("call", "risk"),
    [
        ({"tool": "read_file"}, "read_only"),
        ({"tool": "unheard-of"}, "write"),
        ({"tool": "read_file", "declared": {"risk_level": "exec"}}, "exec"),
        ({"tool": "read_file", "declared": {"risk_level": "EXEC"}}, "read_only"),
        ({"tool": "exec", "declared": {"risk_level": "read_only"}}, "exec"),
        ({"tool": "unheard-of", "declared": {"risk_level": "read_only"}}, "read_only"),
        ({"tool": "unheard-of", "context": {"nested": True}}, "read_only"),
        ({"tool": "unheard-of", "context": {"nested": True, "unattended": True}}, "read_only"),
        ({"tool": "unheard-of", "context": {"unattended": True}}, "dangerous"),
        ({"tool": "exec", "context": {"cron_authorized": True}}, "exec"),
        ({"tool": "read_file", "context": {"cron_authorized": True}}, "write"),
    ],
)
def test_risk(call: dict[str, Any], risk: str) -> None:
    def when(fact: str) -> Condition:
        return Condition(fact, Fact(fact))

    source = replace(
        policy(),
        risk=Risk(
            LEVELS,
            {"read_file": "read_only", "exec": "exec"},
            "write",
            (
                RiskRule("first", when("call.nested"), "read_only"),
                RiskRule("second", when("call.unattended"), "dangerous"),
            ),
            (RiskRule("up", when("call.cron_authorized"), "write"),),
        ),
    )
    assert _evaluate(source, call).risk == risk
