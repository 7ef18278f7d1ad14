"""Fold settings and constants into a typed condition.

The result is true, false and unknown on exactly the same calls as the original with these
settings; `tests/compiler/test_simplify.py` and the agreement test hold it to that. What does not
change is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.lang import parse_pattern
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
from callgate.model.template import Template
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS

__all__ = ["FALSE", "TRUE", "Fold", "bound_to", "fold_template", "simplify"]

TRUE: Final = Const(True)
FALSE: Final = Const(False)

_BINDER: Final = "$"

_PLAIN: Final = frozenset({str, int, bool})
_LONG: Final = 16
_MOST_INDEXES: Final = 16

Fold = Callable[[str], Const | None]
"""The constant that a fact's name stands for, or None for a fact of the call."""


def simplify(expr: Expr, fold: Fold) -> Expr:
    """The simplest equivalent of `expr`, with the facts that `fold` knows replaced."""
    return _BY_TYPE[type(expr)](expr, fold)


def fold_template(template: Template | None, fold: Fold) -> Template | None:
    """A reason with the constants in its slots."""
    if template is None:
        return None
    return Template(
        tuple(part if isinstance(part, str) else simplify(part, fold) for part in template.parts)
    )


def _same(expr: Expr, fold: Fold) -> Expr:
    return expr


def _fact(expr: Fact, fold: Fold) -> Expr:
    return fold(expr.name) or expr


def _get(expr: Get, fold: Fold) -> Expr:
    base = simplify(expr.base, fold)
    if type(base) is Const:
        return Const(base.value.get(expr.field) if isinstance(base.value, Mapping) else None)
    return expr if base is expr.base else Get(base, expr.field)


def _not(expr: Not, fold: Fold) -> Expr:
    item = simplify(expr.item, fold)
    if type(item) is Const:
        return FALSE if item.value else TRUE
    if type(item) is Not:
        return item.item
    return expr if item is expr.item else Not(item)


def _and(expr: And, fold: Fold) -> Expr:
    return _join(expr, expr.items, fold, And, True)


def _or(expr: Or, fold: Fold) -> Expr:
    return _join(expr, expr.items, fold, Or, False)


def _join(
    expr: Expr, items: tuple[Expr, ...], fold: Fold, kind: type[And] | type[Or], neutral: bool
) -> Expr:
    kept: list[Expr] = []
    same = True
    for item in items:
        inner = simplify(item, fold)
        if type(inner) is Const:
            if inner.value is not neutral:
                return inner
        elif type(inner) is kind:
            kept.extend(inner.items)
        else:
            kept.append(inner)
        same = same and inner is item and type(inner) is not kind
    if same and len(kept) == len(items):
        return expr
    kept = list(dict.fromkeys(kept)) if len(kept) > 1 and _hashable(kept) else kept
    if not kept:
        return TRUE if neutral else FALSE
    return kept[0] if len(kept) == 1 else kind(tuple(kept))


def _hashable(items: list[Expr]) -> bool:
    try:
        hash(tuple(items))
    except TypeError:  # a constant map
        return False
    return True


def _has(expr: Has, fold: Fold) -> Expr:
    item = simplify(expr.item, fold)
    if type(item) is Const:
        return FALSE if item.value is None else TRUE
    return expr if item is expr.item else Has(item)


def _default(expr: Default, fold: Fold) -> Expr:
    item = simplify(expr.item, fold)
    if type(item) is Const:
        return simplify(expr.otherwise, fold) if item.value is None else item
    otherwise = simplify(expr.otherwise, fold)
    if item is expr.item and otherwise is expr.otherwise:
        return expr
    return Default(item, otherwise)


def _quantifier(expr: Quant, fold: Fold) -> Expr:
    source = simplify(expr.source, fold)
    where = simplify(expr.where, fold)
    bound = None if expr.bound is None else simplify(expr.bound, fold)
    # A list that is itself unknown keeps the result unknown; a fact's is not.
    empty = type(source) is Const and not source.value
    if not empty and type(source) is Const and (bound is None or type(bound) is Const):
        counted = _counted(expr, source.value, fold)
        if counted is not None:
            return Const(_holds(expr, counted, bound))
        if expr.kind != "count" and _matches_patterns(where):
            items = _each(expr, source.value, fold)
            found = items[0] if len(items) == 1 else simplify(Or(items), fold)
            return found if expr.kind == "any" else simplify(Not(found), fold)
    if empty or (where == FALSE and type(source) is Fact):
        if expr.kind != "count" or type(bound) is Const:
            return Const(_holds(expr, 0, bound))
    return Quant(expr.kind, expr.var, source, where, expr.op, bound)


