"""What `callgate test` says of failed cases: what was expected, what came, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from callgate.analysis.explain import explain
from callgate.analysis.explanation import Explanation
from callgate.analysis.facts import open_settings
from callgate.analysis.other_rule import OtherRule, other_rule
from callgate.cli.case_lines import case_lines
from callgate.cli.paint import Line, pad, wrapped
from callgate.cli.reports import SourceLines
from callgate.cli.story import deciding_lines
from callgate.cli.writers import json_text
from callgate.model.policy import Policy
from callgate.policytest.run import Failure
from callgate.runtime.masking import Masker, escape

__all__ = ["FailureStory", "failure_lines", "story_of_failure", "told_failure"]

_LABEL = 16


@dataclass(frozen=True, slots=True)
class FailureStory:
    """A failure with the explanation of its decision, and why the rule that was expected did not
    make it; both None where there is nothing to say. `secrets`: the texts in its secret settings,
    which the lines of its file do not show."""

    failure: Failure
    explanation: Explanation | None = None
    other: OtherRule | None = None
    secrets: tuple[str, ...] = ()


def story_of_failure(failure: Failure, policy: Policy) -> FailureStory:
    """Explain a failure."""
    decision = failure.decision
    if decision is None:
        return FailureStory(failure, secrets=_secrets(failure, policy))
    shown = open_settings(policy, failure.settings)
    explanation = explain(decision, shown)
    wanted = next((item.expected for item in failure.mismatches if item.key == "rule"), None)
    other = None
    if isinstance(wanted, str):
        other = other_rule(policy, decision, explanation, wanted, failure.settings)
    return FailureStory(failure, explanation, other, _secrets(failure, policy))


def _secrets(failure: Failure, policy: Policy) -> tuple[str, ...]:
    """As they are written, and as they count: a setting may be spelt in more than one way."""
    names = [name for name, known in policy.vocabulary.settings.items() if known.field.secret]
    written = [_written(failure.case.settings, name.split(".")) for name in names]
    return Masker.texts_in([*written, *map(failure.settings.get, names)])


def _written(settings: Any, path: list[str]) -> Any:
    for key in path:
        settings = settings.get(key) if isinstance(settings, Mapping) else None
    return settings


def failure_lines(story: FailureStory, lines: SourceLines, width: int) -> list[Line]:
    """A failure as people read it. `lines`: of the test files."""
    failure = story.failure
    case = failure.case
    proposed = "" if case.confirmed else "  (proposed)"
    found: list[Line] = [
        [
            ("FAILED ", "deny"),
            (f"{escape(case.span.file)}:{case.span.line}  ", "strong"),
            (escape(case.name) + proposed, ""),
        ],
        *case_lines(failure, lines, width, story.secrets),
    ]
    if failure.problem:
        return [*found, [("  " + failure.problem, "")]]
    for item in failure.mismatches:
        found.append(
            [
                (f"  {pad(item.key, _LABEL)}", ""),
                ("expected ", "dim"),
                (_value(item.expected), "allow"),
                ("   got ", "dim"),
                (_value(item.actual), "deny"),
            ]
        )
    found += [_labelled("invariant", f"{name}: {title}") for name, title in failure.violated]
    if failure.decision is not None and failure.decision.failure is not None:
        code, message, _ = failure.decision.failure
        found.append(_labelled("error", f"{code}: {message}"))
    if story.explanation is not None:
        found += deciding_lines(story.explanation, width)
    return [*found, *_other(story, width)]


def _labelled(label: str, text: str) -> Line:
    return [(f"  {pad(label, _LABEL)}", ""), (text, "deny")]


def _value(value: Any) -> str:
    return value if isinstance(value, str) and value else json_text(value)


def _other(story: FailureStory, width: int) -> Iterator[Line]:
    """What the rule said that was expected to decide."""
    other = story.other
    if other is None:
        return
    wanted = next(item.expected for item in story.failure.mismatches if item.key == "rule")
    yield [("  expected ", "dim"), (wanted, "name"), (f": {other.words}", "")]
    if other.test is None:
        return
    facts = " · ".join(f"{name} = {value}" for name, value in other.test.facts)
    place = f"{other.test.file}:{other.test.line}" if other.test.file else ""
    for text, style in ((other.test.text, ""), (facts, "dim"), (place, "dim")):
        if text:
            yield from ([("    ", ""), (line, style)] for line in wrapped(text, width - 4))


def told_failure(story: FailureStory) -> dict[str, Any]:
    """The JSON form of a failure."""
    failure, other = story.failure, story.other
    told: dict[str, Any] = {
        "name": failure.case.name,
        "file": failure.case.span.file,
        "line": failure.case.span.line,
        "problem": failure.problem or None,
        "wrong": [
            {"key": item.key, "expected": item.expected, "actual": item.actual}
            for item in failure.mismatches
        ],
        "violated": [name for name, _ in failure.violated],
        "decision": failure.decision.to_dict() if failure.decision else None,
        "confirmed": failure.case.confirmed,
    }
    if other is not None:
        test = None if other.test is None else other.test.to_dict()
        told["expected_rule"] = {"why_not": other.words, "test": test}
    return told
