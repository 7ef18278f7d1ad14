"""Conditions as `and` and `or` over tests of one value each, for reasoning about them.

A form is true on exactly the calls on which its condition is true: then every value that its tests
look at is known, so plain two-valued logic holds. What a test can't be taken apart into is a test
of its own, which has nothing in common with others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from callgate.lint.logic_values import NO, YES, Values, above, among, below, plain
from callgate.lint.patterns import programs
from callgate.model.expr import (
    And,
    Apply,
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
    children,
)
from callgate.model.pattern import CommandPattern
from callgate.stdlib import OPERATIONS

__all__ = ["All", "Form", "Some", "Test", "Truth", "form", "may_be_unknown", "tests_in"]

_ORDER: Final = {"lt": (-1, below), "le": (0, below), "gt": (1, above), "ge": (0, above)}
_OPPOSITE: Final = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}
_PLACES: Final = frozenset({"under_path", "under_host", "covers", "touches"})
_UNARY: Final = frozenset({"like", "matches", *_PLACES})
_ROOTS: Final = frozenset(
    {
        "args",
        "call",
        "capabilities",
        "declared",
        "guards",
        "profiles",
        "risk",
        "security_profiles",
        "settings",
        "tool",
    }
)
"""What is never unknown."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a value. `values`: what it leaves of it; or `apply`, an operation with one operand
    that is not constant, and whether it holds. `places`: the paths or hosts that it compares with,
    as written. `doubtful`: where it is true, `term` may still not be known as a whole. `implied`:
    it says no more than the test before it."""

    term: Expr
    values: Values | None
    apply: Apply | CommandMatch | None = None
    holds: bool = True
    places: tuple[str, ...] = ()
    doubtful: bool = False
    implied: bool = False

    @property
    def known(self) -> Expr:
        """What is known where the test is true or false: the operation alone where it may be
        unknown although its operand is known."""
        apply = self.apply
        if apply is None or (type(apply) is Apply and not OPERATIONS[apply.op].unknown):
            return self.term
        return apply


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false, whatever the call."""

    value: bool


@dataclass(frozen=True, slots=True)
class All:
    """All of these."""

    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """One of these at least."""

    items: tuple[Form, ...]


Form = Test | Truth | All | Some


@dataclass(frozen=True, slots=True, eq=False)
class _Own(Expr):
    """Stands for an expression that can't be compared: it is equal to itself alone."""

    expr: Expr = field(compare=False)


def form(expr: Expr, holds: bool = True) -> Form:
    """Where a condition is true (`holds`), or where it is false."""
    kind = type(expr)
    if kind is Apply:
        return _applied(expr, holds)  # type: ignore[arg-type]
    match expr:
        case And(items=items):
            return _joined(All if holds else Some, items, holds)
        case Or(items=items):
            return _joined(Some if holds else All, items, holds)
        case Not(item=item):
            return form(item, not holds)
        case Const(value=value):
            return Truth(value is holds)
        case Quant():
            return _quantified(expr, holds)
        case CommandMatch(pattern=CommandPattern()):
            return _matched(expr, holds)
    return _truth(expr, holds)


def _matched(expr: CommandMatch, holds: bool) -> Form:
    """A command pattern, which also says which programs it may be."""
    test = Test(expr.run, None, expr, holds)
    names = programs(expr) if holds else None
    if names is None:
        return test
    return All((test, Test(Get(expr.run, "program"), among(names), implied=True)))


def _joined(kind: type[All] | type[Some], items: tuple[Expr, ...], holds: bool) -> Form:
    return kind(tuple([form(item, holds) for item in items]))


def _truth(expr: Expr, holds: bool) -> Test:
    return Test(_comparable(expr), YES if holds else NO)


def _comparable(expr: Expr) -> Expr:
    try:
        hash(expr)
    except TypeError:  # a constant map
        return _Own(expr)
    return expr


