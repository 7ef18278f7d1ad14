"""Calls to effects: what the catalogue says of a tool, applied to a call's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from callgate.effects.direct import DirectPaths
from callgate.effects.embedded import SHELL
from callgate.effects.programs import Programs
from callgate.effects.shell.tree import Word, unresolved
from callgate.effects.shell.words import Names, Place
from callgate.effects.sink import At, Given, Sink
from callgate.effects.state import State
from callgate.effects.surroundings import Surroundings
from callgate.effects.urls import file_path
from callgate.effects.walk import Walker, walk_shell
from callgate.model.effect import EFFECT_KINDS, EffectSet
from callgate.model.types import BOOL, INT, ListOf, Optional, Type

__all__ = ["Extractor"]

Sources = Mapping[str, Sequence[Any]]

_MAX_PATHS: Final = 1000
_MAX_PATH: Final = 4096
_MAX_DEPTH: Final = 32
_PATH: Final = re.compile(r"(?!\w+://)[^\n\0]*/[^\n\0]*|[~.][^\s]*|[^\s/]+\.\w{1,8}")
_URL: Final = re.compile(r"(?:https?|wss?|ftps?)://\S+\Z", re.IGNORECASE)


class _UnusableError(Exception):
    """An argument that an effect names is missing or of the wrong type."""


class Extractor:
    """Turns calls into effects. `programs`: the entries of the bundle's `programs` files.

    Safe to share between threads; it keeps nothing of a call.
    """

    def __init__(self, programs: Mapping[str, Any]) -> None:
        self._programs = Programs(programs)

    def direct(self, specs: Sequence[tuple[str, Sources, Any]]) -> DirectPaths | None:
        """The short way for a tool's effects, given as (kind, fields, condition), if it has one."""
        return DirectPaths.of(specs, self._programs)

    def extract(
        self,
        tool_effects: Sequence[tuple[str, Sources]],
        args: Mapping[str, Any],
        surroundings: Surroundings,
    ) -> EffectSet:
        """The effects of a call.

        `tool_effects`: (kind, fields) pairs as in `callgate.model.catalogue.ToolEffect`, those
        whose condition holds. Never raises: what can't be understood is an `opaque` effect.
        """
        sink = Sink(surroundings, self._programs)
        for kind, sources in tool_effects:
            sink.argument = None
            try:
                self._one(sink, kind, sources, args)
            except _UnusableError as error:
                sink.opaque(str(error), None)
            except Exception as error:
                # A bug, or a recursion limit: it must not look like "nothing happens".
                sink.opaque(f"the call could not be read ({type(error).__name__})", None)
        return sink.finish()

    def _one(self, sink: Sink, kind: str, sources: Sources, args: Mapping[str, Any]) -> None:
        if kind == "shell":
            _shell(sink, sources, args)
        elif kind == "code":
            language = self._programs.language(_text(sources["language"], args))
            if language == SHELL:
                _shell(sink, sources, args)
                return
            text = _text(sources["text"], args)
            sink.argument = _name(sources["text"])
            if language not in self._programs.languages:
                sink.opaque("code in an unknown language", (0, len(text)))
                return
            fields = {"language": language, "source": "inline"}
            sink.add("interpret", fields, (0, len(text)), At(sink.paths.here))
        elif kind == "paths":
            _paths(sink, _text(sources["as"], args), args)
        elif kind == "run":
            _run(sink, sources, args)
        else:
            _direct(sink, kind, sources, args)


