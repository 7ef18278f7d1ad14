"""Function calls."""

from __future__ import annotations

from typing import Any, Final

from callgate.lang.check_context import (
    BROKEN,
    HOME,
    Context,
    Typed,
    did_you_mean,
    with_home,
    without_home,
)
from callgate.lang.check_types import a, fits
from callgate.lang.scope import Read
from callgate.model.expr import Apply, Const
from callgate.model.syntax import FunctionCall, ListLiteral, Syntax, Value
from callgate.model.types import STRING, ListOf, Optional, Type
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Literally, Operation, Signature

__all__ = ["call"]

_FUNCTIONS: Final = {name: entry for name, entry in OPERATIONS.items() if entry.kind == "function"}
_GLOBS: Final = {
    **dict.fromkeys(["startswith", "hasprefix", "beginswith"], "{}*"),
    **dict.fromkeys(["endswith", "hassuffix"], "*{}"),
    **dict.fromkeys(["contains", "includes"], "*{}*"),
}
_FORMS: Final = {
    name: " or ".join(
        dict.fromkeys(
            f"`{name}({', '.join(parameter for parameter, _ in entry.written(overload))})`"
            for overload in entry.signatures
        )
    )
    for name, entry in _FUNCTIONS.items()
}


def _hints(function: Operation) -> tuple[frozenset[Type], ...]:
    """For each parameter the types that the overloads give it."""
    columns = zip(*map(function.written, function.signatures), strict=True)
    return tuple(frozenset(type_ for _, type_ in column) for column in columns)


def _hint(wanted: frozenset[Type], argument: Syntax) -> Type | None:
    """The type that a literal is read as: the only one, or the only one of a list, or of no
    list."""
    listed = isinstance(argument, ListLiteral)
    fitting = [type_ for type_ in wanted if isinstance(type_, ListOf) is listed]
    found = list(wanted) if len(wanted) == 1 else fitting
    return found[0] if len(found) == 1 else None


_HINTS: Final = {name: _hints(entry) for name, entry in _FUNCTIONS.items()}


def call(context: Context, node: FunctionCall, expected: Type | None) -> Typed:
    """`name(arguments)`."""
    function = _FUNCTIONS.get(node.name)
    hints = _HINTS.get(node.name, ())
    before = context.direction
    arguments = []
    for index, argument in enumerate(node.arguments):
        rising = function is not None and index in function.rising
        context.direction = before if rising else 0
        hint = _hint(hints[index], argument) if index < len(hints) else None
        arguments.append(context.infer(argument, hint))
    context.direction = before
    if function is None:
        return _unknown(context, node)
    wanted = len(function.written(function.signatures[0]))
    if len(arguments) != wanted:
        return context.error(
            "T008",
            f"`{node.name}` takes {_number(wanted)}, not {len(arguments)}",
            node,
            f"write {_FORMS[node.name]}",
        )
    if BROKEN in arguments:
        return BROKEN
    overload = _overload(function, arguments)
    if overload is None:
        return _misfit(context, node, function, arguments)
    for index, (_, type_) in enumerate(function.written(overload)):
        if not isinstance(type_, Optional):
            arguments[index] = context.required(arguments[index], node.arguments[index])
            if arguments[index] is BROKEN:
                return BROKEN
    for index, (parameter, _) in enumerate(function.written(overload)):
        if parameter in function.literals and not _readable(
            context, node.arguments[index], arguments[index], function.literals[parameter]
        ):
            return BROKEN
    if function.exactly:
        exact = function.exactly.format(*map(context.bare, node.arguments))
        context.note((Read("wide", exact),), node)
    return _applied(context, node, function, overload, arguments)


def _readable(context: Context, node: Syntax, found: Typed, problem: Literally) -> bool:
    """Whether the function can read a text that is known already; reports T050."""
    if type(found.expr) is not Const or not isinstance(found.expr.value, str):
        return True
    wrong = problem(found.expr.value)
    if wrong is not None:
        context.error("T050", wrong[0], node, wrong[1])
    return wrong is None


