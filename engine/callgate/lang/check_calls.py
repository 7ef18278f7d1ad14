"""Function calls."""

from __future__ import annotations

from typing import Any, Final

from callgate.lang.check_context import BROKEN, Context, Typed, did_you_mean, with_home
from callgate.lang.check_types import a, fits
from callgate.model.expr import Apply, Const
from callgate.model.syntax import FunctionCall, Value
from callgate.model.types import STRING, Optional, Type
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS
from callgate.stdlib.operation import Operation, Signature

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
            f"`{name}({', '.join(parameter for parameter, _ in overload.parameters)})`"
            for overload in entry.signatures
        )
    )
    for name, entry in _FUNCTIONS.items()
}


def _hints(function: Operation) -> tuple[Type | None, ...]:
    """For each parameter the type that every overload gives it, or None; a literal is read so."""
    columns = zip(*(overload.parameters for overload in function.signatures), strict=True)
    wanted = [{type_ for _, type_ in column} for column in columns]
    return tuple(types.pop() if len(types) == 1 else None for types in wanted)


_HINTS: Final = {name: _hints(entry) for name, entry in _FUNCTIONS.items()}


def call(context: Context, node: FunctionCall, expected: Type | None) -> Typed:
    """`name(arguments)`."""
    function = _FUNCTIONS.get(node.name)
    hints = _HINTS.get(node.name, ())
    before, context.direction = context.direction, 0
    arguments = [
        context.infer(argument, hints[index] if index < len(hints) else None)
        for index, argument in enumerate(node.arguments)
    ]
    context.direction = before
    if function is None:
        return _unknown(context, node)
    if len(arguments) != len(function.signatures[0].parameters):
        return context.error(
            "T008",
            f"`{node.name}` takes {_number(len(function.signatures[0].parameters))}, "
            f"not {len(arguments)}",
            node,
            f"write {_FORMS[node.name]}",
        )
    if BROKEN in arguments:
        return BROKEN
    overload = _overload(function, arguments)
    if overload is None:
        return _misfit(context, node, function, arguments)
    for index, (_, wanted) in enumerate(overload.parameters):
        if not isinstance(wanted, Optional):
            arguments[index] = context.required(arguments[index], node.arguments[index])
            if arguments[index] is BROKEN:
                return BROKEN
    return _applied(context, node, function, overload, arguments)


def _overload(function: Operation, arguments: list[Typed]) -> Signature | None:
    for overload in function.signatures:
        for argument, (_, wanted) in zip(arguments, overload.parameters, strict=True):
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
    expr = Apply(function.name, tuple([argument.expr for argument in arguments]))
    result = overload.result
    if all(type(argument.expr) is Const for argument in arguments):
        values = [argument.expr.value for argument in arguments if isinstance(argument.expr, Const)]
        found: Any = function.implementation(*values)
        if found is UNKNOWN:
            return _meaningless(context, node, function)
        if not str(found).startswith("~"):
            return Typed(Const(found), result)
    unknown = function.unknown or any(argument.unknown for argument in arguments)
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