def _shell(sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
    text = _text(sources["text"], args)
    cwd = sink.paths.folder(_text(sources["cwd"], args) if "cwd" in sources else "")
    sink.argument = _name(sources["text"])
    walk_shell(sink, text, cwd, Place())


def _run(sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
    """A program and its words, without a shell."""
    words = [_word(_text(sources["program"], args))]
    if "words" in sources:
        words += [_word(text) for text in _value(sources["words"], args, ListOf(INT))]
    sink.argument = _name(sources["program"])
    here = sink.paths.here
    Walker(sink, Names("~", here)).invoke(tuple(words), State(here))


def _paths(sink: Sink, kind: str, args: Mapping[str, Any]) -> None:
    """Every argument that looks like a path, or is a URL."""
    at = At(sink.paths.base)
    found = 0
    for name, text in _strings(args):
        bare = text.strip()
        named = file_path(bare)
        if bare[:7].lower() == "file://":
            bare = bare[7:]
        if named is not None and named != bare:
            sink.argument = name
            sink.make(kind, {"path": _word(named)}, (0, len(text)), at)
        url = _URL.match(bare) is not None
        if not url and (len(bare) > _MAX_PATH or not _PATH.fullmatch(bare)):
            continue
        found += 1
        sink.argument = name
        span = (0, len(text))
        if found > _MAX_PATHS:
            sink.opaque(f"more than {_MAX_PATHS} paths", None)
            return
        if url:
            sink.connect_url(_word(bare), "", span, at)
        else:
            sink.make(kind, {"path": _word(bare)}, span, at)


def _direct(sink: Sink, kind: str, sources: Sources, args: Mapping[str, Any]) -> None:
    """A kind of the condition language, its fields taken from arguments and constants."""
    single: dict[str, Given] = {}
    several: tuple[str, list[Word]] | None = None
    argument = None
    for field, source in sources.items():
        value = _value(source, args, EFFECT_KINDS[kind].fields[field].type)
        argument = argument or _name(source)
        if isinstance(value, list):
            words = [_word(item) for item in value]
            if not words:
                return
            several = several or (field, words)
            single[field] = words[0]
        else:
            single[field] = value if isinstance(value, bool) else _word(str(value))
    sink.argument = argument
    at = At(sink.paths.base)
    if several is None:
        sink.make(kind, single, _span(single), at)
        word = single.get("path")
        named = file_path(word.text) if isinstance(word, Word) else None
        if named is not None:
            # The tool may take it for a URL, or for a file of that name.
            sink.make(kind, {**single, "path": _word(named)}, _span(single), at)
        return
    for word in several[1]:
        if sink.full:
            return
        given = {**single, several[0]: word}
        sink.make(kind, given, _span(given), at)


def _span(given: Mapping[str, Given]) -> tuple[int, int] | None:
    return next((word.span for word in given.values() if isinstance(word, Word)), None)


# -- arguments


def _name(source: Sequence[Any]) -> str | None:
    return source[1] if source[0] == "arg" else None


def _text(source: Sequence[Any], args: Mapping[str, Any]) -> str:
    value = _value(source, args, None)
    assert isinstance(value, str)
    return value


def _value(source: Sequence[Any], args: Mapping[str, Any], type_: Type | None) -> Any:
    """The value of a source, checked: a string, or what a field's type says; lists of strings
    where one string is wanted. Raises _UnusableError."""
    if source[0] == "const":
        return source[1]
    name = source[1]
    value = args.get(name)
    if value is None:
        value = source[2] if len(source) > 2 else None
    if value is None:
        raise _UnusableError(f"the argument `{name}` is missing")
    wanted = type_.item if isinstance(type_, Optional) else type_
    if wanted == BOOL:
        fits = isinstance(value, bool)
    elif wanted == INT:
        fits = isinstance(value, int) and not isinstance(value, bool)
    elif isinstance(value, list) and type_ is not None:
        fits = all(isinstance(item, str) for item in value)
    else:
        fits = isinstance(value, str) and not isinstance(type_, ListOf)
    if not fits:
        raise _UnusableError(f"the argument `{name}` is of the wrong type")
    return value


def _word(text: str) -> Word:
    span = (0, len(text))
    if text == "~" or text.startswith("~/"):
        return Word(text, span, 0, home=0)
    return unresolved(span) if text.startswith("~") else Word(text, span, 0)


def _strings(args: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """All strings in the arguments, with the argument's name."""
    for name, argument in args.items():
        stack: list[tuple[Any, int]] = [(argument, 0)]
        while stack:
            value, depth = stack.pop()
            if isinstance(value, str):
                yield name, value
            elif depth < _MAX_DEPTH:
                if isinstance(value, Mapping):
                    stack += [(item, depth + 1) for item in reversed(list(value.values()))]
                elif isinstance(value, list | tuple):
                    stack += [(item, depth + 1) for item in reversed(value)]
