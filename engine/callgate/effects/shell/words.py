"""Decoding of words: quotes, escapes, `$'…'`, braces, tilde, `$HOME` and `$PWD`.

A word is decoded into two texts of equal length: its characters, and a mark for each of them:
`a` active (written without quotes), `q` quoted, `u` unknown and may be split into words, `v`
unknown but one word, `h` a `~` that means a home folder nobody knows, `b` a star that stands for
names below a folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from callgate.effects.shell.braces import expand_braces
from callgate.effects.shell.escapes import ansi_c
from callgate.effects.shell.marks import Names, expand_tilde, word_of_marks
from callgate.effects.shell.tree import (
    PIPES,
    SLOT_BASE,
    Command,
    Node,
    Pipeline,
    Slots,
    Span,
    Variable,
    Word,
    unresolved,
)
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["PLAIN", "WORKING", "Expansion", "MisreadError", "Names", "Place", "decode"]

PLAIN: Final = re.compile(r"[\w./:=@%+,^-]+", re.ASCII)
"""A word that stands for itself."""
_UNQUOTED: Final = re.compile(r"[^\\'\"$`<>;&|() \t\n]+")
_QUOTED: Final = re.compile(r"[^\\\"$`]+")
_VARIABLE: Final = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_KNOWABLE: Final = re.compile(
    r"\$([A-Za-z_]\w*|\d)|\$\{([A-Za-z_]\w*|\d)(?:(:?)-([\w./:=@%+, -]*))?\}", re.ASCII
)
"""The ways to use a variable that `slots` can follow."""
_USES: Final = re.compile(r"\$\{[#!]?([A-Za-z_]\w*)", re.ASCII)
WORKING: Final = "PWD"
"""The variable that holds the working folder."""
_FOLDER: Final = ("$PWD", "${PWD}", "$(pwd)", "`pwd`")


class MisreadError(Exception):
    """The syntax tree and the text disagree on where a word is."""


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
    scanner = _Scanner(text, start, end, expansions, names)
    chars, marks = scanner.run()
    parts: list[tuple[str, str]] | None = [(chars, marks)]
    if "{" in chars:
        parts = expand_braces(chars, marks)
    words = (
        [unresolved(span, splits=True)]
        if parts is None
        else [word_of_marks(*expand_tilde(*part, names, scanner.cut), span) for part in parts]
    )
    if scanner.variables and not (scanner.empty and "u" in marks):
        for word, part in zip(words, parts or (), strict=False):
            if word.text is UNKNOWN:
                word.slots = Slots(
                    *expand_tilde(*part, names, scanner.cut), tuple(scanner.variables)
                )
    first = words[0]
    first.nested = tuple(node for item in expansions.values() for node in item.nested)
    for start, item in expansions.items():
        if item.kind == "process_substitution":
            first.process = text[start]
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
        self.variables: list[Variable] = []
        # Whether there are quotes with nothing in them, so that the word is never nothing.
        self.empty = False
        # Where the first of them stand.
        self.cut = -1

    def run(self) -> tuple[str, str]:
        """The characters and their marks."""
        text, end = self.text, self.end
        quoted, opened = False, 0
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
                if quoted and len(self.chars) == opened:
                    self._nothing()
                quoted, opened = not quoted, len(self.chars)
                self.at += 1
            elif char == "'":
                close = text.find("'", self.at + 1, end)
                if close < 0:
                    raise MisreadError
                if close == self.at + 1:
                    self._nothing()
                self._add(text[self.at + 1 : close], "q")
                self.at = close + 1
            elif char == "$":
                self._dollar(quoted)
            else:
                raise MisreadError
        if quoted:
            raise MisreadError
        return "".join(self.chars), "".join(self.marks)

    def _nothing(self) -> None:
        if not self.empty:
            self.cut = sum(map(len, self.chars))
        self.empty = True

    def _add(self, text: str, mark: str) -> None:
        self.chars.append(text)
        self.marks.append(mark * len(text))

    def _expansion(self, expansion: Expansion, quoted: bool) -> None:
        written = self.text[self.at : expansion.end]
        self.at = expansion.end
        value: str | Unknown = UNKNOWN
        if written.startswith("$`"):
            # The grammar counts the `$` to the substitution.
            self._add("$", "q")
        if written[1:2].isidentifier() and self.text.startswith("{", self.at):
            # `$A{b,c}` is `$Ab $Ac`.
            written = ""
        if written in ("$HOME", "${HOME}"):
            value = self.names.home
        elif written in _FOLDER:
            value = self.names.cwd
        if isinstance(value, str):
            self._add(value, "h" if value == "~" else "q")
            return
        unknown = "?"
        if found := _KNOWABLE.fullmatch(written):
            unknown = chr(SLOT_BASE + len(self.variables))
            default = found[4] if found[3] else None
            self.variables.append(Variable(found[1] or found[2], default))
        elif written in _FOLDER:
            unknown = chr(SLOT_BASE + len(self.variables))
            self.variables.append(Variable(WORKING))
        elif found := _USES.match(written):
            # What it makes of the variable's value is not known, but whose value it is.
            self.variables.append(Variable(found[1]))
        elif expansion.kind == "command_substitution" and len(expansion.nested) == 1:
            command = expansion.nested[0]
            if isinstance(command, Command | Pipeline):
                unknown = chr(SLOT_BASE + len(self.variables))
                self.variables.append(Variable("", None, command))
        if quoted:
            self._add(
                unknown, "u" if "@" in written and expansion.kind != "command_substitution" else "v"
            )
        elif expansion.kind == "process_substitution":
            self._add(PIPES, "q")
            self._add(unknown, "v")
        else:
            self._add(unknown, "v" if expansion.kind == "arithmetic_expansion" else "u")

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
            # bash divides no value in a word with such a `$`.
            self.empty = True
            self._add("$", "q")
