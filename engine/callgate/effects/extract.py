"""Calls to effects: what the catalogue says of a tool, applied to a call's arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from callgate.effects.direct import DirectPaths
from callgate.effects.interpreted import SHELL
from callgate.effects.patches import patched
from callgate.effects.path_arguments import add_paths, word_of
from callgate.effects.programs import Programs
from callgate.effects.relations import Flow, add_relations
from callgate.effects.shell.tree import Word, unresolved
from callgate.effects.shell.words import Names, Place
from callgate.effects.sink import At, Given, Sink
from callgate.effects.state import State
from callgate.effects.surroundings import Surroundings
from callgate.effects.urls import file_path
from callgate.effects.walk import Walker, walk_shell
from callgate.model.effect import EFFECT_KINDS, EffectSet
from callgate.model.types import BOOL, INT, STRING, ListOf, Optional, Type
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Extractor"]

Sources = Mapping[str, Sequence[Any]]

_MAX_PATCHED: Final = 1000

_NOTHING: Final = unresolved((0, 0))
"""What is known of an argument that is missing or of the wrong type."""


class Extractor:
    """Turns calls into effects. `programs` and `languages`: the entries of the bundle's files of
    these kinds.

    Safe to share between threads; it keeps nothing of a call.
    """

    def __init__(
        self, programs: Mapping[str, Any], languages: Mapping[str, Any] | None = None
    ) -> None:
        self._programs = Programs(programs, languages)

    @property
    def programs(self) -> Programs:
        """What is known of programs, and of the languages that they read."""
        return self._programs

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
            except Exception as error:
                # A bug, or a recursion limit: it must not look like "nothing happens".
                sink.opaque(f"the call could not be read ({type(error).__name__})", None)
        return sink.finish()

    def _one(self, sink: Sink, kind: str, sources: Sources, args: Mapping[str, Any]) -> None:
        if kind == "shell":
            _shell(sink, sources, args)
        elif kind == "code":
            self._code(sink, sources, args)
        elif kind == "paths":
            add_paths(sink, str(sources["as"][1]), args)
        elif kind == "patch":
            _patch(sink, sources, args)
        elif kind == "run":
            _run(sink, sources, args)
        else:
            _direct(sink, kind, sources, args)

    def _code(self, sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
        named = _value(sink, sources["language"], args, STRING)
        language = self._programs.language(named) if isinstance(named, str) else SHELL
        if language == SHELL:
            # So is a text of which nobody says what language it is in.
            _shell(sink, sources, args)
            return
        text = _value(sink, sources["text"], args, STRING)
        span = (0, len(text)) if isinstance(text, str) else None
        sink.argument = _name(sources["text"])
        if not isinstance(text, str):
            return
        state = State(sink.paths.here)
        fields = {"language": language, "source": "inline", "remote": False}
        sink.add("interpret", fields, span, state)
        walker = Walker(sink, Names(sink.paths.home or "~", sink.paths.here))
        start = len(sink.effects)
        from callgate.effects.code.entry import add_code_effects

        add_code_effects(walker, language, text, state, Place())
        walker.evaluated.run(walker)
        walker.flows.add(Flow(start, start, len(sink.effects), mixed=True))
        add_relations(sink, walker.flows)


def _shell(sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
    text = _value(sink, sources["text"], args, STRING)
    folder = _value(sink, sources["cwd"], args, STRING) if "cwd" in sources else ""
    cwd = sink.paths.folder(folder) if isinstance(folder, str) else UNKNOWN
    if isinstance(text, str):
        sink.argument = _name(sources["text"])
        walk_shell(sink, text, cwd, Place())


def _run(sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
    """A program and its words, without a shell."""
    words = [_word(_value(sink, sources["program"], args, STRING))]
    if "words" in sources:
        found = _value(sink, sources["words"], args, ListOf(STRING))
        if isinstance(found, Unknown):
            words.append(unresolved((0, 0), splits=True))
        else:
            words += [_word(text) for text in found]
    sink.argument = _name(sources["program"])
    here = sink.paths.here
    walker = Walker(sink, Names("~", here))
    walker.invoke(tuple(words), State(here))
    walker.evaluated.run(walker)
    add_relations(sink, walker.flows)


def _patch(sink: Sink, sources: Sources, args: Mapping[str, Any]) -> None:
    """The files that a patch names, and the one that it is for."""
    text = _value(sink, sources["text"], args, STRING)
    own = _value(sink, sources["path"], args, STRING) if "path" in sources else ""
    at = At(sink.paths.base)
    if own != "":
        sink.argument = _name(sources["path"])
        for kind in ("read", "write"):
            _make(sink, kind, {"path": _field(kind, "path", own)})
    if not isinstance(text, str):
        return
    sink.argument = _name(sources["text"])
    seen: set[tuple[str, bool]] = set()
    for name, goes in patched(text):
        if (name, goes) in seen:
            continue
        if len(seen) >= _MAX_PATCHED:
            sink.opaque(f"a patch of more than {_MAX_PATCHED} files", None)
            return
        seen.add((name, goes))
        for kind in ("read", "write", "delete") if goes else ("read", "write"):
            sink.make(kind, {"path": _field(kind, "path", name)}, (0, len(text)), at)
    if not seen and own == "":
        sink.opaque("a patch that names no file", (0, len(text)))


def _direct(sink: Sink, kind: str, sources: Sources, args: Mapping[str, Any]) -> None:
    """A kind of the condition language, its fields taken from arguments and constants. What is
    not known of a field is no reason to forget the others."""
    fields = EFFECT_KINDS[kind].fields
    main = next((field for field in fields if field in sources), "")
    choices: dict[str, Sequence[Given]] = {}
    for field, source in sources.items():
        value = _value(sink, source, args, fields[field].type, many=True)
        if isinstance(fields[field].type, ListOf):
            texts = [value] if isinstance(value, str) else value
            choices[field] = [_NOTHING if isinstance(value, Unknown) else tuple(texts)]
        elif isinstance(value, list):
            choices[field] = [_field(kind, field, item) for item in value]
            if not value and field != main:
                sink.opaque(f"the argument `{_name(source)}` is empty", None)
                choices[field] = [_NOTHING]
        else:
            choices[field] = [_field(kind, field, value)]
    if any(_NOTHING in choices[field] for field in choices if not fields[field].unknown):
        return
    known = (sources[field] for field in choices if _NOTHING not in choices[field])
    sink.argument = next(filter(None, map(_name, known)), None)
    for values in product(*choices.values()):
        if sink.full:
            return
        _make(sink, kind, dict(zip(choices, values, strict=True)))


def _make(sink: Sink, kind: str, given: dict[str, Given]) -> None:
    """One effect, and what else its fields may mean."""
    at, span = At(sink.paths.base), _span(given)
    if given.get("scheme") is _NOTHING:
        given.setdefault("port", _NOTHING)
    sink.make(kind, given, span, at)
    word = given.get("path")
    for text in _readings(word.text) if isinstance(word, Word) else ():
        sink.make(kind, {**given, "path": _word(text)}, span, at)
    if given.get("url") is _NOTHING and "host" in given:
        sink.make(kind, {name: given[name] for name in given if name != "url"}, span, at)


def _readings(text: str | Unknown) -> Iterator[str]:
    """What else a tool may take a path's text for: a URL, or the text without blanks around it."""
    if isinstance(text, Unknown):
        return
    bare = text.strip()
    if bare != text and bare:
        yield bare
    named = file_path(bare)
    if named is not None:
        yield named


