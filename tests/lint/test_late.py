"""What is said to come too late never decides: held to a walk of every call."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from callgate.lint.late_guards import late_in
from callgate.lint.order import late_in_flow
from callgate.model.condition import Condition
from callgate.model.expr import Expr
from callgate.model.policy import (
    AskLevel,
    Decide,
    Flow,
    Guard,
    GuardDecision,
    Rule,
    Step,
    Verdict,
)
from callgate.model.values import UNKNOWN
from tests.lint.worlds import LOGIC, conditions, truths

DENY = Decide(Verdict.DENY)
_when = st.one_of(st.none(), conditions(3))


def _condition(expr: Expr | None) -> Condition | None:
    return None if expr is None else Condition("", expr)


@st.composite
def _flows(draw: st.DrawFn) -> Flow:
    steps = []
    for number in range(draw(st.integers(1, 3))):
        rules = tuple(
            Rule(
                f"r{number}{at}",
                "",
                _condition(draw(conditions(3))),
                Decide(
                    draw(st.sampled_from(Verdict)),
                    None,
                    draw(st.sampled_from((AskLevel.NONE, AskLevel.PERSON))),
                ),
            )
            for at in range(draw(st.integers(0, 3)))
        )
        when = draw(_when)
        otherwise = DENY if draw(st.booleans()) else None
        guards = draw(st.booleans())
        steps.append(Step(f"s{number}", "", rules, _condition(when), otherwise, guards))
    return Flow(tuple(steps), DENY)


def _exprs(flow: Flow) -> list[Expr]:
    items = [item for step in flow.steps for item in (step, *step.rules)]
    return [item.when.expr for item in items if item.when is not None]


def _seen(flow: Flow, truth: dict[Expr, Any], asks: bool) -> set[str]:
    """The steps that a call gets into, and the rule that decides."""
    seen: set[str] = set()
    carried = False
    for step in flow.steps:
        carried = carried or (step.guards and asks)
        if step.when is not None and truth[step.when.expr] is not True:
            continue
        seen.add(step.id)
        for rule in step.rules:
            assert rule.when is not None and isinstance(rule.then, Decide)
            holds = truth[rule.when.expr]
            allows = rule.then.effect is Verdict.ALLOW
            if holds is False or (holds is UNKNOWN and allows):
                continue
            if not (allows and carried and rule.then.despite is AskLevel.NONE):
                return seen | {rule.id}
        if step.otherwise is not None:
            return seen
    return seen


@settings(deadline=None, max_examples=60)
@given(_flows())
def test_what_is_late_in_a_flow_never_decides(flow: Flow) -> None:
    late = {item.item.id for item in late_in_flow(LOGIC, flow)}
    if not late:
        return
    exprs = _exprs(flow)
    for found in truths(*exprs):
        truth = dict(zip(exprs, found, strict=True))
        # Whether a step takes part is never unknown.
        if any(s.when and truth[s.when.expr] is UNKNOWN for s in flow.steps):
            continue
        for asks in (False, True):
            assert late.isdisjoint(_seen(flow, truth, asks))


@st.composite
def _guards(draw: st.DrawFn) -> tuple[Guard, ...]:
    return tuple(
        Guard(
            f"g{number}",
            "",
            draw(st.sampled_from((GuardDecision.DENY, GuardDecision.ASK))),
            _condition(draw(conditions(2))),
            ("w", draw(st.sampled_from(("write", "changes")))),
            unresolved=draw(st.sampled_from(("ask", "deny", "pass"))),
        )
        for number in range(draw(st.integers(2, 4)))
    )


def _strictest(guards: list[Guard], truth: dict[Expr, Any]) -> int:
    """What guards decide together: nothing, an ask, a deny."""
    order = {"pass": 0, "ask": 1, "deny": 2}
    found = 0
    for guard in guards:
        assert guard.when is not None
        holds = truth[guard.when.expr]
        if holds is not False:
            word = guard.decide.value if holds is True else guard.unresolved
            found = max(found, order[word])
    return found


@settings(deadline=None, max_examples=300)
@given(_guards())
def test_a_guard_that_is_late_decides_nothing(guards: tuple[Guard, ...]) -> None:
    for late in late_in(LOGIC, guards):
        if late.reason == "differs" and late.same:
            continue  # told of the two together
        others = tuple(guard for guard in guards if guard is not late.item)
        exprs = [guard.when.expr for guard in guards if guard.when is not None]
        for found, kind in product(truths(*exprs), ("write", "delete")):
            truth = dict(zip(exprs, found, strict=True))
            one, all_ = (
                [guard for guard in items if guard.each and guard.each[1] in (kind, "changes")]
                for items in (others, guards)
            )
            assert _strictest(one, truth) == _strictest(all_, truth)
