"""What a guard comes to on a call, and which exception of a rule counts; the plain way.

A guard with `each` is tried on every effect of the kind, and so are its exceptions: an effect to
which one applies is as good as absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from callgate.model.policy import AskLevel, Guard, GuardDecision, Rule, Verdict
from callgate.model.values import UNKNOWN
from callgate.runtime.reference_conditions import truth
from callgate.runtime.reference_facts import CallFacts
from callgate.runtime.reference_values import Truth, some_of

__all__ = ["Matched", "exception_of", "guard_result"]


@dataclass(frozen=True)
class Matched:
    """A guard that had something to say: what it came to, and how strong its ask is. Also a rule of
    the flow that is only a `shadow`, or that an `exception` (its id) held back; such a rule, and
    such a guard, decides nothing."""

    rule: str
    decide: GuardDecision | Verdict
    approval: AskLevel | None
    shadow: bool = False
    exception: str | None = None


def guard_result(guard: Guard, facts: CallFacts) -> tuple[Truth, Matched | None]:
    """Whether a guard fires (with `each`, for at least one effect of the kind), and what it comes
    to. Where nothing comes of it because of exceptions, that is told."""
    tried = [
        (_truth(guard, facts, bound), exception_of(guard, facts, bound))
        for bound in _bindings(guard, facts)
    ]
    fires = some_of(iter([False if exception else held for held, exception in tried]))
    result = _result(guard, fires)
    for held, exception in tried:
        if result is None and exception is not None:
            would = _result(guard, held)
            result = would and replace(would, exception=exception)
    return fires, result


def _bindings(guard: Guard, facts: CallFacts) -> list[dict[str, Any]]:
    """What `each` is bound to, one after the other; without one, nothing, once."""
    if guard.each is None:
        return [{}]
    binder, kind = guard.each
    return [{binder: effect} for effect in facts.effects.of(kind)]


def _truth(rule: Guard | Rule, facts: CallFacts, bound: Mapping[str, Any]) -> Truth:
    return truth(rule.when.expr if rule.when else None, facts, facts.matches, bound)


def _result(guard: Guard, fires: Truth) -> Matched | None:
    """Unknown is the policy's choice: ask (a person, where the guard would have denied), deny, or
    pass; an unknown note is silent."""
    if fires is False:
        return None
    if fires is UNKNOWN:
        if guard.unresolved == "pass" or guard.decide is GuardDecision.NOTE:
            return None
        if guard.unresolved == "deny":
            return Matched(guard.id, GuardDecision.DENY, None, guard.shadow)
        denies = guard.decide is GuardDecision.DENY
        level = AskLevel.PERSON if denies else guard.approval
        return Matched(guard.id, GuardDecision.ASK, level, guard.shadow)
    level_of_ask = guard.approval if guard.decide is GuardDecision.ASK else None
    return Matched(guard.id, guard.decide, level_of_ask, guard.shadow)


def exception_of(
    rule: Guard | Rule, facts: CallFacts, bound: Mapping[str, Any] | None = None
) -> str | None:
    """The first exception of a rule that counts: the time is known and before its end, and its
    condition is surely true."""
    now = facts("observed.time")
    for exception in rule.exceptions:
        if now is UNKNOWN or now >= exception.until:
            continue
        when = exception.when.expr if exception.when else None
        if truth(when, facts, facts.matches, bound) is True:
            return exception.id
    return None
