"""Literals: their type comes from the other side, and so does their normal form."""

from __future__ import annotations

import ipaddress
from typing import Any, Final

from callgate.lang.check_context import BROKEN, Context, Typed, with_home
from callgate.lang.check_names import member_of_enum
from callgate.lang.check_types import comparable, present
from callgate.lang.place_texts import host_help, is_host, path_mistake
from callgate.model.expr import Apply, Const, Expr, Fact
from callgate.model.syntax import (
    Choice,
    ListLiteral,
    PatternLiteral,
    RegexLiteral,
    Syntax,
    Value,
)
from callgate.model.types import (
    ADDRESS,
    BOOL,
    HOST,
    INT,
    PATH,
    STRING,
    TIME,
    URL,
    Enum,
    ListOf,
    Type,
)
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Anything

__all__ = ["choice", "constant", "literal_text", "many", "stray", "value"]

_WHAT: Final = {
    URL: ("is not an absolute URL", "as in `https://example.org/`"),
    ADDRESS: ("is not an IP address", "as in `10.0.0.1`"),
    TIME: ("is not a time", "as in `2026-12-01T09:00:00Z`"),
}


def value(context: Context, node: Value, expected: Type | None) -> Typed:
    """`true`, `-3`, `"text"`."""
    found = node.value
    if type(found) is str:
        type_ = present(expected) if expected is not None else STRING
        if type_ is STRING:
            return Typed(Const(found), STRING)
        return literal_text(context, found, node, type_)
    return Typed(Const(found), BOOL if type(found) is bool else INT)


def literal_text(context: Context, text: str, node: Syntax, type_: Type) -> Typed:
    """A quoted text where a value of the type stands on the other side."""
    if isinstance(type_, Enum):
        return member_of_enum(context, text, node, type_, quoted=True)
    if type_ == PATH:
        return _path(context, text, node)
    if type_ == HOST and not is_host(text):
        return context.error("T005", f'`"{text}"` is not a host', node, host_help(text))
    if type_ == HOST:
        return Typed(Const(_normal(text, type_)), type_)
    if type_ in _WHAT:
        found = _normal(text, type_)
        if found is UNKNOWN:
            what, help = _WHAT[type_]
            return context.error("T005", f'`"{text}"` {what}', node, help)
        return Typed(Const(found), type_)
    return Typed(Const(text), STRING)


def _normal(text: str, type_: Type) -> Any:
    if type_ == ADDRESS:
        try:
            return str(ipaddress.ip_address(text))
        except ValueError:
            return UNKNOWN
    name = "host" if type_ == HOST else "url" if type_ == URL else "time"
    return OPERATIONS[name].implementation(text)


def _path(context: Context, text: str, node: Syntax) -> Typed:
    mistake = path_mistake(text)
    if mistake is not None:
        return context.error(mistake[0], mistake[1], node, mistake[2])
    found = OPERATIONS["path"].implementation(text, "")
    if found is UNKNOWN:
        if text.startswith("~"):
            message, help = f'`"{text}"` leads above the home folder', "write the path from `/`"
        else:
            message = f'`"{text}"` depends on the folder it is read in'
            help = f'write it from `/` or `~`, or name the folder: `path("{text}", call.workspace)`'
        return context.error("T019", message, node, help)
    return Typed(_home(found), PATH)


def _home(found: str | tuple[str, ...]) -> Expr:
    symbolic = (
        found.startswith("~")
        if isinstance(found, str)
        else any(item.startswith("~") for item in found)
    )
    return with_home(Const(found)) if symbolic else Const(found)


def constant(expr: Expr) -> Any:
    """The value of a literal's expression; UNKNOWN when it isn't one."""
    match expr:
        case Const(value=found):
            return found
        case Apply(op="expand_home", args=(Const(value=found), Fact())):
            return found
    return UNKNOWN


def many(context: Context, node: ListLiteral, expected: Type | None) -> Typed:
    """`["a", "b"]`, all of one type."""
    wanted = present(expected) if expected is not None else None
    return _together(context, node, node.items, wanted.item if isinstance(wanted, ListOf) else None)


def choice(context: Context, node: Choice, expected: Type | None) -> Typed:
    """`write|exec`, after `in`; `expected` is the type of a list."""
    return many(context, ListLiteral(node.items, at=node.at), expected)


def _together(
    context: Context, node: Syntax, items: tuple[Syntax, ...], item_type: Type | None
) -> Typed:
    values: list[Any] = []
    broken = False
    for item in items:
        found = context.value(item, item_type)
        if found is BROKEN:
            broken = True
            continue
        plain = constant(found.expr)
        if plain is UNKNOWN:
            context.error("T005", f"{context.shown(item)} is not a literal", item, _NOT_LITERAL)
            broken = True
            continue
        if item_type is None:
            item_type = found.type
        elif not comparable(item_type, found.type):
            context.error(
                "T004",
                f"{context.shown(item)} is {_word(found.type)}, and the others are not",
                item,
                f"a list holds values of one type, here {item_type}",
            )
            broken = True
        values.append(plain)
    if broken:
        return BROKEN
    return Typed(_list(values, item_type), ListOf(item_type or Anything()))


_NOT_LITERAL: Final = "a list holds literals only; compare with `==` and join with `or`"


def _word(type_: Type) -> str:
    return f"of type `{type_}`"


def _list(values: list[Any], item_type: Type | None) -> Expr:
    found = tuple(values)
    return _home(found) if item_type == PATH else Const(found)


def stray(context: Context, node: RegexLiteral | PatternLiteral, expected: Type | None) -> Typed:
    """A regular expression or a command pattern where neither can stand."""
    operator = "matches" if isinstance(node, RegexLiteral) else "is"
    what = "a regular expression" if isinstance(node, RegexLiteral) else "a command pattern"
    return context.error(
        "T005",
        f"{what} stands only after `{operator}`",
        node,
        f"write `… {operator} {context.bare(node)}`",
    )
