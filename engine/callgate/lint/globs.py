"""What two globs are to each other, for every text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from callgate.stdlib.text import like

__all__ = ["glob_covers", "globs_apart"]

_like: Final = like.implementation

_ANY_TEXT: Final = "\ue000"
"""Stands for whatever a `*` is: no glob has it."""


def glob_covers(outer: str, inner: str) -> bool:
    """Whether every text that fits one glob fits another. False where that takes more than a look
    at the pieces."""
    return outer == inner or _like(inner.replace("*", _ANY_TEXT), outer)


def globs_apart(one: str, other: str) -> bool:
    """Whether no text fits two globs, by what they begin and end with."""
    if "*" not in one:
        return not _like(one, other)
    if "*" not in other:
        return not _like(other, one)
    mine, theirs = one.split("*"), other.split("*")
    return _differ(str.startswith, mine[0], theirs[0]) or _differ(
        str.endswith, mine[-1], theirs[-1]
    )


def _differ(test: Callable[[str, str], bool], one: str, other: str) -> bool:
    return not test(one, other) and not test(other, one)
