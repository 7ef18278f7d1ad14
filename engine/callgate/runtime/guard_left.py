"""What is left of a guard's condition for one program, or one call: without what is false of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Set
from dataclasses import replace
from typing import Any, Final

from callgate.model.expr import And, Apply, CommandMatch, Const, Expr, Fact, Not, Or, Quant
from callgate.model.pattern import CommandPattern
from callgate.model.values import UNKNOWN
from callgate.runtime.guard_index import (
    ProgramNames,
    fits,
    is_subcommand,
    kinds_needed,
    programs_mentioned,
    programs_named,
)

__all__ = ["by_program", "left_of", "left_of_call"]

_FALSE: Final = Const(False)
_MOST: Final = 1024


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
        case Apply(op="eq" | "in", args=(item, Const(value=value))) if word != "" and is_subcommand(
            item, binder
        ):
            values = (value,) if isinstance(value, str) else value
            if not any(text == "" or text.partition(" ")[0] == word for text in values):
                return _FALSE
        case CommandMatch(pattern=CommandPattern() as pattern) if program is not None:
            fitting = [head for head in pattern.program if fits(program, "*".join(head.pieces))]
            return replace(expr, pattern=replace(pattern, program=tuple(fitting[:1])))
    return expr


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
