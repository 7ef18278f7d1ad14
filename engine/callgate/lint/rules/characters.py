"""Text that people read otherwise than programs do: characters that turn its direction, look like
others, or are not seen."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from callgate.lint.ranges import inside, ranges_of, scalar_ranges
from callgate.lint.rule import Edit, Finding, Rule
from callgate.lint.subject import Subject
from callgate.load.document import Document

__all__ = ["BidiText", "ConfusableText", "InvisibleText"]

_BIDI: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+")
_INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200d\u2060-\u2064\u206a-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e01ef]+"
    "|[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+"
)
_UNBROKEN: Final = frozenset("\u00a0\u202f")
"""Spaces that many languages have inside a line: before `:`, in numbers and abbreviations."""

_SET: Final = re.compile("(?s)(?:[0-9.«‹][\u00a0\u202f]|.[\u00a0\u202f](?:[:;!?»›%€]|[0-9]))")
_PROSE: Final = ("title", "reason", "description", "doc", "message", "help", "pass")
_JOINERS: Final = frozenset("\u200c\u200d\ufe0e\ufe0f")

# Letters that most typefaces draw as they draw a Latin one.
_LOOK_ALIKES: Final = dict(
    zip(
        "АВЕЅІЈКМНОРСТУХаеѕіјорсухԁһӏԛԝցΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϲıɡɑᴏ",
        "ABESIJKMHOPCTYXaesijopcyxdhlqwgABEZHIKMNOPTYXovcigao",
        strict=True,
    )
)
_FULL_WIDTH: Final = "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d7ff"
_ALIKE: Final = re.compile(f"[{''.join(_LOOK_ALIKES)}{_FULL_WIDTH}]")
_TOKEN: Final = re.compile(r"[\w.-]+")
_LATIN: Final = re.compile(r"[0-9A-Za-z]")


class BidiText(Rule):
    """A character that turns the direction of what follows: the line is not what it looks like."""

    code = "L209"
    name = "bidi-text"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for document, text in _not_ascii(subject):
            for match in _BIDI.finditer(text):
                names = " ".join(f"U+{ord(char):04X}" for char in match[0])
                yield self.found(
                    f"{names} turns the direction in which what follows is shown",
                    document.source.span(match.start(), match.end()),
                    "take it out; where a value needs it, write it as an escape in double quotes",
                )


class ConfusableText(Rule):
    """A word of Latin letters in which some are of another script and look the same."""

    code = "L210"
    name = "confusable-text"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for document, text in _not_ascii(subject):
            done = 0
            for match in _ALIKE.finditer(text):
                if match.start() < done:
                    continue
                start, end = _word_around(text, match.start())
                done = end
                plain = _plain(text[start:end])
                if plain is not None:
                    char = match[0]
                    name = unicodedata.name(char, "a letter").lower()
                    yield self.found(
                        f"`{text[start:end]}` is not `{plain}`: it holds the {name} "
                        f"(U+{ord(char):04X})",
                        document.source.span(start, end),
                        f"write `{plain}` with the letters of the keyboard; where the other letter "
                        "is meant, write it as an escape in double quotes",
                    )


class InvisibleText(Rule):
    """A character that nobody sees, or a space that is none: equal to look at, and not the same."""

    code = "L211"
    name = "invisible-text"
    needs_policy = False

    def check(self, subject: Subject) -> Iterator[Finding]:
        """See Rule."""
        for document, text in _not_ascii(subject):
            scalars: list[tuple[int, int]] | None = None
            prose: list[tuple[int, int]] | None = None
            for match in _INVISIBLE.finditer(text):
                start, end = match.span()
                if set(match[0]) <= _JOINERS and _joins(text, start, end):
                    continue
                if set(match[0]) <= _UNBROKEN:
                    prose = _prose(document) if prose is None else prose
                    if inside(start, prose) or _SET.match(text, start - 1):
                        continue
                space = unicodedata.category(match[0][0]) == "Zs"
                span = document.source.span(start, end)
                if scalars is None:
                    scalars = scalar_ranges(document)
                names = " ".join(f"U+{ord(char):04X}" for char in match[0][:4])
                yield self.found(
                    f"{names} looks like a space and is none" if space else f"nobody sees {names}",
                    span,
                    "write a plain space"
                    if space
                    else "take it out; where a value needs it, "
                    "write it as an escape in double quotes",
                    # Outside of values it stands in a comment, where nothing depends on it.
                    fix=() if inside(start, scalars) else (Edit(span, " " if space else ""),),
                )


def _not_ascii(subject: Subject) -> Iterator[tuple[Document, str]]:
    for document in subject.documents:
        text = document.source.text
        if not text.isascii():
            yield document, text


def _prose(document: Document) -> list[tuple[int, int]]:
    """Where texts for people stand, in order."""
    found = (ranges_of(document, key) for key in _PROSE)
    return sorted(item for ranges in found for item in ranges)


def _joins(text: str, start: int, end: int) -> bool:
    """Whether a joiner stands between characters of scripts, or picture signs, that need some."""
    around = text[start - 1 : start], text[end : end + 1]
    return not around[0].isascii() or (around[1] != "" and not around[1].isascii())


def _word_around(text: str, offset: int) -> tuple[int, int]:
    start = offset
    while start and _TOKEN.match(text[start - 1]):
        start -= 1
    found = _TOKEN.match(text, offset)
    return start, found.end() if found else offset + 1


def _plain(word: str) -> str | None:
    """The word of Latin letters that one looks like; None where it is not meant to be one: where it
    has no Latin letter, or letters of another script that no Latin one looks like."""
    plain = "".join(_LOOK_ALIKES.get(char, unicodedata.normalize("NFKC", char)) for char in word)
    mixed = _LATIN.search(word) or re.search(f"[{_FULL_WIDTH}]", word)
    return plain if mixed and plain != word and plain.isascii() else None
