"""Report rules and steps that no settings can reach."""

from __future__ import annotations

from callgate.compiler.simplify import FALSE, TRUE, simplify
from callgate.model.condition import Condition
from callgate.model.diagnostic import Diagnostics
from callgate.model.expr import Expr
from callgate.model.policy import AskLevel, Decide, Flow, Policy, Rule, Step, Verdict

__all__ = ["report_unreachable"]


def report_unreachable(policy: Policy, diagnostics: Diagnostics) -> None:
    """Warn of what can never decide, whatever the settings: C009 for rules, C010 for steps."""
    _report(policy.flow, diagnostics)
    if policy.visibility is not None:
        second = Diagnostics()
        _report(policy.visibility.flow, second)
        # Its rules may be rules of the approval flow as well.
        known = {(item.code, item.span) for item in diagnostics.items}
        new = [item for item in second.items if (item.code, item.span) not in known]
        diagnostics.items.extend(new)


def _report(flow: Flow, diagnostics: Diagnostics) -> None:
    ended: Step | None = None
    for step in flow.steps:
        if ended is not None:
            diagnostics.warning(
                "C010",
                f"step `{step.id}` can never be reached: step `{ended.id}` always decides",
                step.span,
                f"remove it, move it before `{ended.id}`, or give `{ended.id}` a `when`",
            )
            continue
        if _value(step.when) == FALSE:
            diagnostics.warning(
                "C010",
                f"step `{step.id}` can never be reached: its condition is never true",
                step.span,
                "remove it, or correct its `when`",
            )
            continue
        always = _rules(step, diagnostics)
        if _value(step.when) == TRUE and (always or step.otherwise is not None):
            ended = step


def _rules(step: Step, diagnostics: Diagnostics) -> bool:
    """Report a step's rules; gives whether one of them always decides."""
    always: Rule | None = None
    for rule in step.rules:
        value = _value(rule.when)
        if always is not None:
            diagnostics.warning(
                "C009",
                f"rule `{rule.id}` can never decide: rule `{always.id}` before it always does",
                rule.span,
                f"remove it, or move it before `{always.id}`",
            )
        elif value == FALSE:
            diagnostics.warning(
                "C009",
                f"rule `{rule.id}` can never decide: its condition is never true",
                rule.span,
                "remove it, or correct its `when`",
            )
        elif value == TRUE and rule.tools is None and _final(rule) and not _loose(rule):
            always = rule
    if always is not None and step.otherwise is not None:
        diagnostics.warning(
            "C009",
            f"`otherwise` of step `{step.id}` can never decide: rule `{always.id}` always does",
            step.span,
            "remove it",
        )
    return always is not None


def _loose(rule: Rule) -> bool:
    """Whether a rule may let calls pass for which its condition holds."""
    return rule.shadow or bool(rule.exceptions)


def _final(rule: Rule) -> bool:
    """Whether a rule whose condition holds always ends the walk."""
    if not isinstance(rule.then, Decide):
        return all(_ends(answer) for answer in rule.then.answers.values())
    return _ends(rule.then)


def _ends(outcome: object) -> bool:
    return isinstance(outcome, Decide) and (
        outcome.effect is not Verdict.ALLOW or outcome.despite is AskLevel.PERSON
    )


def _value(condition: Condition | None) -> Expr:
    return TRUE if condition is None else simplify(condition.expr, lambda name: None)
