"""The types of the condition language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

__all__ = [
    "ADDRESS",
    "BOOL",
    "CLOSED_PATTERN",
    "HOST",
    "INT",
    "JSON",
    "PATH",
    "PATTERN",
    "PATTERNS",
    "REQUIRED",
    "STRING",
    "TIME",
    "URL",
    "Enum",
    "Field",
    "ListOf",
    "MapOf",
    "Optional",
    "Record",
    "Scalar",
    "Type",
]

ScalarName = Literal[
    "bool",
    "int",
    "string",
    "time",
    "path",
    "url",
    "host",
    "address",
    "json",
    "pattern",
    "closed_pattern",
]


class Type:
    """Base of all types; compare with `==`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Scalar(Type):
    """A built-in type. `json` is a value whose shape is not known: it can be compared, no more."""

    name: ScalarName

    def __str__(self) -> str:
        return self.name


BOOL: Final = Scalar("bool")
INT: Final = Scalar("int")
STRING: Final = Scalar("string")
TIME: Final = Scalar("time")
PATH: Final = Scalar("path")
URL: Final = Scalar("url")
HOST: Final = Scalar("host")
ADDRESS: Final = Scalar("address")
JSON: Final = Scalar("json")
PATTERN: Final = Scalar("pattern")
CLOSED_PATTERN: Final = Scalar("closed_pattern")
PATTERNS: Final = frozenset({PATTERN, CLOSED_PATTERN})
"""Command patterns that the operator gives, and those that may let commands through."""


@dataclass(frozen=True, slots=True)
class Enum(Type):
    """Named words. `ordered`: they compare with `<`, in the order given, least first.

    `open`: at run time the value may be any string, members are only those known when the policy
    is read (tool names, channels); a quoted literal may then be any string, a bare word must be a
    member.
    """

    name: str
    members: tuple[str, ...]
    ordered: bool = False
    open: bool = False

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ListOf(Type):
    """A list of values of one type."""

    item: Type

    def __str__(self) -> str:
        return f"list of {self.item}"


@dataclass(frozen=True, slots=True)
class MapOf(Type):
    """A map from strings to values of one type; a key may be absent."""

    value: Type

    def __str__(self) -> str:
        return f"map of {self.value}"


@dataclass(frozen=True, slots=True)
class Optional(Type):
    """A value that may be absent; run-time representation of absent is `None`."""

    item: Type

    def __str__(self) -> str:
        return f"optional {self.item}"


REQUIRED: Final = object()
"""Marks a field without a default."""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: its type, what it means, and whether its value may be unknown.

    `default` is the value when the input doesn't carry the field (`REQUIRED`: there is none).
    `secret` values are never folded into a graph, printed or logged; only `has` may ask for them.
    `known`: the texts that hosts are known to give, for lint alone.
    """

    type: Type
    doc: str = ""
    unknown: bool = False
    default: Any = REQUIRED
    secret: bool = False
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Record(Type):
    """A fixed set of named fields. Records compare by identity."""

    name: str
    fields: Mapping[str, Field]

    def __str__(self) -> str:
        return self.name
