"""Variables in words: what a word is once the values of its variables are known.

A value is its characters with a mark for each: `q`, or `g` for what names files wherever it stands
(the word of a `for` loop), `b` for what stands for names below a folder, or `h` for a `~` that
means a home folder nobody knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from callgate.effects.shell.marks import word_of_marks
from callgate.effects.shell.tree import SLOT_BASE, Slots, Variable, Word, unresolved

__all__ = ["Value", "fill", "value_of"]

Value = tuple[str, str]
"""The characters of a value, and their marks."""

MAX_VALUE: Final = 4096
"""A longer value is not followed."""

_ACTIVE: Final = frozenset("*?[")
_BLANKS: Final = frozenset(" \t\n")


def value_of(word: Word, *, names_files: bool = False) -> Value | None:
    """The value that a word gives a variable; None when it isn't known. `names_files`: each of the
    files that the word names is a value."""
    text = word.text
    if not isinstance(text, str) or len(text) > MAX_VALUE:
        return None
    if word.below and not word.glob:
        text = f"{text.rstrip('/')}/**/*"
    marks = "q" * len(text)
    if word.below:
        marks = "".join("b" if char in _ACTIVE else "q" for char in text)
    elif names_files and word.glob:
        marks = "".join("g" if char in _ACTIVE else "q" for char in text)
    if word.home >= 0:
        marks = marks[: word.home] + "h" + marks[word.home + 1 :]
    return text, marks


def fill(word: Word, lookup: Callable[[Variable], Value | None]) -> list[Word] | None:
    """The words that a word with variables is; None when none of its variables is known.
    `lookup` knows the values."""
    slots = word.slots
    if slots is None:
        return None
    known: list[Value | None] = []
    for variable in slots.variables:
        value = lookup(variable)
        if value is not None and not value[0] and variable.default is not None:
            value = variable.default, "q" * len(variable.default)
        known.append(value)
    if not any(value is not None for value in known):
        return None
    filler = _Filler()
    for char, mark in zip(slots.chars, slots.marks, strict=True):
        index = ord(char) - SLOT_BASE
        value = known[index] if mark in "uv" and 0 <= index < len(known) else None
        if value is None:
            filler.add(char, mark)
        elif mark == "v":
            filler.quoted(value)
        elif "\\" in value[0] and not _ACTIVE.isdisjoint(value[0]):
            return [unresolved(word.span, splits=True)]
        else:
            filler.unquoted(value)
        if filler.length > MAX_VALUE:
            return [unresolved(word.span, splits=True)]
    filler.end()
    return [_made(chars, marks, slots, word) for chars, marks in filler.fields]


def _made(chars: str, marks: str, slots: Slots, word: Word) -> Word:
    made = word_of_marks(chars, marks, word.span)
    if not isinstance(made.text, str):
        made.slots = replace(slots, chars=chars, marks=marks)
    made.process = word.process
    return made


class _Filler:
    """Puts the words together. `length`: of all that was added."""

    def __init__(self) -> None:
        self.fields: list[tuple[str, str]] = []
        self.length = 0
        self._chars = ""
        self._marks = ""
        self._begun = False

    def add(self, chars: str, marks: str) -> None:
        """Add characters to the word that is being made."""
        self._chars += chars
        self._marks += marks
        self._begun = True
        self.length += len(chars)

    def quoted(self, value: Value) -> None:
        """Add a value that stands in quotes."""
        self.add(value[0], value[1].replace("g", "a"))

    def unquoted(self, value: Value) -> None:
        """Add a value that is divided at its blanks."""
        chars, marks = value
        start = 0
        for index, char in enumerate(chars):
            if char in _BLANKS:
                self._piece(chars[start:index], marks[start:index])
                self.end()
                start = index + 1
        self._piece(chars[start:], marks[start:])

    def _piece(self, chars: str, marks: str) -> None:
        if chars:
            self.add(chars, marks.replace("q", "a").replace("g", "a"))

    def end(self) -> None:
        """End a word."""
        if self._begun:
            self.fields.append((self._chars, self._marks))
        self._chars = self._marks = ""
        self._begun = False
