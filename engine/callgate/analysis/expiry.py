"""Exceptions that have ended, or are about to. Decisions read no clock, and neither does this: the
caller says what time it is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from callgate.analysis.texts import counted
from callgate.model.diagnostic import Diagnostic, Severity
from callgate.model.policy import Guard, Policy, Rule

__all__ = ["SOON", "expiring"]

SOON: Final = timedelta(days=14)
"""Exceptions that end within this are told."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def expiring(policy: Policy, now: datetime) -> Iterator[Diagnostic]:
    """A finding for every exception that has ended (L001) or ends soon (L002). `now` has a zone."""
    rules: list[Guard | Rule] = [*policy.guards]
    rules.extend(rule for step in policy.flow.steps for rule in step.rules)
    for rule in rules:
        for item in rule.exceptions:
            left = _EPOCH + timedelta(microseconds=item.until) - now
            if left <= timedelta(0):
                yield Diagnostic(
                    "L001",
                    f"the exception `{item.id}` of `{rule.id}` ended at {item.expires}",
                    item.span,
                    f"remove it; if it is still needed, {item.owner} should say until when",
                    Severity.WARNING,
                )
            elif left <= SOON:
                yield Diagnostic(
                    "L002",
                    f"the exception `{item.id}` of `{rule.id}` ends {_when(left)}",
                    item.span,
                    f"nothing needs to be done unless {item.owner} still needs it then",
                    Severity.INFO,
                )


def _when(left: timedelta) -> str:
    if left.days < 1:
        return "within a day"
    return f"in {counted(left.days, 'day')}"
