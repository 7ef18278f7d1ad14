"""Patterns that say nothing: everything matches them."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import Final

from callgate.lint.locating import distinct
from callgate.lint.parts import Part
from callgate.lint.rule import Finding, Rule
from callgate.lint.subject import Subject
from callgate.model.expr import Apply, CommandMatch, Const
from callgate.model.pattern import CommandPattern, WordPattern
from callgate.model.types import PATTERNS, ListOf
from callgate.stdlib.text import matches

__all__ = ["MatchAllPattern"]

_PROBES: Final = (
    "0",
    "z",
    "/",
    " ",
    f"~{string.digits}{string.ascii_letters}{string.punctuation} äΩ{string.ascii_letters}",
)
"""What one expression matches only if it matches every text of one line."""


class MatchAllPattern(Rule):
    """A glob, a regular expression, a command pattern or a default that everything matches."""

    code = "L201"
    name = "match-all-pattern"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        yield from distinct(self._conditions(subject))
        yield from self._masking(subject)
        yield from self._defaults(subject)

    def _conditions(self, subject: Subject) -> Iterator[Finding]:
        for part in subject.parts:
            if isinstance(part.expr, Apply):
                yield from self._text(subject, part, part.expr)
            elif isinstance(part.expr, CommandMatch):
                yield from self._command(subject, part, part.expr)

    def _text(self, subject: Subject, part: Part, test: Apply) -> Iterator[Finding]:
        if len(test.args) < 2 or not isinstance(test.args[1], Const):
            return
        text = test.args[1].value
        if not isinstance(text, str) or not _all(test.op, text):
            return
        yield self.found(
            f'`{_WORDS[test.op]} "{text}"` is true of every text',
            subject.locator.span(part.place, text),
            "say what the text must hold, or leave the part out",
        )

    def _command(self, subject: Subject, part: Part, test: CommandMatch) -> Iterator[Finding]:
        pattern = test.pattern
        if not isinstance(pattern, CommandPattern):
            return
        bare = not (pattern.words or pattern.options or pattern.closed)
        if bare and any(map(_any_word, pattern.program)):
            message = "every command matches this pattern"
            help = "name the program, or leave the part out"
        elif any(len(words) > 1 and any(map(_any_word, words)) for words in pattern.words):
            message = "any word matches one of the alternatives, `*`"
            help = "leave the `*` out, or write nothing else in its place"
        else:
            return
        yield self.found(message, subject.locator.span(part.place, pattern), help)

    def _masking(self, subject: Subject) -> Iterator[Finding]:
        for document in subject.of_kind("masking"):
            patterns = document.data.get("patterns")
            for name, text in patterns.items() if isinstance(patterns, dict) else ():
                if isinstance(text, str) and _all("matches", text):
                    yield self.found(
                        f"the pattern `{name}` masks every text",
                        document.span("patterns", name),
                        "describe the shape of the secret: what it begins with, how long it is",
                    )

    def _defaults(self, subject: Subject) -> Iterator[Finding]:
        settings = subject.policy.vocabulary.settings
        for document in subject.of_kind("vocabulary"):
            for name, entry in (document.data.get("settings") or {}).items():
                type_ = settings[name].field.type
                item = type_.item if isinstance(type_, ListOf) else type_
                default = entry.get("default")
                for text in default if isinstance(default, list) else [default]:
                    if item in PATTERNS and isinstance(text, str) and text.strip() == "*":
                        yield self.found(
                            f"every command matches the default of `{name}`",
                            document.span("settings", name, "default"),
                            "give an empty default, and let the operator name commands",
                        )


_WORDS: Final = {"like": "like", "matches": "matches", "contains": "contains"}


def _all(op: str, text: str) -> bool:
    """Whether a comparison of this kind is true of every text."""
    if op == "like":
        return bool(text) and not text.strip("*")
    if op == "contains":
        return not text
    if op != "matches" or not any(char in text for char in "*+{"):
        return False
    return all(matches.implementation(probe, text) for probe in _PROBES)


def _any_word(word: WordPattern) -> bool:
    return len(word.pieces) > 1 and not any(word.pieces)
