"""Reads entries of `kind: languages` (see `callgate.effects.code.languages` for the format)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from callgate.effects.code.spec import (
    CallEffect,
    Choice,
    Language,
    Reference,
    ReferenceKind,
    Syntax,
)
from callgate.model.effect import EFFECT_KINDS
from callgate.model.suggest import closest
from callgate.model.types import BOOL

__all__ = ["LanguageError", "read_language"]

META: Final[Mapping[str, tuple[str, ...]]] = {
    "shell": ("text",),
    "command": ("words", "shell"),
    "code": ("text", "language"),
    "open": ("path", "mode"),
    "marked": ("text", "mode"),
    "folder": ("path",),
    "source": ("path",),
    "unknown": ("reason", "unless"),
    "sql": ("text", "dialect"),
}
"""The kinds that `languages` adds, with their fields; the first is what it is about."""

_NOT_CALLED: Final = frozenset({"run", "interpret", "opaque", "mention", "transfer", "sql"})
_FIELDS: Final = {
    **{
        kind: tuple(name for name in record.fields if name not in ("certain", "through"))
        for kind, record in EFFECT_KINDS.items()
        if kind not in _NOT_CALLED
    },
    **META,
}
_VALUES: Final = (
    "path",
    "home",
    "same",
    "text",
    "words",
    "module",
    "attribute",
    "pattern",
    "search",
    "below",
    "name",
    "format",
)
_NUMBER: Final = re.compile(r"([1-9]\d?)(\.\.\.| rest| empty)?")
_AFTER_NUMBER: Final[dict[str, ReferenceKind]] = {
    "...": "rest",
    " rest": "tail",
    " empty": "empty",
}
_ITEM: Final = re.compile(r"([1-9]) item ([1-9])")
_KEY: Final = re.compile(r"key ([\w-]+)")
_CALLS: Final = re.compile(r"calls ([\w|]+)")


class LanguageError(ValueError):
    """An entry that can't be used: the `path` of keys to the place, a message, help."""

    def __init__(self, path: tuple[str, ...], message: str, help: str = "") -> None:
        super().__init__(f"{'.'.join(path)}: {message}")
        self.path = path
        self.message = message
        self.help = help


def read_language(name: str, entry: Mapping[str, Any]) -> Language:
    """Read an entry that fits the schema. Raises LanguageError."""
    language = Language(name, entry.get("reader", "tokens"))
    language.syntax = _syntax(entry.get("syntax", {}))
    modes = entry.get("modes", {})
    language.writes = modes.get("write", language.writes)
    language.runs = modes.get("run", language.runs)
    language.holders = frozenset(entry.get("holders", ()))
    tails: dict[str, list[str]] = {}
    for names, items in entry.get("calls", {}).items():
        effects = _effects(items, ("calls", names))
        for full in names.split("|"):
            head, _, last = full.rpartition(".")
            if head == "*":
                language.methods[last] = effects
                continue
            language.calls[full] = effects
            if head:
                tails.setdefault(last, []).append(full)
    language.tails = {last: tuple(full) for last, full in tails.items()}
    for names, items in entry.get("names", {}).items():
        effects = _effects(items, ("names", names))
        for full in names.split("|"):
            if full.startswith("*."):
                language.named_last[full[2:]] = effects
            else:
                language.names[full] = effects
    for how, called in entry.get("values", {}).items():
        if how not in _VALUES:
            raise LanguageError(
                ("values", how), f"`{how}` is no kind of value", _near(how, _VALUES)
            )
        for full in called:
            if full.startswith("*."):
                language.value_methods[full[2:]] = how
            else:
                language.values[full] = how
    language.harmless = frozenset(
        full.rpartition(".")[2] for full, effects in language.calls.items() if not effects
    )
    language.repeats = _needing(language, "endless")
    language.chained = _needing(language, "calls")
    language.modules = frozenset(
        full.rpartition(".")[0] for full, effects in language.calls.items() if effects
    ) - {""}
    return language


def _needing(language: Language, kind: ReferenceKind) -> frozenset[str]:
    """The functions whose effects are told by values of a kind."""

    def needs(reference: Reference) -> bool:
        return reference.kind == kind or any(map(needs, reference.parts))

    return frozenset(
        name
        for name, effects in (*language.calls.items(), *language.methods.items())
        for effect in effects
        for choice in (*effect.fields.values(), effect.when, effect.unless)
        if not isinstance(choice, bool) and any(map(needs, choice))
    )