def _counted(expr: Quant, items: Any, fold: Fold) -> int | None:
    """Of how many of these elements the condition is true; None where that depends on the call."""
    count = 0
    for item in items:
        where = simplify(expr.where, bound_to(expr.var, item, fold))
        if type(where) is not Const:
            return None
        count += where.value is True
    return count


def _each(expr: Quant, items: Any, fold: Fold) -> tuple[Expr, ...]:
    """The condition for each of these elements."""
    return tuple(simplify(expr.where, bound_to(expr.var, item, fold)) for item in items)


def _matches_patterns(expr: Expr) -> bool:
    """Whether commands are matched with patterns that are not known yet."""
    if type(expr) is CommandMatch and isinstance(expr.pattern, Expr):
        return True
    return any(map(_matches_patterns, children(expr)))


def _holds(expr: Quant, count: int, bound: Expr | None) -> bool:
    if type(bound) is Const:
        return bool(OPERATIONS[expr.op].implementation(count, bound.value))
    return (count > 0) is (expr.kind == "any")


def bound_to(var: str, value: Any, fold: Fold) -> Fold:
    """The same constants, and this value for a binder."""
    name, constant = _BINDER + var, Const(value)
    return lambda fact: constant if fact == name else fold(fact)


def _var(expr: Var, fold: Fold) -> Expr:
    return fold(_BINDER + expr.name) or expr


def _command(expr: CommandMatch, fold: Fold) -> Expr:
    pattern = expr.pattern
    if isinstance(pattern, Expr):
        pattern = simplify(pattern, fold)
        if type(pattern) is Const:
            pattern = parse_pattern(pattern.value)
    return CommandMatch(simplify(expr.run, fold), pattern, expr.strict)


def _apply(expr: Apply, fold: Fold) -> Expr:
    args, constant, same = [], True, True
    for arg in expr.args:
        inner = simplify(arg, fold)
        args.append(inner)
        constant = constant and type(inner) is Const
        same = same and inner is arg
    op = expr.op
    if constant:
        values: list[Any] = [arg.value for arg in args if type(arg) is Const]
        if any(value is None for value in values):
            result: Any = UNKNOWN
        elif op == "in" and type(values[0]) in _PLAIN and (found := _indexed(values[1])):
            result = (type(values[0]), values[0]) in found
        else:
            result = OPERATIONS[op].implementation(*values)
        if result is not UNKNOWN:
            return Const(result)
    if op == "in" and type(args[1]) is Const:
        members = args[1].value
        if not members:
            return FALSE
        if len(members) == 1 and type(members) is tuple:
            return Apply("eq", (args[0], Const(members[0])))
    return expr if same else Apply(op, tuple(args))


def _indexed(items: Any) -> frozenset[tuple[type, Any]] | None:
    """The elements of a long list of plain values, each with its type (true is not 1); None for
    any other list. What asks for every element of one list whether it is in another is common."""
    if type(items) is not tuple or len(items) < _LONG:
        return None
    known = _indexes.get(id(items))
    if known is None:
        plain = all(type(item) in _PLAIN for item in items)
        found = frozenset((type(item), item) for item in items) if plain else None
        if len(_indexes) >= _MOST_INDEXES:
            _indexes.clear()
        # The list is kept, so that its id stays its own.
        known = _indexes[id(items)] = (items, found)
    return known[1]


_indexes: Final[dict[int, tuple[Any, frozenset[tuple[type, Any]] | None]]] = {}

_BY_TYPE: Final[Mapping[type[Expr], Callable[[Any, Fold], Expr]]] = {
    Const: _same,
    Var: _var,
    Fact: _fact,
    Get: _get,
    Not: _not,
    And: _and,
    Or: _or,
    Has: _has,
    Default: _default,
    Quant: _quantifier,
    CommandMatch: _command,
    Apply: _apply,
}
