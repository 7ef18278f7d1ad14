"""Exceptions that can never count."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.lint.domains import logic
from callgate.lint.ends import where
from callgate.lint.logic_forms import form
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.policy import Guard
from callgate.model.policy import Rule as FlowRule

__all__ = ["DeadException"]


class DeadException(Rule):
    """An exception for calls that its rule does not hold for."""

    code = "L115"
    name = "dead-exception"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        reasoning = subject.once(logic)
        rules: tuple[Guard | FlowRule, ...] = (*subject.policy.guards, *subject.rules)
        for rule in rules:
            for item in rule.exceptions:
                holds = where(rule)
                if item.when is None or holds is None:
                    continue
                own, wanted = form(item.when.expr), form(holds)
                # Where one of them is never true by itself, that is told of it.
                if not reasoning.possible(own) or not reasoning.possible(wanted):
                    continue
                if not reasoning.possible(own, wanted):
                    place = rule.when.span if rule.when is not None else rule.span
                    yield self.found(
                        f"the exception `{item.id}` never counts: `{rule.id}` does not hold for "
                        "its calls",
                        item.when.span,
                        "correct its condition, or remove it",
                        related=(("the rule's condition", place),) if place else (),
                    )
