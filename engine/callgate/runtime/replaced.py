"""Where a text is replaced by step after step, each of which reads what the one before left."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

__all__ = ["Step", "replaced"]

Step = Callable[[str], Iterable[tuple[int, int]]]
"""The ranges of a text that a step replaces, in order, none of them empty."""


def replaced(text: str, steps: Iterable[Step], mark: str) -> list[tuple[int, int]]:
    """The ranges of `text` that `steps` replace by `mark`, in order and apart from each other."""
    # Where each character of the text, as it is by then, begins and ends in the one that was given.
    # Arrays are copied fast: each of very many secrets that is found makes new ones.
    begins: array[int] | range = range(len(text))
    ends: array[int] | range = range(1, len(text) + 1)
    ranges: list[tuple[int, int]] = []
    for step in steps:
        pieces: list[str] = []
        new_begins, new_ends = array("l"), array("l")
        at = 0
        for start, end in step(text):
            begin, stop = begins[start], ends[end - 1]
            ranges.append((begin, stop))
            pieces += (text[at:start], mark)
            new_begins.extend(begins[at:start])
            new_begins.extend([begin] * len(mark))
            new_ends.extend(ends[at:start])
            new_ends.extend([stop] * len(mark))
            at = end
        if pieces:
            new_begins.extend(begins[at:])
            new_ends.extend(ends[at:])
            text = "".join([*pieces, text[at:]])
            begins, ends = new_begins, new_ends
    return _apart(ranges)


def _apart(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    apart: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if apart and start <= apart[-1][1]:
            apart[-1] = (apart[-1][0], max(end, apart[-1][1]))
        else:
            apart.append((start, end))
    return apart
