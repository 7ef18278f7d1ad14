"""What is claimed of conditions holds, for every value and in doubt: held to the evaluator."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from callgate.lint.logic_forms import form
from callgate.model.expr import And, Apply, Const, Expr, Fact, Has, Not, Or
from tests.lint.worlds import (
    CHANNEL,
    COUNT,
    FLAG,
    HOUR,
    LEVELS,
    LOGIC,
    PLACE,
    RISK,
    at_home,
    conditions,
    counted,
    truths,
)


@settings(deadline=None, max_examples=300)
@given(conditions())
def test_what_is_claimed_of_one_condition_holds(expr: Expr) -> None:
    found = [truth for (truth,) in truths(expr)]
    if not LOGIC.possible(form(expr)):
        assert True not in found
    if not LOGIC.possible(form(expr, holds=False)):
        assert False not in found
    if LOGIC.never_false(expr):
        assert False not in found
    if LOGIC.always(expr):
        assert set(found) == {True}


@settings(deadline=None, max_examples=300)
@given(conditions(), conditions())
def test_what_is_claimed_of_two_conditions_holds(one: Expr, other: Expr) -> None:
    apart = not LOGIC.possible(form(one), form(other))
    follows = LOGIC.implies(one, other)
    if apart or follows:
        for left, right in truths(one, other):
            assert not (apart and left is True and right is True)
            assert not (follows and left is True and right is not True)


def _is(term: Expr, value: Any) -> Expr:
    return Apply("eq", (term, Const(value)))


def _rank(op: str, at: int) -> Expr:
    return Apply(op, (Apply("rank", (RISK, Const(LEVELS))), Const(at)))


def _under(*paths: str) -> Expr:
    return Apply("under_path", (PLACE, at_home(paths)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_is(CHANNEL, "ops"), _is(CHANNEL, "web")),
        (_is(RISK, "high"), _rank("lt", 2)),
        (_rank("gt", 0), Not(Or((_is(RISK, "mid"), _is(RISK, "high"))))),
        (FLAG, Not(FLAG)),
        (FLAG, _is(FLAG, False)),
        (Apply("gt", (COUNT, Const(3))), Apply("le", (COUNT, Const(3)))),
        (Apply("lt", (Apply("length", (CHANNEL,)), Const(0))), Const(True)),
        (_under("/srv/a"), Not(_under("/srv"))),
        (_under("~/a"), Not(_under("/etc", "~"))),
        (_under("/srv"), _under("/etc")),
        (_is(CHANNEL, "web"), Apply("like", (CHANNEL, Const("ops*")))),
        (counted("ge", 2), counted("lt", 1)),
        (Has(FLAG), Not(Has(FLAG))),
    ],
)
def test_conditions_that_can_not_both_hold(one: Expr, other: Expr) -> None:
    assert not LOGIC.possible(form(one), form(other))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (_is(RISK, "high"), _rank("gt", 0), True),
        (_rank("gt", 0), _is(RISK, "high"), False),
        (And((FLAG, _is(CHANNEL, "ops"))), FLAG, True),
        (FLAG, Or((_is(CHANNEL, "ops"), FLAG)), True),
        (_under("/srv/a"), _under("/srv"), True),
        # A path that is not known is in no folder for certain.
        (FLAG, Or((_under("/srv"), Not(_under("/srv")))), False),
        (Apply("lt", (COUNT, Const(2))), Apply("lt", (COUNT, Const(3))), True),
    ],
)
def test_a_condition_that_follows(one: Expr, other: Expr, expected: bool) -> None:
    assert LOGIC.implies(one, other) is expected


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (_rank("ge", 0), True),
        (Or((FLAG, Not(FLAG))), True),
        (Apply("in", (RISK, Const(LEVELS))), True),
        (Apply("in", (RISK, Const(LEVELS[1:]))), False),
        (Or((_under("/srv"), Not(_under("/srv")))), False),
        (Apply("ge", (HOUR, Const(0))), False),
    ],
)
def test_a_condition_that_is_always_true(expr: Expr, expected: bool) -> None:
    assert LOGIC.always(expr) is expected


def test_nothing_is_claimed_where_it_takes_too_many_steps() -> None:
    choices = [Or(tuple(_is(Fact(f"call.f{n}"), text) for text in "abc")) for n in range(8)]
    never = [Not(Or(tuple(_is(Fact("call.f0"), text) for text in "abc")))]
    exprs = [form(expr) for expr in (*choices, *never)]
    assert LOGIC.possible(*exprs, steps=4)
    assert not LOGIC.possible(*exprs, steps=100_000)
