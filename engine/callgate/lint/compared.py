"""The texts with which rules compare what a call says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from callgate.lint.parts import Part, parts_of
from callgate.model.expr import Apply, Const, Expr, Fact

if TYPE_CHECKING:
    from callgate.lint.subject import Subject

__all__ = ["Compared", "compared"]

_EQUAL: Final = frozenset({"eq", "ne", "in"})


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison of a fact, or of an element of a list that is one, with texts. `own`: it stands
    in one of the bundle's own files."""

    part: Part
    fact: str
    texts: tuple[str, ...]
    own: bool


def compared(subject: Subject) -> tuple[Compared, ...]:
    """Every comparison of a fact with texts for equality (for `Subject.once`)."""
    inherited = (
        part for place in subject.places if not subject.own(place.span) for part in parts_of(place)
    )
    return (*_compared(subject.parts, own=True), *_compared(inherited, own=False))


def _compared(parts: Iterator[Part] | tuple[Part, ...], own: bool) -> Iterator[Compared]:
    for part in parts:
        expr = part.expr
        if type(expr) is not Apply or expr.op not in _EQUAL or len(expr.args) != 2:
            continue
        left, right = expr.args
        if type(right) is Const:
            fact, value = _fact(part, left), right.value
        elif type(left) is Const and expr.op == "in":
            fact, value = _fact(part, right), left.value
        else:
            continue
        if fact is not None:
            items = value if type(value) is tuple else (value,)
            texts = tuple(item for item in items if type(item) is str)
            if texts:
                yield Compared(part, fact, texts, own)


def _fact(part: Part, expr: Expr) -> str | None:
    """The name of the fact that an expression is, or that it is an element of."""
    if type(expr) is not Fact:
        source = part.source(expr)
        if type(source) is not Fact:
            return None
        expr = source
    return expr.name
