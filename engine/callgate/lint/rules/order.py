"""Rules and steps that come too late, because others decide their calls."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from callgate.lint.late_guards import LateGuard, late_guards
from callgate.lint.order import Late, Reason, late_in_flows
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.policy import Consult, Guard, Step
from callgate.model.policy import Rule as FlowRule
from callgate.model.span import Span

__all__ = ["NothingLeft", "OverlappingRules", "ShadowedRule", "UnreachableStep"]


class _Order(Rule):
    """A rule that tells of one reason why something comes too late."""

    reason: ClassVar[Reason]

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        found: tuple[Late | LateGuard, ...] = (
            *subject.once(late_in_flows),
            *subject.once(late_guards),
        )
        for late in found:
            if late.reason == self.reason:
                yield self.tell(late)

    @abstractmethod
    def tell(self, late: Late | LateGuard) -> Finding:
        """The finding."""


def _other(by: Guard | FlowRule | Step) -> tuple[tuple[str, Span], ...]:
    return ((f"`{by.id}`", by.span),) if by.span is not None else ()


class NothingLeft(_Order):
    """A rule to which those before it, together, leave no call."""

    code = "L103"
    name = "nothing-left"
    reason = "nothing-left"

    def tell(self, late: Late | LateGuard) -> Finding:
        """See _Order."""
        return self.found(
            f"nothing is left for rule `{late.item.id}`: what is before it decides all its calls",
            late.item.span,
            "remove it, move it up, or correct the conditions before it",
        )


class UnreachableStep(_Order):
    """A step to which those before it, together, leave no call."""

    code = "L104"
    name = "unreachable-step"
    reason = "unreachable"

    def tell(self, late: Late | LateGuard) -> Finding:
        """See _Order."""
        return self.found(
            f"nothing is left for step `{late.item.id}`: the steps before it decide all its calls",
            late.item.span,
            "remove it, move it up, or correct the conditions before it",
        )


class ShadowedRule(_Order):
    """A rule all whose calls one other rule decides in the same way."""

    code = "L105"
    name = "shadowed-rule"
    reason = "shadowed"

    def tell(self, late: Late | LateGuard) -> Finding:
        """See _Order."""
        by = late.by
        assert by is not None
        what = "guard" if isinstance(late.item, Guard) else "rule"
        return self.found(
            f"{what} `{late.item.id}` is never the one that decides: `{by.id}` before it holds "
            "wherever it does",
            late.item.span,
            f"remove it, or move it before `{by.id}`",
            related=_other(by),
        )


class OverlappingRules(_Order):
    """Two rules that hold for the same calls and decide them differently."""

    code = "L106"
    name = "overlapping-rules"
    reason = "differs"

    def tell(self, late: Late | LateGuard) -> Finding:
        """See _Order."""
        item, by = late.item, late.by
        assert by is not None
        mine, theirs = _decides(item), _decides(by)
        what = "guard" if isinstance(item, Guard) else "rule"
        holds = "under the same condition" if late.same else "wherever it holds"
        if mine == theirs:
            return self.found(
                f"{what}s `{by.id}` and `{item.id}` have the same condition, and ask in two ways",
                item.span,
                "keep the stricter one",
                related=_other(by),
            )
        return self.found(
            f"{what} `{item.id}` would {mine}, but {holds} `{by.id}` decides: {theirs}",
            item.span,
            "remove one of them, or correct its condition",
            related=_other(by),
        )


def _decides(item: Guard | FlowRule | Step) -> str:
    if isinstance(item, Guard):
        return item.decide.value
    if isinstance(item, FlowRule):
        return "consult" if isinstance(item.then, Consult) else item.then.effect.value
    return "decide"
