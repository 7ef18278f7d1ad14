"""Where regular expressions (`/a[b/]c/i`) end in code."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["RegexLiterals"]

_REGEX: Final = re.compile(r"/(?!\*)(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")


class RegexLiterals:
    """Finds regular expressions of one text, up to `end`. Code may hold a slash at every other
    place, and any of them may be the beginning of one that never ends: so once one on a line is
    none, the rest of the line is looked through once for all of them."""

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self._first = self._stop = 0
        self._closes = bytearray()

    def end_of(self, at: int) -> int:
        """Where the regular expression ends that a slash begins, or 0 where it begins none."""
        if at < self._stop and not self._closes[at + 1 - self._first]:
            return 0
        found = _REGEX.match(self._text, at, self._end)
        if found is not None:
            return found.end()
        if at >= self._stop:
            self._look(at)
        return 0

    def _look(self, at: int) -> None:
        """Note for each place of a line, from `at` on, whether a slash would close what stands from
        there on."""
        text = self._text
        stop = text.find("\n", at, self._end)
        stop = self._end if stop < 0 else stop
        outside, inside = bytearray(stop - at + 2), bytearray(stop - at + 2)
        for place in range(stop - 1, at - 1, -1):
            char, here = text[place], place - at
            if char == "\\":
                outside[here], inside[here] = outside[here + 2], inside[here + 2]
                continue
            outside[here] = char == "/" or (inside if char == "[" else outside)[here + 1]
            inside[here] = (outside if char == "]" else inside)[here + 1]
        self._first, self._stop, self._closes = at, stop, outside
