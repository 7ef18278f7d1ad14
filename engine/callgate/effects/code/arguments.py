"""The values of an effect's fields: which arguments of a call they are."""

from __future__ import annotations

from typing import Final

from callgate.effects.code.spec import Choice, Reference
from callgate.effects.code.values import Call, Value
from callgate.effects.shell.tree import constant
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["MISSING", "holds", "value_of"]

MISSING: Final = object()
"""There is no such argument."""


def value_of(choice: Choice, call: Call) -> object:
    """The first alternative that is there, a Value; MISSING where none is."""
    if isinstance(choice, bool):
        return choice
    for reference in choice:
        found = _reference(reference, call)
        if found is not MISSING:
            return found
    return None if call.more else MISSING


def _reference(reference: Reference, call: Call) -> object:
    kind, number, arguments = reference.kind, reference.number, call.arguments
    if kind == "argument":
        return arguments[number] if number < len(arguments) else MISSING
    if kind == "rest":
        more: tuple[Value, ...] = (None,) if call.more else ()
        return (*arguments[number:], *more) if number < len(arguments) else MISSING
    if kind == "tail":
        given = arguments[number] if number < len(arguments) else None
        return given[1:] if isinstance(given, tuple) else None
    if kind == "empty":
        return True if number < len(arguments) and arguments[number] == () else MISSING
    if kind == "item":
        given = arguments[number] if number < len(arguments) else None
        index = int(reference.name) - 1
        return given[index] if isinstance(given, tuple) and index < len(given) else MISSING
    if kind == "key":
        return call.keys.get(reference.name, MISSING)
    if kind == "self":
        return call.receiver
    if kind == "constant":
        return constant(reference.name, call.span)
    if kind == "endless":
        return True if call.endless is True else MISSING
    items: list[Value] = []
    if kind == "calls":
        names = reference.name.split("|")
        for name, given_later in call.later:
            for value in given_later if name in names else ():
                items += value if isinstance(value, tuple) else [value]
        return tuple(items) or MISSING
    for part in reference.parts:
        found = _reference(part, call)
        if found is not MISSING:
            items += found if isinstance(found, tuple) else [found]  # type: ignore[list-item]
    return tuple(items) or MISSING


def holds(references: tuple[Reference, ...], call: Call) -> bool | Unknown:
    """Whether one of some values is there and not false."""
    found = [_reference(reference, call) for reference in references]
    if any(item is not MISSING and item not in (None, False) for item in found):
        return True
    more = call.more and any(reference.kind != "endless" for reference in references)
    return UNKNOWN if more or None in found else False
