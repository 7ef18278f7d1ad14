"""Evaluates conditions part by part, counting what each part was.

As the engine does, it stops where the rest can't change the value: only what was really evaluated
counts. Each part that is not made of others is compiled once for all settings that it reads alike.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from callgate.compiler.build import settings_fold
from callgate.compiler.simplify import Fold, simplify
from callgate.effects import match
from callgate.model.effect import EffectSet
from callgate.model.expr import Expr, Fact, Quant, facts_of
from callgate.model.policy import Policy
from callgate.model.values import UNKNOWN
from callgate.policytest.coverage.counts import Counts
from callgate.policytest.coverage.parts import Part
from callgate.policytest.coverage.plan import Plan
from callgate.runtime.certainty import Bound, Scope
from callgate.runtime.codegen import Codegen, Test
from callgate.runtime.frame import Frame
from callgate.runtime.interpreter import Program
from callgate.runtime.operators import count3, of_tools

__all__ = ["Evaluation"]

_FOLDED = frozenset({"settings", "profiles", "security_profiles"})


class Evaluation:
    """Evaluates the conditions of a plan on frames, and counts into `counts`."""

    def __init__(self, policy: Policy, plan: Plan, counts: Counts, program: Program) -> None:
        self._policy = policy
        self._plan = plan
        self._counts = counts
        self._program = program
        document = program.graph.document
        defaults = {name: default for name, (_, _, default) in document["context"].items()}
        self._codegen = Codegen(defaults, self._effects, match)
        self._codegen.shared.update(of_tools(document["tools"]))
        self._settings: Mapping[str, Any] = {}
        self._fold: Fold = settings_fold(policy, {})
        self._values: dict[str, str] = {}
        self._folds = WeakKeyDictionary[Program, tuple[Fold, dict[str, str]]]()
        self._roots: dict[str, Test] = {}
        self._leaves: dict[tuple[Expr, tuple[tuple[str, bool], ...]], Test] = {}

    def under(self, program: Program, settings: Mapping[str, Any]) -> None:
        """From now on, frames are of calls that this program decided under these settings, which
        are all of them."""
        self._program = program
        self._settings = settings
        known = self._folds.get(program)
        if known is None:
            known = self._folds[program] = settings_fold(self._policy, settings), {}
        self._fold, self._values = known

    def value(self, key: str, frame: Frame, *bound: Any) -> Any:
        """What an item's condition is: True, False or UNKNOWN; its parts are counted, and it is as
        well. `bound`: the effect that a guard is tried on."""
        test = self._roots.get(key)
        if test is None:
            test = self._roots[key] = self._root(key)
        value = test(frame, *bound)
        self._counts.branches[key].add(value)
        return value

    # -- making ready

    def _effects(self, frame: Frame) -> EffectSet:
        return self._program.effects_of(frame)

    def _root(self, key: str) -> Test:
        item = self._plan.items[key]
        if item.root is None:
            raise ValueError(f"{key} has no condition")
        scope: Scope = {item.each: Bound("e0", effect=True)} if item.each else {}
        return self._test(item.root, key, scope)

    def _test(self, part: Part, key: str, scope: Scope) -> Test:
        """The function of a part; parts that have a number are counted."""
        least = self._plan.items[key].first
        test = self._uncounted(part, key, scope)
        if part.number < least:
            return test
        tally = self._counts.parts[key, part.number]

        def counted(*args: Any) -> Any:
            value = test(*args)
            if value is True:
                tally.true += 1
            elif value is False:
                tally.false += 1
            else:
                tally.unknown += 1
            return value

        return counted

    def _uncounted(self, part: Part, key: str, scope: Scope) -> Test:
        match part.kind:
            case "not":
                return _negated(self._test(part.children[0], key, scope))
            case "and" | "or":
                tests = [self._test(child, key, scope) for child in part.children]
                return _joined(tests, part.kind == "or")
            case "any" | "none" | "count":
                return self._quantifier(part, key, scope)
            case "use":
                definition = self._plan.items[part.uses]
                if definition.root is not None and definition.root.expr == part.expr:
                    inner = self._test(definition.root, definition.key, {})
                    return lambda frame, *_: inner(frame)
        return self._leaf(part.expr, scope)

    def _quantifier(self, part: Part, key: str, scope: Scope) -> Test:
        expr = part.expr
        assert isinstance(expr, Quant)
        of_effects = isinstance(expr.source, Fact) and expr.source.name.startswith("effects.")
        inner = {**scope, expr.var: Bound(f"b{len(scope)}", of_effects)}
        source = self._leaf(expr.source, scope)
        where = self._test(part.children[0], key, inner)
        if expr.kind == "count":
            assert expr.bound is not None
            bound, op = self._leaf(expr.bound, scope), expr.op
            return lambda *args: count3(
                args[0], source(*args), lambda item: where(*args, item), op, bound(*args)
            )
        return _some(source, where, expr.kind == "none")

    def _leaf(self, expr: Expr, scope: Scope) -> Test:
        """The function of an expression that is not taken apart."""
        binders = tuple((name, bound.effect) for name, bound in scope.items())
        try:
            known = self._leaves.get((expr, binders))
        except TypeError:  # a constant map has no hash
            return self._made(expr, scope)
        if known is None:
            known = self._leaves[expr, binders] = self._made(expr, scope)
        return known

    def _made(self, expr: Expr, scope: Scope) -> Test:
        names = sorted(n for n in facts_of(expr) if n.partition(".")[0] in _FOLDED)
        if not names:
            return self._codegen.compile(expr, scope)
        made: dict[tuple[str, ...], Test] = {}

        def test(*args: Any) -> Any:
            read = tuple([self._shown(name) for name in names])
            found = made.get(read)
            if found is None:
                found = made[read] = self._codegen.compile(simplify(expr, self._fold), scope)
            return found(*args)

        return test

    def _shown(self, name: str) -> str:
        """A setting's value as a text, to tell values apart."""
        found = self._values.get(name)
        if found is None:
            value = self._settings.get(name.removeprefix("settings."))
            found = self._values[name] = repr(value)
        return found


def _negated(test: Test) -> Test:
    def negation(*args: Any) -> Any:
        value = test(*args)
        return UNKNOWN if value is UNKNOWN else not value

    return negation


def _joined(tests: list[Test], ends: bool) -> Test:
    """Kleene's and, or his or, which a part that is `ends` ends."""

    def junction(*args: Any) -> Any:
        unknown = False
        for test in tests:
            value = test(*args)
            if value is ends:
                return ends
            if value is UNKNOWN:
                unknown = True
        return UNKNOWN if unknown else not ends

    return junction


def _some(source: Test, where: Test, none: bool) -> Test:
    def quantifier(*args: Any) -> Any:
        items = source(*args)
        if items is UNKNOWN:
            return UNKNOWN
        unknown = False
        for item in items:
            value = where(*args, item)
            if value is True:
                return not none
            if value is not False:
                unknown = True
        return UNKNOWN if unknown else none

    return quantifier
