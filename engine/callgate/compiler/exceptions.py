"""Exceptions of rules → conditions of the graph."""

from __future__ import annotations

from callgate.compiler.simplify import FALSE, TRUE, Fold, simplify
from callgate.model.expr import And, Apply, Const, Expr, Fact
from callgate.model.policy import Guard, Rule, RuleException

__all__ = ["exception_text", "exceptions_of"]


def exceptions_of(rule: Guard | Rule, fold: Fold) -> list[tuple[RuleException, Expr]]:
    """The exceptions that these settings leave, in order, each with what must be true for it to
    count: its time has not come, and its condition holds."""
    found: list[tuple[RuleException, Expr]] = []
    for item in rule.exceptions:
        when = TRUE if item.when is None else simplify(item.when.expr, fold)
        before = Apply("lt", (Fact("observed.time"), Const(item.until)))
        if when != FALSE:
            found.append((item, before if when == TRUE else And((before, when))))
    return found


def exception_text(item: RuleException) -> str:
    """What must be true for an exception to count, as text."""
    before = f"observed.time < {item.expires}"
    return before if item.when is None else f"{before} and ({item.when.text})"
