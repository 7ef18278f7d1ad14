"""A program's entry, made ready: options by how they are written, operands, effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Literal

__all__ = [
    "Condition",
    "EffectSpec",
    "Found",
    "Operand",
    "Option",
    "Program",
    "Reference",
    "Takes",
    "Value",
]


ReferenceKind = Literal[
    "operand",
    "option",
    "inside",
    "below",
    "kept",
    "without",
    "named",
    "after",
    "divided",
    "then",
    "split",
    "command",
    "program",
    "constant",
]


class Takes(IntEnum):
    """What follows an option."""

    NOTHING = 0
    VALUE = 1
    ATTACHED = 2
    """A value that may be missing: `--color[=WHEN]`."""
    WORDS = 3
    """All words up to `;` or `+`."""


@dataclass(slots=True, eq=False)
class Option:
    """An option: its meaning (empty when it has no effect), how it is written, what it takes."""

    meaning: str
    names: tuple[str, ...]
    takes: Takes = Takes.NOTHING


@dataclass(slots=True)
class Operand:
    """A place for operands. `pairs`: words of the form `NAME=VALUE`."""

    name: str
    many: bool = False
    optional: bool = False
    pairs: bool = False


@dataclass(slots=True)
class Reference:
    """One alternative of a value. `kind`: operand, option, inside (the names of `name` in `other`),
    below (`name`, relative to `other`), kept (what is fetched from the one of `parts` keeps its
    name in `other`), without (those of `other`, less `name` at the end of their last names), named
    (those of `other` that don't say that they are folders), after (what
    follows `name` in `other`), divided (the parts of `other` between the letters of `name`), then
    (all `parts`), split (the words in the text of `other`), command, program, constant."""

    kind: ReferenceKind
    name: str
    other: Reference | None = None
    parts: tuple[Reference, ...] = ()


Value = bool | tuple[Reference, ...]
"""A constant of a true-or-false field, or alternatives."""

Condition = tuple[Reference, ...]
"""One of these must be there."""


@dataclass(slots=True)
class EffectSpec:
    """An effect of a program, or one of the kinds that `programs` adds.

    `flags`: the fields that are true or false. `needs`: options of which one must be there, or
    there is no effect. `guesses`: it says `SOURCE in DEST`, where DEST may be no folder.
    """

    kind: str
    fields: Mapping[str, Value]
    when: Condition = ()
    unless: Condition = ()
    flags: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    guesses: bool = False


@dataclass(slots=True)
class Found:
    """What a search finds: below which folders, under which names, and what makes that unsure."""

    below: Value
    named: Value | None
    unless: Condition


@dataclass(slots=True, eq=False)
class Program:
    """A program or a sub-command.

    `words`: options by a whole word (`--force`, `-name`, `!`); `letters`: by a letter; `prefixes`:
    by what a word begins with (`of=`); `wildcard`: for any other word with a dash.
    """

    name: str
    style: Literal["gnu", "single-dash", "bundle"] = "gnu"
    words: dict[str, Option] = field(default_factory=dict)
    letters: dict[str, Option] = field(default_factory=dict)
    prefixes: dict[str, Option] = field(default_factory=dict)
    wildcard: Option | None = None
    operands: tuple[Operand, ...] = ()
    absent: Mapping[str, Condition] = field(default_factory=dict)
    ends: frozenset[str] = frozenset()
    ending_options: frozenset[str] = frozenset()
    commands: dict[str, Program] = field(default_factory=dict)
    folder: Value | None = None
    same_shell: bool = False
    found: Found | None = None
    effects: tuple[EffectSpec, ...] = ()
    language: str | None = None
    """The language it interprets, when it is an interpreter."""
    matters: bool = False
    """Whether it, or a sub-command, has effects."""
    abbreviations: dict[str, Option | None] = field(default_factory=dict)
    """A cache: abbreviated long options."""
