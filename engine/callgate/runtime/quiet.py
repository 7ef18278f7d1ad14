"""Whether the guards have nothing to say: nearly always, so it is asked of all of them at once.

The conditions on one kind of effect become one function, for effects that run something one for
each program. Where it is not sure of the silence, the guards are walked one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import Any, Final

from callgate.model.expr import Const, Expr
from callgate.model.values import UNKNOWN
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.frame import Frame
from callgate.runtime.guard_index import Mentioned
from callgate.runtime.guard_left import left_of, left_of_call
from callgate.runtime.guard_memory import of_path, remembered
from callgate.runtime.live_guard import LiveGuard

__all__ = ["Quiet", "Tests"]

_MOST: Final = 4096
_FALSE: Final = Const(False)

Tests = tuple[tuple[Test, int], ...]
"""Functions that are true where all of some conditions are false, with how many these are."""


class Quiet:
    """The conditions of the guards that do more than note, together. `named`: the tools that guards
    speak of; `mentioned`: the programs that they do."""

    def __init__(
        self,
        guards: Sequence[LiveGuard],
        codegen: Codegen,
        named: frozenset[str],
        mentioned: Mentioned,
    ) -> None:
        self._guards = [guard for guard in guards if guard.decide != "note"]
        self._codegen = codegen
        self._named = named
        self._mentioned = mentioned
        self._tests: dict[object, Tests] = {}

    def of_call(self, guards: Sequence[LiveGuard], kinds: Set[str], programs: Set[Any]) -> Tests:
        """The functions for those of some guards that look at a call as a whole, for calls with
        effects of these kinds that run these programs."""
        found = [left_of_call(g.when, kinds, programs) for g in guards if g.kind is None]
        return self._together([(when, None) for when in found if when != _FALSE])

    def surely(self, frame: Frame, kinds: Mapping[str, Sequence[Any]], of_call: Tests) -> bool:
        """Whether none of them fires or is in doubt on a call with these effects by kind.
        `of_call`: see there."""
        work = frame.work
        try:
            if self._all_false(frame, kinds, of_call):
                return True
        except Exception:
            # Who walks them one by one meets it again, if it is still in the way there.
            pass
        frame.work = work
        return False

    def _all_false(self, frame: Frame, kinds: Mapping[str, Sequence[Any]], of_call: Tests) -> bool:
        tool = frame.tool if frame.tool in self._named else ""
        tests = self._tests
        for test, count in of_call:
            frame.work += count
            if test(frame) is not True:
                return False
        for kind in kinds:
            if kind == "run":
                continue
            key: object = kind, tool
            found = tests.get(key)
            if found is None:
                found = self._keep(key, self._of_kind(tool, kind))
            for test, count in found:
                frame.spend(count * len(kinds[kind]))
                for effect in kinds[kind]:
                    if test(frame, effect) is not True:
                        return False
        words = self._words
        for effect in kinds.get("run", ()):
            word = getattr(effect.data, "leading", "")
            program = self._mentioned.of(effect.fields["program"])
            word = word if word in words else None
            key = "run", tool, program, word
            found = tests.get(key)
            if found is None:
                found = self._keep(key, self._of_program(tool, program, word))
            for test, count in found:
                frame.spend(count)
                if test(frame, effect) is not True:
                    return False
        return True

    def _keep(self, key: object, tests: Tests) -> Tests:
        if len(self._tests) >= _MOST:
            self._tests.clear()
        self._tests[key] = tests
        return tests

    def _of_kind(self, tool: str, kind: str) -> Tests:
        guards = [g for g in self._guards if g.kind == kind and g.concerns(tool, (kind,), set())]
        return self._together([(guard.when, guard.binder) for guard in guards])

    def _of_program(self, tool: str, program: Any, word: str | None) -> Tests:
        left = []
        for guard in self._guards:
            if guard.kind != "run" or not (guard.tools is None or tool in guard.tools):
                continue
            assert guard.binder is not None
            if guard.programs is not None and program is None:
                continue
            when = guard.when
            if program is not UNKNOWN:
                when = left_of(when, guard.binder, program, word)
            if when != _FALSE:
                left.append((when, guard.binder))
        return self._together(left)

    @cached_property
    def _words(self) -> frozenset[str]:
        """The first words of commands that guards mention, and the empty one for those that nobody
        knows."""
        return frozenset(("",)).union(*(guard.words for guard in self._runs))

    @property
    def _runs(self) -> list[LiveGuard]:
        return [guard for guard in self._guards if guard.kind == "run"]

    def _together(self, conditions: Sequence[tuple[Expr, str | None]]) -> Tests:
        """Those that hang on a path alone are remembered: agents go back to the same files."""
        of_paths = [item for item in conditions if item[1] and of_path(*item)]
        others = [item for item in conditions if item not in of_paths]
        tests = []
        if of_paths:
            tests.append((remembered(self._codegen.none_of(of_paths)), len(of_paths)))
        if others:
            tests.append((self._codegen.none_of(others), len(others)))
        return tuple(tests)
