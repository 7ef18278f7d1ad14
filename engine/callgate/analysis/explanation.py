"""What an explanation says: data for people and programs, already masked and cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "Alternative",
    "Change",
    "Explanation",
    "StepState",
    "StepStory",
    "TestKind",
    "TestStory",
    "WhyNot",
]

StepState = Literal["decided", "pending", "failed", "passed", "skipped", "off", "not reached"]
TestKind = Literal[
    "step", "rule", "held", "guard", "shadow", "exception", "answer", "shows", "more"
]


@dataclass(frozen=True, slots=True)
class TestStory:
    """Something that was looked at on the way.

    `kind`: step (whether the step applies), rule (a rule's condition), held (an allow that waits
    for no ask to be carried), guard (a match), shadow (what a rule that is one would have decided),
    exception (what a rule would have decided for which one counts), answer (of a consult), shows (a
    fact put on record), more (`text` says how many rules are left out). `text`: the condition.
    `value`: true, false, None for unknown; a word for guard (deny, ask, note), shadow, exception,
    answer and shows. `facts`: names and values that the condition read; of the risk, its sources.
    `note`: what follows from the value. `reason`: why a guard fired.
    """

    kind: TestKind
    text: str
    value: bool | str | None
    rule: str = ""
    title: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""
    file: str = ""
    line: int = 0
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "kind": self.kind,
            "rule": self.rule,
            "title": self.title,
            "condition": self.text,
            "value": self.value,
            "facts": dict(self.facts),
            "reason": self.reason,
            "note": self.note,
            "file": self.file,
            "line": self.line,
        }


@dataclass(frozen=True, slots=True)
class StepStory:
    """What a step did. `summary` is one phrase; `off`: (rule title, why) of what the settings
    switched off in it."""

    id: str
    title: str
    state: StepState
    summary: str
    tests: tuple[TestStory, ...] = ()
    off: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "step": self.id,
            "title": self.title,
            "state": self.state,
            "summary": self.summary,
            "tests": [test.to_dict() for test in self.tests],
            "off": [{"title": title, "why": why} for title, why in self.off],
        }


@dataclass(frozen=True, slots=True)
class Change:
    """A fact of the call that is changed: its path in the call, and both values as shown.

    `example`: the new value only stands for values that the policy does not name.
    """

    fact: str
    actual: str
    expected: str
    example: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {"fact": self.fact, "actual": self.actual, "expected": self.expected}


@dataclass(frozen=True, slots=True)
class Alternative:
    """Changes that together give another decision, as a walk of the changed call confirmed.

    `values` has the changed facts' paths with their new values, for whoever wants to walk again.
    """

    decision: str
    changes: tuple[Change, ...]
    rule: str
    reason: str
    values: tuple[tuple[tuple[str, ...], Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "changes": [change.to_dict() for change in self.changes],
            "rule": self.rule,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class WhyNot:
    """How another decision would have come about; no alternatives: none was found within the
    bound, which `walks` walks came up against."""

    decision: str
    alternatives: tuple[Alternative, ...]
    walks: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "decision": self.decision,
            "alternatives": [item.to_dict() for item in self.alternatives],
            "walks": self.walks,
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A decision, told: `decision` is its JSON form, `place` where its rule stands, `risk` the
    sources of the risk level, each with the level that it says; the highest counts."""

    decision: Mapping[str, Any]
    call: str
    place: str
    steps: tuple[StepStory, ...]
    why_not: tuple[WhyNot, ...] = ()
    risk: tuple[tuple[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: the decision's own and four more keys."""
        return {
            **self.decision,
            "place": self.place,
            "risk_sources": [{"source": name, "level": level} for name, level in self.risk],
            "steps": [step.to_dict() for step in self.steps],
            "why_not": [item.to_dict() for item in self.why_not],
        }
