"""What a guard's condition asks for: kinds of effect and programs without which it is false."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, Final

from callgate.model.effect import EFFECT_GROUPS, EFFECT_KINDS
from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
    Default,
    Expr,
    Fact,
    Get,
    Or,
    Quant,
    Var,
    children,
)
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN
from callgate.stdlib.text import like

__all__ = [
    "Mentioned",
    "ProgramNames",
    "fits",
    "index_of",
    "is_subcommand",
    "kinds_needed",
    "programs_mentioned",
    "programs_named",
    "programs_of_call",
    "words_named",
]

_MOST: Final = 4096
_FREQUENT: Final = frozenset({"run", "read"})
fits: Final = like.implementation
"""Whether a name is what one with `*` stands for."""


def index_of(when: Expr, each: tuple[str, str] | None) -> dict[str, Any]:
    """What a guard's condition asks for, in its JSON form; `each`: its binder and its kind.

    `needs`: kinds of effect of which there has to be one, or else it is false, or null. `programs`:
    the same for the programs of a condition on `run` effects. `mentions`, `words`: the programs and
    the first words that some part of it asks for.
    """
    if each is None:
        needs = kinds_needed(when)
        return {
            "needs": None if needs is None else sorted(needs),
            "programs": None,
            "mentions": sorted(programs_of_call(when)),
            "words": [],
        }
    binder, kind = each
    if kind != "run":
        return {"needs": None, "programs": None, "mentions": [], "words": []}
    programs = programs_named(when, binder)
    return {
        "needs": None,
        "programs": None if programs is None else sorted(programs),
        "mentions": sorted(programs_mentioned(when, binder)),
        "words": sorted(words_named(when, binder)),
    }


def kinds_needed(expr: Expr) -> frozenset[str] | None:
    """The kinds of effect of which there has to be one, or else a condition is false; None where
    that can't be said. Where there is a choice, kinds that are rare."""
    if isinstance(expr, Quant) and expr.kind == "any" and isinstance(expr.source, Fact):
        root, _, kind = expr.source.name.partition(".")
        if root != "effects":
            return None
        if kind in EFFECT_GROUPS:
            return frozenset(EFFECT_GROUPS[kind][1])
        return frozenset((kind,)) if kind in EFFECT_KINDS else None
    found = [kinds_needed(part) for part in children(expr)] if isinstance(expr, And | Or) else []
    known = [needs for needs in found if needs is not None]
    if isinstance(expr, And):
        return min(known, key=lambda needs: len(needs & _FREQUENT)) if known else None
    return frozenset[str]().union(*known) if known and len(known) == len(found) else None


def programs_named(expr: Expr, binder: str | None) -> frozenset[str] | None:
    """The programs of which a `run` effect (the binder) has to be one, or else a condition is
    false; `*` in a name stands for any text. None where it may hold for any program."""
    match expr:
        case And(items=items):
            known = [found for item in items if (found := programs_named(item, binder)) is not None]
            return min(known, key=len) if known else None
        case Or(items=items):
            each = [programs_named(item, binder) for item in items]
            named = [found for found in each if found is not None]
            return frozenset[str]().union(*named) if len(named) == len(each) else None
        case CommandMatch(run=Var(name=name), pattern=CommandPattern(program=words)):
            if name == binder:
                return frozenset("*".join(word.pieces) for word in words)
        case Apply(op="eq", args=(Get(base=Var(name=name), field="program"), Const(value=value))):
            if name == binder and isinstance(value, str):
                return frozenset((value,))
        case Apply(op="in", args=(Get(base=Var(name=name), field="program"), Const(value=value))):
            if name == binder and all(isinstance(item, str) for item in value):
                return frozenset(value)
    return None


class ProgramNames:
    """Names of programs, some with `*`."""

    __slots__ = ("_exact", "_globs")

    def __init__(self, names: Iterable[str]) -> None:
        self._exact = frozenset(names)
        self._globs = tuple(name for name in self._exact if "*" in name)

    def __contains__(self, name: object) -> bool:
        if name in self._exact:
            return True
        return isinstance(name, str) and any(fits(name, glob) for glob in self._globs)


class Mentioned:
    """What calls are told apart by: the programs that guards mention, as there is no end of others.
    `names`: theirs, some with `*`."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = names
        self._found: dict[Any, Any] = {}

    @cached_property
    def _programs(self) -> ProgramNames:
        return ProgramNames(self._names)

    def of(self, program: Any) -> Any:
        """A program, if a guard mentions it or nobody knows which it is; else None."""
        found = self._found.get(program, self)
        if found is self:
            known = program is UNKNOWN or program in self._programs
            if len(self._found) >= _MOST:
                self._found.clear()
            found = self._found[program] = program if known else None
        return found


def programs_mentioned(expr: Expr, binder: str) -> frozenset[str]:
    """The programs that some part of a condition on `run` effects (the binder) asks for."""
    named = programs_named(expr, binder) or frozenset()
    return named.union(*(programs_mentioned(part, binder) for part in children(expr)))


def words_named(expr: Expr, binder: str) -> frozenset[str]:
    """The first words after a program, sub-commands for the most part, that a condition on `run`
    effects (the binder) speaks of."""
    found: set[str] = set()
    match expr:
        case CommandMatch(pattern=CommandPattern(words=(first, *_))):
            found.update(word.pieces[0] for word in first if len(word.pieces) == 1)
        case Apply(op="eq" | "in", args=(item, Const(value=value))) if is_subcommand(item, binder):
            values = (value,) if isinstance(value, str) else value
            found.update(text.partition(" ")[0] for text in values if isinstance(text, str))
    return frozenset(found).union(*(words_named(part, binder) for part in children(expr)))


def programs_of_call(expr: Expr) -> frozenset[str]:
    """The programs that some part of a condition on a call asks for."""
    found: frozenset[str] = frozenset()
    if isinstance(expr, Quant) and expr.source == Fact("effects.run"):
        found = programs_named(expr.where, expr.var) or found
    return found.union(*map(programs_of_call, children(expr)))


def is_subcommand(expr: Expr, binder: str) -> bool:
    """Whether it is `r.subcommand`, or `r.subcommand ?? ""`."""
    if isinstance(expr, Default) and expr.otherwise == Const(""):
        expr = expr.item
    return expr == Get(Var(binder), "subcommand")
