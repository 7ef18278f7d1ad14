"""The smallest evaluator of typed expressions, on the operations of `callgate.stdlib`."""

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
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS

__all__ = ["evaluate"]


def evaluate(
    expr: Expr, facts: Callable[[str], Any], bound: Mapping[str, Any] | None = None
) -> Any:
    """The value of an expression; a command pattern always matches."""
    bound = bound or {}

    def of(part: Expr) -> Any:
        return evaluate(part, facts, bound)

    match expr:
        case Const(value=value):
            return value
        case Fact(name=name):
            return facts(name)
        case Var(name=name):
            return bound[name]
        case Get(base=base, field=field):
            return _field(of(base), field)
        case Apply(op=op, args=args):
            values = [of(arg) for arg in args]
            if any(value is UNKNOWN for value in values):
                return UNKNOWN
            return OPERATIONS[op].implementation(*values)
        case Not(item=item):
            return _not(of(item))
        case And(items=items):
            return _junction(items, of, stop=False)
        case Or(items=items):
            return _junction(items, of, stop=True)
        case Has(item=item):
            found = of(item)
            return UNKNOWN if found is UNKNOWN else found is not None
        case Default(item=item, otherwise=otherwise):
            found = of(item)
            return of(otherwise) if found is None else found
        case CommandMatch(run=run):
            return UNKNOWN if of(run) is UNKNOWN else True
        case Quant():
            return _quantifier(expr, facts, bound)
    raise TypeError(expr)


def _field(base: Any, name: str) -> Any:
    if isinstance(base, Effect):
        return base.fields[name] if name in base.fields else getattr(base, name)
    return base.get(name) if isinstance(base, dict) else None


def _not(value: Any) -> Any:
    assert value is True or value is False or value is UNKNOWN, value
    return UNKNOWN if value is UNKNOWN else not value


def _junction(items: tuple[Expr, ...], of: Callable[[Expr], Any], stop: bool) -> Any:
    result: Any = not stop
    for item in items:
        value = of(item)
        assert value is True or value is False or value is UNKNOWN, (item, value)
        if value is stop:
            return stop
        if value is UNKNOWN:
            result = UNKNOWN
    return result


def _quantifier(expr: Quant, facts: Callable[[str], Any], bound: Mapping[str, Any]) -> Any:
    source = evaluate(expr.source, facts, bound)
    if source is UNKNOWN:
        return UNKNOWN
    found = [evaluate(expr.where, facts, {**bound, expr.var: item}) for item in source]
    least, most = found.count(True), len(found) - found.count(False)
    if expr.kind == "count":
        assert expr.bound is not None
        bound_value = evaluate(expr.bound, facts, bound)
        if bound_value is UNKNOWN:
            return UNKNOWN
        compare = OPERATIONS[expr.op].implementation
        answers = {compare(number, bound_value) for number in range(least, most + 1)}
        return answers.pop() if len(answers) == 1 else UNKNOWN
    if least:
        return expr.kind == "any"
    return UNKNOWN if most else expr.kind == "none"
