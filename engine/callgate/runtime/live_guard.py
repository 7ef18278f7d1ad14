"""One guard made ready to run."""

from __future__ import annotations

from collections.abc import Container, Mapping, Set
from functools import cached_property
from typing import Any

from callgate.model.codec import decode_expr
from callgate.model.expr import Expr
from callgate.model.values import UNKNOWN
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.guard_index import ProgramNames
from callgate.runtime.guard_left import by_program
from callgate.runtime.guard_memory import of_path, remembered

__all__ = ["LiveGuard"]


class LiveGuard:
    """A guard made ready: its condition is read and compiled when it is first needed.

    `kind`: of the effects that it looks at one by one, called `binder` in its condition; None when
    it looks at the call. `programs`, `mentions`, `words`: see `index_of`. `mild`:
    it may do nothing although it fires.
    """

    test: Test

    def __init__(self, index: int, form: Mapping[str, Any], codegen: Codegen) -> None:
        self.index = index
        self._form = form
        self.decide: str = form["decide"]
        self.approval: str = form["approval"]
        self.unresolved: str = form["unresolved"]
        self.tools = None if form["tools"] is None else frozenset(form["tools"])
        asked = form["index"]
        self._needs: list[str] | None = asked["needs"]
        self.programs: list[str] | None = asked["programs"]
        self.mentions: list[str] = asked["mentions"]
        self.words: list[str] = asked["words"]
        each = form["each"]
        self.binder: str | None = each[0] if each else None
        self.kind: str | None = each[1] if each else None

        def compile_and_run(*args: Any) -> Any:
            # Who tries many effects in a row asks for the test once.
            if self.test is compile_and_run:
                self.test = self._compiled(codegen)
            return self.test(*args)

        self.test = compile_and_run
        self.shadow: bool = form["shadow"]
        self.exceptions = [
            (str(id_), codegen.later(when, self.binder)) for id_, when in form["exceptions"]
        ]
        self.mild = self.shadow or bool(self.exceptions)

    def _compiled(self, codegen: Codegen) -> Test:
        when, binder = self.when, self.binder
        if self.kind == "run" and binder is not None:
            return by_program(when, binder, lambda part: codegen.compile(part, binder))
        test = codegen.compile(when, binder)
        return remembered(test) if of_path(when, binder) else test

    @cached_property
    def when(self) -> Expr:
        """The condition."""
        return decode_expr(self._form["when"])

    @cached_property
    def _names(self) -> ProgramNames:
        return ProgramNames(self.programs or ())

    def concerns(self, tool: str, kinds: Container[str], programs: Set[Any]) -> bool:
        """Whether it could fire on a tool's call with effects of these kinds that run these
        programs."""
        if self.kind is not None and self.kind not in kinds:
            return False
        if self.tools is not None and tool not in self.tools:
            return False
        if self._needs is not None and not any(kind in kinds for kind in self._needs):
            return False
        if self.programs is None or UNKNOWN in programs:
            return True
        return any(program in self._names for program in programs)
