"""Rules and steps that those before them leave nothing, or that say what another says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from callgate.lint.covering import Index
from callgate.lint.domains import logic
from callgate.lint.ends import decision, ending, final, step_ending, where
from callgate.lint.left import Left
from callgate.lint.logic import Logic, doubtful_in, plain_in_doubt
from callgate.lint.logic_forms import All, Form, Truth, form
from callgate.model.expr import Expr
from callgate.model.policy import Decide, Flow, Rule, Step, Verdict

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Late", "Reason", "late_in_flow", "late_in_flows"]


Reason = Literal["nothing-left", "unreachable", "shadowed", "differs", "twice"]


@dataclass(frozen=True, slots=True)
class Late:
    """A rule or step that comes too late. `by`: the one that takes its calls, where one does;
    `same`: with the same condition."""

    reason: Reason
    item: Rule | Step
    by: Rule | Step | None = None
    same: bool = False


def late_in_flows(subject: Subject) -> tuple[Late, ...]:
    """What comes too late in both flows (for `Subject.once`)."""
    policy = subject.policy
    flows: list[Flow] = [policy.flow]
    if policy.visibility is not None:
        flows.append(policy.visibility.flow)
    found: dict[int, Late] = {}
    for flow in flows:
        for late in late_in_flow(subject.once(logic), flow):
            found.setdefault(id(late.item), late)
    return tuple(found.values())


def late_in_flow(logic: Logic, flow: Flow) -> Iterator[Late]:
    """What comes too late in a flow."""
    return _Walk(logic).through(flow)


class _Walk:
    """A walk through a flow that keeps what is left."""

    def __init__(self, logic: Logic) -> None:
        self._logic = logic
        self._left = Left(logic)
        self._carried = False

    def through(self, flow: Flow) -> Iterator[Late]:
        """What comes too late in a flow."""
        for step in flow.steps:
            if self._left.told:
                return
            when = None if step.when is None else step.when.expr
            self._carried = self._carried or step.guards
            reached = Truth(True) if when is None else form(when)
            if not self._logic.possible(reached):
                continue  # told of the condition itself
            if not self._left.leaves(reached):
                yield Late("unreachable", step)
                continue
            yield from self._rules(step, reached)
            last = step_ending(step, self._carried)
            if last is not None:
                self._left.take(last.expr)

    def _rules(self, step: Step, reached: Form) -> Iterator[Late]:
        before: Index[Rule] = Index()
        earlier: dict[Expr, Rule] = {}
        here = self._left if step.when is None else Left(self._logic)
        for rule in step.rules:
            if here.told:
                break
            expr = where(rule)
            wanted = Truth(True) if expr is None else form(expr)
            if not self._logic.possible(wanted):
                continue  # told of the condition itself
            late = None if expr is None else self._pair(rule, expr, wanted, before, earlier)
            if late is None and not self._is_left(rule, reached, wanted, here):
                late = Late("nothing-left", rule)
            if late is not None:
                yield late
                continue
            before.add(wanted, rule)
            for left, within in {self._left: step, here: None if step.when else step}.items():
                ended = ending(rule, within, self._carried)
                if ended is not None:
                    left.take(ended.expr)

    def _is_left(self, rule: Rule, reached: Form, wanted: Form, here: Left) -> bool:
        """Whether calls are left for a rule, or it is not certain that none are."""
        # Where its condition is unknown, a rule that denies or asks holds as well.
        if rule.shadow or (decision(rule) is not Verdict.ALLOW and doubtful_in(wanted)):
            return True
        if here is self._left:
            return here.leaves(wanted)
        return here.leaves(wanted) and self._left.leaves(All((reached, wanted)))

    def _pair(
        self, rule: Rule, expr: Expr, wanted: Form, before: Index[Rule], earlier: dict[Expr, Rule]
    ) -> Late | None:
        try:
            same = earlier.setdefault(expr, rule)
        except TypeError:  # a constant map
            same = rule
        if same is not rule and not same.shadow and not rule.shadow and not same.exceptions:
            late = self._same(rule, same, wanted)
            if late is not None:
                return late
        for other in before.candidates(wanted, whole=True):
            if other is not same and not rule.shadow and self._takes(other, rule, wanted):
                covering = where(other)
                if covering is not None and self._logic.covers(wanted, covering):
                    differs = decision(other) is not decision(rule)
                    return Late("differs" if differs else "shadowed", rule, other)
        return None

    def _same(self, rule: Rule, other: Rule, wanted: Form) -> Late | None:
        """Two rules of a step with the same condition."""
        if rule.then == other.then or (
            isinstance(rule.then, Decide)
            and isinstance(other.then, Decide)
            and (rule.then.effect, rule.then.despite) == (other.then.effect, other.then.despite)
        ):
            return Late("twice", rule, other, same=True)
        if self._takes(other, rule, wanted):
            return Late("differs", rule, other, same=True)
        return None

    def _takes(self, other: Rule, rule: Rule, wanted: Form) -> bool:
        """Whether an earlier rule that holds ends every call that a later one could decide."""
        if decision(rule) is not Verdict.ALLOW and doubtful_in(wanted):
            # The later one holds where it is unknown as well, and there an allow doesn't.
            if decision(other) in (None, Verdict.ALLOW) or not plain_in_doubt(wanted):
                return False
        if final(other, self._carried):
            return True
        if other.shadow or other.exceptions:
            return False
        both = isinstance(other.then, Decide) and isinstance(rule.then, Decide)
        return (
            both
            and decision(other) is decision(rule) is Verdict.ALLOW
            and _rank(other) >= _rank(rule)
        )


def _rank(rule: Rule) -> int:
    assert isinstance(rule.then, Decide)
    return ("none", "any", "person").index(rule.then.despite.value)
