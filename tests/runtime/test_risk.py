"""The risk of a call where it is not known which rules of the risk map hold."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from callgate.effects import match
from callgate.model.catalogue import Risk, RiskRule
from callgate.model.condition import Condition
from callgate.model.effect import EffectSet
from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.runtime.reference import evaluate
from tests.small import LEVELS, SETTINGS, policy, program

UNKNOWN = Apply("lt", (Fact("observed.time"), Const(0)))
"""Not known while nobody observed the time."""

YES, NO = Const(True), Const(False)


def _rule(number: int, when: Expr, level: str) -> RiskRule:
    return RiskRule(f"declared.{number}", Condition("c", when), level, None)


@pytest.mark.parametrize(
    ("declared", "default", "tool", "risk"),
    [
        # The first that surely holds ends the search.
        ([(YES, "read_only"), (YES, "exec")], "dangerous", "fly", "read_only"),
        ([(NO, "read_only"), (YES, "exec")], "read_only", "fly", "exec"),
        # One that may hold does not hide the one behind it.
        ([(UNKNOWN, "read_only"), (YES, "exec")], "dangerous", "fly", "exec"),
        ([(UNKNOWN, "exec"), (YES, "read_only")], "dangerous", "fly", "exec"),
        ([(UNKNOWN, "write"), (UNKNOWN, "exec"), (YES, "read_only")], "write", "fly", "exec"),
        ([(YES, "read_only"), (UNKNOWN, "dangerous")], "exec", "fly", "read_only"),
        # Nor the default, which counts if none holds.
        ([(UNKNOWN, "read_only")], "dangerous", "fly", "dangerous"),
        ([(UNKNOWN, "dangerous")], "read_only", "fly", "dangerous"),
        ([(UNKNOWN, "write"), (NO, "dangerous")], "exec", "fly", "exec"),
        ([], "exec", "fly", "exec"),
        # Where the tool has a level of its own, nothing falls back on the default.
        ([(UNKNOWN, "read_only")], "dangerous", "write_file", "write"),
        ([(UNKNOWN, "exec")], "dangerous", "write_file", "exec"),
    ],
)
def test_doubt_never_lowers_a_risk(
    declared: list[tuple[Expr, str]], default: str, tool: str, risk: str
) -> None:
    rules = tuple(_rule(n, when, level) for n, (when, level) in enumerate(declared))
    tools = {"write_file": "write"}
    source = replace(policy(), risk=Risk(LEVELS, tools, default, rules))
    call: dict[str, Any] = {"tool": tool, "declared": {"mcp_server": "a"}}
    outcome = evaluate(source, SETTINGS, call, EffectSet(), match)
    decision = program(source).decide(call)
    assert (outcome.error, decision.failure) == (None, None)
    assert (outcome.risk, decision.to_dict()["risk"]) == (risk, risk)


def test_the_sources_name_every_rule_that_may_hold() -> None:
    rules = (_rule(0, UNKNOWN, "read_only"), _rule(1, UNKNOWN, "exec"))
    small = program(replace(policy(), risk=Risk(LEVELS, {}, "write", rules)))
    decision = small.decide({"tool": "fly"})
    assert small.classifier.explain(decision.frame) == [
        ("default", "write"),
        ("declared.0", "read_only"),
        ("declared.1", "exec"),
    ]