def _syntax(entry: Mapping[str, Any]) -> Syntax:
    syntax = Syntax()
    syntax.comments = tuple(_pair(text) for text in entry.get("comments", ()))
    strings, holes = [], {}
    for text in entry.get("strings", ()):
        opening, *rest = text.split()
        closing = opening if len(rest) in (0, 2) else rest[0]
        strings.append((opening, closing))
        if len(rest) > 1:
            holes[opening] = (rest[-2], rest[-1])
    syntax.strings = tuple(sorted(strings, key=lambda pair: -len(pair[0])))
    syntax.holes = holes
    syntax.raw = frozenset(entry.get("raw", ()))
    syntax.commands = frozenset(entry.get("commands", ()))
    separators = entry.get("separators", (".",))
    syntax.separators = tuple(sorted(separators, key=lambda text: -len(text)))
    syntax.joins = frozenset(entry.get("joins", ("+",)))
    syntax.regex = entry.get("regex", False)
    syntax.bare = entry.get("bare", "")
    syntax.heredocs = entry.get("heredocs", False)
    syntax.quotes = entry.get("quotes", False)
    syntax.sigils = entry.get("sigils", "")
    syntax.redirects = entry.get("redirects", False)
    syntax.sockets = tuple(entry.get("sockets", ()))
    syntax.fold = entry.get("fold", False)
    inside = entry.get("inside")
    syntax.inside = _pair(inside) if inside else None
    return syntax


def _pair(text: str) -> tuple[str, str]:
    opening, _, closing = text.partition(" ")
    return opening, closing


def _effects(items: Iterable[Mapping[str, Any]], path: tuple[str, ...]) -> tuple[CallEffect, ...]:
    return tuple(_effect(item, (*path, str(index))) for index, item in enumerate(items))


def _effect(item: Mapping[str, Any], path: tuple[str, ...]) -> CallEffect:
    kinds = [key for key in item if key not in ("when", "unless")]
    if len(kinds) != 1:
        raise LanguageError(path, "an effect has exactly one kind")
    kind = kinds[0]
    known = _FIELDS.get(kind)
    if known is None:
        raise LanguageError((*path, kind), f"`{kind}` is no kind of effect", _near(kind, _FIELDS))
    given = item[kind] or {}
    for name in given:
        if name not in known:
            message = f"`{name}` is no field of `{kind}`"
            raise LanguageError((*path, kind, name), message, _near(name, known))
    fields = {
        name: _choice(given[name], (*path, kind, name), _is_flag(kind, name))
        for name in known
        if name in given
    }
    if known[0] not in fields and kind in META:
        raise LanguageError((*path, kind), f"`{kind}` needs `{known[0]}`")
    return CallEffect(
        kind,
        fields,
        _references(item.get("when", ()), (*path, "when")),
        _references(item.get("unless", ()), (*path, "unless")),
    )


def _is_flag(kind: str, name: str) -> bool:
    record = EFFECT_KINDS.get(kind)
    if kind in META or record is None:
        return kind == "command" and name == "shell"
    return record.fields[name].type == BOOL


def _choice(written: Any, path: tuple[str, ...], flag: bool) -> Choice:
    if isinstance(written, bool):
        if not flag:
            raise LanguageError(path, "true and false are no value here")
        return written
    return _references(str(written), path)


def _references(written: Any, path: tuple[str, ...]) -> tuple[Reference, ...]:
    texts = [written] if isinstance(written, str | int) else list(written)
    found = [_reference(part, path) for text in texts for part in str(text).split(" or ")]
    return tuple(found)


def _reference(text: str, path: tuple[str, ...]) -> Reference:
    text = text.strip()
    if " then " in text:
        return Reference("then", parts=tuple(_reference(p, path) for p in text.split(" then ")))
    if found := _NUMBER.fullmatch(text):
        number = int(found.group(1)) - 1
        if found.group(2) is None:
            return Reference("argument", number)
        return Reference(_AFTER_NUMBER[found.group(2)], number)
    if found := _ITEM.fullmatch(text):
        return Reference("item", int(found.group(1)) - 1, found.group(2))
    if found := _KEY.fullmatch(text):
        return Reference("key", name=found.group(1))
    if found := _CALLS.fullmatch(text):
        return Reference("calls", name=found.group(1))
    if text == "endless":
        return Reference("endless")
    if text == "self":
        return Reference("self")
    if len(text) > 1 and text[0] == text[-1] == "'":
        return Reference("constant", name=text[1:-1])
    help = "write a number, `2...`, `2 rest`, `key NAME`, `self`, or a text in single quotes"
    raise LanguageError(path, f"`{text}` is no value", help)


def _near(word: str, candidates: Iterable[str]) -> str:
    nearest = closest(word, candidates)
    return f"did you mean `{nearest}`?" if nearest else ""
