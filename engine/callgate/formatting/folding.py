"""Breaking texts into the lines of a folded block (`>-`)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection
from typing import Final

from callgate.lang.literals import LITERAL

__all__ = ["fill", "fill_condition", "operator_lines"]

_SPACE: Final = re.compile(r"(?<=[^ \t]) (?=[^ \t])")
_SIGN: Final = re.compile(r"[()\[\]]|(?<![\w.-])(?:and|or)(?![\w-])")
_WHERE: Final = re.compile(r"(?<= where )")
_BRACKETS: Final = {"(": 1, "[": 1, ")": -1, "]": -1}


def fill(text: str, width: int) -> list[str]:
    """Lines of at most `width` characters where spaces allow it, broken at single spaces only."""
    lines: list[str] = []
    for word in _SPACE.split(text):
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def operator_lines(raw: str) -> frozenset[int]:
    """Which of the `and`s and `or`s of a condition begin a line of its own in a folded block.

    `raw`: the block as it is written, its header first. They are numbered from 0.
    """
    lines = [line.strip(" \t") for line in raw.rstrip().split("\n")[1:]]
    starts, at = set(), 0
    for line in lines:
        starts.add(at)
        at += len(line) + 1
    operators = _operators(" ".join(lines))
    return frozenset(n for n, (start, _) in enumerate(operators) if start in starts and start)


def fill_condition(text: str, width: int, broken: Collection[int]) -> list[str]:
    """The lines of a canonical condition: a break before each operator in `broken`; what is longer
    than `width` is broken before the outermost operators, and at other spaces where there are none.
    """
    operators = _operators(text)
    texts = [found.span() for found in LITERAL.finditer(text) if found[0][0] in '"r']
    cuts = [start for n, (start, _) in enumerate(operators) if n in broken]
    lines: list[str] = []
    for start, end in zip([0, *cuts], [*cuts, len(text) + 1], strict=True):
        inside = [(at, depth) for at, depth in operators if start < at < end]
        end -= 1
        while end - start > width:
            at = _break(text, start, width, inside, texts)
            if at is None:
                break
            lines.append(text[start : at - 1])
            start = at
        lines.append(text[start:end])
    return lines


def _break(
    text: str,
    start: int,
    width: int,
    operators: list[tuple[int, int]],
    texts: list[tuple[int, int]],
) -> int | None:
    """Where the next line begins that is broken off a text that begins at `start`. `texts`: where
    the quoted texts in it begin and end."""
    fitting = [(depth, -at) for at, depth in operators if start < at <= start + width + 1]
    if fitting:
        return -min(fitting)[1]
    limit = start + width + 3
    wheres = [found.end() for found in _WHERE.finditer(text, start + 1, limit)]
    spaces = [found.end() for found in _SPACE.finditer(text, start + 1, limit)]
    ahead = texts[bisect_left(texts, start, key=_end) : bisect_left(texts, (limit, 0))]
    outside = [at for at in spaces if not any(a < at <= b for a, b in ahead)]
    for places in (wheres, outside, spaces):
        near = [at for at in places if at <= start + width + 1]
        # Before a word that does not fit on a line of its own, a break is of no use.
        if near and len(text[near[-1] :].partition(" ")[0]) <= width:
            return near[-1]
    return next((at for at, _ in operators if at > start), None)


def _end(span: tuple[int, int]) -> int:
    return span[1]


def _operators(text: str) -> list[tuple[int, int]]:
    """The offsets of all `and`s and `or`s, each with the number of brackets around it."""
    found: list[tuple[int, int]] = []
    depth = at = 0
    for literal in [*LITERAL.finditer(text), None]:
        end = len(text) if literal is None else literal.start()
        for match in _SIGN.finditer(text, at, end):
            step = _BRACKETS.get(match[0])
            if step is None:
                found.append((match.start(), depth))
            else:
                depth += step
        at = len(text) if literal is None else literal.end()
    return found
