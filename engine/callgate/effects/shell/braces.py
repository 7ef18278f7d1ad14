"""Brace expansion: `{a,b}` and `{1..5}` in a word whose quotes are already gone."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["MAX_RANGE", "MAX_WORDS", "expand_braces"]

MAX_WORDS: Final = 64
"""A word that expands to more than this is not understood."""

MAX_RANGE: Final = 256
"""Nor is one with a longer range of numbers or letters."""

_MAX_OPEN: Final = 64
_RANGE: Final = re.compile(r"(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.-?(\d{1,9}))?")

Marked = tuple[str, str]


def expand_braces(chars: str, marks: str) -> list[Marked] | None:
    """The words that a word expands to, in order; None when there are too many.

    `marks` has a letter for every character; only those marked `a` are active.
    """
    if sum(c == "{" and m == "a" for c, m in zip(chars, marks, strict=True)) > _MAX_OPEN:
        return None
    try:
        return _expand(chars, marks)
    except _TooManyError:
        return None


class _TooManyError(Exception):
    """More words than MAX_WORDS."""


def _expand(chars: str, marks: str) -> list[Marked]:
    start = 0
    while (start := _active(chars, marks, "{", start)) >= 0:
        found = _close(chars, marks, start)
        if found is not None:
            end, cuts = found
            items = _items(chars, marks, start, end, cuts)
            if items is not None:
                break
        start += 1
    else:
        return [(chars, marks)]
    tails = _expand(chars[end + 1 :], marks[end + 1 :])
    if len(items) * len(tails) > (MAX_WORDS if len(tails) > 1 else MAX_RANGE):
        raise _TooManyError
    head, head_marks = chars[:start], marks[:start]
    return [
        (head + item + tail, head_marks + item_marks + tail_marks)
        for item, item_marks in items
        for tail, tail_marks in tails
    ]


def _active(chars: str, marks: str, wanted: str, start: int) -> int:
    while (start := chars.find(wanted, start)) >= 0 and marks[start] != "a":
        start += 1
    return start


def _close(chars: str, marks: str, start: int) -> tuple[int, list[int]] | None:
    """The place of the brace that closes the one at `start`, and of the commas between them."""
    depth, cuts = 0, []
    for index in range(start, len(chars)):
        if marks[index] != "a":
            continue
        char = chars[index]
        if char == "{":
            depth += 1
        elif char == "," and depth == 1:
            cuts.append(index)
        elif char == "}":
            depth -= 1
            if depth == 0:
                return index, cuts
    return None


def _items(chars: str, marks: str, start: int, end: int, cuts: list[int]) -> list[Marked] | None:
    """What stands between a pair of braces; None when it is no list."""
    if not cuts:
        return _range(chars[start + 1 : end], marks[start + 1 : end])
    items: list[Marked] = []
    for left, right in zip([start, *cuts], [*cuts, end], strict=True):
        items += _expand(chars[left + 1 : right], marks[left + 1 : right])
        if len(items) > MAX_WORDS:
            raise _TooManyError
    return items


def _range(chars: str, marks: str) -> list[Marked] | None:
    found = _RANGE.fullmatch(chars)
    if found is None or marks.strip("a"):
        return None
    first, last, step = found.groups()
    if first.isalpha() != last.isalpha():
        return None
    low, high = (ord(first), ord(last)) if first.isalpha() else (int(first), int(last))
    stride = int(step or 1) or 1
    if abs(high - low) // stride >= MAX_RANGE:
        raise _TooManyError
    numbers = range(low, high + 1, stride) if high >= low else range(low, high - 1, -stride)
    if first.isalpha():
        texts = [chr(number) for number in numbers]
    else:
        # `{01..10}`: as many digits as the longer of the two.
        padded = any(text.lstrip("-").startswith("0") and len(text) > 1 for text in (first, last))
        width = max(len(first), len(last)) if padded else 0
        texts = [str(number).zfill(width) for number in numbers]
    return [(text, "a" * len(text)) for text in texts]
