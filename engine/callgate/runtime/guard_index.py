"""What a guard's condition asks for: kinds of effect and programs without which it is false; and
what is left of it for one program."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Set
from dataclasses import replace
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
    Not,
    Or,
    Quant,
    Var,
    children,
)
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN
from callgate.stdlib.text import like

__all__ = [
    "ProgramNames",
    "by_program",
    "kinds_needed",
    "left_of",
    "left_of_call",
    "programs_named",
    "words_named",
]

_FALSE: Final = Const(False)
_MOST: Final = 1024
_FREQUENT: Final = frozenset({"run", "read"})
_fits: Final = like.implementation


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
        return isinstance(name, str) and any(_fits(name, glob) for glob in self._globs)


def by_program(
    expr: Expr, binder: str, compile_: Callable[[Expr], Callable[..., Any]]
) -> Callable[..., Any]:
    """The test of a condition on `run` effects (the binder), which looks only at what concerns the
    effect's program: a list of a hundred patterns costs what those of one program cost."""
    mentioned = ProgramNames(programs_mentioned(expr, binder))
    tests: dict[object, Callable[..., Any]] = {}

    def made(program: Any) -> Callable[..., Any]:
        if not isinstance(program, str):
            return compile_(expr)
        if program in mentioned:
            return compile_(left_of(expr, binder, program))
        found = tests.get(None)
        if found is None:
            found = tests[None] = compile_(left_of(expr, binder, None))
        return found

    def test(frame: Any, effect: Any) -> Any:
        program = effect.fields["program"]
        known = tests.get(program)
        if known is None:
            if len(tests) >= _MOST:
                # There is no end of names.
                tests.clear()
            known = tests[program] = made(program)
        return known(frame, effect)

    return test


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
        case Apply(op="eq" | "in", args=(item, Const(value=value))) if _is_subcommand(item, binder):
            values = (value,) if isinstance(value, str) else value
            found.update(text.partition(" ")[0] for text in values if isinstance(text, str))
    return frozenset(found).union(*(words_named(part, binder) for part in children(expr)))


def left_of(expr: Expr, binder: str, program: str | None, word: str | None = "") -> Expr:
    """What is left of a condition on `run` effects (the binder) of this program, whose first word
    is this one, without what is false of it. None: one that the condition mentions nowhere; an
    empty word: nobody knows."""
    named = programs_named(expr, binder)
    if named is not None and program not in ProgramNames(named):
        return _FALSE
    match expr:
        case And(items=items):
            left = tuple(left_of(item, binder, program, word) for item in items)
            return _FALSE if _FALSE in left else And(left)
        case Or(items=items):
            each = (left_of(item, binder, program, word) for item in items)
            found = tuple(item for item in each if item != _FALSE)
            return Or(found) if len(found) > 1 else found[0] if found else _FALSE
        case Not(item=item):
            return Not(left_of(item, binder, program, word))
        case CommandMatch(pattern=CommandPattern(words=(first, *_))) if word != "" and not any(
            len(item.pieces) > 1 or item.pieces[0] == word for item in first
        ):
            return _FALSE
        case Apply(op="eq" | "in", args=(item, Const(value=value))) if (
            word != "" and _is_subcommand(item, binder)
        ):
            values = (value,) if isinstance(value, str) else value
            if not any(text == "" or text.partition(" ")[0] == word for text in values):
                return _FALSE
        case CommandMatch(pattern=CommandPattern() as pattern) if program is not None:
            fitting = [head for head in pattern.program if _fits(program, "*".join(head.pieces))]
            return replace(expr, pattern=replace(pattern, program=tuple(fitting[:1])))
    return expr


def programs_of_call(expr: Expr) -> frozenset[str]:
    """The programs that some part of a condition on a call asks for."""
    found: frozenset[str] = frozenset()
    if isinstance(expr, Quant) and expr.source == Fact("effects.run"):
        found = programs_named(expr.where, expr.var) or found
    return found.union(*map(programs_of_call, children(expr)))


def left_of_call(expr: Expr, kinds: Container[str], programs: Set[Any]) -> Expr:
    """What is left of a condition on calls with effects of these kinds, which run these programs
    (None: one that the condition mentions nowhere), without what is false of them."""
    match expr:
        case And(items=items):
            left = tuple(left_of_call(item, kinds, programs) for item in items)
            return _FALSE if _FALSE in left else And(left)
        case Or(items=items):
            each = (left_of_call(item, kinds, programs) for item in items)
            found = tuple(item for item in each if item != _FALSE)
            return Or(found) if len(found) > 1 else found[0] if found else _FALSE
        case Not(item=item):
            return Not(left_of_call(item, kinds, programs))
        case Quant(kind="any", var=var, source=Fact(name="effects.run"), where=where) if (
            UNKNOWN not in programs
        ):
            named = programs_named(where, var)
            if named is not None:
                known = ProgramNames(named)
                return expr if any(program in known for program in programs) else _FALSE
    needs = kinds_needed(expr)
    return expr if needs is None or any(kind in kinds for kind in needs) else _FALSE


def _is_subcommand(expr: Expr, binder: str) -> bool:
    """`r.subcommand`, or `r.subcommand ?? ""`."""
    if isinstance(expr, Default) and expr.otherwise == Const(""):
        expr = expr.item
    return expr == Get(Var(binder), "subcommand")
