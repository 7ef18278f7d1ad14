"""Checking one setting's value against its type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from callgate.load.words import any_of, did_you_mean, found, shown
from callgate.model.suggest import closest
from callgate.model.types import BOOL, INT, JSON, Enum, ListOf, MapOf, Optional, Type

__all__ = ["TypeMistake", "convert", "type_mistakes"]


@dataclass(frozen=True, slots=True)
class TypeMistake:
    """A value that does not fit: where below the setting, the code, message and help."""

    path: tuple[str | int, ...]
    code: str
    message: str
    help: str


def type_mistakes(
    value: Any, type: Type, name: str, path: tuple[str | int, ...] = ()
) -> Iterator[TypeMistake]:
    """Everything about a value that does not fit its type; `name` is the setting's."""
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
            yield TypeMistake(path, "E003", f"{shown(value)} is not allowed as `{name}`", help)
    elif not _fits(value, type):
        message = f"expected {_one(type)} as `{name}`, found {found(value)}"
        yield TypeMistake(path, "E002", message, _help(value, type))


def _fits(value: Any, type: Type) -> bool:
    if type == BOOL:
        return isinstance(value, bool)
    if type == INT:
        return isinstance(value, int) and not isinstance(value, bool)
    if isinstance(type, ListOf | MapOf):
        return False
    return type == JSON or isinstance(value, str)


def _help(value: Any, type: Type) -> str:
    if isinstance(type, ListOf):
        if value is None:
            return "write `[]` for an empty list, or leave the key out"
        return f"write [{value}]" if isinstance(value, str) else ""
    if isinstance(type, MapOf):
        return "write `{}` for none, or leave the key out" if value is None else ""
    if type == BOOL:
        return "write `true` or `false`"
    if isinstance(type, Enum):
        return f"write {any_of(type.members)}" if not type.open else ""
    return "put it in quotes" if isinstance(value, int | float) and type != INT else ""


def _one(type: Type) -> str:
    if isinstance(type, ListOf):
        return f"a list of {_many(type.item)}"
    if isinstance(type, MapOf):
        return f"a mapping to {_many(type.value)}"
    if type == BOOL:
        return "`true` or `false`"
    if type == INT:
        return "a whole number"
    return any_of(type.members) if isinstance(type, Enum) and not type.open else "a string"


def _many(type: Type) -> str:
    if isinstance(type, ListOf):
        return f"lists of {_many(type.item)}"
    if isinstance(type, MapOf):
        return f"mappings to {_many(type.value)}"
    if isinstance(type, Optional):
        return _many(type.item)
    words: dict[Type, str] = {BOOL: "booleans", INT: "whole numbers", JSON: "values"}
    return words.get(type, "strings")


def convert(value: Any, aliases: Mapping[str, str] | None) -> Any:
    """A checked value as the policy reads it: lists are tuples, and where `aliases` is given each
    alias in a list is replaced by its tool, each tool once."""
    if isinstance(value, Mapping):
        return {key: convert(item, aliases) for key, item in value.items()}
    if not isinstance(value, list | tuple):
        return value
    items = [convert(item, aliases) for item in value]
    if aliases is None:
        return tuple(items)
    names = [aliases.get(item, item) if isinstance(item, str) else item for item in items]
    return tuple(dict.fromkeys(names)) if all(isinstance(n, str) for n in names) else tuple(names)
