"""Typed conditions: the small tree that both evaluators, the folder and the graph share.

The type checker makes it from the syntax tree: names are resolved, overloaded operators are
replaced by the operation that fits the types, derived facts and `define:`s are inlined.

Values at run time are plain: bool, int, str, tuple or list, dict, `None` for absent, `UNKNOWN`
for what can't be known. Paths are normalised POSIX strings (absolute, or starting with `~` where
the home is not known); times are integers, microseconds since 1970 UTC.

Three-valued evaluation: `Apply` gives UNKNOWN when an argument is UNKNOWN (also an element of a
list argument, unless the result is certain without it); `Not`, `And`, `Or` and the quantifiers
follow Kleene.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from callgate.model.pattern import CommandPattern

__all__ = [
    "And",
    "Apply",
    "CommandMatch",
    "Const",
    "Default",
    "Expr",
    "Fact",
    "Get",
    "Has",
    "Not",
    "Or",
    "Quant",
    "Var",
    "children",
    "facts_of",
]


class Expr:
    """Base of all typed nodes; hashable, compared by value."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A constant: bool, int, str, None, or a (nested) tuple of them."""

    value: Any


@dataclass(frozen=True, slots=True)
class Fact(Expr):
    """A value of the call or its surroundings, by its full dotted name.

    `call.<field>`, `args.<name>`, `declared.<field>`, `observed.<field>`, `settings.<key>`,
    `effects.<kind>`, `effects.complete`, `guards.asks`, `risk`, `capabilities`.
    """

    name: str


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """What a quantifier or a guard's `each:` binds."""

    name: str


@dataclass(frozen=True, slots=True)
class Get(Expr):
    """A field of a record value. Absent in a map or a JSON object gives None."""

    base: Expr
    field: str


@dataclass(frozen=True, slots=True)
class Apply(Expr):
    """An operation of `callgate.stdlib` on its arguments."""

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Not(Expr):
    """Kleene's not."""

    item: Expr


@dataclass(frozen=True, slots=True)
class And(Expr):
    """Kleene's and, over two or more items, left to right."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Or(Expr):
    """Kleene's or, over two or more items, left to right."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Has(Expr):
    """Whether a value is present: not None. UNKNOWN when it is UNKNOWN."""

    item: Expr


@dataclass(frozen=True, slots=True)
class Default(Expr):
    """The item, or `otherwise` when it is absent."""

    item: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Quant(Expr):
    """`any`, `none` or `count` over a list.

    For `count`, `op` (eq ne lt le gt ge) and `bound` compare the number; the result is UNKNOWN
    only when the elements whose `where` is UNKNOWN could change it.
    """

    kind: Literal["any", "none", "count"]
    var: str
    source: Expr
    where: Expr
    op: str = ""
    bound: Expr | None = None


@dataclass(frozen=True, slots=True)
class CommandMatch(Expr):
    """Whether a `run` effect matches a command pattern. `strict`: in an allowing position, where
    the program must also be literal and found on a trusted path. `pattern` is an expression where
    it stands in the settings, which are folded before anything is decided."""

    run: Expr
    pattern: CommandPattern | Expr
    strict: bool = False


def children(expr: Expr) -> Iterator[Expr]:
    """The direct sub-expressions, in evaluation order."""
    match expr:
        case Get(base=base):
            yield base
        case Apply(args=args):
            yield from args
        case Not(item=item) | Has(item=item):
            yield item
        case And(items=items) | Or(items=items):
            yield from items
        case Default(item=item, otherwise=otherwise):
            yield item
            yield otherwise
        case Quant(source=source, where=where, bound=bound):
            yield source
            yield where
            if bound is not None:
                yield bound
        case CommandMatch(run=run, pattern=pattern):
            yield run
            if isinstance(pattern, Expr):
                yield pattern
        case _:
            return


def facts_of(expr: Expr) -> set[str]:
    """The names of all facts in an expression."""
    found: set[str] = set()
    todo = [expr]
    while todo:
        node = todo.pop()
        if isinstance(node, Fact):
            found.add(node.name)
        else:
            todo.extend(children(node))
    return found
