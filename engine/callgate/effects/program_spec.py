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
    "Texts",
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
    "led",
    "input",
    "before",
    "divided",
    "then",
    "split",
    "command",
    "program",
    "constant",
    "is",
    "is not",
    "all",
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
    """An option: its meaning (empty when it has no effect), how it is written, what it takes.

    `before`, `after`: how many more words it takes around its value, which say nothing. `secret`:
    None, or the text after which its value is a secret: "" where all of it is, `:` for what follows
    the first one, `pass:` for what follows it at the beginning.
    """

    meaning: str
    names: tuple[str, ...]
    takes: Takes = Takes.NOTHING
    before: int = 0
    after: int = 0
    secret: str | None = None


@dataclass(slots=True)
class Operand:
    """A place for operands. `pairs`: words of the form `NAME=VALUE`; `secret`: they are secrets."""

    name: str
    many: bool = False
    optional: bool = False
    pairs: bool = False
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Texts:
    """What a word may be: `exact` texts, or (head, tail) of texts with a `*`; `parts` are texts
    that may stand anywhere in it (`*x*`)."""

    exact: frozenset[str]
    ends: tuple[tuple[str, str], ...] = ()
    parts: tuple[str, ...] = ()

    def fit(self, text: str) -> bool:
        """Whether a text is one of them."""
        if text in self.exact:
            return True
        for head, tail in self.ends:
            if len(text) >= len(head) + len(tail) and text.startswith(head) and text.endswith(tail):
                return True
        return any(part in text for part in self.parts)


@dataclass(slots=True)
class Reference:
    """One alternative of a value. `kind`: operand, option, inside (the names of `name` in `other`),
    below (`name`, relative to `other`), kept (what is fetched from the one of `parts` keeps its
    name in `other`), without (those of `other`, less `name` at the end of their last names), named
    (those of `other` that don't say that they are folders), after (what follows `name` in
    `other`), led (what follows it in those that begin with it), input (the text of standard
    input), before (what stands before it), divided (the parts of `other` between the letters of
    `name`), then (all `parts`), split (the words in the text of `other`), command, program,
    constant; in conditions also is (a word of `other` is one of `texts`), is not (one is none of
    them) and all (all `parts` hold)."""

    kind: ReferenceKind
    name: str
    other: Reference | None = None
    parts: tuple[Reference, ...] = ()
    texts: Texts | None = None


Value = bool | tuple[Reference, ...]
"""A constant of a true-or-false field, or alternatives."""

Condition = tuple[Reference, ...]
"""One of these must be there."""


@dataclass(slots=True)
class EffectSpec:
    """An effect of a program, or one of the kinds that `programs` adds.

    `flags`: the fields that are true or false. `needs`: options of which one must be there, or
    there is no effect. `guesses`: it says `SOURCE in DEST`, where DEST may be no folder. `sent`:
    what is read goes to the host that the command connects to. `constant`: the field that it is
    about, where the entry itself says what that is. `proves`: what is sent says who asks.
    """

    kind: str
    fields: Mapping[str, Value]
    when: Condition = ()
    unless: Condition = ()
    flags: frozenset[str] = frozenset()
    needs: frozenset[str] = frozenset()
    guesses: bool = False
    sent: bool = False
    constant: str = ""
    proves: bool = False


@dataclass(slots=True)
class Found:
    """What a search finds: below which folders, under which names, what makes that unsure, and
    `when` it searches. `altered`: when it prints something else than the names."""

    below: Value
    named: Value | None
    unless: Condition
    when: Condition
    altered: Condition


@dataclass(slots=True, eq=False)
class Program:
    """A program or a sub-command.

    `words`: options by a whole word (`--force`, `-name`, `!`); `letters`: by a letter; `prefixes`:
    by what a word begins with (`of=`); `wildcard`: for any other word with a dash. `always`: the
    effects that sub-commands have as well, and that it has where it is idle; they stand in
    `effects` too. `prints`: the words that it writes to its standard output. `commands`: by each of
    their names. `idle`, unless `busy`: when it changes nothing; `telling`: options that make it so
    where they stand alone. `passwords`: how entries write values that are secrets; `secrets`: what
    else is one; `secretive`: whether its words, or those of a sub-command, may hold any.
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
    commands: Mapping[str, Program] = field(default_factory=dict)
    idle: Condition = ()
    busy: Condition = ()
    telling: frozenset[str] = frozenset()
    passwords: frozenset[str] = frozenset()
    secrets: tuple[EffectSpec, ...] = ()
    secretive: bool = False
    folder: Value | None = None
    same_shell: bool = False
    found: Found | None = None
    effects: tuple[EffectSpec, ...] = ()
    free: tuple[EffectSpec, ...] = ()
    """Those of its effects that need no option."""
    always: tuple[EffectSpec, ...] = ()
    prints: Value | None = None
    language: str | None = None
    """The language it interprets, when it is an interpreter."""
    kinds: frozenset[str] = frozenset()
    """The kinds of its effects, and of those of its sub-commands."""
    abbreviations: dict[str, Option | None] = field(default_factory=dict)
    """A cache: abbreviated long options."""
