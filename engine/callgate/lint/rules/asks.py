"""Asks that nobody can answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from callgate.lint.domains import logic
from callgate.lint.ends import where
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import And, Expr, Fact, Or, facts_of
from callgate.model.policy import Consult, Consultant, Decide, GuardDecision, Verdict

__all__ = ["NobodyAnswers"]

_UNATTENDED: Final = Fact("call.unattended")


class NobodyAnswers(Rule):
    """An ask where nobody is there, or in a policy that never turns to a person."""

    code = "L206"
    name = "nobody-answers"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from self._no_person(subject)
        yield from self._nobody_there(subject)

    def _no_person(self, subject: Subject) -> Iterator[Finding]:
        flow = subject.policy.flow
        outcomes = [flow.otherwise]
        for step in flow.steps:
            outcomes += [step.otherwise] if step.otherwise else []
            for rule in step.rules:
                if isinstance(rule.then, Decide):
                    outcomes.append(rule.then)
                elif rule.then.who is Consultant.HUMAN:
                    return
                else:
                    answers = rule.then.answers.values()
                    outcomes += [answer for answer in answers if isinstance(answer, Decide)]
        if any(outcome.effect is Verdict.ASK for outcome in outcomes):
            return
        asking = [g for g in subject.policy.guards if g.decide is GuardDecision.ASK]
        if asking:
            first = asking[0].span
            yield self.found(
                f"the guard `{asking[0].id}` asks, and the flow never turns to a person",
                flow.span if subject.own(flow.span) else first,
                "add a step with `consult: human` after the guards, or let the guards deny; grants "
                "are given by people as well",
                related=(("it asks here", first),) if first else (),
            )

    def _nobody_there(self, subject: Subject) -> Iterator[Finding]:
        alone = _Alone(subject)
        for guard in subject.policy.guards:
            if guard.decide is GuardDecision.ASK and guard.when and alone.only(where(guard)):
                yield self.found(
                    f"`{guard.id}` asks about calls for which nobody is there to answer",
                    guard.when.span,
                    "deny them, or ask about calls that somebody attends",
                )
        for step in subject.steps:
            unattended = step.when is not None and alone.only(step.when.expr)
            for rule in step.rules:
                when = rule.when
                asks = isinstance(rule.then, Decide) and rule.then.effect is Verdict.ASK
                asks = asks or (
                    isinstance(rule.then, Consult) and rule.then.who is Consultant.HUMAN
                )
                if asks and (unattended or (when is not None and alone.only(when.expr))):
                    yield self.found(
                        f"`{rule.id}` asks about calls for which nobody is there to answer",
                        rule.span,
                        "deny them, or ask about calls that somebody attends",
                    )


class _Alone:
    """Knows the ways to say that nobody is there: what the host says of the call, and what the
    policy's own facts and steps for unattended calls put beside it."""

    def __init__(self, subject: Subject) -> None:
        self._logic = subject.once(logic)
        derived = (item.expr for item in subject.policy.vocabulary.derived.values())
        steps = (step.when.expr for step in subject.steps if step.when is not None)
        ending = (s.asks_become_deny.expr for s in subject.steps if s.asks_become_deny is not None)
        found: dict[Expr, None] = {_UNATTENDED: None}
        for expr in (*derived, *steps, *ending):
            for item in expr.items if isinstance(expr, And) else (expr,):
                if isinstance(item, Or) and _UNATTENDED in item.items:
                    found.setdefault(item)
        self._meanings = tuple(found)
        self._facts = frozenset().union(*map(facts_of, self._meanings))

    def only(self, expr: Expr | None) -> bool:
        """Whether a condition holds of unattended calls only."""
        if expr is None or self._facts.isdisjoint(facts_of(expr)):
            return False
        return any(self._logic.implies(expr, meaning) for meaning in self._meanings)
