"""The value of a condition, by plain recursion over its tree.

A condition is true, false or *unknown*. Unknown stands for "it depends on something that nobody
knows": both answers are still possible. So `not unknown` is unknown, `true or unknown` is true,
`false and unknown` is false, and a count is unknown only while the doubtful elements matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from callgate.model.effect import Effect
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
)
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN, Unknown
from callgate.runtime.reference_values import EvaluationError, Truth, apply, some_of

__all__ = ["Facts", "Matches", "truth", "value"]

Facts = Callable[[str], Any]
"""The value of a fact by its dotted name (`call.channel`, `risk`, `effects.delete`)."""

Matches = Callable[[Effect, CommandPattern | str, bool], Truth]
"""Whether a `run` effect matches a command pattern, which the settings give as text (strictly, in
an allowing rule)."""


def truth(
    expr: Expr | None, facts: Facts, matches: Matches, bound: Mapping[str, Any] | None = None
) -> Truth:
    """The truth of a condition; a rule without one always holds.

    Raises `EvaluationError` when the result is not a truth value, and for what `value` raises.
    """
    if expr is None:
        return True
    result = value(expr, facts, matches, bound or {})
    if not isinstance(result, bool | Unknown):
        raise EvaluationError(f"{result!r} is not a truth value")
    return result


def value(expr: Expr, facts: Facts, matches: Matches, bound: Mapping[str, Any]) -> Any:
    """The value of an expression; `bound` holds what quantifiers and `each:` have bound.

    Raises `EvaluationError` for names that do not exist and operations that do not fit.
    """

    def holds(condition: Expr) -> Truth:
        return truth(condition, facts, matches, bound)

    match expr:
        case Const(constant):
            return constant
        case Fact(name):
            return facts(name)
        case Var(name):
            if name not in bound:
                raise EvaluationError(f"nothing is bound to `{name}`")
            return bound[name]
        case Get(base, field):
            return _field(value(base, facts, matches, bound), field)
        case Apply(op, args):
            return apply(op, tuple(value(arg, facts, matches, bound) for arg in args))
        case Not(item):
            return _negate(holds(item))
        case And(items):
            return _all(items, holds)
        case Or(items):
            return _any(items, holds)
        case Has(item):
            present = value(item, facts, matches, bound)
            return UNKNOWN if present is UNKNOWN else present is not None
        case Default(item, otherwise):
            found = value(item, facts, matches, bound)
            return value(otherwise, facts, matches, bound) if found is None else found
        case Quant():
            return _quantifier(expr, facts, matches, bound)
        case CommandMatch(run, pattern, strict):
            effect = value(run, facts, matches, bound)
            if isinstance(pattern, Expr):
                pattern = value(pattern, facts, matches, bound)
            return UNKNOWN if effect is UNKNOWN else matches(effect, pattern, strict)
        case _:
            raise EvaluationError(f"no such expression: {expr!r}")


def _field(base: Any, field: str) -> Any:
    """A field of an effect, a record or a JSON object; absent where there is none, also in JSON
    that is no object."""
    if base is UNKNOWN:
        return UNKNOWN
    if isinstance(base, Effect):
        common = {"certain": base.certain, "through": base.through}
        fields = {**common, **base.fields}
        if field not in fields:
            raise EvaluationError(f"a `{base.kind}` effect has no field `{field}`")
        return fields[field]
    return base.get(field) if isinstance(base, Mapping) else None


def _negate(item: Truth) -> Truth:
    return UNKNOWN if isinstance(item, Unknown) else not item


def _all(items: tuple[Expr, ...], holds: Callable[[Expr], Truth]) -> Truth:
    """Kleene's and, left to right: what follows a false item is not looked at, because it may
    read what that item has just found to be absent (`has args.path and args.path under …`)."""
    result: Truth = True
    for item in items:
        found = holds(item)
        if found is False:
            return False
        if found is UNKNOWN:
            result = UNKNOWN
    return result


def _any(items: tuple[Expr, ...], holds: Callable[[Expr], Truth]) -> Truth:
    """Kleene's or, left to right; what follows a true item is not looked at."""
    result: Truth = False
    for item in items:
        found = holds(item)
        if found is True:
            return True
        if found is UNKNOWN:
            result = UNKNOWN
    return result


def _quantifier(quant: Quant, facts: Facts, matches: Matches, bound: Mapping[str, Any]) -> Truth:
    """`any` and `none` of a list; `count` compared with a bound."""
    elements = value(quant.source, facts, matches, bound)
    if isinstance(elements, Unknown):
        return UNKNOWN
    if not isinstance(elements, list | tuple):
        raise EvaluationError(f"{elements!r} is not a list")
    found = [
        truth(quant.where, facts, matches, {**bound, quant.var: element}) for element in elements
    ]
    if quant.kind == "any":
        return some_of(iter(found))
    if quant.kind == "none":
        return _negate(some_of(iter(found)))
    assert quant.bound is not None
    limit = value(quant.bound, facts, matches, bound)
    certain = sum(item is True for item in found)
    doubtful = sum(item is UNKNOWN for item in found)
    possible = [
        apply(quant.op, (number, limit)) for number in range(certain, certain + doubtful + 1)
    ]
    if all(answer is True for answer in possible):
        return True
    if all(answer is False for answer in possible):
        return False
    return UNKNOWN
