"""The reference's conditions: the value of every kind of expression."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.model.expr import (
    And,
    CommandMatch,
    Const,
    Default,
    Expr,
    Fact,
    Get,
    Has,
    Not,
    Or,
    Quant,
    Var,
)
from callgate.model.pattern import CommandPattern, WordPattern
from callgate.model.values import UNKNOWN
from callgate.runtime.reference_conditions import value
from callgate.runtime.reference_values import EvaluationError

T, F, U = Const(True), Const(False), Fact("u")
A, B = Const(("a",)), Const(("a", "b"))


def _value(expr: Expr, **facts: Any) -> Any:
    known = {"u": UNKNOWN, "none": None, **facts}
    return value(expr, known.__getitem__, lambda run, pattern, strict: strict, {})


def _quant(kind: str, items: Any, op: str = "", bound: int = 0) -> Quant:
    return Quant(kind, "x", Const(items), Var("x"), op, Const(bound))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (Not(T), False),
        (Not(U), UNKNOWN),
        (And((T, U)), UNKNOWN),
        (And((U, F)), False),
        (And((F, Fact("missing"))), False),
        (Or((F, U)), UNKNOWN),
        (Or((U, T)), True),
        (Or((T, Fact("missing"))), True),
        (Has(Fact("none")), False),
        (Has(U), UNKNOWN),
        (Has(T), True),
        (Default(Fact("none"), T), True),
        (Default(U, T), UNKNOWN),
        (Get(Const({"a": 1}), "a"), 1),
        (Get(Const({"a": 1}), "b"), None),
        (Get(Const([1]), "a"), None),
        (Get(U, "a"), UNKNOWN),
        (_quant("any", (False, UNKNOWN)), UNKNOWN),
        (_quant("any", (UNKNOWN, True)), True),
        (_quant("any", ()), False),
        (_quant("none", (False, UNKNOWN)), UNKNOWN),
        (_quant("none", (UNKNOWN, True)), False),
        (_quant("none", ()), True),
        (_quant("any", UNKNOWN), UNKNOWN),
        (_quant("count", (True, UNKNOWN), "ge", 1), True),
        (_quant("count", (True, UNKNOWN), "ge", 2), UNKNOWN),
        (_quant("count", (True, UNKNOWN), "ge", 3), False),
        (_quant("count", (True, UNKNOWN), "eq", 3), False),
        (_quant("count", (True, UNKNOWN), "ne", 3), True),
        (_quant("count", (True, UNKNOWN), "lt", 2), UNKNOWN),
        (CommandMatch(Const("run"), CommandPattern((WordPattern(("git",)),)), strict=True), True),
        (CommandMatch(U, CommandPattern((WordPattern(("git",)),))), UNKNOWN),
    ],
)
def test_conditions(expr: Expr, expected: Any) -> None:
    assert _value(expr) is expected or _value(expr) == expected


@pytest.mark.parametrize("expr", [Var("x"), Not(Const(1)), _quant("any", 7), Expr()])
def test_what_is_not_well_typed_raises(expr: Expr) -> None:
    with pytest.raises(EvaluationError):
        _value(expr)
