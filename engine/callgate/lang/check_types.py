"""Relations between types, and how types are named in messages."""

from __future__ import annotations

from typing import Final

from callgate.model.types import (
    ADDRESS,
    BOOL,
    HOST,
    INT,
    JSON,
    PATH,
    PATTERNS,
    STRING,
    TIME,
    URL,
    Enum,
    ListOf,
    MapOf,
    Optional,
    Record,
    Scalar,
    Type,
)
from callgate.stdlib.operation import Anything

__all__ = ["TEXTS", "a", "comparable", "fits", "present"]

TEXTS: Final = (STRING, PATH, HOST, URL, ADDRESS)
"""Types whose values are texts."""

_SCALARS: Final = {BOOL, INT, TIME, JSON, *TEXTS}


def present(type_: Type) -> Type:
    """The type of the value when it is there."""
    return type_.item if isinstance(type_, Optional) else type_


def comparable(left: Type, right: Type) -> bool:
    """Whether a value of one type can be equal to one of the other; neither is optional."""
    if left is right or left == right:
        return not isinstance(left, Record)
    if isinstance(left, Enum) and isinstance(right, Enum):
        return left.name == right.name
    for one, other in ((left, right), (right, left)):
        if one == JSON:
            return other in (BOOL, INT, STRING) or isinstance(other, Enum | ListOf)
        if isinstance(one, Enum):
            return other == STRING
        if isinstance(one, Anything):
            return True
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return comparable(left.item, right.item)
    return left in PATTERNS and right in PATTERNS


def fits(given: Type, wanted: Type) -> bool:
    """Whether a value of the type `given` can be an argument where `wanted` is declared."""
    if given is wanted or given == wanted or isinstance(wanted, Anything):
        return True
    if isinstance(wanted, Scalar):
        return wanted is STRING and isinstance(given, Enum)
    match wanted:
        case Optional(item=item):
            return fits(present(given), item)
        case ListOf(item=item):
            return isinstance(given, ListOf) and fits(given.item, item)
        case MapOf(value=value):
            return isinstance(given, MapOf) and fits(given.value, value)
    return False


def a(type_: Type) -> str:
    """A type in a sentence: `a path`, `an int`, `a list of host`, "one of `risk`"."""
    match type_:
        case Enum(name=name):
            return f"one of `{name}`"
        case ListOf(item=item):
            return f"a list of {_plain(item)}"
        case MapOf(value=value):
            return f"a map of {_plain(value)}"
        case Optional(item=item):
            return f"{a(item)} or absent"
        case Record(name=name):
            return f"a `{name}` record"
    if type_ == JSON:
        return "json of any shape"
    name = str(type_)
    return f"{'an' if name[0] in 'aio' else 'a'} {name}"


def _plain(type_: Type) -> str:
    return "anything" if isinstance(type_, Anything) else str(type_)
