"""Exceptions that have ended, or are about to."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from callgate.analysis.texts import counted
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.diagnostic import Severity
from callgate.model.policy import Guard, RuleException
from callgate.model.policy import Rule as FlowRule

__all__ = ["SOON", "EndedException", "EndingException"]

SOON: Final = timedelta(days=14)
"""Exceptions that end within this are told."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class EndedException(Rule):
    """An exception whose `until` has passed: it changes nothing any more."""

    code = "L001"
    name = "ended-exception"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for rule, item, left in _ends(subject):
            if left <= timedelta(0):
                yield self.found(
                    f"the exception `{item.id}` of `{rule}` ended at {item.expires}",
                    item.span,
                    f"remove it; if it is still needed, {item.owner} should say until when",
                )


class EndingException(Rule):
    """An exception that ends within two weeks, so that whoever needs it is not surprised."""

    code = "L002"
    name = "ending-exception"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for rule, item, left in _ends(subject):
            if timedelta(0) < left <= SOON:
                yield self.found(
                    f"the exception `{item.id}` of `{rule}` ends {_when(left)}",
                    item.span,
                    f"nothing needs to be done unless {item.owner} still needs it then",
                )


def _ends(subject: Subject) -> Iterator[tuple[str, RuleException, timedelta]]:
    """Each exception with the id of its rule, and how long it still counts."""
    rules: list[Guard | FlowRule] = [*subject.policy.guards, *subject.rules]
    for rule in rules:
        for item in rule.exceptions:
            yield rule.id, item, _EPOCH + timedelta(microseconds=item.until) - subject.now


def _when(left: timedelta) -> str:
    if left.days < 1:
        return "within a day"
    return f"in {counted(left.days, 'day')}"
