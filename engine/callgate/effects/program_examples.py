"""Tries the examples that entries of `kind: programs` give of themselves.

    examples:
      match:
        - rm -rf build: [{delete: build, recursive: true}]
        - kill -9 1: [{signal: {target: 1, signal: KILL}}]
      pass:
        - rm --help

A matching example names effects that its command has; it may have more. An effect is written as its
kind with what it is about, and any of its fields; or its kind with a mapping of fields. Paths are
written as in a command, and `?` is what nobody knows. A passing example has no effects but `run`.
Commands start in the folder `/work`, and the home folder is `/home/me`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from callgate.effects.extract import Extractor
from callgate.effects.paths import normal
from callgate.effects.programs import EVERY
from callgate.effects.surroundings import Surroundings
from callgate.model.effect import EFFECT_KINDS, Effect, EffectSet
from callgate.model.suggest import closest
from callgate.model.types import PATH
from callgate.model.values import UNKNOWN

__all__ = ["NEEDED", "SORTS", "ExampleProblem", "example_problems"]

SORTS: Final = ("match", "pass")
"""The sorts of examples."""

NEEDED: Final = 3
"""How many of each sort an entry has at least."""

_FOLDER: Final = "/work"
_HOME: Final = "/home/me"
_PLACE: Final = Surroundings(cwd=_FOLDER, workspace=_FOLDER, home=_HOME)
_TOOL: Final = [("shell", {"text": ("arg", "command", None)})]
_UNKNOWN: Final = "?"
_UNTOLD: Final = ("certain", "program_path", "words")


@dataclass(frozen=True, slots=True)
class ExampleProblem:
    """What is wrong with the examples at a path of keys. `few`: there are not enough of them."""

    path: tuple[str | int, ...]
    message: str
    help: str
    few: bool = False


def example_problems(
    entries: Mapping[str, Any],
    languages: Mapping[str, Any] | None = None,
    extractor: Extractor | None = None,
) -> Iterator[ExampleProblem]:
    """Try the examples of all entries, which fit the schema. `languages`: the entries of the
    languages whose code programs run. `extractor`: one that was made of all of them already."""
    extractor = extractor or Extractor(entries, languages)
    for name, entry in entries.items():
        if name == EVERY:
            continue
        examples = entry.get("examples", {})
        missing = {
            sort: NEEDED - len(examples.get(sort, ()))
            for sort in SORTS
            if len(examples.get(sort, ())) < NEEDED
        }
        if missing:
            told = " and ".join(f"{count} more under `{sort}`" for sort, count in missing.items())
            verb = "is" if list(missing.values()) == [1] else "are"
            yield ExampleProblem(
                (name,),
                f"the program `{name}` has too few examples: {told} {verb} missing",
                f"give it at least {NEEDED} of each under `examples`",
                few=True,
            )
        yield from _tried(extractor, (name,), entry)


def _tried(
    extractor: Extractor, path: tuple[str, ...], entry: Mapping[str, Any]
) -> Iterator[ExampleProblem]:
    """Try the examples of an entry and its sub-commands."""
    examples = entry.get("examples", {})
    for index, item in enumerate(examples.get("match", ())):
        for command, expected in item.items():
            place: tuple[str | int, ...] = (*path, "examples", "match", index)
            found = _effects(extractor, command)
            for number, effect in enumerate(expected):
                problem = _missing(effect, found)
                if problem:
                    message, help = problem
                    yield ExampleProblem((*place, command, number), message, help)
    for index, command in enumerate(examples.get("pass", ())):
        found = _effects(extractor, command)
        others = [effect for effect in found.all if effect.kind != "run"]
        if others:
            yield ExampleProblem(
                (*path, "examples", "pass", index),
                f"this example has effects: {_listed(others)}",
                "correct the program's entry, or move the example to `match`",
            )
    for names, inner in entry.get("commands", {}).items():
        yield from _tried(extractor, (*path, "commands", names), inner)


def _effects(extractor: Extractor, command: str) -> EffectSet:
    return extractor.extract(_TOOL, {"command": command}, _PLACE)


# -- comparing


def _missing(expected: Mapping[str, Any], found: EffectSet) -> tuple[str, str] | None:
    """Why an expected effect isn't among those found, and what helps; None when it is."""
    kind = next((key for key in expected if key in EFFECT_KINDS), None)
    if kind is None:
        near = closest(str(next(iter(expected), "")), EFFECT_KINDS)
        return "an expected effect has no kind", f"did you mean `{near}`?" if near else (
            "write it as `{KIND: VALUE}`"
        )
    fields = dict(expected)
    main = fields.pop(kind)
    if isinstance(main, Mapping):
        fields, main = {**main, **fields}, None
    known = EFFECT_KINDS[kind].fields
    for name in fields:
        if name not in known:
            near = closest(name, known)
            help = f"did you mean `{near}`?" if near else f"it has {', '.join(known)}"
            return f"`{name}` is no field of `{kind}`", help
    if any(_fits(effect, kind, main, fields) for effect in found.by_kind.get(kind, ())):
        return None
    return (
        f"this example has no such effect: it has {_listed(found.all)}",
        "correct the program's entry, or what is expected",
    )


def _fits(effect: Effect, kind: str, main: Any, fields: Mapping[str, Any]) -> bool:
    known = EFFECT_KINDS[kind].fields
    if main is not None:
        about = next(name for name in known if _value(effect, name) is not None)
        if not _same(main, _value(effect, about), known[about].type == PATH):
            return False
    return all(
        _same(value, _value(effect, name), known[name].type == PATH)
        for name, value in fields.items()
    )


def _value(effect: Effect, name: str) -> Any:
    if name == "certain":
        return effect.certain
    return effect.through if name == "through" else effect.fields[name]


def _same(expected: Any, value: Any, path: bool) -> bool:
    """Whether a value is the one expected. `path`: what is expected is one in the folder where
    examples start."""
    if expected is None or isinstance(expected, bool):
        return value is expected
    if value is UNKNOWN:
        return bool(expected == _UNKNOWN)
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return isinstance(value, list | tuple) and [str(item) for item in expected] == [
            _told(item) for item in value
        ]
    text = str(expected)
    if path:
        text = str(_absolute(text))
    return not isinstance(value, bool) and str(value) == text


def _absolute(text: str) -> object:
    if text == "~" or text.startswith("~/"):
        return normal(_HOME + text[1:])
    return normal(text if text.startswith("/") else f"{_FOLDER}/{text}")


def _listed(effects: Sequence[Effect]) -> str:
    """Effects as a person reads them, a few of them."""
    shown = [_shown(effect) for effect in effects[:4]]
    if len(effects) > 4:
        shown.append("…")
    return ", ".join(shown) or "none"


def _shown(effect: Effect) -> str:
    parts = [
        f"{name}: {_told(value)}"
        for name in EFFECT_KINDS[effect.kind].fields
        if name not in _UNTOLD and (value := _value(effect, name)) not in (None, False, (), [])
    ]
    return f"{effect.kind} {{{', '.join(parts)}}}"


def _told(value: Any) -> str:
    if value is UNKNOWN:
        return _UNKNOWN
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_told, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
