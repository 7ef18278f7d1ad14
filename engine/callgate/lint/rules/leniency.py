"""Exceptions, trials and doubts that let through more than they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from callgate.lint.domains import logic
from callgate.lint.ends import where
from callgate.lint.logic import Logic
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.diagnostic import Severity
from callgate.model.expr import Const
from callgate.model.policy import Decide, Guard, GuardDecision, RuleException, Verdict
from callgate.model.policy import Rule as FlowRule

__all__ = ["BareException", "DenyOnTrial", "LongException", "PassingDoubt"]

_LONGEST: Final = timedelta(days=366)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DATE: Final = re.compile(r"\b(20\d\d)-(\d\d)-(\d\d)\b")
_FEWEST_WORDS: Final = 3


class LongException(Rule):
    """An exception that ends more than a year from now: by then nobody remembers it."""

    code = "L212"
    name = "long-exception"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for rule, item in _exceptions(subject):
            left = _EPOCH + timedelta(microseconds=item.until) - subject.now
            if left > _LONGEST:
                yield self.found(
                    f"the exception `{item.id}` of `{rule.id}` lasts until {item.expires}",
                    item.span,
                    "let it end within a year, when somebody says whether it is still needed; what "
                    "is to stay belongs into the rule",
                )


class BareException(Rule):
    """An exception that leaves out every call of its rule: until it ends, that decides nothing."""

    code = "L213"
    name = "bare-exception"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        reasoning = subject.once(logic)
        for rule, item in _exceptions(subject):
            if _leaves_out_all(item, rule, reasoning):
                yield self.found(
                    f"the exception `{item.id}` leaves every call alone that `{rule.id}` is about",
                    item.span,
                    "say with `when` which calls are meant",
                )


class DenyOnTrial(Rule):
    """A rule that would deny, is only tried out, and does not say until when."""

    code = "L214"
    name = "deny-on-trial"
    severity = Severity.INFO

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        told = {entry.id: entry for entry in subject.entries}
        for rule in _rules(subject):
            entry = told.get(rule.id)
            if not rule.shadow or not _denies(rule) or entry is None:
                continue
            ends = _dates(f"{entry.data.get('description', '')}")
            if not ends:
                yield self.found(
                    f"`{rule.id}` is on trial and denies nothing, and nothing says until when",
                    entry.span("enforce"),
                    "write the day on which it is put in force into its `description`, as in "
                    f"{(subject.now + timedelta(days=30)).date()}",
                )
            elif max(ends) < subject.now.date():
                yield self.found(
                    f"the trial of `{rule.id}` was to end on {max(ends)}, and it denies nothing",
                    entry.span("enforce"),
                    "take out `enforce: shadow`, or give another day",
                )


class PassingDoubt(Rule):
    """A guard lets pass what it cannot tell, and its reason says nothing."""

    code = "L215"
    name = "passing-doubt"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for entry in subject.entries:
            unresolved = entry.data.get("unresolved")
            if not isinstance(unresolved, dict) or not isinstance(unresolved.get("pass"), str):
                continue
            reason = " ".join(unresolved["pass"].split()).casefold().rstrip(".")
            said = {" ".join(str(entry.data.get(key, "")).split()).casefold() for key in _OWN}
            if len(reason.split()) < _FEWEST_WORDS or reason in said:
                yield self.found(
                    f"`{unresolved['pass']}` does not say what checks the calls that "
                    f"`{entry.id}` lets pass",
                    entry.span("unresolved", "pass"),
                    "name the rule or the layer that decides about them, or leave `unresolved` "
                    "out, so that a person is asked",
                )


_OWN: Final = ("title", "reason", "description")


def _rules(subject: Subject) -> list[Guard | FlowRule]:
    return [*subject.policy.guards, *subject.rules]


def _exceptions(subject: Subject) -> Iterator[tuple[Guard | FlowRule, RuleException]]:
    for rule in _rules(subject):
        for item in rule.exceptions:
            yield rule, item


def _leaves_out_all(item: RuleException, rule: Guard | FlowRule, reasoning: Logic) -> bool:
    """Whether an exception surely holds wherever its rule does."""
    if item.when is None or item.when.expr == Const(True):
        return True
    if rule.when is not None and item.when.expr == rule.when.expr:
        return True
    wanted = where(rule)
    if wanted is None:
        return reasoning.always(item.when.expr)
    return reasoning.implies(wanted, item.when.expr)


def _denies(rule: Guard | FlowRule) -> bool:
    if isinstance(rule, Guard):
        return rule.decide is GuardDecision.DENY
    return isinstance(rule.then, Decide) and rule.then.effect is Verdict.DENY


def _dates(text: str) -> list[date]:
    found = []
    for year, month, day in _DATE.findall(text):
        try:
            found.append(date(int(year), int(month), int(day)))
        except ValueError:
            continue
    return found
