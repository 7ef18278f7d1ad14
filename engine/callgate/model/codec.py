"""Typed conditions and templates as JSON, and back.

A node is a list whose first element names it: `["fact", "call.tool"]`, `["apply", "eq", a, b]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

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
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern
from callgate.model.template import Template

__all__ = ["decode_expr", "decode_template", "encode_expr", "encode_template"]


def encode_expr(expr: Expr) -> list[Any]:
    """The JSON form of a typed condition."""
    return _ENCODE[type(expr)](expr)


def _encode_quant(expr: Quant) -> list[Any]:
    form: list[Any] = [expr.kind, expr.var, encode_expr(expr.source), encode_expr(expr.where)]
    return form if expr.bound is None else [*form, expr.op, encode_expr(expr.bound)]


_ENCODE: Final[Mapping[type[Expr], Callable[[Any], list[Any]]]] = {
    Const: lambda expr: ["const", _plain(expr.value)],
    Fact: lambda expr: ["fact", expr.name],
    Var: lambda expr: ["var", expr.name],
    Get: lambda expr: ["get", encode_expr(expr.base), expr.field],
    Apply: lambda expr: ["apply", expr.op, *map(encode_expr, expr.args)],
    Not: lambda expr: ["not", encode_expr(expr.item)],
    And: lambda expr: ["and", *map(encode_expr, expr.items)],
    Or: lambda expr: ["or", *map(encode_expr, expr.items)],
    Has: lambda expr: ["has", encode_expr(expr.item)],
    Default: lambda expr: ["default", encode_expr(expr.item), encode_expr(expr.otherwise)],
    Quant: _encode_quant,
    CommandMatch: lambda expr: [
        "is",
        encode_expr(expr.run),
        _encode_pattern(expr.pattern),
        expr.strict,
    ],
}


def decode_expr(form: Any) -> Expr:
    """The condition of a JSON form; raises ValueError when it isn't one."""
    try:
        return _decode(form)
    except (TypeError, IndexError, KeyError) as error:
        raise ValueError(f"not a condition: {error}") from None


def _decode(form: Any) -> Expr:
    match form:
        case ["const", value]:
            return Const(_frozen(value))
        case ["fact", str(name)]:
            return Fact(name)
        case ["var", str(name)]:
            return Var(name)
        case ["get", base, str(field)]:
            return Get(_decode(base), field)
        case ["apply", str(op), *args]:
            return Apply(op, tuple(map(_decode, args)))
        case ["not", item]:
            return Not(_decode(item))
        case ["and", *items] if len(items) > 1:
            return And(tuple(map(_decode, items)))
        case ["or", *items] if len(items) > 1:
            return Or(tuple(map(_decode, items)))
        case ["has", item]:
            return Has(_decode(item))
        case ["default", item, otherwise]:
            return Default(_decode(item), _decode(otherwise))
        case [("any" | "none") as kind, str(var), source, where]:
            return Quant(kind, var, _decode(source), _decode(where))
        case ["count", str(var), source, where, str(op), bound]:
            return Quant("count", var, _decode(source), _decode(where), op, _decode(bound))
        case ["is", run, pattern, bool(strict)]:
            return CommandMatch(_decode(run), _decode_pattern(pattern), strict)
    raise ValueError(f"not a condition: {str(form)[:80]}")


def encode_template(template: Template | None) -> list[Any] | None:
    """The JSON form of a reason: texts are strings, expressions lists."""
    if template is None:
        return None
    return [part if isinstance(part, str) else encode_expr(part) for part in template.parts]


def decode_template(form: Any) -> Template | None:
    """The reason of a JSON form; raises ValueError when it isn't one."""
    if form is None:
        return None
    return Template(tuple(part if isinstance(part, str) else decode_expr(part) for part in form))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _frozen(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return value


def _word(word: WordPattern) -> list[str]:
    return list(word.pieces)


def _option(option: OptionPattern) -> list[Any]:
    return [list(option.names), None if option.value is None else _word(option.value)]


def _encode_pattern(pattern: CommandPattern | Expr) -> list[Any]:
    if isinstance(pattern, Expr):
        raise ValueError("a command pattern that stands in settings, which are not folded in")
    return [
        [_word(word) for word in pattern.program],
        [[_word(word) for word in choice] for choice in pattern.words],
        [_option(option) for option in pattern.options],
        [_option(option) for option in pattern.optional],
        pattern.closed,
    ]


def _decode_pattern(form: Any) -> CommandPattern:
    program, words, options, optional, closed = form

    def word(pieces: list[str]) -> WordPattern:
        return WordPattern(tuple(pieces))

    def option(item: list[Any]) -> OptionPattern:
        return OptionPattern(tuple(item[0]), None if item[1] is None else word(item[1]))

    return CommandPattern(
        tuple(map(word, program)),
        tuple(tuple(map(word, choice)) for choice in words),
        tuple(map(option, options)),
        tuple(map(option, optional)),
        bool(closed),
    )
