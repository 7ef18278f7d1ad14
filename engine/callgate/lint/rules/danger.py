"""Calls of the highest level of risk that nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from callgate.compiler.simplify import Fold, simplify
from callgate.lint.domains import logic
from callgate.lint.ends import TOOL, Ending, decision, ending, step_ending, where
from callgate.lint.left import Left
from callgate.lint.logic_forms import All, Form, Test, Truth, form
from callgate.lint.logic_values import among, but
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import Const, Expr, Fact
from callgate.model.policy import Policy, Verdict
from callgate.model.types import REQUIRED

if TYPE_CHECKING:
    from callgate.model.catalogue import Risk
    from callgate.model.span import Span

__all__ = ["UnapprovedDanger"]

_RISK = Fact("risk")


class UnapprovedDanger(Rule):
    """A rule that allows calls of the highest level of risk under the policy's own settings,
    although no person, no reviewer and no grant says so."""

    code = "L113"
    name = "unapproved-danger"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        risk = subject.policy.risk
        if risk is not None and risk.levels.members:
            walk = _Walk(subject, risk)
            for what, span in walk.allowing():
                yield self.found(
                    f"{what} allows calls of the level `{walk.highest}`, and nobody is asked",
                    span,
                    f"add `risk < {walk.highest}` to its condition, or consult somebody",
                )


class _Walk:
    def __init__(self, subject: Subject, risk: Risk) -> None:
        self.highest = risk.levels.members[-1]
        self._policy = subject.policy
        self._logic = subject.once(logic)
        self._fold = _defaults(subject.policy)
        self._wanted: tuple[Form, ...] = (Test(_RISK, among((self.highest,))), self._tools(risk))
        self._left = Left(self._logic)

    def allowing(self) -> Iterator[tuple[str, Span | None]]:
        """What allows such calls, and where it stands."""
        carried = False
        flow = self._policy.flow
        for step in flow.steps:
            carried = carried or step.guards
            reached = self._form(step.when.expr if step.when else None)
            if not self._possible(reached):
                continue
            for rule in step.rules:
                if decision(rule) is Verdict.ALLOW and not rule.shadow:
                    if self._possible(reached, self._form(where(rule))):
                        yield f"rule `{rule.id}`", rule.span
                self._end(ending(rule, step, carried))
            last = step.otherwise
            if last is not None and last.effect is Verdict.ALLOW and self._possible(reached):
                yield f"`otherwise` of step `{step.id}`", step.span
            self._end(step_ending(step, carried))
        if flow.otherwise.effect is Verdict.ALLOW and self._possible():
            yield "the flow's `otherwise`", flow.span

    def _form(self, expr: Expr | None) -> Form:
        return Truth(True) if expr is None else form(simplify(expr, self._fold))

    def _end(self, ended: Ending | None) -> None:
        if ended is not None:
            self._left.take(None if ended.expr is None else simplify(ended.expr, self._fold))

    def _possible(self, *forms: Form) -> bool:
        """Whether a call of the highest level may get here for which these forms hold."""
        wanted = All((*self._wanted, *forms))
        return self._logic.possible(wanted) and self._left.leaves(wanted)

    def _tools(self, risk: Risk) -> Form:
        """The tools of which a call can be of the highest level, by what the policy says."""
        high = {tool for tool, level in risk.tools.items() if level == self.highest}
        for rule in (*risk.declared, *risk.raises):
            if rule.level == self.highest:
                when = self._form(rule.when.expr)
                high |= {
                    tool
                    for tool in (risk.tools if rule.tools is None else rule.tools)
                    if self._logic.possible(when, Test(TOOL, among((tool,))))
                }
        if risk.default == self.highest or any(
            rule.level == self.highest and rule.tools is None
            for rule in (*risk.declared, *risk.raises)
        ):
            return Test(TOOL, but(tool for tool in risk.tools if tool not in high))
        return Test(TOOL, among(high))


def _defaults(policy: Policy) -> Fold:
    """The settings as the policy has them where an operator says nothing."""
    settings = policy.vocabulary.settings
    known = {
        f"settings.{name}": Const(setting.field.default)
        for name, setting in settings.items()
        if setting.field.default is not REQUIRED
    }
    return known.get
