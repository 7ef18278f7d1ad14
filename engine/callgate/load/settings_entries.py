"""Checking the entries of a setting's lists: names of tools, hosts, and wildcards that are none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from callgate.load.settings_types import TypeMistake
from callgate.load.words import did_you_mean, shown
from callgate.model.catalogue import Setting
from callgate.model.diagnostic import Severity
from callgate.model.suggest import closest
from callgate.model.types import (
    CLOSED_PATTERN,
    HOST,
    PATTERNS,
    Enum,
    ListOf,
    MapOf,
    Optional,
    Type,
)
from callgate.model.values import UNKNOWN

__all__ = ["NO_CHECKS", "Checks", "entry_mistakes", "pattern_mistakes"]

_MOST_NAMES: Final = 200
"""How many unknown names of one list are judged one by one."""


@dataclass(frozen=True, slots=True)
class Checks:
    """What only a policy knows of the entries of lists.

    `tool`: whether a name outside the catalogue can be a tool's, of a kind that the policy
    recognises. `pattern`: what is wrong with a command pattern, given whether it lets commands
    through.
    """

    tool: Callable[[str], bool] = lambda name: False
    pattern: Callable[[str, bool], TypeMistake | None] = lambda text, closed: None


NO_CHECKS: Final = Checks()
"""Where no policy is asked."""


def entry_mistakes(
    setting: Setting, value: Any, aliases: Mapping[str, str], checks: Checks
) -> Iterator[TypeMistake]:
    """What is wrong with the entries of a value that has the right type."""
    if setting.field.secret:
        return
    if setting.field.type in (HOST, Optional(HOST)) and value:
        yield from _host(setting.name, (), value)
    for path, items, type_ in _lists(value, setting.field.type, ()):
        if setting.of_tools and isinstance(type_, Enum):
            if setting.wildcards:
                continue
            yield from _tools(setting.name, path, items, (*type_.members, *aliases), checks)
            continue
        for index, item in enumerate(items):
            if not isinstance(item, str) or type_ in PATTERNS:
                continue
            if _looks_like_wildcard(item) and not setting.wildcards:
                yield _wildcard(setting.name, (*path, index), item, type_)
            elif type_ == HOST and not (item == "*" and setting.wildcards):
                yield from _host(setting.name, (*path, index), item)


def pattern_mistakes(setting: Setting, value: Any, checks: Checks) -> Iterator[TypeMistake]:
    """What is wrong with the command patterns in a value that has the right type."""
    type_ = setting.field.type
    inner = type_.item if isinstance(type_, Optional) else type_
    many = isinstance(inner, ListOf)
    item_type = inner.item if isinstance(inner, ListOf) else inner
    if item_type not in PATTERNS or value is None:
        return
    for index, text in enumerate(value if many else [value]):
        mistake = checks.pattern(text, item_type == CLOSED_PATTERN)
        if mistake is not None:
            yield replace(mistake, path=(index,) if many else ())


def _lists(
    value: Any, type_: Type, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Sequence[Any], Type]]:
    """The lists of texts in a value, each with its place and the type of its items."""
    if isinstance(type_, Optional):
        yield from _lists(value, type_.item, path)
    elif isinstance(type_, MapOf) and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _lists(item, type_.value, (*path, key))
    elif isinstance(type_, ListOf) and isinstance(value, list | tuple):
        yield path, value, type_.item


def _tools(
    setting: str,
    path: tuple[str | int, ...],
    items: Sequence[Any],
    known: Sequence[str],
    checks: Checks,
) -> Iterator[TypeMistake]:
    members, unknown = frozenset(known), 0
    for index, name in enumerate(items):
        if name in members:
            continue
        here = (*path, index)
        if "*" in name:
            message = (
                f"{shown(name)} in `{setting}` is the name of no tool: a `*` stands for itself here"
            )
            yield TypeMistake(here, "E007", message, _LIST_THEM, Severity.WARNING)
            continue
        if checks.tool(name):
            continue
        unknown += 1
        if unknown > _MOST_NAMES:
            message = f"`{setting}` lists more than {_MOST_NAMES} names that are no tools"
            yield TypeMistake(here, "E006", message, "correct those before this one first")
            return
        near = closest(name, known, 1 if len(name) <= 4 else 2)
        message = f"there is no tool {shown(name)}, which `{setting}` lists"
        if near:
            yield TypeMistake(here, "E006", message, did_you_mean(near))
        else:
            yield TypeMistake(here, "E006", message, _STANDS_FOR_NONE, Severity.WARNING)


_LIST_THEM: Final = "list the tools by their names"
_STANDS_FOR_NONE: Final = "it stands for no tool unless the host brings one of exactly this name"


def _wildcard(setting: str, path: tuple[str | int, ...], item: str, type_: Type) -> TypeMistake:
    message = f"{shown(item)} in `{setting}` is no wildcard: a `*` stands for itself here"
    help = "name each of them"
    if type_ == HOST:
        rest = item.strip("*.")
        help = f"a host stands for its sub-domains, too: write `{rest}`" if rest else help
    return TypeMistake(path, "E007", message, help, Severity.WARNING)


def _host(setting: str, path: tuple[str | int, ...], text: str) -> Iterator[TypeMistake]:
    """A text that no host is ever equal to, or below."""
    from callgate.effects.addresses import address_class
    from callgate.stdlib.hosts import host, normalise_host

    normal = normalise_host(text)
    if normal == text.rstrip(".").lower():
        return
    if normal is UNKNOWN:
        entry, help = (shown(text), _NAME_A_HOST) if text else ("an empty text", "take it out")
        message = f"{entry} in `{setting}` is not the name of a host, so it matches none"
        before, _, after = text.partition("/")
        if after.isdigit() and address_class(before.strip("[]")):
            help = "ranges of addresses are not read: write each address"
        else:
            meant = host.implementation(text if "://" in text else f"http://{text}")
            help = help if meant is UNKNOWN else _write(meant)
    else:
        message = f"{shown(text)} in `{setting}` is not how this host is compared: it matches none"
        help = _write(normal)
    yield TypeMistake(path, "E003", message, help, Severity.WARNING)


def _write(host: str) -> str:
    return f"write {shown(host)}"


_NAME_A_HOST: Final = "write a name such as `api.example.org`, or an address"


def _looks_like_wildcard(text: str) -> bool:
    """A `*` at either end of one word; inside a command's text it may be meant as it stands."""
    return (text[:1] == "*" or text[-1:] == "*") and not any(map(str.isspace, text))
