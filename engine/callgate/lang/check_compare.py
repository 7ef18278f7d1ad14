"""`==`, `!=`, `<`, `<=`, `>`, `>=`, `in` and `not in`."""

from __future__ import annotations

from typing import Final

from callgate.lang.check_context import BROKEN, Context, Typed
from callgate.lang.check_names import is_name
from callgate.lang.check_quantifiers import compare_count, is_count
from callgate.lang.check_types import TEXTS, a, comparable
from callgate.model.expr import Apply, Const, Expr, Not
from callgate.model.syntax import (
    Binary,
    Choice,
    ListLiteral,
    Member,
    Quantifier,
    Syntax,
    Value,
    Word,
)
from callgate.model.types import (
    BOOL,
    HOST,
    INT,
    JSON,
    PATH,
    STRING,
    TIME,
    Enum,
    ListOf,
    MapOf,
    Type,
)

__all__ = ["comparison", "literal_like", "membership"]

_OPS: Final = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_SWAPPED: Final = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def literal_like(context: Context, node: Syntax) -> bool:
    """Whether the node's type depends on the other side: a literal, or a word that is no name."""
    kind = type(node)
    if kind is Member or kind is Word:
        return not is_name(context, node)
    return kind is Value or kind is ListLiteral or kind is Choice


def _sides(context: Context, node: Binary) -> tuple[Typed, Typed]:
    """Both operands, each read in the light of the other."""
    if literal_like(context, node.left) and not literal_like(context, node.right):
        right = context.value(node.right)
        expected = None if right is BROKEN else right.type
        return _operand(context, node.left, expected, right), right
    left = context.value(node.left)
    if left is BROKEN:
        return left, _operand(context, node.right, None, left)
    return left, context.value(node.right, left.type)


def _operand(context: Context, node: Syntax, expected: Type | None, other: Typed) -> Typed:
    # Where the other side is in error, a word's meaning can't be known.
    if other is BROKEN and isinstance(node, Word | Member) and not is_name(context, node):
        return BROKEN
    return context.value(node, expected)


def comparison(context: Context, node: Binary) -> Typed:
    """`a == b`, `a < b` and the like."""
    if Quantifier in (type(node.left), type(node.right)) and (
        is_count(node.left) or is_count(node.right)
    ):
        return compare_count(context, node, _OPS, _SWAPPED)
    before, context.direction = context.direction, 0
    left, right = _sides(context, node)
    context.direction = before
    if left is BROKEN or right is BROKEN:
        return BROKEN
    op = _OPS[node.op]
    if op in ("eq", "ne"):
        if not comparable(left.type, right.type):
            return _never_equal(context, node, left, right)
        return _compared(op, left, right, left.expr, right.expr)
    if left.type == right.type and left.type in (INT, TIME):
        return _compared(op, left, right, left.expr, right.expr)
    if isinstance(left.type, Enum) and left.type == right.type and left.type.ordered:
        return _compared(op, left, right, _rank(left), _rank(right))
    return _not_ordered(context, node, left, right)


def _compared(op: str, left: Typed, right: Typed, one: Expr, other: Expr) -> Typed:
    if isinstance(one, Const) and not isinstance(other, Const):
        op, one, other = _SWAPPED[op], other, one
    return Typed(Apply(op, (one, other)), BOOL, left.unknown or right.unknown)


def _rank(side: Typed) -> Expr:
    assert isinstance(side.type, Enum)
    members = side.type.members
    if isinstance(side.expr, Const):
        return Const(members.index(side.expr.value))
    return Apply("rank", (side.expr, Const(members)))


def _never_equal(context: Context, node: Binary, left: Typed, right: Typed) -> Typed:
    return context.error(
        "T004",
        f"{context.shown(node.left)} is {a(left.type)} and {context.shown(node.right)} "
        f"{a(right.type)}: they can never be equal",
        node,
        _conversion(context, (node.left, left), (node.right, right)),
    )


