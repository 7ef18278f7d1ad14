"""Secrets in rule files, and settings that hold one without saying so."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import re2

from callgate.lint.ranges import inside, ranges_of
from callgate.lint.rule import Finding, Rule
from callgate.lint.shipped import placeholder, placeholder_word, secret_shapes
from callgate.lint.subject import Subject
from callgate.load.document import Document
from callgate.model.catalogue import Masking
from callgate.model.types import JSON, STRING, MapOf, Optional, Type

__all__ = ["SecretInPolicy", "UnmarkedSecret"]

_LEAST_LENGTH: Final = 12
_LEAST_ENTROPY: Final = 3.0
_NO_SECRET: Final = re.compile(r"[()\[\]{}|\\^$*?<>]|^[a-z._/-]+$|^[A-Z._/-]+$")
_NAME: Final = re.compile(r"^[^=:\s]*\s*[=:]\s*")
_PARTS: Final = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_PUBLIC: Final = frozenset({"public"})
_KINDS: Final = (str.islower, str.isupper, str.isdigit)
_CAPITALS: Final = re.compile(r"(?<=[a-z])[A-Z]{2,}(?=[a-z])")
_LEAST_REST: Final = 7
_NAMED: Final = (
    r"(?i)(?:^|[^\w-])%s(?:%s)[\"']?\s*[:=]\s*[\"']?(?P<secret>[A-Za-z0-9!#%%&+/=@_~.;-]{12,})"
)


class SecretInPolicy(Rule):
    """A key, a token or a password in a rule file: policies are read by many, and kept for long."""

    code = "L208"
    name = "secret-in-policy"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        policy = subject.loaded.policy
        own = _own_patterns(policy.masking) if policy is not None else []
        for document in subject.documents:
            if document.kind == "masking":
                continue  # it describes what secrets look like
            seen: list[tuple[int, int]] = []
            for title, start, end in _found(document, own):
                if not any(start < last and first < end for first, last in seen):
                    seen.append((start, end))
                    yield self.found(
                        f"this looks like a secret: {title}",
                        document.source.span(start, end),
                        "take it out and have it replaced where it is valid: whoever can read the "
                        "policy has it; a setting marked `secret` or an environment variable may "
                        "hold the new one",
                    )
            yield from self._defaults(document)

    def _defaults(self, document: Document) -> Iterator[Finding]:
        settings = document.data.get("settings") if document.kind == "vocabulary" else None
        for name, entry in settings.items() if isinstance(settings, dict) else ():
            default = entry.get("default") if isinstance(entry, dict) else None
            if default and entry.get("secret") is True and not isinstance(default, bool):
                yield self.found(
                    f"`{name}` is secret, and its default can be read by everybody",
                    document.span("settings", name, "default"),
                    "give an empty default; the operator's settings hold the secret",
                )


class UnmarkedSecret(Rule):
    """A setting that is called as secrets are, and is not marked as one: its value is shown."""

    code = "L219"
    name = "unmarked-secret"

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        masking = subject.policy.masking
        settings = subject.policy.vocabulary.settings
        for document in subject.of_kind("vocabulary"):
            for name in document.data.get("settings") or {}:
                field = settings[name].field
                if field.secret or not _holds_text(field.type):
                    continue
                words = [word.lower() for word in _PARTS.findall(name.rsplit(".", 1)[-1])]
                last = words[-1].removesuffix("s") if words else ""
                # A weak name needs another before it: `api_key`, not `key`.
                alone = len(words) == 1 and last in masking.weak
                if last in masking.names and not alone and not _PUBLIC & set(words):
                    yield self.found(
                        f"`{name}` is called as secrets are and is not marked as one",
                        document.span("settings", name, key=True),
                        "add `secret: true`, so that its value is never shown; if it is none, give "
                        f"it a name that does not end in `{words[-1]}`",
                    )


def _holds_text(type_: Type) -> bool:
    if isinstance(type_, Optional):
        return _holds_text(type_.item)
    if isinstance(type_, MapOf):
        return _holds_text(type_.value)
    return type_ in (STRING, JSON)


def _found(document: Document, own: list[tuple[Any, bool]]) -> Iterator[tuple[str, int, int]]:
    """What looks like a secret, and where it stands in the file's text.

    In examples and tests, which are there to show what secrets look like, only the well-known
    shapes count.
    """
    text = document.source.text
    low = text.lower()
    for shape in secret_shapes():
        if any(near in low for near in shape.near):
            for match in shape.pattern.finditer(text):
                start, end = _secret_of(match)
                if _random(text[start:end]):
                    yield shape.title, start, end
    if document.kind == "tests" or not own:
        return
    examples: list[tuple[int, int]] | None = None
    for pattern, mixed in own:
        for match in pattern.finditer(text):
            start, end = _secret_of(match)
            named = _NAME.match(text[start:end])
            start += named.end() if named else 0
            if _random(text[start:end]) and (not mixed or _is_drawn(text[start:end])):
                examples = ranges_of(document, "examples") if examples is None else examples
                if not inside(start, examples):
                    yield "the policy's own masking says so", start, end


def _own_patterns(masking: Masking) -> list[tuple[Any, bool]]:
    """What the policy masks: its patterns, and values behind the names that it masks, which have to
    be of mixed characters (True). A weak name needs another word before it."""
    found = [(re2.compile(pattern), False) for pattern in masking.patterns]
    for weak in (False, True):
        names = [re2.escape(name) for name in masking.names if (name in masking.weak) is weak]
        if names:
            before = rf"(?:[A-Za-z0-9]+[_-]){'+' if weak else '*'}"
            found.append((re2.compile(_NAMED % (before, "|".join(names))), True))
    return found


def _is_drawn(text: str) -> bool:
    """Whether a text is no name of something: it has figures among its letters, or capitals as no
    name written in one word has."""
    return _mixed(text) or (text.isalpha() and len(_CAPITALS.findall(text)) > 1)


def _mixed(text: str) -> bool:
    return all(any(map(kind, text)) for kind in _KINDS)


def _secret_of(match: Any) -> tuple[int, int]:
    start, end = match.span(match.re.groupindex.get("secret", 0))
    return (start, end) if start >= 0 else match.span()


def _random(text: str) -> bool:
    """Whether a text could have been drawn by lot: it is no word, pattern or placeholder, and its
    characters are many and different."""
    text = text.strip("\"'").split()[0] if text.split() else ""
    if len(text) < _LEAST_LENGTH or _NO_SECRET.search(text) or placeholder().search(text):
        return False
    rest = placeholder_word().sub("", text)
    if rest != text and (len(rest) < _LEAST_REST or not _mixed(rest)):
        return False
    counts = Counter(text)
    size = len(text)
    entropy = -sum(n / size * math.log2(n / size) for n in counts.values())
    return entropy >= _LEAST_ENTROPY and not _steps(text)


def _steps(text: str) -> bool:
    """Whether most of its characters follow the one before, as in `abcdefgh` or `aaaa`."""
    near = sum(0 <= ord(b) - ord(a) <= 1 for a, b in pairwise(text))
    return near * 3 > len(text)
