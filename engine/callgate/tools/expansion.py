"""How much work a schema makes: parts that are used twice, level over level, double it each time.

A few lines of a hostile server's schema would hold up the event loop for hours. So what a schema
comes to, once every `$ref` is followed, is counted when it is registered; and what one check does,
while it runs: a schema may lead back into itself, as far down as the parameters go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

__all__ = [
    "MAX_EXPANDED",
    "MAX_STEPS",
    "SchemaRefusedError",
    "check_expansion",
    "counted",
    "counting",
    "target_of",
]

MAX_EXPANDED: Final = 10_000
"""A schema of more objects than this, each `$ref` followed, is refused."""

MAX_STEPS: Final = 200_000
"""Keywords that one check looks at, before it gives up."""

_WEIGHTS: Final = {"$ref": 10, "$dynamicRef": 10, "$recursiveRef": 10}
_APART: Final = frozenset({"$defs", "definitions"})
_NOWHERE: Final = object()
_LEFT: Final[ContextVar[list[int] | None]] = ContextVar("callgate_schema_steps", default=None)


class SchemaRefusedError(ValueError):
    """A schema that can't be used, and why."""


class _TooMuchError(Exception):
    """A check that would take too long."""


def check_expansion(schema: dict[str, Any]) -> None:
    """Raise SchemaRefusedError for a schema that comes to too much. References lead somewhere
    within it; one that leads back into where it stands counts once."""
    try:
        size = _size(schema, schema, {})
    except RecursionError:
        raise SchemaRefusedError("it is nested too deeply") from None
    if size > MAX_EXPANDED:
        raise SchemaRefusedError(
            f"with every `$ref` followed it has more than {MAX_EXPANDED} parts"
        )


def _size(root: dict[str, Any], part: Any, known: dict[int, int]) -> int:
    """How many objects there are below a part; `known`: those of parts that were counted."""
    if not isinstance(part, dict | list):
        return 0
    if id(part) in known:
        return known[id(part)]
    known[id(part)] = 1
    if isinstance(part, list):
        size = sum(_size(root, item, known) for item in part)
    else:
        size = 1
        for key, item in part.items():
            if key in _WEIGHTS and isinstance(item, str):
                size += 1 + _size(root, target_of(root, item, None), known)
            elif key not in _APART:
                size += _size(root, item, known)
    known[id(part)] = size
    return size


def target_of(schema: Any, target: str, default: Any = _NOWHERE) -> Any:
    """What a reference within a schema (`#` or `#/…`) leads to. Raises LookupError where that is
    nothing, unless there is a `default`."""
    if target == "#":
        return schema
    found = schema if target.startswith("#/") else _NOWHERE
    for step in target[2:].split("/"):
        name = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict):
            found = found.get(name, _NOWHERE)
        elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
            found = found[int(name)]
        else:
            found = _NOWHERE
    if found is not _NOWHERE:
        return found
    if default is _NOWHERE:
        raise LookupError(target)
    return default


def counted(name: str, keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """A keyword of a validator, which counts."""
    weight = _WEIGHTS.get(name, 1)

    def counts(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        left = _LEFT.get()
        if left is not None:
            left[0] -= weight
            if left[0] < 0:
                raise _TooMuchError
        yield from keyword(validator, value, instance, schema) or ()

    return counts


@contextmanager
def counting() -> Iterator[None]:
    """One check: inside, whatever comes to more than `MAX_STEPS` keywords raises."""
    token = _LEFT.set([MAX_STEPS])
    try:
        yield
    finally:
        _LEFT.reset(token)
