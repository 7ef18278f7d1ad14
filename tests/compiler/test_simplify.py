"""Folding changes what a condition costs, never what it says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.model.expr import (
    And,
    Apply,
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
from callgate.model.values import UNKNOWN
from callgate.runtime.codegen import Codegen
from callgate.runtime.frame import Frame
from callgate.stdlib import OPERATIONS
from tests.small import among, eq

SETTINGS = {
    "settings.on": Const(True),
    "settings.off": Const(False),
    "settings.none": Const(None),
    "settings.list": Const(("exec", "cronjob")),
    "settings.empty": Const(()),
    "settings.map": Const({"cli": ("ann",)}),
}
NESTED = Fact("call.nested")
UNSURE: Expr = Apply("lt", (Fact("observed.time"), Const(5)))

CASES: list[tuple[Expr, Expr]] = [
    (Fact("settings.on"), TRUE),
    (And((NESTED, Fact("settings.off"))), FALSE),
    (And((NESTED, Fact("settings.on"))), NESTED),
    (Or((NESTED, Fact("settings.on"))), TRUE),
    (Or((NESTED, Fact("settings.off"))), NESTED),
    (And((UNSURE, Fact("settings.off"))), FALSE),
    (Or((UNSURE, Fact("settings.on"))), TRUE),
    (And((NESTED, And((UNSURE, NESTED)))), And((NESTED, UNSURE))),
    (Not(Not(NESTED)), NESTED),
    (Not(Fact("settings.off")), TRUE),
    (Has(Fact("settings.none")), FALSE),
    (Has(Fact("settings.list")), TRUE),
    (Quant("any", "x", Fact("settings.list"), Apply("eq", (Var("x"), Const("exec")))), TRUE),
    (Quant("none", "x", Fact("settings.list"), Apply("eq", (Var("x"), Const("exec")))), FALSE),
    (
        Quant("count", "x", Fact("settings.list"), Has(Var("x")), "ge", Const(2)),
        TRUE,
    ),
    (
        Quant("count", "x", Fact("settings.list"), Fact("settings.on"), "gt", Const(2)),
        FALSE,
    ),
    (
        Quant("any", "x", Fact("settings.list"), Apply("eq", (Var("x"), Fact("call.tool")))),
        Quant(
            "any",
            "x",
            Const(("exec", "cronjob")),
            Apply("eq", (Var("x"), Fact("call.tool"))),
        ),
    ),
    (Default(Fact("settings.none"), NESTED), NESTED),
    (Default(Fact("settings.off"), NESTED), FALSE),
    (
        Apply("in", (Fact("call.tool"), Fact("settings.list"))),
        among("call.tool", "exec", "cronjob"),
    ),
    (Apply("in", (Fact("call.tool"), Fact("settings.empty"))), FALSE),
    (among("call.tool", "exec"), eq("call.tool", "exec")),
    (Apply("in", (Const("exec"), Fact("settings.list"))), TRUE),
    (Apply("item", (Fact("settings.map"), Const("cli"))), Const(("ann",))),
    (Apply("item", (Fact("settings.map"), Const("web"))), Const(None)),
    (Get(Fact("settings.map"), "cli"), Const(("ann",))),
    (Quant("any", "x", Fact("settings.empty"), Var("x")), FALSE),
    (Quant("none", "x", Fact("settings.empty"), Var("x")), TRUE),
    (Quant("any", "x", Fact("capabilities"), Fact("settings.off")), FALSE),
    (Quant("count", "x", Fact("settings.empty"), Var("x"), "ge", Const(1)), FALSE),
    # What would be unknown is left to the walk.
    (Apply("path", (Const("notes.md"), Const(""))), Apply("path", (Const("notes.md"), Const("")))),
]


@pytest.mark.parametrize(("expr", "simple"), CASES, ids=range(len(CASES)))
def test_folded(expr: Expr, simple: Expr) -> None:
    assert simplify(expr, SETTINGS.get) == simple


ATOMS = st.sampled_from(
    [
        NESTED,
        UNSURE,
        Fact("settings.on"),
        Fact("settings.off"),
        eq("call.tool", "exec"),
        Apply("in", (Fact("call.tool"), Fact("settings.list"))),
        Apply("in", (Fact("call.tool"), Fact("settings.empty"))),
        Has(Fact("settings.none")),
        TRUE,
        FALSE,
    ]
)
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: And(tuple(items))),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: Or(tuple(items))),
        inner.map(lambda where: Quant("any", "c", Fact("capabilities"), where)),
        inner.map(lambda where: Quant("none", "c", Fact("capabilities"), where)),
        inner.map(lambda where: Quant("count", "c", Fact("capabilities"), where, "ge", Const(1))),
    ),
    max_leaves=10,
)


def value(expr: Expr, frame: Frame) -> Any:
    """Every setting folded in and nothing else simplified: the original's value."""

    def folded(part: Expr) -> Expr:
        match part:
            case Fact(name=name):
                return SETTINGS.get(name, part)
            case Not(item=item):
                return Not(folded(item))
            case And(items=items):
                return And(tuple(map(folded, items)))
            case Or(items=items):
                return Or(tuple(map(folded, items)))
            case Has(item=item):
                return Has(folded(item))
            case Quant():
                return Quant(
                    part.kind, part.var, part.source, folded(part.where), part.op, part.bound
                )
            case Apply(op=op, args=args):
                return Apply(op, tuple(map(folded, args)))
        return part

    return Codegen({}, lambda frame: None, lambda *_: UNKNOWN).compile(folded(expr))(frame)


@given(
    EXPRESSIONS, st.booleans(), st.sampled_from(["exec", "todo"]), st.booleans(), st.integers(0, 2)
)
def test_folding_keeps_the_value(
    expr: Expr, nested: bool, tool: str, timed: bool, capabilities: int
) -> None:
    frame = Frame()
    frame.tool = tool
    frame.context = {"nested": nested}
    frame.observed = {"time": "1970-01-01T00:00:00Z"} if timed else {}
    frame.capabilities = ("a", "b")[:capabilities]
    simple = simplify(expr, SETTINGS.get)
    actual = Codegen({}, lambda frame: None, lambda *_: UNKNOWN).compile(simple)(frame)
    assert actual is value(expr, frame)


@pytest.mark.parametrize("value", ["a7", "7", "b", 7, 1, True, False, 0])
@pytest.mark.parametrize("more", [(), (True,), (1,), ("b",), (1.0,), ((1,),), (False, 0)])
def test_long_lists_are_looked_up_as_short_ones_are_searched(value: Any, more: Any) -> None:
    items = (*(f"a{number}" for number in range(40)), *more)
    condition = Apply("in", (Const(value), Const(items)))
    for _ in "12":
        wanted = OPERATIONS["in"].implementation(value, items)
        assert simplify(condition, lambda name: None) == Const(wanted)
