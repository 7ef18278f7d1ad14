"""Words of characters with marks (see `callgate.effects.shell.words`): tilde, globs, pieces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from callgate.effects.shell.bounds import MAX_BYTES
from callgate.effects.shell.tree import Span, Word
from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Names", "expand_tilde", "word_of_marks"]

_TILDE_AFTER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=(?=~)")


@dataclass(slots=True)
class Names:
    """The variables that words are decoded with. `home` is a path, `~` while nobody knows it, or
    UNKNOWN when the text changes it; `cwd` likewise, without `~`. `unread`: how many characters may
    still be parsed, also again, as parts of parts."""

    home: str | Unknown
    cwd: str | Unknown
    unread: int = 4 * MAX_BYTES


def expand_tilde(chars: str, marks: str, names: Names, cut: int) -> tuple[str, str]:
    """Tilde expansion at the word's start, or after the `=` of what looks like an assignment.
    `cut`: where quotes with nothing in them stand, or -1."""
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
    if 0 <= cut <= stop:
        return chars, marks
    who = chars[at + 1 : stop]
    if ":" in who:
        # There bash ends the name, and reads what follows in a way of its own (`~:~$A`).
        return chars[:at] + "?" + chars[stop:], marks[:at] + "u" + marks[stop:]
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


def word_of_marks(chars: str, marks: str, span: Span) -> Word:
    """The word that some characters with their marks are."""
    glob = _has_glob(chars, marks)
    home = marks.find("h")
    odd_home = home > 0 and (chars[home - 1] not in "=:" or marks.count("h") > 1)
    if "u" not in marks and "v" not in marks and not odd_home:
        below = "b" in marks
        return Word(chars, span, home=home, glob=glob or below, below=below)
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
