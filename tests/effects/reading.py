"""What the tests of effects share: an extractor with the bundle's programs, effects as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from callgate.effects import Extractor, Surroundings
from callgate.effects.shell.parser import parse_shell
from callgate.effects.shell.tree import Block, Command, Node, Pipeline, Sequence, Word
from callgate.effects.shell.words import Names, Place
from callgate.model.effect import Effect, EffectSet
from callgate.model.values import UNKNOWN

POLICY: Final = Path(__file__).parents[2] / "policies" / "echo"


def _entries(kind: str) -> Mapping[str, Any]:
    """The entries of all files of a kind in the bundle."""
    return {
        name: entry
        for path in sorted((POLICY / kind).glob("*.yaml"))
        for name, entry in yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)[kind].items()
    }


PROGRAMS: Final = _entries("programs")
LANGUAGES: Final = _entries("languages")
EXTRACTOR: Final = Extractor(PROGRAMS, LANGUAGES)
HERE: Final = Surroundings(cwd="/w", workspace="/w", home="/home/u")
SHELL: Final = [("shell", {"text": ("arg", "command", None)})]


def effects(text: str, place: Surroundings = HERE) -> EffectSet:
    """The effects of a command."""
    return EXTRACTOR.extract(SHELL, {"command": text}, place)


def shown(effect: Effect) -> str:
    """An effect as a test writes it: the kind and its fields, without those that say nothing."""
    values = [
        f"{name}={_value(value)}"
        for name, value in effect.fields.items()
        if value is not None and value is not False
    ]
    doubt = "" if effect.certain else " (doubtful)"
    return f"{effect.kind} {' '.join(values)}{doubt}"


def _value(value: Any) -> str:
    if value is UNKNOWN:
        return "?"
    if isinstance(value, tuple):
        return f"[{' '.join(map(_value, value))}]"
    return str(value)


def all_shown(text: str, *kinds: str, place: Surroundings = HERE) -> list[str]:
    """The effects of a command, of some kinds; by default all but `run`."""
    found = effects(text, place)
    return [shown(e) for e in found.all if (e.kind in kinds if kinds else e.kind != "run")]


def commands(text: str) -> list[list[str]]:
    """The words of every command that a text runs, in the order of the text; `?` is unknown."""
    found = [e for e in effects(text).all if e.kind == "run"]
    return [[_value(word.text) for word in e.data.words] for e in found]


def opaque(text: str) -> list[str]:
    """Why a text is opaque."""
    return [e.fields["reason"] for e in effects(text).by_kind.get("opaque", [])]


def words_of(text: str, home: str = "~") -> list[Word]:
    """The words of a text that is one command, without the first. Fails on problems."""
    script = parse_shell(text, Names(home, "/w"), Place())
    assert not script.problems, script.problems
    (node,) = script.nodes
    assert isinstance(node, Command)
    return list(node.words[1:])


def simple_commands(node: Node) -> list[Command]:
    """All commands below a node, without those in substitutions."""
    if isinstance(node, Command):
        return [node]
    items = node.items if isinstance(node, Pipeline | Sequence) else node.parts
    assert isinstance(node, Block | Pipeline | Sequence)
    return [command for item in items for command in simple_commands(item)]
