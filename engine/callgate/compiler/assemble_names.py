"""Names that a bundle may give to its lists and facts.

A bare word in a condition is a name before it is a member of an enum. So a bundle that extends
another must not give a name to what its base's conditions call so: they would mean something else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from callgate.compiler.assemble_entries import Entry
from callgate.compiler.assembly import Assembly
from callgate.lang.errors import ConditionError
from callgate.lang.parser import parse_condition
from callgate.lang.scope import ASK_LEVEL
from callgate.model.call import CONTEXT_FIELDS, DECLARED_FIELDS, OBSERVED_FIELDS
from callgate.model.effect import EFFECT_SOURCES
from callgate.model.suggest import closest
from callgate.model.syntax import Word
from callgate.model.types import Enum, Field, ListOf, MapOf, Optional, Record, Type
from callgate.stdlib import OPERATIONS

__all__ = ["report_context", "report_name", "report_section"]

_NAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "tools": {"tools": "a tool", "capabilities": "a capability", "needs": "what tools need"},
    "vocabulary": {},
    "risk-map": {},
}
_BINDER: Final = re.compile(r"\b(?:any|none|count)\s*\(\s*([A-Za-z_][\w-]*)\s+in\b")
_EACH: Final = re.compile(r"\s*([A-Za-z_][\w-]*)\s+in\b")
_BINDS: Final = frozenset({"each", "select"})


def report_name(assembly: Assembly, kind: str, name: str, entry: Entry) -> bool:
    """Report the name of a list, fact or definition (`kind`) that no condition could use, or that
    inherited conditions have for something else (T018); not of one that takes the place of an
    inherited one. A definition is known in its own file only."""
    if _is_keyword(assembly, name, entry):
        return True
    if kind == "define" or (kind, name) in assembly.replaced:
        return False
    return _is_captured(assembly, name, entry)


def _is_keyword(assembly: Assembly, name: str, entry: Entry) -> bool:
    root = name.partition(".")[0]
    try:
        if isinstance(parse_condition(root).tree, Word):
            return False
    except ConditionError:
        pass
    _report(assembly, f"`{root}` is a word of the condition language", entry)
    return True


def _is_captured(assembly: Assembly, name: str, entry: Entry) -> bool:
    layer = _layer(assembly, entry)
    if layer == 0:
        return False
    known = assembly.words_below.get(layer)
    if known is None:
        known = assembly.words_below[layer] = dict(reversed(list(_words(assembly, layer))))
    root = name.partition(".")[0]
    for word in {name} if root in _groups(assembly, layer) else {root, name}:
        if word in known:
            _report(assembly, f"`{word}` is {known[word]} in what the bundle extends", entry)
            return True
    return False


def report_context(assembly: Assembly, name: str, entry: Entry, field: Field) -> bool:
    """Report what a bundle that extends another may not say of a field of a call's context: what
    calls without it mean, or how its texts compare. Inherited rules count on what the format says
    (C022)."""
    base = CONTEXT_FIELDS[name]
    if _layer(assembly, entry) == 0 or ("context", name) in assembly.replaced:
        return False
    if field.default not in (base.default, {}):
        shown = json.dumps(base.default)
        place = entry.span("default")
        message = f"`context.{name}` is {shown} where a call does not say it"
        help = "leave out `default`: the inherited rules count on the one of the call's format"
    elif "path" in str(field.type).split():
        place, message = entry.span("type"), f"`context.{name}` is a text to the inherited rules"
        help = "it may become an enum, and nothing else"
    else:
        return False
    assembly.diagnostics.error("C022", message, place, help)
    return True


def report_section(assembly: Assembly, section: str, entry: Entry, settings: Iterable[str]) -> None:
    """Report a section to be let through that looks like a slip of one that is read: settings under
    the misspelt name would be silently left alone (S004)."""
    known = {name.partition(".")[0] for name in settings}
    near = None if section in known else closest(section, known)
    if near is not None and _layer(assembly, entry) > 0:
        assembly.diagnostics.error(
            "S004",
            f"`{section}` is nearly `{near}`, whose settings are read: slips would go unnoticed",
            entry.span(),
            f"did you mean `{near}`? It needs no entry here",
        )


def _report(assembly: Assembly, message: str, entry: Entry) -> None:
    assembly.diagnostics.error("T018", message, entry.name_span(), "choose another name")


def _layer(assembly: Assembly, entry: Entry) -> int:
    """How many bundles lie below the one of an entry."""
    return assembly.layers.get(entry.document.file, 0)


def _below(assembly: Assembly, layer: int) -> Iterator[tuple[str, Entry]]:
    for kind, documents in assembly.documents.items():
        for document in documents:
            if _layer(assembly, document) < layer:
                yield kind, document


def _groups(assembly: Assembly, layer: int) -> set[str]:
    """What inherited names have before their dots: a further name there takes no word away."""
    return {
        name.partition(".")[0]
        for kind, document in _below(assembly, layer)
        if kind == "vocabulary"
        for name, _ in chain(document.mapping("lists"), document.mapping("facts"))
        if "." in name
    }


def _words(assembly: Assembly, layer: int) -> Iterator[tuple[str, str]]:
    """The words of inherited conditions, and what stands before a dot in one; with what each is."""
    for enum in _built_in():
        yield from _rooted(enum.members, f"a member of `{enum.name}`")
    for kind, document in _below(assembly, layer):
        for key, what in _NAMED.get(kind, {}).items():
            yield from _rooted([name for name, _ in document.mapping(key)], what)
        for _, tool in document.mapping("tools") if kind == "tools" else ():
            yield from _rooted([alias for alias, _ in tool.words("aliases")], "the alias of a tool")
        for name, enum_ in document.mapping("enums"):
            members = enum_.child("members").data
            words = members if isinstance(members, list | dict) else ()
            yield from _rooted([str(word) for word in words], f"a member of `{name}`")
        if kind == "risk-map":
            yield from _rooted([word for word, _ in document.words("levels")], "a level of risk")
        yield from _rooted([name for name, _ in document.mapping("define")], "a definition")
        yield from _rooted(_binders(document.data), "the name of an element")


def _rooted(words: Any, what: str) -> Iterator[tuple[str, str]]:
    for word in words:
        yield word, what
        if "." in word:
            yield word.partition(".")[0], f"the beginning of `{word}`, {what},"


def _binders(data: Any) -> Iterator[str]:
    todo: list[tuple[str, Any]] = [("", data)]
    while todo:
        key, value = todo.pop()
        if isinstance(value, dict):
            todo.extend((str(name), part) for name, part in value.items())
        elif isinstance(value, list):
            todo.extend(("", part) for part in value)
        elif isinstance(value, str):
            yield from _BINDER.findall(value)
            if key in _BINDS and (found := _EACH.match(value)):
                yield found[1]


def _built_in() -> Iterator[Enum]:
    """The enums of the call's format, of effects and of operations."""
    fields = [CONTEXT_FIELDS, DECLARED_FIELDS, OBSERVED_FIELDS]
    types: list[Type] = [ASK_LEVEL, *EFFECT_SOURCES.values()]
    types += [field.type for fields_ in fields for field in fields_.values()]
    for operation in OPERATIONS.values():
        for signature in operation.signatures:
            types += [signature.result, *(type_ for _, type_ in signature.parameters)]
    while types:
        type_ = types.pop()
        if isinstance(type_, Enum):
            yield type_
        elif isinstance(type_, Optional | ListOf):
            types.append(type_.item)
        elif isinstance(type_, MapOf):
            types.append(type_.value)
        elif isinstance(type_, Record):
            types += [field.type for field in type_.fields.values()]
