"""Types and values as rule files write them."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from typing import Any, Final

from callgate.compiler.patterns import pattern_mistake
from callgate.lang.check_types import a
from callgate.lang.place_texts import host_help, is_host, path_mistake
from callgate.model.suggest import closest
from callgate.model.types import (
    ADDRESS,
    BOOL,
    CLOSED_PATTERN,
    HOST,
    INT,
    JSON,
    PATH,
    PATTERN,
    PATTERNS,
    STRING,
    TIME,
    URL,
    Enum,
    ListOf,
    MapOf,
    Optional,
    Type,
)
from callgate.model.values import UNKNOWN
from callgate.stdlib import OPERATIONS

__all__ = ["SCALARS", "MisfitError", "parse_type", "read_value"]

SCALARS: Final[Mapping[str, Type]] = {
    str(type_): type_
    for type_ in (
        BOOL,
        INT,
        STRING,
        TIME,
        PATH,
        URL,
        HOST,
        ADDRESS,
        JSON,
        PATTERN,
        CLOSED_PATTERN,
    )
}
_PREFIXES: Final[tuple[tuple[str, Callable[[Type], Type]], ...]] = (
    ("list of ", ListOf),
    ("map of ", MapOf),
    ("optional ", Optional),
)
_NORMAL: Final[Mapping[Type, tuple[str, str]]] = {
    HOST: ("host", "a host, such as `example.org`"),
    URL: ("url", "an absolute URL"),
    TIME: ("time", "a time, such as `2026-12-01T09:00:00Z`"),
}


class MisfitError(ValueError):
    """A value that is not of its type: the code, the message and the help of its diagnostic."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


def parse_type(text: str, enums: Mapping[str, Enum]) -> Type:
    """The type that `list of tool` and the like name. Raises MisfitError."""
    for prefix, make in _PREFIXES:
        if text.startswith(prefix):
            item = parse_type(text[len(prefix) :], enums)
            if make is MapOf and not PATTERNS.isdisjoint((item, getattr(item, "item", None))):
                # Which of them is meant would only be known when a call comes.
                raise MisfitError("S004", "a map can't hold command patterns", "use a list")
            return make(item)
    found = SCALARS.get(text) or enums.get(text)
    if found is None:
        words = [*SCALARS, *enums, *(prefix.split()[0] for prefix, _ in _PREFIXES)]
        near = closest(text.split(" ")[0], words)
        help = f"did you mean `{near}`?" if near else "types are listed in docs/rule-files.md"
        raise MisfitError("S004", f"there is no type `{text}`", help)
    return found


def read_value(data: Any, type_: Type, literal: bool = False, patterns: bool = False) -> Any:
    """A YAML value as a value of the type: lists become tuples, texts take their normal form.

    `literal`: a path must stand for itself (absolute, or from `~`); else it may be anything, and
    is looked at when it is used. `patterns`: a `*` means something in it. Raises MisfitError.
    """
    match type_:
        case Optional(item=item):
            return None if data is None else read_value(data, item, literal, patterns)
        case ListOf(item=item) if isinstance(data, list):
            return tuple(read_value(part, item, literal, patterns) for part in data)
        case MapOf(value=value) if isinstance(data, dict):
            return {key: read_value(part, value, literal, patterns) for key, part in data.items()}
        case Enum() if isinstance(data, str):
            return _member(data, type_)
    if type_ == JSON:
        return data
    wanted = bool if type_ == BOOL else int if type_ == INT else str
    if isinstance(type_, ListOf | MapOf | Enum) or type(data) is not wanted:
        raise MisfitError("S003", f"this must be {a(type_)}, not {_found(data)}")
    if not isinstance(data, str):
        return data
    if data and not patterns:
        _refuse_patterns(data, type_)
    return _scalar(data, type_, literal)


def _refuse_patterns(text: str, type_: Type) -> None:
    mistake = path_mistake(text) if type_ == PATH else None
    if mistake is not None:
        raise MisfitError(*mistake)
    if type_ == HOST and not is_host(text):
        raise MisfitError("S004", f"`{text}` is not a host", host_help(text))


def _member(text: str, enum: Enum) -> str:
    if text in enum.members or enum.open:
        return text
    near = closest(text, enum.members)
    shown = ", ".join(f"`{member}`" if member else '`""`' for member in enum.members[:8])
    help = f"did you mean `{near}`?" if near else f"members are {shown}"
    raise MisfitError("S004", f"`{text}` is not a member of `{enum.name}`", help)


def _scalar(text: str, type_: Type, literal: bool) -> Any:
    if type_ in _NORMAL and (literal or type_ == TIME):
        name, what = _NORMAL[type_]
        found = OPERATIONS[name].implementation(text)
        if found is UNKNOWN:
            raise MisfitError("S004", f"`{text}` is not {what}")
        return found
    if type_ == PATH and literal:
        found = OPERATIONS["path"].implementation(text, "")
        if found is UNKNOWN:
            help = "write it from `/` or `~`"
            raise MisfitError("T019", f"`{text}` depends on the folder it is read in", help)
        return found
    if type_ in PATTERNS:
        mistake = pattern_mistake(text, type_ == CLOSED_PATTERN)
        if mistake is not None:
            raise MisfitError(mistake.code, mistake.message, mistake.help)
    if type_ == ADDRESS and literal:
        try:
            return str(ipaddress.ip_address(text))
        except ValueError:
            raise MisfitError("S004", f"`{text}` is not an IP address") from None
    return text


def _found(data: Any) -> str:
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return f"`{str(data).lower()}`"
    if isinstance(data, int | float):
        return "a number"
    return (
        "a text" if isinstance(data, str) else "a list" if isinstance(data, list) else "a mapping"
    )
