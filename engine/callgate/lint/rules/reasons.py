"""Reasons: missing ones, and those written as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from callgate.lint.rule import Edit, Finding, Rule
from callgate.lint.subject import Subject
from callgate.lint.written import Reason
from callgate.model.diagnostic import Severity

__all__ = ["NoReason", "ReasonStyle"]

_HOLDING: Final = frozenset({"ask", "deny"})


class NoReason(Rule):
    """An ask or deny of a flow that does not say why. A guard can't leave its reason out."""

    code = "L303"
    name = "no-reason"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        help = "say under `reason` why, and what the caller can do instead"
        for document in subject.of_kind("flow"):
            for index, step in enumerate(document.data.get("steps", ())):
                at = ("steps", index)
                for path, what, name in _silent(step):
                    span = document.span(*at, *path)
                    yield self.found(f"{what} of `{name}` gives no reason", span, help)


def _silent(step: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    """What of a step and its rules holds a call without a reason: where, what, of which rule."""
    name = step.get("id", "")
    yield from _answers(step, (), name)
    for number, rule in enumerate(step.get("rules", ())):
        at, id_ = ("rules", number), rule.get("id", name)
        decided = rule.get("decide")
        if "hide" in rule and "reason" not in rule:
            yield (*at, "hide"), "the `hide`", id_
        elif decided in _HOLDING and "reason" not in rule:
            yield (*at, "decide"), f"the `{decided}`", id_
        yield from _answers(rule, at, id_)


def _answers(
    holder: dict[str, Any], at: tuple[str | int, ...], name: str
) -> Iterator[tuple[tuple[str | int, ...], str, str]]:
    for word, outcome in (holder.get("answers") or {}).items():
        if isinstance(outcome, dict) and outcome.get("decide") in _HOLDING:
            if "reason" not in outcome:
                yield (*at, "answers", word), f"the answer `{word}`", name


# Words that are written small wherever they don't begin a sentence.
_SMALL: Final = re.compile(
    "a|an|and|any|as|at|by|each|for|from|he|if|in|it|its|no|nobody|not|of|on|only|or|she|some|"
    "such|that|the|their|there|these|they|this|those|to|use|we|what|when|where|which|who|with|you|"
    "your"
)
_FIRST: Final = re.compile(r"(?!I\b)[A-Z][a-z]*(?![\w./-])")
_LAST: Final = re.compile(r"(?<![.\s])\.\Z")
_INSIDE: Final = re.compile(r"[.!?]\s")
_SHORT: Final = re.compile(r"(?:\b\w|\b\w+\.\w+|etc)\.\Z")


class ReasonStyle(Rule):
    """A reason with a capital first letter or a full stop: others stand in the middle of a line."""

    code = "L320"
    name = "reason-style"
    severity = Severity.INFO
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See `Rule.check`."""
        small = _small_words(subject.reasons)
        for reason in subject.reasons:
            text = reason.value
            first = _FIRST.match(text)
            word = first[0].lower() if first else ""
            if first and (word in small or _SMALL.fullmatch(word)):
                yield self.found(
                    f"the text begins with the capital word `{first[0]}`",
                    reason.span(*first.span()),
                    f"write `{word}`: what shows it puts it behind a colon",
                )
            if _LAST.search(text) and not _INSIDE.search(text) and not _SHORT.search(text):
                yield self.found(
                    "the text ends with a full stop",
                    reason.span(len(text) - 1),
                    "leave it out: what shows it may go on behind it",
                    fix=(Edit(reason.span(len(text) - 1), ""),),
                )


def _small_words(reasons: tuple[Reason, ...]) -> set[str]:
    """Words that are no names: those that some text has in small letters."""
    found: set[str] = set()
    for reason in reasons:
        found.update(re.findall(r"(?<![\w{.-])[a-z]+(?![\w.-])", reason.value))
    return found