def _field(kind: str, field: str, value: Any) -> Given:
    if isinstance(value, bool):
        return value
    if value == "-" and field == "path" and kind in ("read", "write"):
        # Standard input or output in a command; here it is a file's name.
        return Word("./-", (0, 1), 0)
    return _word(value)


def _span(given: Mapping[str, Given]) -> tuple[int, int] | None:
    words = (word for word in given.values() if isinstance(word, Word) and word is not _NOTHING)
    return next((word.span for word in words), None)


# -- arguments


def _name(source: Sequence[Any]) -> str | None:
    return source[1] if source[0] == "arg" else None


def _value(
    sink: Sink,
    source: Sequence[Any],
    args: Mapping[str, Any],
    type_: Type,
    many: bool = False,
) -> Any:
    """The value of a source: what a field's type says, or (`many`) a list of texts where one is
    wanted. What is missing or of another type is UNKNOWN, and makes the call opaque."""
    if source[0] == "const":
        return source[1]
    name = source[1]
    value = args.get(name)
    if value is None or (value == "" and len(source) > 2 and source[2] is not None):
        # An empty text says no more than an argument that is left out.
        value = source[2] if len(source) > 2 else None
    if type(value) is str and type_ is STRING:
        return value
    if value is None:
        sink.opaque(f"the argument `{name}` is missing", None)
        return UNKNOWN
    wanted = type_.item if isinstance(type_, Optional) else type_
    texts = wanted not in (BOOL, INT) and (many or isinstance(wanted, ListOf))
    if wanted in (BOOL, INT):
        fits = type(value) is (bool if wanted == BOOL else int)
    elif isinstance(value, list) and texts:
        fits = all(isinstance(item, str) for item in value)
    else:
        fits = isinstance(value, str) and not isinstance(wanted, ListOf)
    if fits:
        return value
    sink.opaque(f"the argument `{name}` is of the wrong type", None)
    if isinstance(value, list) and texts:
        return [item if isinstance(item, str) else UNKNOWN for item in value]
    return UNKNOWN


def _word(value: Any) -> Word:
    """A value as a word; an unknown one is a word of which nothing is known."""
    return _NOTHING if isinstance(value, Unknown) else word_of(str(value))
