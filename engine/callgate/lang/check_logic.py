"""`and`, `or`, `not`, `has` and `??`, and what each of them makes known to its neighbours."""

from __future__ import annotations

from callgate.lang.check_context import BROKEN, NOTHING, Context, Known, Typed, dotted
from callgate.lang.check_names import named
from callgate.lang.check_types import a, comparable, present
from callgate.lang.scope import Read
from callgate.model.expr import And, Apply, Const, Default, Expr, Fact, Has, Not, Or
from callgate.model.syntax import BoolOp, HasTest, NotTest, Otherwise
from callgate.model.types import BOOL, JSON, Optional, Type

__all__ = ["both", "has", "known_if", "negation", "otherwise"]


def known_if(expr: Expr, truth: bool) -> Known:
    """What is known where a condition is not false (`truth`), or where it is not true."""
    if isinstance(expr, Apply):
        return _tools(expr) if truth else NOTHING
    match expr:
        case Not(item=item):
            return known_if(item, not truth)
        case And(items=items) | Or(items=items):
            parts = [known_if(item, truth) for item in items]
            if isinstance(expr, And) is truth:
                return _all(parts)
            return _any(parts)
        case Has(item=item) if truth:
            return Known(frozenset((item,)))
    return NOTHING


def _tools(expr: Apply) -> Known:
    """The tools that a comparison of `call.tool` leaves."""
    if expr.op not in ("eq", "in"):
        return NOTHING
    fact, other = expr.args
    if not (isinstance(fact, Fact) and fact.name == "call.tool" and isinstance(other, Const)):
        return NOTHING
    return Known(tools=frozenset(other.value if expr.op == "in" else (other.value,)))


def _all(parts: list[Known]) -> Known:
    found = NOTHING
    for part in parts:
        found = found.plus(part)
    return found


def _any(parts: list[Known]) -> Known:
    found = parts[0]
    for part in parts[1:]:
        tools = None
        if found.tools is not None and part.tools is not None:
            tools = found.tools | part.tools
        found = Known(found.present & part.present, tools)
    return found


def both(context: Context, node: BoolOp, expected: Type | None) -> Typed:
    """`a and b`, `a or b`: what the earlier items say holds where the later ones are evaluated."""
    conjunction = node.op == "and"
    before, first_read = context.known, len(context.reads)
    items: list[Expr] = []
    unknown = broken = False
    for item in node.items:
        found = context.truth(item)
        if found is BROKEN:
            broken = True
            continue
        items.append(found.expr)
        unknown = unknown or found.unknown
        fresh = known_if(found.expr, conjunction)
        if fresh is not NOTHING:
            context.known = context.known.plus(fresh)
    context.known = before
    if conjunction and len(context.reads) > first_read and any(map(_needs_complete, items)):
        _guard(context, first_read)
    if broken:
        return BROKEN
    kind = And if conjunction else Or
    return Typed(kind(tuple(items)), BOOL, unknown)


def _needs_complete(expr: Expr) -> bool:
    """Whether a condition is true only where `effects.complete` is."""
    if isinstance(expr, And):
        return any(map(_needs_complete, expr.items))
    return isinstance(expr, Fact) and expr.name == "effects.complete"


def _guard(context: Context, start: int) -> None:
    for index in range(start, len(context.reads)):
        read, node = context.reads[index]
        context.reads[index] = (Read(read.what, read.name, read.direction, guarded=True), node)


def negation(context: Context, node: NotTest, expected: Type | None) -> Typed:
    """`not a`."""
    before, context.direction = context.direction, -context.direction
    found = context.truth(node.item)
    context.direction = before
    if found is BROKEN:
        return BROKEN
    return Typed(Not(found.expr), BOOL, found.unknown)


def has(context: Context, node: HasTest, expected: Type | None) -> Typed:
    """`has a.b`: whether what may be absent is there."""
    before, context.direction = context.direction, 0
    name = dotted(node.target)
    root = name.partition(".")[0]
    found = None
    if name and root not in context.binders:
        found = named(context, name, node.target, secret=True)
        secret = (
            found is not None and name in context.scope.names and (context.scope.names[name].secret)
        )
    else:
        secret = False
    if found is None:
        found = context.infer(node.target, None)
    context.direction = before
    if found is BROKEN:
        return BROKEN
    if not secret and not isinstance(found.type, Optional) and found.type != JSON:
        return context.error(
            "T017",
            f"{context.shown(node.target)} is never absent",
            node,
            "leave the test out" if found.type != BOOL else f"write {context.shown(node.target)}",
        )
    return Typed(Has(found.expr), BOOL, found.unknown)


def otherwise(context: Context, node: Otherwise, expected: Type | None) -> Typed:
    """`a ?? b`: a, or b where a is absent."""
    before, context.direction = context.direction, 0
    base = context.infer(node.base, expected)
    type_ = present(base.type)
    default = context.infer(node.default, expected if base is BROKEN else type_)
    context.direction = before
    if base is BROKEN or default is BROKEN:
        return BROKEN
    if not isinstance(base.type, Optional) and base.type != JSON:
        shown = context.shown(node.base)
        context.warning("T017", f"{shown} is never absent", node.base, "leave out the default")
    if not comparable(type_, present(default.type)):
        return context.error(
            "T004",
            f"{context.shown(node.base)} is {a(type_)} and its default {a(default.type)}",
            node.default,
            "give a default of the same type",
        )
    result = Optional(type_) if isinstance(default.type, Optional) else type_
    return Typed(
        Default(base.expr, default.expr),
        result,
        base.unknown or default.unknown,
        base.outside or default.outside,
    )
