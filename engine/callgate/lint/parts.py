"""The parts of conditions that say yes or no, and which way each of them turns a decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from callgate.model.expr import (
    And,
    Apply,
    Const,
    Default,
    Expr,
    Fact,
    Not,
    Or,
    Quant,
    Var,
    children,
)
from callgate.model.policy import Consult

if TYPE_CHECKING:
    from callgate.lint.subject import Place, Subject

__all__ = ["Part", "argument_in", "deciding", "each_node", "loosening", "parts_of", "texts_in"]

_DECIDING: Final = frozenset({"guard", "rule", "exception"})
_CHANGES_SPELLING: Final = frozenset({"lower", "upper", "as_string"})


@dataclass(frozen=True, slots=True)
class Part:
    """A comparison, a test or a value that is true or false, somewhere in a condition.

    `loosens`: where it is true, a call may get through that otherwise would not: in a rule that
    allows it has to hold, in one that denies or asks it keeps the rule from holding. `within`: what
    it stands in that takes more than it to loosen, outermost first. `binders`: the sources of the
    names that are bound around it.
    """

    place: Place
    expr: Expr
    loosens: bool
    within: tuple[And | Or, ...]
    binders: Mapping[str, Expr]

    def source(self, expr: Expr) -> Expr | None:
        """What a bound name goes over; None where the expression is no such name."""
        return self.binders.get(expr.name) if isinstance(expr, Var) else None

    @property
    def beside(self) -> Iterator[Expr]:
        """Everything that must come together with it to loosen, with all that it consists of."""
        for group in self.within:
            for item in group.items:
                yield from each_node(item)


def parts_of(place: Place) -> list[Part]:
    """The parts of a place's condition, left to right."""
    binders: dict[str, Expr] = {}
    if place.each is not None:
        binders[place.each[0]] = Fact(f"effects.{place.each[1]}")
    found: list[Part] = []
    _collect(found, place, place.condition.expr, place.allows, (), binders)
    return found


def _collect(
    found: list[Part],
    place: Place,
    expr: Expr,
    loosens: bool,
    within: tuple[And | Or, ...],
    binders: Mapping[str, Expr],
) -> None:
    if isinstance(expr, And | Or):
        if isinstance(expr, And) == loosens:
            within = (*within, expr)
        for item in expr.items:
            _collect(found, place, item, loosens, within, binders)
    elif isinstance(expr, Not):
        _collect(found, place, expr.item, not loosens, within, binders)
    elif isinstance(expr, Quant):
        falling = expr.kind == "none" or expr.op in {"lt", "le"}
        bound = {**binders, expr.var: expr.source}
        _collect(found, place, expr.where, loosens != falling, within, bound)
    else:
        found.append(Part(place, expr, loosens, within, binders))


def each_node(expr: Expr) -> Iterator[Expr]:
    """An expression and all that it consists of."""
    yield expr
    for child in children(expr):
        yield from each_node(child)


def argument_in(expr: Expr) -> str | None:
    """The argument whose text an expression is, perhaps in other letters or with a default."""
    while True:
        if isinstance(expr, Default):
            expr = expr.item
        elif isinstance(expr, Apply) and expr.op in _CHANGES_SPELLING:
            expr = expr.args[0]
        else:
            break
    name = expr.name if isinstance(expr, Fact) else ""
    return name.removeprefix("args.") if name.startswith("args.") else None


def texts_in(part: Part) -> tuple[str, ...]:
    """The texts that a comparison has on its other side; none where they are not constants."""
    if not isinstance(part.expr, Apply) or len(part.expr.args) < 2:
        return ()
    other = part.expr.args[1]
    found = other if isinstance(other, Const) else part.source(other)
    return tuple(_texts(found.value)) if isinstance(found, Const) else ()


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _texts(item)


def deciding(subject: Subject) -> Iterator[Part]:
    """The parts of guards, of exceptions and of rules of the flow that decide at once. Whoever is
    consulted looks at the call as well."""
    asked = {rule.id for rule in subject.rules if isinstance(rule.then, Consult)}
    for part in subject.parts:
        if part.place.role in _DECIDING and part.place.owner not in asked:
            yield part


def loosening(subject: Subject) -> Iterator[Part]:
    """Those of them that let calls through where they are true."""
    return (part for part in deciding(subject) if part.loosens)
