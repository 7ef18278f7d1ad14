"""Which calls a rule or a step of a flow surely ends, so that nothing after it sees them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from callgate.lint.logic import doubtful_in
from callgate.lint.logic_forms import form
from callgate.model.expr import And, Apply, Const, Expr, Fact
from callgate.model.policy import AskLevel, Consult, Decide, Guard, Rule, Step, Verdict

__all__ = ["TOOL", "Ending", "all_of", "decision", "ending", "final", "step_ending", "where"]

TOOL: Final = Fact("call.tool")


@dataclass(frozen=True, slots=True)
class Ending:
    """Calls that are ended: where a condition holds; None is every call."""

    expr: Expr | None


def where(rule: Rule | Guard) -> Expr | None:
    """Where a rule or guard holds: its condition and its tools; None is everywhere."""
    tools = None if rule.tools is None else Apply("in", (TOOL, Const(rule.tools)))
    return all_of(tools, None if rule.when is None else rule.when.expr)


def all_of(*parts: Expr | None) -> Expr | None:
    """All of these conditions; None among them, and as the result, is no condition."""
    left = tuple(part for part in parts if part is not None)
    if len(left) < 2:
        return left[0] if left else None
    return And(left)


def decision(rule: Rule) -> Verdict | None:
    """What a rule decides; None where somebody is consulted."""
    return rule.then.effect if isinstance(rule.then, Decide) else None


def final(rule: Rule, carried: bool) -> bool:
    """Whether a rule that holds always ends the walk. `carried`: calls may carry asks there."""
    if rule.shadow or rule.exceptions:
        return False
    then = rule.then
    outcomes = then.answers.values() if isinstance(then, Consult) else (then,)
    return all(isinstance(o, Decide) and _ends(o, carried) for o in outcomes)


def _ends(outcome: Decide, carried: bool) -> bool:
    if outcome.effect is not Verdict.ALLOW or not carried:
        return True
    return outcome.despite is AskLevel.PERSON


def ending(rule: Rule, step: Step | None, carried: bool) -> Ending | None:
    """The calls that a rule surely ends; `step`: of those that get into this step."""
    if not final(rule, carried):
        return None
    expr = all_of(step.when.expr if step and step.when else None, where(rule))
    # Where a condition is unknown, a rule that allows lets the walk go on.
    if expr is not None and decision(rule) in (None, Verdict.ALLOW) and doubtful_in(form(expr)):
        return None
    return Ending(expr)


def step_ending(step: Step, carried: bool) -> Ending | None:
    """The calls that a step surely ends by its `otherwise`."""
    last = step.otherwise
    if last is None or not _ends(last, carried):
        return None
    return Ending(None if step.when is None else step.when.expr)
