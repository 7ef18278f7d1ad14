"""Which parts of a condition can't be unknown: their code needs no third value."""

from __future__ import annotations

from typing import Final

from callgate.model.expr import And, Apply, Const, Default, Expr, Fact, Get, Has, Not, Or, Var
from callgate.stdlib import OPERATIONS

__all__ = ["CERTAIN_FIELDS", "Bound", "Scope", "certain"]

CERTAIN_FIELDS: Final = frozenset({"certain", "through"})
"""Fields of effects that are always known."""


class Bound:
    """A binder in scope: its Python name, and whether it is an effect."""

    __slots__ = ("effect", "name")

    def __init__(self, name: str, effect: bool) -> None:
        self.name = name
        self.effect = effect


Scope = dict[str, Bound]
"""The binders that an expression may name."""


def certain(expr: Expr, scope: Scope) -> bool:
    """Whether an expression can't evaluate to unknown."""
    match expr:
        case Const():
            return True
        case Fact(name=name):
            return name != "observed.time"
        case Var(name=name):
            return name in scope and scope[name].effect
        case Get(base=Var(name=name), field=field) if name in scope and scope[name].effect:
            return field in CERTAIN_FIELDS
        case Get(base=base):
            return certain(base, scope)
        case Not(item=item) | Has(item=item):
            return certain(item, scope)
        case And(items=items) | Or(items=items):
            return all(certain(item, scope) for item in items)
        case Default(item=item, otherwise=otherwise):
            return certain(item, scope) and certain(otherwise, scope)
        case Apply(op=op, args=args):
            return not OPERATIONS[op].unknown and all(certain(arg, scope) for arg in args)
    return False
