"""What settings alone say of a tool: whether it is hidden, and whether all its calls are denied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from callgate.compiler.simplify import FALSE, TRUE, Fold, simplify
from callgate.model.call import DECLARED_FIELDS
from callgate.model.catalogue import Tool
from callgate.model.condition import Condition
from callgate.model.expr import Const, Expr
from callgate.model.policy import Decide, Guard, GuardDecision, Policy, Rule, Step, Verdict
from callgate.model.types import REQUIRED

__all__ = ["UNDECLARED", "SettingsOutcomes", "ToolOutcomes"]

UNDECLARED: Final[Mapping[str, Const]] = {
    f"declared.{name}": Const(field.default)
    for name, field in DECLARED_FIELDS.items()
    if field.default is not REQUIRED
}
"""What is known of a call that declares nothing."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A rule or guard, and where it holds."""

    rule: Rule | Guard
    when: Expr

    def concerns(self, tool: Tool) -> bool:
        return self.rule.tools is None or tool.name in self.rule.tools

    @property
    def denies(self) -> bool:
        """Whether it can only deny."""
        if isinstance(self.rule, Guard):
            return True
        return isinstance(self.rule.then, Decide) and self.rule.then.effect is Verdict.DENY


@dataclass(frozen=True, slots=True)
class _Part:
    """A step: where it holds, what may decide in it, and whether it always decides."""

    when: Expr
    cases: tuple[_Case, ...]
    last: bool


class SettingsOutcomes:
    """Both flows. `conditions`: all that may have a say in what hides or denies."""

    def __init__(self, policy: Policy) -> None:
        second = policy.visibility
        self._codes: Mapping[str, str] = {} if second is None else second.codes
        self._hiding = () if second is None else second.flow.steps
        self._deciding = policy.flow.steps
        # Of the guards, those that look at no effect.
        self._guards = tuple(
            guard
            for guard in policy.guards
            if guard.decide is GuardDecision.DENY and guard.each is None
        )
        self.conditions = tuple(self._conditions())

    def _conditions(self) -> Iterator[Condition]:
        for step in (*self._hiding, *self._deciding):
            for when in (step.when, *(rule.when for rule in step.rules)):
                if when is not None:
                    yield when
        for guard in self._guards:
            if guard.when is not None:
                yield guard.when

    def under(self, fold: Fold) -> ToolOutcomes:
        """The same under settings."""
        return ToolOutcomes(
            self._codes,
            tuple(self._parts(self._hiding, fold)),
            tuple(self._parts(self._deciding, fold)),
            fold,
        )

    def _parts(self, steps: Iterable[Step], fold: Fold) -> Iterator[_Part]:
        for step in steps:
            when = _folded(step.when, fold)
            if when != FALSE:
                guards = self._guards if step.guards else ()
                rules: tuple[Rule | Guard, ...] = (*guards, *step.rules)
                yield _Part(when, tuple(_cases(rules, fold)), step.otherwise is not None)


class ToolOutcomes:
    """What some settings say of tools of the catalogue."""

    def __init__(
        self,
        codes: Mapping[str, str],
        hiding: tuple[_Part, ...],
        deciding: tuple[_Part, ...],
        fold: Fold,
    ) -> None:
        self._codes = codes
        self._hiding = hiding
        self._deciding = deciding
        self._fold = fold

    def hidden(self, tool: Tool) -> str:
        """The reason code of what hides a tool, whatever else a call brings; else empty."""
        fold = self._of(tool)
        for part in self._hiding:
            for case in part.cases:
                if case.concerns(tool) and _holds(part, case, fold) == TRUE:
                    return self._codes.get(case.rule.id, "")
        return ""

    def denied(self, tool: Tool) -> str:
        """The id of the rule that denies every call of a tool, before any could let one pass."""
        fold = self._of(tool)
        for part in self._deciding:
            for case in part.cases:
                holds = _holds(part, case, fold) if case.concerns(tool) else FALSE
                if holds == FALSE:
                    continue
                if not case.denies:
                    return ""
                if holds == TRUE and not case.rule.exceptions:
                    return case.rule.id
            if part.last and simplify(part.when, fold) != FALSE:
                return ""
        return ""

    def _of(self, tool: Tool) -> Fold:
        named = {
            **UNDECLARED,
            "call.tool": Const(tool.name),
            "call.called_as": Const(tool.name),
            "capabilities": Const(tool.capabilities),
            "tool.needs": Const(tool.needs),
            "tool.reserved": Const(tool.reserved),
        }
        return lambda name: named.get(name) or self._fold(name)


def _cases(rules: Iterable[Rule | Guard], fold: Fold) -> Iterator[_Case]:
    for rule in rules:
        when = _folded(rule.when, fold)
        if when != FALSE and not rule.shadow:
            yield _Case(rule, when)


def _folded(condition: Condition | None, fold: Fold) -> Expr:
    return TRUE if condition is None else simplify(condition.expr, fold)


def _holds(part: _Part, case: _Case, fold: Fold) -> Expr:
    """TRUE where a case surely decides, FALSE where it surely does not."""
    when = simplify(case.when, fold)
    if when == FALSE:
        return FALSE
    step = simplify(part.when, fold)
    return step if when == TRUE or step == FALSE else when
