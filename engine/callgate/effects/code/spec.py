"""Entries of `kind: languages`, read: how a language is written, and what its calls do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["CallEffect", "Choice", "Language", "Reference", "ReferenceKind", "Syntax"]

ReferenceKind = Literal[
    "argument",
    "rest",
    "tail",
    "item",
    "empty",
    "key",
    "self",
    "constant",
    "then",
    "calls",
    "endless",
]


@dataclass(frozen=True, slots=True)
class Reference:
    """Where a value stands in a call.

    `argument`: the one with that number, from 0; `rest`: it and all that follow; `tail`: the list
    that it is, without its first item; `item`: one item of such a list; `empty`: that it is a
    list or mapping without items; `key`: the argument of that name; `self`: what the call is
    a method of; `constant`: a text; `then`: the items of two values; `calls`: the arguments of the
    methods of these names that are called on what it gives; `endless`: that it is made again and
    again.
    """

    kind: ReferenceKind
    number: int = 0
    name: str = ""
    parts: tuple[Reference, ...] = ()


Choice = tuple[Reference, ...] | bool
"""Alternatives, of which the first that is there counts, or a flag."""


@dataclass(frozen=True, slots=True)
class CallEffect:
    """One effect of a call; `when` and `unless`: values, of which one must, or none may, be there
    and not be false."""

    kind: str
    fields: Mapping[str, Choice]
    when: tuple[Reference, ...] = ()
    unless: tuple[Reference, ...] = ()


@dataclass(slots=True)
class Syntax:
    """How a language is written, for the token reader.

    `comments` and `strings`: (opening, closing) pairs, an empty closing is the line's end;
    `holes`: opening of a string → (opening, closing) of code in it; `raw`: strings without
    escapes; `commands`: strings that a shell runs; `separators`: what stands between the parts of
    a name; `joins`: operators that join texts; `regex`: `/` may begin a regular expression;
    `bare`: calls are also written without brackets (`text`:
    where their argument is one text); `heredocs`, `quotes`, `sigils`, `redirects`,
    `sockets`: as in the entry; `inside`: what code stands between.
    """

    comments: tuple[tuple[str, str], ...] = ()
    strings: tuple[tuple[str, str], ...] = ()
    holes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    raw: frozenset[str] = frozenset()
    commands: frozenset[str] = frozenset()
    separators: tuple[str, ...] = (".",)
    joins: frozenset[str] = frozenset({"+"})
    regex: bool = False
    bare: str = ""
    heredocs: bool = False
    quotes: bool = False
    sigils: str = ""
    redirects: bool = False
    sockets: tuple[str, ...] = ()
    fold: bool = False
    inside: tuple[str, str] | None = None


@dataclass(slots=True)
class Language:
    """One language. `calls`: what functions do, by their full name; `methods`: by the last part
    of it, on whatever they are called; `tails`: last part → full names; `names`: what only
    naming something does; `values`: functions whose result is known (`path`, `home`, `same`,
    `text`, `words`, `module`, `attribute`, `pattern`,
    `search`, `below`, `name`, `format`). `harmless`: the last parts of what does nothing.
    `repeats` and `chained`: functions of which it matters whether they are called without end, and
    what is called on what they give."""

    name: str
    reader: str = "tokens"
    syntax: Syntax = field(default_factory=Syntax)
    calls: dict[str, tuple[CallEffect, ...]] = field(default_factory=dict)
    methods: dict[str, tuple[CallEffect, ...]] = field(default_factory=dict)
    tails: dict[str, tuple[str, ...]] = field(default_factory=dict)
    names: dict[str, tuple[CallEffect, ...]] = field(default_factory=dict)
    named_last: dict[str, tuple[CallEffect, ...]] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    value_methods: dict[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    repeats: frozenset[str] = frozenset()
    chained: frozenset[str] = frozenset()
    holders: frozenset[str] = frozenset()
    writes: str = "wax+>"
    runs: str = "|"
    lexer: object = None
    """A cache: the reader of tokens keeps here what it made of the syntax."""
