"""Checking one setting's value against its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.model.diagnostic import Severity
from callgate.model.suggest import closest
from callgate.model.types import (
    BOOL,
    INT,
    JSON,
    PATTERNS,
    TIME,
    Enum,
    ListOf,
    MapOf,
    Optional,
    Type,
)
from callgate.model.values import UNKNOWN

__all__ = ["TypeMistake", "convert", "type_mistakes"]


@dataclass(frozen=True, slots=True)
class TypeMistake:
    """What is wrong with a value: where below the setting, the code, message and help. `part`: of
    a text, what is wrong in it."""

    path: tuple[str | int, ...]
    code: str
    message: str
    help: str
    severity: Severity = Severity.ERROR
    part: tuple[int, int] | None = None


def type_mistakes(
    value: Any, type: Type, name: str, path: tuple[str | int, ...] = ()
) -> Iterator[TypeMistake]:
    """Everything about a value that does not fit its type; `name` is the setting's."""
    role = f"in `{name}`" if path else f"as `{name}`"
    if isinstance(type, Optional):
        if value is not None:
            yield from type_mistakes(value, type.item, name, path)
    elif isinstance(type, ListOf) and isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from type_mistakes(item, type.item, name, (*path, index))
    elif isinstance(type, MapOf) and isinstance(value, Mapping):
        for key, item in value.items():
            yield from type_mistakes(item, type.value, name, (*path, key))
    elif isinstance(type, Enum) and isinstance(value, str):
        if not type.open and value not in type.members:
            help = did_you_mean(closest(value, type.members)) or f"write {any_of(type.members)}"
            yield TypeMistake(path, "E003", f"{shown(value)} is not allowed {role}", help)
    elif not _fits(value, type):
        message = f"expected {_one(type)} {role}, found {found(value)}"
        yield TypeMistake(path, "E002", message, _help(value, type))


def _fits(value: Any, type: Type) -> bool:
    if type == BOOL:
        return isinstance(value, bool)
    if type == INT:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(type, ListOf | MapOf):
        return False
    if type == TIME and isinstance(value, str):
        return _time(value) is not UNKNOWN
    return type == JSON or isinstance(value, str)


def _help(value: Any, type: Type) -> str:
    if isinstance(type, ListOf):
        if value is None:
            return "write `[]` for an empty list, or leave the key out"
        return f"write [{value}]" if isinstance(value, str) else ""
    if isinstance(type, MapOf):
        if value is None:
            return "write `{}` for none, or leave the key out"
        example = "[…]" if isinstance(type.value, ListOf) else "…"
        return f"write a key for each entry, as in `{{KEY: {example}}}`"
    if type == BOOL:
        return "write `true` or `false`"
    if type == INT:
        return "for example `30`, without quotes or unit"
    if type == TIME:
        return "for example `2026-12-01T09:00:00Z`"
    if isinstance(type, Enum) and not type.open:
        return f"write {any_of(type.members)}"
    return "put it in quotes" if isinstance(value, int | float) else ""


def _one(type: Type) -> str:
    if isinstance(type, ListOf):
        return f"a list of {_many(type.item)}"
    if isinstance(type, MapOf):
        return f"a mapping to {_many(type.value)}"
    if type == BOOL:
        return "`true` or `false`"
    if type == INT:
        return "a whole number"
    if type == TIME:
        return "a time"
    if type in PATTERNS:
        return "a command pattern"
    return any_of(type.members) if isinstance(type, Enum) and not type.open else "a string"


def _many(type: Type) -> str:
    if isinstance(type, ListOf):
        return f"lists of {_many(type.item)}"
    if isinstance(type, MapOf):
        return f"mappings to {_many(type.value)}"
    if isinstance(type, Optional):
        return _many(type.item)
    if type in PATTERNS:
        return "command patterns"
    words = {"bool": "booleans", "int": "whole numbers", "json": "values", "time": "times"}
    return words.get(str(type), "strings")


def convert(value: Any, type: Type, aliases: Mapping[str, str]) -> Any:
    """A checked value as the policy reads it: lists are tuples, times are microseconds, and in
    lists each alias is replaced by its tool, each tool once (`aliases`: empty where a setting's
    lists are no lists of tools)."""
    if value is None:
        return None
    if isinstance(type, Optional):
        return convert(value, type.item, aliases)
    if isinstance(type, MapOf):
        return {key: convert(item, type.value, aliases) for key, item in value.items()}
    if isinstance(type, ListOf):
        items = [convert(item, type.item, aliases) for item in value]
        return tuple(dict.fromkeys(aliases.get(i, i) for i in items) if aliases else items)
    return _time(value) if type == TIME and isinstance(value, str) else value


def _time(text: str) -> Any:
    from callgate.stdlib import OPERATIONS

    return OPERATIONS["time"].implementation(text)
