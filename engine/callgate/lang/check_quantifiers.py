"""`any(…)`, `none(…)` and `count(…) >= n`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from callgate.lang.check_context import BROKEN, Context, Typed
from callgate.model.expr import CommandMatch, Expr, Quant, Var, children
from callgate.model.syntax import Binary, Quantifier, Syntax
from callgate.model.types import BOOL, INT, JSON, ListOf, MapOf, Type

__all__ = ["compare_count", "is_count", "quantifier"]

_DIRECTION: Final = {"any": 1, "none": -1}
_COUNT_DIRECTION: Final = {"gt": 1, "ge": 1, "lt": -1, "le": -1, "eq": 0, "ne": 0}


def is_count(node: Syntax) -> bool:
    """Whether the node is `count(…)`."""
    return isinstance(node, Quantifier) and node.kind == "count"


def quantifier(context: Context, node: Quantifier, expected: Type | None) -> Typed:
    """`any(x in source where condition)` or `none(…)`."""
    if node.kind == "count":
        with context.facing(0):
            _parts(context, node)
        return context.error(
            "T005", "`count(…)` is a number", node, f"compare it: `{context.bare(node)} >= 1`"
        )
    with context.facing(_DIRECTION[node.kind]):
        source, where = _parts(context, node)
    if source is BROKEN or where is BROKEN:
        return BROKEN
    test = Quant(node.kind, node.binder, source.expr, where.expr)
    return Typed(test, BOOL, source.unknown or where.unknown)


def compare_count(
    context: Context, node: Binary, ops: Mapping[str, str], swapped: Mapping[str, str]
) -> Typed:
    """`count(…) >= n`, or the same the other way round.

    `ops`: the operations of the comparing signs; `swapped`: the same with the sides exchanged.
    """
    op = ops[node.op]
    count, other = node.left, node.right
    if not is_count(count):
        count, other, op = other, count, swapped[op]
    assert isinstance(count, Quantifier)
    with context.facing(_COUNT_DIRECTION[op]):
        source, where = _parts(context, count)
    if where is not BROKEN and _matched(where.expr, Var(count.binder)):
        help = f"say `any({count.binder} in … where …)`, or `none(…)`"
        return context.error("T005", "`count(…)` can't count patterns that match", count, help)
    if is_count(other):
        return context.error(
            "T005", "a count is compared with a number", other, "compare each with a number"
        )
    with context.facing(0):
        bound = context.value(other, INT)
    if source is BROKEN or where is BROKEN or bound is BROKEN:
        return BROKEN
    if bound.type != INT:
        return context.mismatch(node.op, bound, other, "a number beside `count(…)`", "")
    test = Quant("count", count.binder, source.expr, where.expr, op, bound.expr)
    return Typed(test, BOOL, source.unknown or where.unknown or bound.unknown)


def _matched(expr: Expr, pattern: Var) -> bool:
    """Whether something is matched with the pattern that a quantifier binds."""
    if isinstance(expr, CommandMatch) and expr.pattern == pattern:
        return True
    return any(_matched(inner, pattern) for inner in children(expr))


def _parts(context: Context, node: Quantifier) -> tuple[Typed, Typed]:
    """The list, and the condition on its elements."""
    source = context.value(node.source)
    element = BROKEN
    if source is not BROKEN and isinstance(source.type, ListOf):
        element = Typed(Var(node.binder), source.type.item, source.unknown)
    elif source is not BROKEN:
        help = ""
        if source.type == JSON:
            help = "its shape is not known: say with `tools:` which tools the rule is about"
        elif isinstance(source.type, MapOf):
            help = "a map is read by its keys: `m[key]`"
        source = context.mismatch(node.kind, source, node.source, "a list", help)
    if node.binder in context.binders or context.scope.taken(node.binder):
        context.error(
            "T018",
            f"`{node.binder}` already means something here",
            node,
            "give the binder a name of its own",
            name=True,
        )
        return source, BROKEN
    context.binders[node.binder] = element
    where = context.truth(node.where)
    del context.binders[node.binder]
    return source, where
