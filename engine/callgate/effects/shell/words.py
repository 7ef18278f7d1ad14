"""Decoding of words: quotes, escapes, `$'…'`, braces, tilde, `$HOME` and `$PWD`.

A word is decoded into two texts of equal length: its characters, and a mark for each of them:
`a` active (written without quotes), `q` quoted, `u` unknown and may be split into words, `v`
unknown but one word, `h` a `~` that means a home folder nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from callgate.effects.shell.braces import expand_braces
from callgate.effects.shell.escapes import ansi_c
from callgate.effects.shell.tree import Node, Span, Word, unresolved
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Expansion", "MisreadError", "Names", "Place", "decode"]

PLAIN: Final = re.compile(r"[\w./:=@%+,^-]+", re.ASCII)
_UNQUOTED: Final = re.compile(r"[^\\'\"$`<>;&|() \t\n]+")
_QUOTED: Final = re.compile(r"[^\\\"$`]+")
_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_TILDE_AFTER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=(?=~)")


class MisreadError(Exception):
    """The syntax tree and the text disagree on where a word is."""


@dataclass(slots=True)
class Names:
    """The variables that words are decoded with. `home` is a path, `~` while nobody knows it, or
    UNKNOWN when the text changes it; `cwd` likewise, without `~`."""

    home: str | Unknown
    cwd: str | Unknown


@dataclass(slots=True)
class Place:
    """Where a text stands in the argument: from `base` on, or somewhere in `fixed`."""

    base: int = 0
    fixed: Span | None = None

    def span(self, start: int, end: int) -> Span:
        """The span in the argument of a span in the text."""
        return self.fixed or (self.base + start, self.base + end)


@dataclass(slots=True)
class Expansion:
    """A substitution or variable inside a word: where it ends, and what it runs."""

    end: int
    kind: str
    nested: tuple[Node, ...] = ()


def decode(
    text: str,
    start: int,
    end: int,
    expansions: Mapping[int, Expansion],
    names: Names,
    place: Place,
) -> list[Word]:
    """The words that `text[start:end]` stands for: one, or several after brace expansion.

    `expansions` maps the position of every expansion in the word to what it is. Raises
    MisreadError when the slice is not one word.
    """
    span = place.span(start, end)
    written = text[start:end]
    if not expansions and PLAIN.fullmatch(written):
        return [Word(written, span, -1 if place.fixed else start + place.base, bare=True)]
    chars, marks = _Scanner(text, start, end, expansions, names).run()
    parts: list[tuple[str, str]] | None = [(chars, marks)]
    if "{" in chars:
        parts = expand_braces(chars, marks)
    words = (
        [unresolved(span, splits=True)]
        if parts is None
        else [_word(*_tilde(*part, names), span) for part in parts]
    )
    first = words[0]
    first.nested = tuple(node for item in expansions.values() for node in item.nested)
    first.process = any(item.kind == "process_substitution" for item in expansions.values())
    first.bare = first.text == written
    if not place.fixed and first.text == chars and len(words) == 1:
        if first.bare:
            first.offset = place.base + start
        elif written[:1] in "'\"" and chars == written[1:-1]:
            first.offset = place.base + start + 1
    return words


class _Scanner:
    """Takes quotes and escapes away."""

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        expansions: Mapping[int, Expansion],
        names: Names,
    ) -> None:
        self.text, self.at, self.end = text, start, end
        self.expansions, self.names = expansions, names
        self.chars: list[str] = []
        self.marks: list[str] = []

    def run(self) -> tuple[str, str]:
        """The characters and their marks."""
        text, end = self.text, self.end
        quoted = False
        while self.at < end:
            if found := (_QUOTED if quoted else _UNQUOTED).match(text, self.at, end):
                self._add(found.group(), "q" if quoted else "a")
                self.at = found.end()
                continue
            char = text[self.at]
            if self.at in self.expansions:
                self._expansion(self.expansions[self.at], quoted)
            elif char == "\\":
                self._escape(quoted)
            elif char == '"':
                quoted = not quoted
                self.at += 1
            elif char == "'":
                close = text.find("'", self.at + 1, end)
                if close < 0:
                    raise MisreadError
                self._add(text[self.at + 1 : close], "q")
                self.at = close + 1
            elif char == "$":
                self._dollar(quoted)
            else:
                raise MisreadError
        if quoted:
            raise MisreadError
        return "".join(self.chars), "".join(self.marks)

    def _add(self, text: str, mark: str) -> None:
        self.chars.append(text)
        self.marks.append(mark * len(text))

    def _expansion(self, expansion: Expansion, quoted: bool) -> None:
        written = self.text[self.at : expansion.end]
        self.at = expansion.end
        value: str | Unknown = UNKNOWN
        if written in ("$HOME", "${HOME}"):
            value = self.names.home
        elif written in ("$PWD", "${PWD}"):
            value = self.names.cwd
        if isinstance(value, str):
            self._add(value, "h" if value == "~" else "q")
        elif quoted:
            self._add("?", "u" if "@" in written else "v")
        elif expansion.kind == "process_substitution":
            self._add("/dev/fd/", "q")
            self._add("?", "v")
        else:
            self._add("?", "v" if expansion.kind == "arithmetic_expansion" else "u")

    def _escape(self, quoted: bool) -> None:
        after = self.text[self.at + 1 : self.at + 2] if self.at + 1 < self.end else ""
        self.at += 1 + len(after)
        if after == "\n":
            return
        if not after or (quoted and after not in '$`"\\'):
            self._add("\\", "q")
        self._add(after, "q")

    def _dollar(self, quoted: bool) -> None:
        text, at = self.text, self.at
        after = text[at + 1 : at + 2] if at + 1 < self.end else ""
        if not quoted and after == "'":
            value, self.at = ansi_c(text, at + 2, self.end)
            if value is None:
                raise MisreadError
            self._add(value, "q")
            return
        if found := _VARIABLE.match(text, at, self.end):
            # One that the grammar missed, as in `a$$`.
            self._expansion(Expansion(found.end(), "simple_expansion"), quoted)
            return
        if after in ("(", "{"):
            raise MisreadError
        self.at += 1
        if quoted or after != '"':
            self._add("$", "q")


def _tilde(chars: str, marks: str, names: Names) -> tuple[str, str]:
    """Tilde expansion at the word's start, or after the `=` of what looks like an assignment."""
    if "~" not in chars:
        return chars, marks
    at = 0
    if found := _TILDE_AFTER_NAME.match(chars):
        at = found.end()
    if chars[at : at + 1] != "~" or marks[: at + 1].strip("a"):
        return chars, marks
    stop = at
    while stop < len(chars) and not (chars[stop] == "/" and marks[stop] == "a"):
        stop += 1
    who = chars[at + 1 : stop]
    if marks[at:stop].strip("a"):
        return chars, marks
    value: str | Unknown = UNKNOWN
    if who == "":
        value = names.home
    elif who == "+":
        value = names.cwd
    if isinstance(value, str):
        new, mark = value, ("h" if value == "~" else "q") * len(value)
    else:
        new, mark = "?", "v"
    return chars[:at] + new + chars[stop:], marks[:at] + mark + marks[stop:]


def _word(chars: str, marks: str, span: Span) -> Word:
    glob = _has_glob(chars, marks)
    home = marks.find("h")
    odd_home = home > 0 and (chars[home - 1] not in "=:" or marks.count("h") > 1)
    if "u" not in marks and "v" not in marks and not odd_home:
        return Word(chars, span, home=home, glob=glob)
    pieces: list[str | Unknown] = []
    at = 0
    for unknown, group in groupby(marks, "uvh".__contains__):
        length = len(list(group))
        pieces.append(UNKNOWN if unknown else chars[at : at + length])
        at += length
    return Word(UNKNOWN, span, pieces=tuple(pieces), splits="u" in marks, glob=glob)


def _has_glob(chars: str, marks: str) -> bool:
    close = chars.rfind("]")
    return any(
        char in "*?" or (char == "[" and index < close)
        for index, char in enumerate(chars)
        if marks[index] == "a"
    )
