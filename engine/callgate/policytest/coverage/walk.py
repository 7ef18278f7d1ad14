"""Follows calls through a policy, as its flow is written, and counts what they come to.

The engine's own trace is of a graph, in which rules are merged and what settings decide is folded
away. So the steps are gone through once more, on the frame that the engine decided on: with its
facts, its effects, its answers and what its guards came to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import re2

from callgate.model.condition import Condition
from callgate.model.decision import Decision
from callgate.model.effect import EffectSet
from callgate.model.expr import Const
from callgate.model.policy import (
    Answer,
    AskLevel,
    Consult,
    Decide,
    Flow,
    Guard,
    Policy,
    Rule,
    Step,
    Verdict,
)
from callgate.model.values import UNKNOWN
from callgate.policytest.coverage.counts import Counts
from callgate.policytest.coverage.evaluation import Evaluation
from callgate.policytest.coverage.plan import Plan, constant
from callgate.runtime.answers import answer_of
from callgate.runtime.frame import Frame, IdleMatch, Match
from callgate.runtime.interpreter import Program
from callgate.runtime.operators import FACTS

__all__ = ["Walk"]

_STRENGTH: Final = [level.value for level in AskLevel]


class Walk:
    """Follows the calls of one policy. `counts`: where it counts."""

    def __init__(self, policy: Policy, plan: Plan, counts: Counts, program: Program) -> None:
        self._policy = policy
        self._counts = counts
        self._evaluation = Evaluation(policy, plan, counts, program)
        self._patterns: dict[Sequence[str], list[Any]] = {}
        self._hidden: Mapping[str, tuple[Step, Rule]] = {}
        second = policy.visibility
        if second is not None:
            steps = second.flow.steps
            self._hidden = {rule.id: (step, rule) for step in steps for rule in step.rules}

    def call(self, program: Program, settings: Mapping[str, Any], decision: Decision) -> None:
        """Follow a call that was decided."""
        frame = decision.frame
        if not isinstance(frame, Frame):
            return
        self._evaluation.under(program, settings)
        asks, work = frame.asks, frame.work
        frame.asks, frame.work = AskLevel.NONE.value, 0
        try:
            self._classified(frame)
            self._flow(self._policy.flow, "otherwise", frame, program, asks)
        except Exception:
            # What fails here failed in the engine, which denied the call for it.
            if decision.failure is None:
                raise
        finally:
            frame.asks, frame.work = asks, work

    def shown(self, program: Program, settings: Mapping[str, Any], shown: Decision) -> None:
        """Follow a call through the second flow."""
        second = self._policy.visibility
        if second is not None and isinstance(shown.frame, Frame) and shown.failure is None:
            self._evaluation.under(program, settings)
            self._flow(second.flow, "visible", shown.frame, program, AskLevel.NONE.value)

    def alone(
        self,
        program: Program,
        settings: Mapping[str, Any],
        guard: Guard,
        frame: Frame,
        fires: bool,
    ) -> None:
        """Try a guard alone, as on its examples. `fires`: what the engine says of it."""
        self._evaluation.under(program, settings)
        self._guard(guard, frame, program.effects_of(frame))
        if fires:
            self._reached(f"guard:{guard.id}")

    # -- what comes before the flow

    def _classified(self, frame: Frame) -> None:
        known = frame.tool in self._policy.tools
        for tools in self._policy.dynamic:
            if tools.listed or not known:
                self._value(tools.when, f"tools:{tools.id}", frame)
        risk = self._policy.risk
        if risk is None:
            return
        for rule in risk.declared:
            if rule.tools is None or frame.tool in rule.tools:
                if self._value(rule.when, f"risk:{rule.id}", frame) is True:
                    break
        for rule in risk.raises:
            if rule.tools is None or frame.tool in rule.tools:
                self._value(rule.when, f"risk:{rule.id}", frame)

    # -- the flow

    def _flow(self, flow: Flow, last: str, frame: Frame, program: Program, asks: str) -> None:
        for step in flow.steps:
            key = f"step:{step.id}"
            if self._value(step.when, key, frame) is not True:
                continue
            self._reached(key)
            if step.guards and self._guards(step, frame, program, asks):
                return
            if any(self._rule(rule, frame) for rule in step.rules):
                return
            if step.otherwise is not None and self._ends(step.otherwise, frame):
                self._reached(f"otherwise:{step.id}.otherwise")
                return
        self._reached(f"otherwise:{last}")

    def _rule(self, rule: Rule, frame: Frame) -> bool:
        """Whether a rule ends the walk."""
        kind = "consult" if isinstance(rule.then, Consult) else "rule"
        holds = self._holds(rule, f"{kind}:{rule.id}", frame)
        if isinstance(rule.then, Consult):
            return holds is True and self._consulted(rule, rule.then, frame)
        allows = rule.then.effect is Verdict.ALLOW
        if holds is False or (allows and holds is not True):
            return False
        if self._excepted(rule, frame) or not self._ends(rule.then, frame):
            return False
        self._reached(f"rule:{rule.id}")
        return not rule.shadow

    def _holds(self, rule: Rule, key: str, frame: Frame) -> Any:
        hidden = self._hidden.get(rule.id)
        if hidden is not None and hidden[1] is not rule:
            # A rule of the second flow, which denies calls here: it holds where its step does, too.
            step, rule = hidden
            if self._value(step.when, f"step:{step.id}", frame) is False:
                return False
        if rule.tools is not None and frame.tool not in rule.tools:
            if constant(rule.when):
                self._counts.branches[key].add(False)
            return False
        if constant(rule.when) and rule.tools is not None:
            self._counts.branches[key].add(True)
        return self._value(rule.when, key, frame)

    def _consulted(self, rule: Rule, consult: Consult, frame: Frame) -> bool:
        self._reached(f"consult:{rule.id}")
        errors = self._patterns.get(consult.unavailable_when)
        if errors is None:
            errors = [re2.compile(pattern) for pattern in consult.unavailable_when]
            self._patterns[consult.unavailable_when] = errors
        answer = answer_of(consult.who.value, frame.answers, errors)
        if answer is None:
            return True
        self._reached(f"answer:{rule.id}.{answer}")
        return self._ends(consult.answers[answer], frame)

    @staticmethod
    def _ends(then: Answer, frame: Frame) -> bool:
        """Whether an outcome is taken: an allow only while the asks are no stronger than it."""
        if not isinstance(then, Decide):
            return False
        if then.effect is not Verdict.ALLOW:
            return True
        return _STRENGTH.index(frame.asks) <= _STRENGTH.index(then.despite.value)

    # -- guards

    def _guards(self, step: Step, frame: Frame, program: Program, asks: str) -> bool:
        """Whether the guards of a step end the walk."""
        matches = _by_guard(program, frame)
        effects = program.effects_of(frame)
        for guard in self._policy.guards:
            self._guard(guard, frame, effects)
            match = matches.get(guard.id)
            if match is None:
                continue
            if not (isinstance(match, IdleMatch) and match.exception is not None):
                self._reached(f"guard:{guard.id}")
            if match.stands and match.decide == "deny":
                return True
        if any(match.guard < 0 and match.decide == "deny" for match in frame.matches):
            return True
        frame.asks = asks
        if asks == AskLevel.NONE.value or step.asks_become_deny is None:
            return False
        key = f"becomes:{step.id}.asks-become-deny"
        if self._value(step.asks_become_deny, key, frame) is False:
            return False
        self._reached(key)
        return True

    def _guard(self, guard: Guard, frame: Frame, effects: EffectSet) -> None:
        key = f"guard:{guard.id}"
        bound: Sequence[tuple[Any, ...]] = [()]
        if guard.each is not None:
            bound = [(effect,) for effect in effects.of(guard.each[1])]
        concerned = bool(bound) and (guard.tools is None or frame.tool in guard.tools)
        if constant(guard.when) and (guard.each is not None or guard.tools is not None):
            self._counts.branches[key].add(concerned)
        if not concerned:
            return
        for effect in bound:
            value = self._value(guard.when, key, frame, *effect)
            if value is False or (value is UNKNOWN and guard.unresolved == "pass"):
                continue
            if not self._excepted(guard, frame, *effect) and value is True:
                return

    def _excepted(self, rule: Guard | Rule, frame: Frame, *bound: Any) -> bool:
        """Whether an exception holds a rule back: the first whose time has not come and whose
        condition is surely true."""
        now: Any = FACTS["observed.time"](frame) if rule.exceptions else UNKNOWN
        for item in rule.exceptions:
            key = f"exception:{item.id}"
            if now is UNKNOWN or now >= item.until:
                self._counts.branches[key].add(UNKNOWN if now is UNKNOWN else False)
                continue
            if constant(item.when):
                self._counts.branches[key].add(True)
            if self._value(item.when, key, frame, *bound) is not True:
                continue
            self._reached(key)
            return True
        return False

    def _value(self, when: Condition | None, key: str, frame: Frame, *bound: Any) -> Any:
        """What a condition is; one that says `true` or `false` is not counted."""
        if when is None:
            return True
        if isinstance(when.expr, Const):
            return when.expr.value
        return self._evaluation.value(key, frame, *bound)

    def _reached(self, key: str) -> None:
        self._counts.nodes[key] += 1


def _by_guard(program: Program, frame: Frame) -> Mapping[str, Match]:
    forms = program.guards.forms
    return {str(forms[m.guard]["id"]): m for m in frame.matches if m.guard >= 0}
