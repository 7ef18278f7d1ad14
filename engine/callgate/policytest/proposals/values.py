"""Values that a condition could tell apart: its own constants, and their neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from callgate.model.expr import Apply, CommandMatch, Const, Expr, children
from callgate.model.pattern import CommandPattern, OptionPattern, WordPattern

__all__ = ["OTHER", "command_of", "commands_in", "neighbours", "values_in"]

OTHER: Final = "other"
"""A text that is none of those that a policy names."""

_MOST: Final = 40
_GLOBS: Final = frozenset({"like"})
_MOST_MEMBERS: Final = 6


def values_in(expr: Expr) -> list[Any]:
    """The constants in an expression, texts and numbers, each followed by its neighbours; of long
    lists the first members."""
    found: dict[tuple[type, Any], Any] = {}
    for value, glob in _constants(expr, False):
        for near in neighbours(value, glob):
            found.setdefault((type(near), near), near)
            if len(found) >= _MOST:
                return list(found.values())
    return list(found.values())


def neighbours(value: Any, glob: bool = False) -> Iterator[Any]:
    """A value, and what is just beside it: a number ±1; of a path what is inside, a sibling and
    the folder above; of a host a sub-domain and a sibling. `glob`: it is a pattern with `*`."""
    if type(value) is int:
        yield from (value, value + 1, value - 1)
    elif type(value) is str:
        if glob:
            yield value.replace("*", "x").replace("?", "x")
            return
        yield value
        if value.startswith(("/", "~")):
            yield from (f"{value.rstrip('/')}/x", f"{value.rstrip('/')}-x")
            yield value.rstrip("/").rpartition("/")[0] or "/"
        elif "." in value and " " not in value and "/" not in value:
            yield from (f"x.{value}", f"x{value}")
    elif value is None or type(value) is bool:
        yield value


def _constants(expr: Expr, glob: bool) -> Iterator[tuple[Any, bool]]:
    if isinstance(expr, Const):
        yield from ((value, glob) for value in _flat(expr.value))
        return
    glob = isinstance(expr, Apply) and expr.op in _GLOBS
    for child in children(expr):
        yield from _constants(child, glob)


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple | list):
        for item in value[:_MOST_MEMBERS]:
            yield from _flat(item)
    elif not isinstance(value, dict):
        yield value


def commands_in(expr: Expr) -> Iterator[str]:
    """A command for each command pattern in an expression, which it matches."""
    if isinstance(expr, CommandMatch) and isinstance(expr.pattern, CommandPattern):
        yield from command_of(expr.pattern)
    for child in children(expr):
        yield from commands_in(child)


def command_of(pattern: CommandPattern) -> Iterator[str]:
    """Commands that a pattern matches: one for each of its program's names, with the options
    behind, and one with the options in front of the words."""
    words = [_word(alternatives[0]) for alternatives in pattern.words]
    options = [_option(option) for option in pattern.options]
    for program in pattern.program[:3]:
        yield " ".join([_word(program), *words, *options])
    first = _word(pattern.program[0])
    if words and options:
        yield " ".join([first, *options, *words])
    if not pattern.closed:
        yield " ".join([first, *words, *options, "x"])
        yield " ".join([first, *words])
        yield first


def _word(word: WordPattern) -> str:
    return "x".join(word.pieces) or "x"


def _option(option: OptionPattern) -> str:
    name = option.names[0]
    if option.value is None:
        return name
    value = _word(option.value)
    return f"{name}={value}" if name.startswith("--") else f"{name} {value}"
