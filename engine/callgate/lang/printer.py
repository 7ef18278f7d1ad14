"""The canonical text of a syntax tree: the fewest parentheses, one space where white space stands.

`parse_condition(print_syntax(tree)).tree == tree` for every tree the parser can make. Outside
literals the text holds neither `: ` nor ` #`, so that it may stand in YAML without quotes unless
it begins with a quote or bracket.
"""

from __future__ import annotations

from typing import Final

from callgate.lang.command_pattern import print_pattern
from callgate.lang.literals import quote_regex, quote_text
from callgate.model.syntax import (
    Binary,
    BoolOp,
    Choice,
    FunctionCall,
    HasTest,
    ListLiteral,
    Lookup,
    Member,
    NotTest,
    Otherwise,
    PatternLiteral,
    Quantifier,
    RegexLiteral,
    Syntax,
    Value,
    Word,
)

__all__ = ["print_syntax"]

# How tightly a node binds: the levels of condition.lark, loosest first.
_OR: Final = 0
_AND: Final = 1
_NOT: Final = 2
_COMPARISON: Final = 3
_FALLBACK: Final = 4
_TERM: Final = 5
_PRIMARY: Final = 6

_LEVELS: Final[dict[type[Syntax], int]] = {
    NotTest: _NOT,
    Binary: _COMPARISON,
    HasTest: _COMPARISON,
    Otherwise: _FALLBACK,
    Choice: _FALLBACK,
    Quantifier: _TERM,
    ListLiteral: _TERM,
    Value: _TERM,
    RegexLiteral: _TERM,
    PatternLiteral: _TERM,
    FunctionCall: _PRIMARY,
    Lookup: _PRIMARY,
    Member: _PRIMARY,
    Word: _PRIMARY,
}


def print_syntax(tree: Syntax) -> str:
    """The canonical text of a condition, an expression or a part of one."""
    return _print(tree, _OR)


def _print(tree: Syntax, level: int) -> str:
    """The text of a node where the grammar has a rule of the given level."""
    if isinstance(tree, BoolOp):
        own = _OR if tree.op == "or" else _AND
        # An item of the same operator was written in parentheses: they stay.
        text = f" {tree.op} ".join([_print(item, own + 1) for item in tree.items])
    else:
        own = _LEVELS[type(tree)]
        text = _text(tree)
    return f"({text})" if own < level else text


def _text(tree: Syntax) -> str:
    """The text of a node without parentheses around it; the most frequent kinds come first."""
    match tree:
        case Member(base=base, name=name):
            return f"{_print(base, _PRIMARY)}.{name}"
        case Word(name=name):
            return name
        case Value(value=value):
            return _value(value)
        case Binary(op=op, left=left, right=right):
            return f"{_print(left, _FALLBACK)} {op} {_print(right, _FALLBACK)}"
        case FunctionCall(name=name, arguments=arguments):
            return f"{name}({_items(arguments)})"
        case NotTest(item=item):
            return f"not {_print(item, _NOT)}"
        case HasTest(target=target):
            return f"has {_print(target, _PRIMARY)}"
        case Otherwise(base=base, default=default):
            return f"{_print(base, _TERM)} ?? {_print(default, _FALLBACK)}"
        case Choice(items=items):
            return "|".join([_print(item, _TERM) for item in items])
        case Quantifier(kind=kind, binder=binder, source=source, where=where):
            return f"{kind}({binder} in {_print(source, _FALLBACK)} where {_print(where, _OR)})"
        case Lookup(base=base, key=key):
            return f"{_print(base, _PRIMARY)}[{_print(key, _OR)}]"
        case ListLiteral(items=items):
            return f"[{_items(items)}]"
        case RegexLiteral(pattern=regex):
            return quote_regex(regex)
        case PatternLiteral(pattern=pattern):
            return f"`{print_pattern(pattern)}`"
    raise TypeError(f"not a syntax node: {tree!r}")


def _items(items: tuple[Syntax, ...]) -> str:
    return ", ".join([_print(item, _OR) for item in items])


def _value(value: bool | int | str) -> str:
    if isinstance(value, str):
        return quote_text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
