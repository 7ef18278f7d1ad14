"""Command patterns that stand in the settings: where they may be matched, and how strictly."""

from __future__ import annotations

import pytest

from callgate.lang.check_uses import Use
from callgate.model.expr import CommandMatch, Expr, children
from tests.check.standard import check

_RUNS = "r in effects.run where"


def matches(expr: Expr) -> list[bool]:
    """Which of the matches in a condition are strict, in order."""
    own = [expr.strict] if isinstance(expr, CommandMatch) else []
    return own + [strict for inner in children(expr) for strict in matches(inner)]


@pytest.mark.parametrize(
    ("use", "text", "strict"),
    [
        (Use.GUARD, f"any({_RUNS} any(p in settings.watched where r is p))", [False]),
        (Use.GUARD, f"any({_RUNS} any(p in settings.known where r is p))", [False]),
        (Use.GUARD, f"any({_RUNS} not any(p in settings.known where r is p))", [True]),
        (
            Use.GUARD,
            f"has settings.command and any({_RUNS} r is settings.command)",
            [False],
        ),
        (
            Use.ALLOW,
            f"effects.complete and none({_RUNS} none(p in settings.known where r is p))"
            f" and none({_RUNS} any(p in settings.watched where r is p))",
            [True, False],
        ),
    ],
)
def test_where_a_match_is_strict(use: Use, text: str, strict: list[bool]) -> None:
    condition, found = check(text, use)
    assert not found
    assert condition is not None
    assert matches(condition.expr) == strict


def test_patterns_of_both_kinds_are_compared() -> None:
    text = "any(p in settings.watched where any(q in settings.known where p == q))"
    condition, found = check(text, Use.FLOW)
    assert condition is not None
    assert not found
