"""Rules read the asks only so that more of them make the decision stricter."""

from __future__ import annotations

from dataclasses import replace

import pytest

from callgate.compiler.stricter import report_weakening
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import And, Apply, Const, Expr, Fact, Not, Or
from callgate.model.policy import (
    Consult,
    Consultant,
    Decide,
    Guard,
    GuardDecision,
    Next,
    Rule,
    Step,
    Verdict,
)
from tests.small import policy, rule

LEVELS = ("none", "any", "person")


def asks(op: str, level: str) -> Expr:
    if op in ("eq", "ne"):
        return Apply(op, (Fact("guards.asks"), Const(level)))
    rank = Apply("rank", (Fact("guards.asks"), Const(LEVELS)))
    return Apply(op, (rank, Const(LEVELS.index(level))))


MORE = [asks("ge", "any"), asks("gt", "none"), asks("ne", "none"), asks("eq", "person")]
FEWER = [asks("le", "any"), asks("lt", "person"), asks("eq", "none"), asks("ne", "person")]
NESTED = Fact("call.nested")
CASES: list[tuple[str, Expr, bool]] = [
    *(("deny", test, True) for test in MORE),
    *(("deny", test, False) for test in FEWER),
    *(("allow", test, True) for test in FEWER),
    *(("allow", test, False) for test in MORE),
    *(("ask", test, False) for test in (*MORE, *FEWER)),
    ("deny", asks("eq", "any"), False),
    ("allow", asks("eq", "any"), False),
    ("deny", Not(FEWER[0]), True),
    ("deny", Not(MORE[0]), False),
    ("deny", And((NESTED, MORE[0])), True),
    ("deny", Or((NESTED, FEWER[0])), False),
    ("ask", NESTED, True),
]


def codes(*rules: Rule, guards: tuple[Guard, ...] = (), step: Expr | None = None) -> list[str]:
    when = None if step is None else Condition("when", step)
    found = Diagnostics()
    report_weakening(policy(steps=(Step("s", "S", rules, when),), guards=guards), found)
    return [item.code for item in found]


@pytest.mark.parametrize(("effect", "test", "fine"), CASES)
def test_directions(effect: str, test: Expr, fine: bool) -> None:
    assert codes(rule("r", test, effect)) == ([] if fine else ["T021"])


def test_a_step_reads_no_asks() -> None:
    assert codes(rule("r", None, "deny"), step=MORE[0]) == ["T021"]
    assert codes(rule("r", None, "deny"), step=NESTED) == []


@pytest.mark.parametrize(
    ("none", "test", "fine"),
    [
        (Next(), FEWER[2], True),
        (Next(), MORE[0], False),
        (Decide(Verdict.DENY), FEWER[2], False),
        (Decide(Verdict.DENY), NESTED, True),
    ],
)
def test_consults(none: Decide | Next, test: Expr, fine: bool) -> None:
    consult = Consult(Consultant.GRANT, {"granted": Decide(Verdict.ALLOW), "none": none})
    asked = Rule("r", "R", Condition("when", test), consult)
    assert codes(asked) == ([] if fine else ["T021"])


def test_a_guard_is_not_stricter_in_doubt() -> None:
    guard = Guard("g", "G", GuardDecision.ASK, None, unresolved="deny")
    assert codes(guards=(guard,)) == ["C019"]
    assert codes(guards=(replace(guard, decide=GuardDecision.DENY),)) == []
    assert codes(guards=(replace(guard, unresolved="ask"),)) == []
