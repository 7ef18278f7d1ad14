"""Did-you-mean: the nearest of the words that would have been right."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["closest", "edit_distance"]


def edit_distance(left: str, right: str, limit: int) -> int:
    """How many letters must be added, dropped, replaced or swapped with their neighbour to get
    from one word to the other. Any result above `limit` only says "more than `limit`"."""
    if abs(len(left) - len(right)) > limit:
        return limit + 1
    earlier: list[int] = []
    last = list(range(len(right) + 1))
    for i, a in enumerate(left):
        row = [i + 1]
        for j, b in enumerate(right):
            cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a != b))
            if i and j and a == right[j - 1] and left[i - 1] == b:
                cost = min(cost, earlier[j - 1] + 1)
            row.append(cost)
        if min(row) > limit and min(last) > limit:
            return limit + 1
        earlier, last = last, row
    return last[-1]


def closest(word: str, candidates: Iterable[str], limit: int | None = None) -> str | None:
    """The candidate that `word` was probably meant to be, or None.

    Case and the difference between `-` and `_` cost nothing. At most `limit` other letters may
    differ; by default 1 in words of up to 4 letters, 2 up to 8, else 3.
    """
    if limit is None:
        limit = 1 if len(word) <= 4 else 2 if len(word) <= 8 else 3
    plain = _plain(word)
    letters = set(plain)
    best: tuple[int, str] | None = None
    for candidate in candidates:
        other = _plain(candidate)
        # Every letter that only one of them has takes a change of its own.
        if len(letters.difference(other)) > limit or len(set(other) - letters) > limit:
            continue
        distance = edit_distance(plain, other, limit)
        if distance <= limit and (best is None or (distance, candidate) < best):
            best = (distance, candidate)
    return best[1] if best else None


def _plain(word: str) -> str:
    return word.lower().replace("-", "_")
