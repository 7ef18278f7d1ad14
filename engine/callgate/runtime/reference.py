"""The plain second evaluator: what a policy decides for a call, in the most obvious way.

Read this file to learn the semantics, with `reference_conditions` (what a condition's value is),
`reference_values` (what each operation means), `reference_facts` (where the facts come from),
`reference_guards` (what a guard comes to) and `reference_reviewer` (what a reviewer's reply counts
as). Nothing is folded, compiled, indexed or
shared with the engine that runs; generated policies, settings and calls are put to both, and the
answers must be the same.

In short. A call walks through the flow's **steps** in order. A step whose condition is false is
passed over. In a step, the **guards** come first where it asks for them, then its **rules** in
order, then its **otherwise**. The first thing that decides ends the walk; the flow's own
`otherwise` decides when no step did.

- An *allow* needs certainty: its rule's condition must be true, and the asks that guards have
  raised must be no stronger than what it says it is given `despite`. Otherwise the walk goes on.
- An *ask* or *deny* needs only a possibility: unknown counts as true.
- A *consult* looks into the answers that came with the call. No answer: the decision is ask, and
  pending. An answer: what the policy says for it, or on to the next rule.
- A *shadow* only says what it would have decided; an *exception* that surely holds, before its time
  is over, makes its rule do nothing.
- Anything that goes wrong on the way decides deny.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from callgate.model.effect import Effect, EffectSet
from callgate.model.pattern import CommandPattern
from callgate.model.policy import (
    AskLevel,
    Consult,
    Consultant,
    Decide,
    GuardDecision,
    Policy,
    Rule,
    Step,
    Verdict,
)
from callgate.runtime.reference_conditions import Matches, truth
from callgate.runtime.reference_facts import CallFacts
from callgate.runtime.reference_guards import Matched, exception_of, guard_result
from callgate.runtime.reference_reviewer import reviewer_answer
from callgate.runtime.reference_values import EvaluationError, Truth

__all__ = ["Outcome", "Visit", "evaluate"]

_STRENGTH = [AskLevel.NONE, AskLevel.ANY, AskLevel.PERSON]


@dataclass
class Visit:
    """A step that was come to: whether its condition held, and what each guard and rule came to
    (only those that were looked at)."""

    step: str
    when: Truth
    guards: list[tuple[str, Truth]] = field(default_factory=list)
    rules: list[tuple[str, Truth]] = field(default_factory=list)


@dataclass
class Outcome:
    """What was decided, by which rule of which step, and what was seen on the way.

    `pending`: who must be consulted before there is more than an ask. `error`: the code of what
    went wrong. `risk` is None where the policy has no risk map.
    """

    decision: Verdict
    rule: str
    step: str
    matched: list[Matched] = field(default_factory=list)
    pending: Consultant | None = None
    risk: str | None = None
    capabilities: list[str] = field(default_factory=list)
    visits: list[Visit] = field(default_factory=list)
    error: str | None = None


def _no_commands(run: Effect, pattern: CommandPattern | str, strict: bool) -> Truth:
    raise EvaluationError("command patterns need `matches`")


def evaluate(
    policy: Policy,
    settings: Mapping[str, Any],
    call: Mapping[str, Any],
    effects: EffectSet,
    matches: Matches = _no_commands,
) -> Outcome:
    """What `policy` decides for `call` under `settings`.

    `settings`: dotted name → value, with the defaults filled in. `call`: a valid call as in
    docs/formats.md (its own `settings` key is not read). `effects`: what the call would do.
    `matches`: whether a `run` effect matches a command pattern; it belongs to the effects part.
    Never raises: what goes wrong is a deny with code R006.
    """
    walk = _Walk(policy, CallFacts(policy, settings, call, effects, matches))
    try:
        outcome = walk.flow()
        outcome.risk = walk.facts.risk if policy.risk is not None else None
        outcome.capabilities = walk.facts.capabilities
    except Exception:  # whatever it is: it must not let a call through
        outcome = Outcome(Verdict.DENY, walk.rule, walk.step, error="R006")
    outcome.matched = walk.matched
    outcome.visits = walk.visits
    return outcome


class _Walk:
    """One walk through the flow. `step` and `rule` say where it is, in case something fails."""

    def __init__(self, policy: Policy, facts: CallFacts) -> None:
        self.policy = policy
        self.facts = facts
        self.matched: list[Matched] = []
        self.visits: list[Visit] = []
        self.step = ""
        self.rule = ""

    def flow(self) -> Outcome:
        """The steps in order; the flow's `otherwise` where none decides."""
        for step in self.policy.flow.steps:
            self.step = self.rule = step.id
            visit = Visit(step.id, self.certain(step.when and step.when.expr))
            self.visits.append(visit)
            if visit.when is True:
                outcome = self.inside(step, visit)
                if outcome is not None:
                    return outcome
        return Outcome(self.policy.flow.otherwise.effect, "otherwise", "otherwise")

    def inside(self, step: Step, visit: Visit) -> Outcome | None:
        """A step whose condition holds: guards, rules, otherwise. None: the walk goes on."""
        outcome = self.guards(step, visit) if step.guards else None
        if outcome is not None:
            return outcome
        for rule in step.rules:
            outcome = self.flow_rule(rule, visit)
            if outcome is not None:
                return outcome
        if step.otherwise is not None:
            return self.decide(step.otherwise, f"{step.id}.otherwise")
        return None

    # --- guards ---------------------------------------------------------------------------

    def guards(self, step: Step, visit: Visit) -> Outcome | None:
        """The guard set: the first deny ends the walk, every ask is carried on.

        Whatever was not understood (an opaque effect) asks too, and only a person can lift that;
        what was too much to read is denied.
        """
        for guard in self.policy.guards:
            self.rule = guard.id
            if guard.tools is not None and self.facts.tool not in guard.tools:
                continue
            fires, result = guard_result(guard, self.facts)
            visit.guards.append((guard.id, fires))
            if result is None:
                continue
            self.matched.append(result)
            if result.shadow or result.exception is not None:
                continue
            if result.decide is GuardDecision.DENY:
                return Outcome(Verdict.DENY, guard.id, step.id)
            self.carry(result)
        for effect in self.facts.effects.of("opaque"):
            if effect.fields["bound"]:
                self.matched.append(Matched("builtin.bounds", GuardDecision.DENY, None))
                return Outcome(Verdict.DENY, "builtin.bounds", step.id)
            ask = Matched("builtin.opaque", GuardDecision.ASK, AskLevel.PERSON)
            self.matched.append(ask)
            self.carry(ask)
        self.rule = f"{step.id}.asks-become-deny"
        if self.facts.asks is not AskLevel.NONE and step.asks_become_deny is not None:
            if self.truth(step.asks_become_deny.expr) is not False:
                return Outcome(Verdict.DENY, self.rule, step.id)
        return None

    def carry(self, result: Matched) -> None:
        """Remember the strongest ask."""
        if result.decide is GuardDecision.ASK and result.approval is not None:
            self.facts.asks = max(self.facts.asks, result.approval, key=_STRENGTH.index)

    # --- rules ----------------------------------------------------------------------------

    def flow_rule(self, rule: Rule, visit: Visit) -> Outcome | None:
        """One rule of the flow; None where it does not decide."""
        self.rule = rule.id
        if rule.tools is not None and self.facts.tool not in rule.tools:
            return None
        condition = rule.when and rule.when.expr
        if isinstance(rule.then, Consult):
            asked = self.certain(condition)
            visit.rules.append((rule.id, asked))
            return self.consult(rule.then, rule.id) if asked else None
        holds = self.truth(condition)
        visit.rules.append((rule.id, holds))
        allows = rule.then.effect is Verdict.ALLOW
        applies = holds is True if allows else holds is not False
        if not applies:
            return None
        exception = exception_of(rule, self.facts)
        if exception is None and not rule.shadow:
            return self.decide(rule.then, rule.id)
        # An allow that the asks are too strong for would not have been taken.
        if exception is not None or self.decide(rule.then, rule.id) is not None:
            effect = rule.then.effect
            self.matched.append(Matched(rule.id, effect, None, rule.shadow, exception))
        return None

    def decide(self, then: Decide, rule: str) -> Outcome | None:
        """A decision is taken, except an allow that the carried asks are too strong for."""
        too_strong = _STRENGTH.index(self.facts.asks) > _STRENGTH.index(then.despite)
        if then.effect is Verdict.ALLOW and too_strong:
            return None
        return Outcome(then.effect, rule, self.step)

    def consult(self, consult: Consult, rule: str) -> Outcome | None:
        """What the answer that came with the call leads to; without one the decision is ask."""
        answer = self.answer(consult.who, consult.unavailable_when)
        if answer is None:
            return Outcome(Verdict.ASK, f"{rule}.pending", self.step, pending=consult.who)
        then = consult.answers[answer]
        return self.decide(then, f"{rule}.{answer}") if isinstance(then, Decide) else None

    def answer(self, who: Consultant, unavailable_when: Sequence[str]) -> str | None:
        """The name of the answer in the call's `answers`; None where there is none yet.

        A reviewer's null is an answer: unavailable. A grant's or a person's null is none."""
        answers = self.facts.call.get("answers") or {}
        if who.value not in answers:
            return None
        given = answers[who.value]
        if who is Consultant.REVIEWER:
            return reviewer_answer(given, unavailable_when)
        if given is None:
            return None
        if who is Consultant.GRANT:
            return "granted" if given else "none"
        return str(given)

    # --- conditions -----------------------------------------------------------------------

    def truth(self, condition: Any, bound: Mapping[str, Any] | None = None) -> Truth:
        """A condition's truth; none given is true."""
        return truth(condition, self.facts, self.facts.matches, bound)

    def certain(self, condition: Any) -> bool:
        """A condition that the type checker has found to be never unknown."""
        found = self.truth(condition)
        if not isinstance(found, bool):
            raise EvaluationError("this condition may not be unknown")
        return found
