"""What is written twice: parts of conditions, rules, guards."""

from __future__ import annotations

from collections.abc import Iterator

from callgate.lint.faults import Fault, faults
from callgate.lint.late_guards import LateGuard, late_guards
from callgate.lint.locating import distinct
from callgate.lint.order import Late, late_in_flows
from callgate.lint.pieces import pieces
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.policy import Guard, Step
from callgate.model.policy import Rule as FlowRule

__all__ = ["WrittenTwice"]


class WrittenTwice(Rule):
    """The same part twice in a condition, or the same condition on two rules with one decision."""

    code = "L109"
    name = "written-twice"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        parts = (fault for fault in subject.once(faults) if fault.kind == "twice")
        yield from distinct(self._part(subject, fault) for fault in parts)
        late_ones: tuple[Late | LateGuard, ...] = (
            *subject.once(late_in_flows),
            *subject.once(late_guards),
        )
        for late in late_ones:
            if late.reason == "twice" and late.by is not None:
                yield self._rule(late.item, late.by)

    def _part(self, subject: Subject, fault: Fault) -> Finding:
        where = subject.once(pieces)
        span = fault.looked.condition.span
        piece = where.at(span, fault.way)
        first = where.at(span, fault.other or ())
        group = where.at(span, fault.way[:-1])
        if piece is None or first is None or group is None:
            what = fault.looked.what
            return self.found(f"a part of {what} is written twice", span, "leave one out")
        return self.found(
            f"`{piece.text}` is written twice",
            piece.span,
            "leave one out, or correct it",
            related=(("written before", first.span),),
            fix=where.without(group, fault.way[-1]),
        )

    def _rule(self, item: Guard | FlowRule | Step, first: Guard | FlowRule | Step) -> Finding:
        what = "guard" if isinstance(item, Guard) else "rule"
        return self.found(
            f"{what} `{item.id}` holds where `{first.id}` does, and decides the same",
            item.span,
            "remove one of them, or correct its condition",
            related=((f"`{first.id}`", first.span),) if first.span else (),
        )