def _conversion(context: Context, *sides: tuple[Syntax, Typed]) -> str:
    """How a text becomes what the other side is."""
    for (node, side), (_, other) in (sides, sides[::-1]):
        text = context.bare(node)
        if side.type == STRING and other.type == PATH:
            return f"write `path({text}, call.workspace)`"
        if side.type == STRING and other.type == HOST:
            return f"write `host({text})`"
        if side.type == STRING and other.type in (TIME, *TEXTS):
            return f"write `{other.type}({text})`"
        if isinstance(side.type, ListOf) and comparable(side.type.item, other.type):
            return f"write `{context.bare(sides[0][0])} in …` for a list"
    return "compare values of one type"


def _not_ordered(context: Context, node: Binary, left: Typed, right: Typed) -> Typed:
    for side, where in ((left, node.left), (right, node.right)):
        if isinstance(side.type, Enum) and not side.type.ordered:
            return context.error(
                "T005",
                f"`{node.op}` takes ordered values, and the members of `{side.type}` have no order",
                where,
                "list the members: `… in a|b`",
            )
    for side, where in ((left, node.left), (right, node.right)):
        if side.type not in (INT, TIME) and not isinstance(side.type, Enum):
            help = ""
            if side.type == JSON:
                help = f"say what it should be: `as_int({context.bare(where)}) ?? 0`"
            return context.mismatch(
                node.op, side, where, "integers, times or members of an ordered enum", help
            )
    return context.error(
        "T005",
        f"{context.shown(node.left)} is {a(left.type)} and {context.shown(node.right)} "
        f"{a(right.type)}: they have no common order",
        node,
        "compare values of one type",
    )


def membership(context: Context, node: Binary) -> Typed:
    """`x in list`, `x in write|exec`, `x not in …`."""
    item, items = _item_and_list(context, node)
    if item is BROKEN or items is BROKEN:
        return BROKEN
    if not isinstance(items.type, ListOf):
        return context.mismatch("in", items, node.right, "a list", _for_list(context, node, items))
    if not comparable(item.type, items.type.item):
        return context.error(
            "T004",
            f"{context.shown(node.left)} is {a(item.type)} and can never be in "
            f"{context.shown(node.right)}, {a(items.type)}",
            node,
            _conversion(
                context, (node.left, item), (node.right, Typed(items.expr, items.type.item))
            ),
        )
    test: Expr = Apply("in", (item.expr, items.expr))
    if node.op == "not in":
        test = Not(test)
    return Typed(test, BOOL, item.unknown or items.unknown)


def _item_and_list(context: Context, node: Binary) -> tuple[Typed, Typed]:
    before = context.direction
    if isinstance(node.right, Choice | ListLiteral):
        context.direction = 0
        item, items = _item_and_literal(context, node)
    else:
        context.direction = -before if node.op == "not in" else before
        items = context.value(node.right)
        element = items.type.item if isinstance(items.type, ListOf) else None
        context.direction = 0
        item = _operand(context, node.left, element, items)
    context.direction = before
    return item, items


def _item_and_literal(context: Context, node: Binary) -> tuple[Typed, Typed]:
    item = context.value(node.left)
    expected = None if item is BROKEN else ListOf(item.type)
    if item is BROKEN and isinstance(node.right, Choice):
        return item, item
    return item, context.value(node.right, expected)


def _for_list(context: Context, node: Binary, items: Typed) -> str:
    if isinstance(items.type, MapOf):
        return f"write `has {context.bare(node.right)}[{context.bare(node.left)}]`"
    if items.type in TEXTS:
        return f'for a part of a text write `{context.bare(node.right)} like "*…*"`'
    if items.type == JSON:
        return "its shape is not known: say with `tools:` which tools the rule is about"
    if isinstance(node.right, Word | Value):
        return "for one value write `==`"
    return ""
