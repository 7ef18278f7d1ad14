"""`under`, `covers`, `like`, `matches` and `is`."""

from __future__ import annotations

from typing import Final, Literal

from callgate.lang.check_compare import literal_like
from callgate.lang.check_context import BROKEN, Context, Typed
from callgate.lang.check_types import TEXTS
from callgate.lang.scope import Read
from callgate.model.effect import EFFECT_KINDS
from callgate.model.expr import Apply, CommandMatch, Const, Expr
from callgate.model.pattern import CommandPattern
from callgate.model.syntax import Binary, Choice, ListLiteral, PatternLiteral, RegexLiteral, Value
from callgate.model.types import (
    BOOL,
    CLOSED_PATTERN,
    HOST,
    JSON,
    PATH,
    PATTERNS,
    STRING,
    URL,
    Enum,
    ListOf,
    Type,
)

__all__ = ["command", "inside", "text_match"]

_OPERATIONS: Final = {
    ("under", PATH): "under_path",
    ("under", HOST): "under_host",
    ("covers", PATH): "covers",
}
_WANTED: Final = {"under": "paths or hosts", "covers": "paths"}


def inside(context: Context, node: Binary) -> Typed:
    """`p under q`, `p covers q`, `host under h`; q may be a list."""
    left, right = _sides(context, node)
    if left is BROKEN or right is BROKEN:
        return BROKEN
    op = _OPERATIONS.get((node.op, left.type))  # type: ignore[arg-type]
    if op is None:
        return context.mismatch(
            node.op, left, node.left, _WANTED[node.op], _conversion(context, node, left)
        )
    other = right.type.item if isinstance(right.type, ListOf) else right.type
    if other != left.type:
        what = f"{left.type}s or a list of them here"
        if other == STRING and left.type == HOST:
            help = f"write `host({context.bare(node.right)})`"
        elif other == STRING and not isinstance(right.type, ListOf):
            help = f"write `path({context.bare(node.right)}, call.workspace)`"
        else:
            help = f"both sides of `{node.op}` are of one type"
        return context.mismatch(node.op, right, node.right, what, help)
    return Typed(Apply(op, (left.expr, right.expr)), BOOL, left.unknown or right.unknown)


def _sides(context: Context, node: Binary) -> tuple[Typed, Typed]:
    """Both operands. More items on the right make the relation true of more."""
    if literal_like(context, node.left) and not literal_like(context, node.right):
        right = context.value(node.right)
        if right is BROKEN:
            return right, right
        expected: Type = right.type.item if isinstance(right.type, ListOf) else right.type
        return context.value(node.left, expected), right
    before, context.direction = context.direction, 0
    left = context.value(node.left, PATH if isinstance(node.left, Value) else None)
    context.direction = before
    wanted: Type | None = None if left is BROKEN else left.type
    if wanted not in (PATH, HOST):
        wanted = PATH if isinstance(node.right, Value | ListLiteral | Choice) else None
        if wanted is not None:
            # The left side is of the wrong type: what a literal means doesn't matter.
            return left, left
    if wanted is not None and isinstance(node.right, ListLiteral | Choice):
        return left, context.value(node.right, ListOf(wanted))
    return left, context.value(node.right, wanted)


def _conversion(context: Context, node: Binary, left: Typed) -> str:
    text = context.bare(node.left)
    if left.type == URL:
        return f"write `host({text})`"
    if left.type in (STRING, JSON):
        proposed = f"write `path({text}, call.workspace)`"
        return proposed + (f" or `host({text})`" if node.op == "under" else "")
    if isinstance(left.type, ListOf):
        return f"write `any(x in {text} where x {node.op} …)`"
    return ""


def text_match(context: Context, node: Binary) -> Typed:
    """`t like "glob*"` and `t matches r"…"`."""
    before, context.direction = context.direction, 0
    left = context.value(node.left, STRING)
    context.direction = before
    kind: type[Value | RegexLiteral] = Value if node.op == "like" else RegexLiteral
    right = node.right
    if isinstance(right, Value) and isinstance(right.value, str) and kind is Value:
        pattern = right.value
    elif isinstance(right, RegexLiteral) and kind is RegexLiteral:
        pattern = right.pattern
    else:
        what, help = _pattern_help(context, node)
        return context.error("T005", f"`{node.op}` takes {what} on its right", right, help)
    if left is BROKEN:
        return BROKEN
    if left.type not in TEXTS and not isinstance(left.type, Enum):
        help = ""
        text = context.bare(node.left)
        if left.type == JSON:
            help = f'say what it should be: `(as_string({text}) ?? "")`'
        elif isinstance(left.type, ListOf):
            help = f"write `any(x in {text} where x {node.op} …)`"
        elif left.type in PATTERNS:
            help = f"commands are compared with it: `r is {text}`"
        return context.mismatch(node.op, left, node.left, "a text", help)
    return Typed(Apply(node.op, (left.expr, Const(pattern))), BOOL, left.unknown)


def _pattern_help(context: Context, node: Binary) -> tuple[str, str]:
    text = context.bare(node.right)
    if node.op == "like":
        help = f"write `matches {text}`" if isinstance(node.right, RegexLiteral) else ""
        return "a quoted text, in which `*` is any text,", help
    if isinstance(node.right, Value) and isinstance(node.right.value, str):
        return "a regular expression", f"write `r{text}`, or `like {text}`"
    return "a regular expression", 'as in `r"v[0-9]+"`'


def command(context: Context, node: Binary) -> Typed:
    """`` r is `git push` ``, or a pattern of the settings in place of the one written here."""
    before, context.direction = context.direction, 0
    left = context.value(node.left)
    context.direction = before
    wanted = node.right
    pattern: CommandPattern | Expr
    if isinstance(wanted, PatternLiteral):
        pattern, closed = wanted.pattern, wanted.pattern.closed
    else:
        right = BROKEN if literal_like(context, wanted) else context.value(wanted)
        if right is BROKEN and context.failed:
            return BROKEN
        if right.type not in PATTERNS:
            return context.error(
                "T005",
                "`is` takes a command pattern on its right",
                wanted,
                "as in `` r is `git push` ``; values are compared with `==`",
            )
        pattern, closed = right.expr, right.type == CLOSED_PATTERN
    if left is BROKEN:
        return BROKEN
    if left.type is not EFFECT_KINDS["run"]:
        return context.mismatch(
            "is", left, node.left, "a `run` effect", "as in `any(r in effects.run where r is `…`)`"
        )
    what: Literal["closed", "pattern"] = "closed" if closed else "pattern"
    context.note((Read(what, context.bare(wanted)),), wanted)
    return Typed(CommandMatch(left.expr, pattern), BOOL, unknown=True)
