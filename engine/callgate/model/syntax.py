"""The tree of a condition as it was written: what the parser makes and the printer prints.

Every node has `at`, its number in the condition's table of positions (`ParsedCondition.positions`
in `callgate.lang`); it takes no part in equality, so that equal text gives equal trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from callgate.model.pattern import CommandPattern

__all__ = [
    "Binary",
    "BinaryOp",
    "BoolOp",
    "Choice",
    "FunctionCall",
    "HasTest",
    "ListLiteral",
    "Lookup",
    "Member",
    "NotTest",
    "Otherwise",
    "PatternLiteral",
    "Quantifier",
    "RegexLiteral",
    "Syntax",
    "Value",
    "Word",
]

BinaryOp = Literal[
    "==", "!=", "<", "<=", ">", ">=", "in", "not in", "under", "covers", "like", "matches", "is"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Syntax:
    """Base of all nodes."""

    at: int = field(default=-1, compare=False)


@dataclass(frozen=True, slots=True)
class Value(Syntax):
    """`true`, `-3`, `"text"`."""

    value: bool | int | str


@dataclass(frozen=True, slots=True)
class RegexLiteral(Syntax):
    """`r"…"`: an RE2 pattern."""

    pattern: str


@dataclass(frozen=True, slots=True)
class PatternLiteral(Syntax):
    """A command pattern between backticks."""

    pattern: CommandPattern


@dataclass(frozen=True, slots=True)
class Word(Syntax):
    """A bare word: a fact, a binder or an enum member; the type checker says which."""

    name: str


@dataclass(frozen=True, slots=True)
class Member(Syntax):
    """`base.name`."""

    base: Syntax
    name: str


@dataclass(frozen=True, slots=True)
class Lookup(Syntax):
    """`base[key]`."""

    base: Syntax
    key: Syntax


@dataclass(frozen=True, slots=True)
class Otherwise(Syntax):
    """`base ?? default`."""

    base: Syntax
    default: Syntax


@dataclass(frozen=True, slots=True)
class HasTest(Syntax):
    """`has target`."""

    target: Syntax


@dataclass(frozen=True, slots=True)
class NotTest(Syntax):
    """`not item`."""

    item: Syntax


@dataclass(frozen=True, slots=True)
class BoolOp(Syntax):
    """`a and b and c`, `a or b`: two or more items, none of them a BoolOp of the same operator
    unless it was written in parentheses."""

    op: Literal["and", "or"]
    items: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Binary(Syntax):
    """A comparison or relation of two operands."""

    op: BinaryOp
    left: Syntax
    right: Syntax


@dataclass(frozen=True, slots=True)
class Choice(Syntax):
    """`write|exec` after `in`: two or more words or literals."""

    items: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class ListLiteral(Syntax):
    """`["a", "b"]`."""

    items: tuple[Syntax, ...]


@dataclass(frozen=True, slots=True)
class Quantifier(Syntax):
    """`any(x in source where cond)`, `none(…)`, `count(…)`."""

    kind: Literal["any", "none", "count"]
    binder: str
    source: Syntax
    where: Syntax


@dataclass(frozen=True, slots=True)
class FunctionCall(Syntax):
    """`name(arguments)`."""

    name: str
    arguments: tuple[Syntax, ...]