def _quantified(expr: Quant, holds: bool) -> Form:
    if expr.kind == "none":
        return _truth(Quant("any", expr.var, expr.source, expr.where), not holds)
    if expr.kind == "any" or not isinstance(expr.bound, Const):
        return _truth(expr, holds)
    values = _numbers(expr.op, expr.bound.value, holds)
    if values is None:
        return _truth(expr, holds)
    count = Quant("count", expr.var, expr.source, expr.where)
    return Test(_comparable(count), values, doubtful=True)


def _numbers(op: str, bound: Any, holds: bool) -> Values | None:
    """The numbers that a comparison with one leaves."""
    if type(bound) is not int:
        return None
    if op in ("eq", "ne"):
        same = among((bound,))
        return same if (op == "eq") is holds else same.rest
    if op not in _ORDER:
        return None
    step, side = _ORDER[op if holds else _OPPOSITE[op]]
    return side(bound + step)


def _applied(expr: Apply, holds: bool) -> Form:
    op, args = expr.op, expr.args
    if len(args) != 2 and op != "touches":
        return _truth(expr, holds)
    left, right = args[:2]
    if op in _UNARY:
        return _placed(expr, left, right, holds)
    if type(right) is not Const or type(left) is Const:
        return _truth(expr, holds)
    values: Values | None = None
    if op in ("eq", "ne"):
        if plain(right.value):
            same = among((right.value,))
            values = same if (op == "eq") is holds else same.rest
    elif op == "in":
        if type(right.value) in (tuple, list) and all(map(plain, right.value)):
            values = among(right.value)
            if not holds:
                values = values.rest
            elif not right.value:
                return Truth(False)
    elif type(left) is Apply and left.op == "rank":
        left, values = _ranked(op, left, right.value, holds)
    else:
        values = _numbers(op, right.value, holds)
    return _truth(expr, holds) if values is None else Test(_comparable(left), values)


def _ranked(op: str, left: Apply, place: Any, holds: bool) -> tuple[Expr, Values | None]:
    """A comparison in the order of an enum, as the members that it leaves."""
    term, members = left.args
    if op not in _ORDER or type(members) is not Const or type(place) is not int:
        return left, None
    compare = OPERATIONS[op].implementation
    kept = [m for at, m in enumerate(members.value) if compare(at, place) is holds]
    return term, among(kept)


def _placed(expr: Apply, left: Expr, right: Expr, holds: bool) -> Form:
    """`under`, `covers`, `touches`, `like`, `matches`, with a constant on the right."""
    at_home = type(right) is Apply and right.op == "expand_home"
    constant = right.args[0] if isinstance(right, Apply) and at_home else right
    if type(constant) is not Const or type(left) is Const:
        return _truth(expr, holds)
    found = constant.value
    places: tuple[str, ...] = ()
    if expr.op in _PLACES:
        places = found if type(found) is tuple else (found,) if type(found) is str else ()
        if not all(type(place) is str for place in places):
            return _truth(expr, holds)
    return Test(_comparable(left), None, expr, holds, places)


def tests_in(wanted: Form) -> list[Test]:
    """Every test of a form."""
    found: list[Test] = []
    todo: list[Form] = [wanted]
    while todo:
        item = todo.pop()
        kind = type(item)
        if kind is Test:
            found.append(item)  # type: ignore[arg-type]
        elif kind is not Truth:
            todo.extend(item.items)  # type: ignore[union-attr]
    return found


def may_be_unknown(expr: Expr) -> bool:
    """Whether a value may be unknown. Where that is hard to tell, it may."""
    match expr:
        case Const():
            return False
        case Fact(name=name):
            return name.partition(".")[0] not in _ROOTS and name != "effects.complete"
        case Get() | Not() | And() | Or() | Has() | Default():
            return any(map(may_be_unknown, children(expr)))
        case Apply(op=op):
            return OPERATIONS[op].unknown or any(map(may_be_unknown, children(expr)))
        case Var() | CommandMatch():
            return True
        case Quant(kind=kind, source=source, where=where, bound=bound):
            parts = (source, where, *([bound] if kind == "count" and bound else []))
            return any(map(may_be_unknown, parts))
    return True
