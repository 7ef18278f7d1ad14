"""What no settings can reach is reported, and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callgate.compiler.reach import report_unreachable
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import And, Apply, Const, Expr, Fact
from callgate.model.policy import AskLevel, Decide, Policy, Rule, Step, Verdict
from tests.small import eq, listed, policy, rule

NEVER: Expr = And((Fact("call.nested"), Apply("in", (Fact("call.tool"), Const(())))))
DENY = Decide(Verdict.DENY)


def steps(*given: Step) -> Policy:
    return policy(steps=given)


def step(id_: str, *rules: Rule, when: Expr | None = None, otherwise: Decide | None = None) -> Step:
    condition = None if when is None else Condition("when", when)
    return Step(id_, id_, rules, condition, otherwise)


CASES: list[tuple[Policy, list[str]]] = [
    (steps(step("a", rule("r", eq("call.tool", "x"), "deny"))), []),
    (steps(step("a", rule("r", NEVER, "deny"))), ["C009 r"]),
    (
        steps(step("a", rule("r", None, "deny"), rule("s", eq("call.tool", "x"), "deny"))),
        ["C009 s"],
    ),
    # An allow may be held by an ask, so what follows it can be reached.
    (steps(step("a", rule("r", None, "allow"), rule("s", None, "deny"))), []),
    (
        steps(step("a", rule("r", None, "allow", AskLevel.PERSON), rule("s", None, "deny"))),
        ["C009 s"],
    ),
    # Only what is never true under any settings counts.
    (steps(step("a", rule("r", listed("call.tool", "auto_deny"), "deny"))), []),
    (
        steps(step("a", otherwise=DENY), step("b", rule("r", None, "deny")), step("c")),
        ["C010 b", "C010 c"],
    ),
    (steps(step("a", when=Fact("call.nested"), otherwise=DENY), step("b")), []),
    (steps(step("a", when=NEVER, otherwise=DENY), step("b")), ["C010 a"]),
    (steps(step("a", rule("r", None, "deny"), otherwise=DENY)), ["C009 otherwise"]),
    (
        steps(
            step("a", replace(rule("r", None, "deny"), tools=("exec",)), rule("s", None, "deny"))
        ),
        [],
    ),
]


@pytest.mark.parametrize(("given", "found"), CASES, ids=range(len(CASES)))
def test_unreachable(given: Policy, found: list[str]) -> None:
    diagnostics = Diagnostics()
    report_unreachable(given, diagnostics)
    assert [f"{d.code} {d.message.split('`')[1]}" for d in diagnostics] == found
    assert not diagnostics.has_errors
    assert all(d.help for d in diagnostics)
