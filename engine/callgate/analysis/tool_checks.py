"""The way of one tool through the second flow: every rule in order, and whether it holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from callgate.analysis.explain import explain
from callgate.analysis.explanation import StepStory
from callgate.model.decision import Decision
from callgate.model.graph import FoldedRule, SourceMap
from callgate.model.policy import Rule, Step, Visibility

__all__ = ["CheckState", "ToolCheck", "tool_checks"]

CheckState = Literal["holds", "no", "unknown", "off", "not reached"]


@dataclass(frozen=True, slots=True)
class ToolCheck:
    """A rule that may hide a tool. `state`: it holds, does not, may hold (unknown, which hides), is
    off in these settings (`why`), or was not reached. `facts`: what the condition read. `calls`:
    whether calls are denied as well."""

    step: str
    rule: str
    title: str
    code: str
    calls: Literal["deny", "pass"]
    state: CheckState
    condition: str
    facts: tuple[tuple[str, str], ...]
    why: str
    file: str
    line: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "step": self.step,
            "rule": self.rule,
            "title": self.title,
            "code": self.code,
            "calls": self.calls,
            "state": self.state,
            "condition": self.condition,
            "facts": dict(self.facts),
            "why": self.why,
            "file": self.file,
            "line": self.line,
        }


def tool_checks(
    decision: Decision, visibility: Visibility, sources: SourceMap, settings: Mapping[str, Any]
) -> list[ToolCheck]:
    """Every rule of the second flow in order, as the walk that made `decision` came by it.

    `settings`: dotted names with values, to be shown where conditions name them (no secrets).
    """
    stories = {step.id: step for step in explain(decision, settings).steps}
    off = {(item.step, item.rule): item for item in sources.folded}
    checks: list[ToolCheck] = []
    reached = True
    for step in visibility.flow.steps:
        story = stories[step.id]
        for rule in step.rules:
            folded = off.get((step.id, rule.id)) or off.get((step.id, ""))
            checks.append(_check(step, rule, visibility, story, folded, reached))
            reached = reached and rule.id != decision.rule
    return checks


def _check(
    step: Step,
    rule: Rule,
    visibility: Visibility,
    story: StepStory,
    folded: FoldedRule | None,
    reached: bool,
) -> ToolCheck:
    state: CheckState = "no"
    condition = rule.when.text if rule.when else "always"
    facts: tuple[tuple[str, str], ...] = ()
    why = ""
    test = next((t for t in story.tests if t.rule == rule.id), None)
    if folded is not None:
        state, why = "off", folded.why
    elif not reached:
        state = "not reached"
    elif test is not None:
        facts, why = test.facts, test.note
        state = "holds" if test.value is True else "no" if test.value is False else "unknown"
    elif story.state == "skipped":
        why = f"the step {step.id} does not apply"
        facts = story.tests[0].facts
    span = rule.span
    return ToolCheck(
        step.id,
        rule.id,
        rule.title,
        visibility.codes[rule.id],
        "pass" if rule.id in visibility.passing else "deny",
        state,
        condition,
        facts,
        why,
        span.file if span else "",
        span.line if span else 0,
    )