def _overload(function: Operation, arguments: list[Typed]) -> Signature | None:
    for overload in function.signatures:
        for argument, (_, wanted) in zip(arguments, function.written(overload), strict=True):
            given = argument.type
            if isinstance(given, Optional) and not isinstance(wanted, Optional):
                given = given.item
            if not fits(given, wanted):
                break
        else:
            return overload
    return None


def _applied(
    context: Context,
    node: FunctionCall,
    function: Operation,
    overload: Signature,
    arguments: list[Typed],
) -> Typed:
    result = overload.result
    unknown = function.unknown or any(argument.unknown for argument in arguments)
    if function.supplied:
        path, *places = [argument.expr for argument in arguments]
        supplied = (HOME, Const(context.scope.homes))
        return Typed(
            Apply(function.name, (path, *map(without_home, places), *supplied)), result, unknown
        )
    expr = Apply(function.name, tuple([argument.expr for argument in arguments]))
    if all(type(argument.expr) is Const for argument in arguments):
        values = [argument.expr.value for argument in arguments if isinstance(argument.expr, Const)]
        found: Any = function.implementation(*values)
        if found is UNKNOWN:
            return _meaningless(context, node, function)
        if not str(found).startswith("~"):
            return Typed(Const(found), result)
    if function.name == "path":
        return Typed(with_home(expr), result, unknown)
    return Typed(expr, result, unknown)


def _meaningless(context: Context, node: FunctionCall, function: Operation) -> Typed:
    code = "T019" if function.name == "path" else "T008"
    help = "write the path from `/` or `~`, or give a folder that the call names"
    if function.name == "time":
        help = "as in `2026-12-01T09:00:00Z`"
    elif code == "T008":
        help = f"see what `{function.name}` takes in docs/language.md"
    return context.error(code, f"{context.shown(node)} means nothing", node, help)


def _unknown(context: Context, node: FunctionCall) -> Typed:
    help = did_you_mean(node.name, _FUNCTIONS) or _as_glob(context, node)
    if not help and context.scope.taken(node.name):
        help = f"`{node.name}` is a name, without arguments"
    help = help or f"there are {', '.join(f'`{name}`' for name in sorted(_FUNCTIONS))}"
    return context.error("T007", f"there is no function `{node.name}`", node, help, name=True)


def _as_glob(context: Context, node: FunctionCall) -> str:
    """How `startswith(x, "a")` is said here."""
    form = _GLOBS.get(node.name.lower().replace("_", ""))
    if form is None or len(node.arguments) != 2:
        return ""
    text, part = node.arguments
    if not isinstance(part, Value) or not isinstance(part.value, str):
        return ""
    return f'write `{context.bare(text)} like "{form.format(context.bare(part)[1:-1])}"`'


def _number(count: int) -> str:
    return "one argument" if count == 1 else f"{count} arguments"


def _misfit(
    context: Context, node: FunctionCall, function: Operation, arguments: list[Typed]
) -> Typed:
    """Report the first argument that no overload takes."""
    for index, argument in enumerate(arguments):
        wanted = list(
            dict.fromkeys(overload.parameters[index][1] for overload in function.signatures)
        )
        given = argument.type.item if isinstance(argument.type, Optional) else argument.type
        if any(fits(given, one) for one in wanted):
            continue
        where = node.arguments[index]
        text = context.bare(where)
        help = ""
        if given == STRING and any(str(one) in _FUNCTIONS for one in wanted):
            help = f"write `path({text}, call.workspace)`" if "path" in map(str, wanted) else ""
            help = help or f"write `{wanted[0]}({text})`"
        return context.error(
            "T008",
            f"`{function.name}` takes {' or '.join(a(one) for one in wanted)}, and "
            f"{context.shown(where)} is {a(given)}",
            where,
            help,
        )
    return context.error(
        "T008", f"`{node.name}` does not take these together", node, f"write {_FORMS[node.name]}"
    )
