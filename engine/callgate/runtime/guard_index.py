"""What a guard's condition asks for: kinds of effect and programs without which it is false; and
what is left of it for one program."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from callgate.model.effect import EFFECT_GROUPS, EFFECT_KINDS
from callgate.model.expr import (
    And,
    Apply,
    CommandMatch,
    Const,
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
from callgate.stdlib.text import like

__all__ = ["ProgramNames", "by_program", "kinds_needed", "programs_named"]

_FALSE: Final = Const(False)
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
    mentioned = _mentioned(expr, binder)
    tests: dict[object, Callable[..., Any]] = {}

    def test(frame: Any, effect: Any) -> Any:
        program = effect.fields["program"]
        known = tests.get(program)
        if known is None:
            if not isinstance(program, str):
                known = compile_(expr)
            elif program in mentioned:
                known = compile_(_left(expr, binder, program))
            else:
                # Not kept under its name: there is no end of names.
                known = tests.get(None)
                if known is None:
                    known = tests[None] = compile_(_left(expr, binder, None))
                return known(frame, effect)
            tests[program] = known
        return known(frame, effect)

    return test


def _mentioned(expr: Expr, binder: str) -> frozenset[str]:
    named = programs_named(expr, binder) or frozenset()
    return named.union(*(_mentioned(part, binder) for part in children(expr)))


def _left(expr: Expr, binder: str, program: str | None) -> Expr:
    """A condition without what is false of this program; None: of any that it does not name."""
    named = programs_named(expr, binder)
    if named is not None:
        fits = any("*" in n for n in named) if program is None else program in ProgramNames(named)
        if not fits:
            return _FALSE
    match expr:
        case And(items=items):
            left = tuple(_left(item, binder, program) for item in items)
            return _FALSE if _FALSE in left else And(left)
        case Or(items=items):
            found = tuple(x for item in items if (x := _left(item, binder, program)) != _FALSE)
            return Or(found) if len(found) > 1 else found[0] if found else _FALSE
        case Not(item=item):
            return Not(_left(item, binder, program))
        case CommandMatch(pattern=CommandPattern() as pattern) if program is not None:
            fitting = [word for word in pattern.program if _fits(program, "*".join(word.pieces))]
            return replace(expr, pattern=replace(pattern, program=tuple(fitting[:1])))
    return expr
