"""Patterns of file names (`*.py`) as a shell may read them: what nobody knows for sure matches."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

__all__ = ["is_active", "may_match"]

_ACTIVE: Final = frozenset("*?[")
_SET_OPENS: Final = re.compile(r"\[[!^]?\]?")
_CLASS_OPENS: Final = re.compile(r"\[[:=.]|\]")
_CLASS_ENDS: Final = re.compile(r"[:=.]\]")
_UNSURE: Final = frozenset("-^![:\\")
"""What in a set of characters (`[a-z]`) shells and languages read in more ways than one."""

_EMPTY: Final = {"[]": "[[]]", "[!]": "*", "[^]": "*"}
"""Sets of nothing: a name, or whatever a shell makes of them."""


def is_active(text: str) -> bool:
    """Whether a path or name has characters that may make a pattern of it."""
    return not _ACTIVE.isdisjoint(text)


def may_match(name: str, part: str) -> bool:
    """Whether a pattern without slashes may match a name, or is that name: nobody knows whether
    somebody quoted it."""
    if name == part:
        return True
    if name[:1] == "." and part[:1] not in (".", "["):
        return False
    # Which bytes make up one character is another matter for each locale.
    return fnmatchcase(name, _wide(part, name.isascii()))


@lru_cache(maxsize=4096)
def _wide(part: str, ascii_: bool) -> str:
    """A pattern that matches at least the same names, with sets that all read alike."""
    pieces: list[str] = []
    at = 0
    while (start := part.find("[", at)) >= 0 and part.find("]", start) >= 0:
        pieces.append(part[at:start])
        at, sure = _set_end(part, start)
        pieces.append(_wide_set(part[start:at]) if sure and ascii_ else "*")
    pieces.append(part[at:].replace("[", "[[]"))
    pattern = "".join(pieces)
    return pattern if ascii_ else pattern.replace("?", "*")


def _set_end(part: str, start: int) -> tuple[int, bool]:
    """Where the set of characters ends that a bracket begins, and whether that is sure: a class in
    it (`[:alpha:]`) may have taken its end, and then all of the rest may be in it."""
    opens = _SET_OPENS.match(part, start)
    at = first = opens.end() if opens else start
    jumped, classes = False, True
    while found := _CLASS_OPENS.search(part, at):
        at = found.end()
        if found[0] == "]":
            return at, True
        ends = _CLASS_ENDS.search(part, at) if classes else None
        # Where there is no end of a class, there is none further on.
        classes = ends is not None
        if ends is not None:
            at, jumped = ends.end(), True
    return (len(part), False) if jumped else (first, True)


def _wide_set(text: str) -> str:
    if text in _EMPTY:
        return _EMPTY[text]
    return text if _UNSURE.isdisjoint(text[1:-1]) else "*" if "[" in text[1:] else "?"
