"""Words that drawings and explanations share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from callgate.analysis.flow_view import FlowView, GuardView, Outcome, RuleView

__all__ = [
    "BOUNDS_TITLE",
    "DESPITE",
    "OPAQUE_TITLE",
    "QUESTIONS",
    "WAITS",
    "grouped_answers",
    "marks_of",
    "title_of",
]

QUESTIONS: Final = {
    "grant": "Is there a standing grant for this call?",
    "reviewer": "What does the reviewing model say?",
    "human": "What does a person say?",
}

WAITS: Final = {"grant": "a grant", "reviewer": "the reviewer", "human": "a person"}

DESPITE: Final = {
    "none": "only while no ask is carried",
    "any": "lifts asks, but not those for a person",
    "person": "lifts every ask",
}
"""What an allow does to the asks that are carried, by the strongest that it passes."""

OPAQUE_TITLE: Final = "Anything that is not understood"
BOUNDS_TITLE: Final = "Anything that is too much to read"


def marks_of(rule: RuleView | GuardView) -> list[str]:
    """What keeps a rule from deciding, in lines."""
    shadow = ["a shadow: shows what it would decide, and decides nothing"] if rule.shadow else []
    return [*shadow, *(f"except where {condition}" for condition in rule.exceptions)]


def grouped_answers(rule: RuleView) -> list[tuple[tuple[str, ...], Outcome]]:
    """A consult's answers, those with the same outcome together, in order."""
    from callgate.analysis.flow_view import Outcome

    groups: dict[tuple[str, str | None, str], list[tuple[str, Outcome]]] = {}
    for answer, outcome in rule.answers:
        key = (outcome.verdict, outcome.despite, outcome.reason)
        groups.setdefault(key, []).append((answer, outcome))
    rows = []
    for members in groups.values():
        first = members[0][1]
        rule_id = first.rule if len(members) == 1 else ""
        outcome = Outcome(first.verdict, rule_id, first.despite, first.reason)
        rows.append((tuple(answer for answer, _ in members), outcome))
    return rows


def title_of(view: FlowView) -> str:
    """What a picture of a flow is called."""
    return f"{view.name} {view.version}" + (f": {view.flow}" if view.flow else "")
