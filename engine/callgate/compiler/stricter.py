"""What the rest of a policy must keep to so that more effects never make a decision less strict.

The type checker sees to it that conditions read effects in the right direction. Here: rules of the
flow read what the guards found (`guards.asks`) in the right direction, and a guard is never
stricter about what it can't know than about what it knows.
"""

from __future__ import annotations

from collections.abc import Iterator

from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import And, Apply, Const, Expr, Fact, Not, Or, children
from callgate.model.policy import Consult, Decide, GuardDecision, Next, Policy, Rule, Verdict

__all__ = ["report_weakening"]

_UP = frozenset({1})
_DOWN = frozenset({-1})
_NEVER: frozenset[int] = frozenset()


def report_weakening(policy: Policy, diagnostics: Diagnostics) -> None:
    """Report T021 for conditions on `guards.asks`, and C019 for guards."""
    for guard in policy.guards:
        if guard.unresolved == "deny" and guard.decide is not GuardDecision.DENY:
            diagnostics.error(
                "C019",
                f"`{guard.id}` only {guard.decide.value}s where it is sure, but would deny where "
                "it is not",
                guard.span,
                "say `decide: deny`, or leave out `unresolved`: then a person is asked",
            )
    for step in policy.flow.steps:
        _check(step.when, _NEVER, "the condition of a step", diagnostics)
        _check(step.asks_become_deny, _UP, "`asks_become`", diagnostics)
        for rule in step.rules:
            _check(rule.when, _allowed(rule), _name(rule), diagnostics)
            # Where an exception counts, what follows decides: that is never stricter than a deny.
            deny = isinstance(rule.then, Decide) and rule.then.effect is Verdict.DENY
            for item in rule.exceptions:
                name = f"`{item.id}`, an exception,"
                _check(item.when, _DOWN if deny else _NEVER, name, diagnostics)


def _allowed(rule: Rule) -> frozenset[int]:
    """The directions in which a rule may read the asks."""
    if isinstance(rule.then, Consult):
        # An answer that only allows counts for nothing while an ask is carried, so not to consult
        # then changes no decision.
        moot = all(
            isinstance(answer, Next)
            or (answer.effect is Verdict.ALLOW and answer.despite.value == "none")
            for answer in rule.then.answers.values()
        )
        return _DOWN if moot else _NEVER
    return {Verdict.DENY: _UP, Verdict.ALLOW: _DOWN, Verdict.ASK: _NEVER}[rule.then.effect]


def _name(rule: Rule) -> str:
    what = f"{rule.then.effect.value}s" if isinstance(rule.then, Decide) else "consults"
    return f"`{rule.id}`, which {what},"


def _check(
    condition: Condition | None, allowed: frozenset[int], what: str, diagnostics: Diagnostics
) -> None:
    if condition is None:
        return
    wrong = [way for way in _ways(condition.expr, 1) if way not in allowed]
    if wrong:
        may = {_UP: "holds with more asks", _DOWN: "holds with fewer asks"}.get(allowed)
        diagnostics.error(
            "T021",
            f"with more effects {what} might decide less strictly: it reads `guards.asks` the "
            "wrong way",
            condition.span,
            f"it may only read `guards.asks` so that it {may}, such as "
            f"`guards.asks {'>=' if allowed == _UP else '<='} any`"
            if may
            else "leave `guards.asks` out; a rule that denies may test `guards.asks >= any`, and "
            "an `allow` that asks must not lift needs no test",
        )


def _ways(expr: Expr, sign: int) -> Iterator[int]:
    """How a condition depends on the asks: 1 where more of them can only make it hold, -1 where
    they can only make it not hold, 0 for both."""
    match expr:
        case Not(item=item):
            yield from _ways(item, -sign)
        case And(items=items) | Or(items=items):
            for item in items:
                yield from _ways(item, sign)
        case Apply(op="ge" | "gt", args=(left, Const())) if _is_asks(left):
            yield sign
        case Apply(op="le" | "lt", args=(left, Const())) if _is_asks(left):
            yield -sign
        case Apply(op="eq" | "ne" as op, args=(left, Const(value="none" | "person" as level))) if (
            _is_asks(left)
        ):
            # The ends of the order: `== none` is `<= none`, `== person` is `>= person`.
            yield sign if (op == "eq") == (level == "person") else -sign
        case Fact(name="guards.asks"):
            yield 0
        case _:
            for part in children(expr):
                yield from (0 for _ in _ways(part, sign))


def _is_asks(expr: Expr) -> bool:
    fact = Fact("guards.asks")
    return expr == fact or (isinstance(expr, Apply) and expr.op == "rank" and expr.args[0] == fact)
