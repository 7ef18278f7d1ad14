"""True, false, and what nobody can tell."""

from __future__ import annotations

from collections.abc import Iterable

from callgate.model.values import UNKNOWN, Unknown

__all__ = ["Truth", "both", "every", "some"]

Truth = bool | Unknown


def both(left: Truth, right: Truth) -> Truth:
    """Kleene's and."""
    if left is False or right is False:
        return False
    return UNKNOWN if left is UNKNOWN or right is UNKNOWN else True


def every(items: Iterable[Truth]) -> Truth:
    """Whether all are true; looks no further than the first that is false."""
    result: Truth = True
    for item in items:
        result = both(result, item)
        if result is False:
            return False
    return result


def some(items: Iterable[Truth]) -> Truth:
    """Whether one is true; looks no further than that."""
    result: Truth = False
    for item in items:
        if item is True:
            return True
        if item is UNKNOWN:
            result = UNKNOWN
    return result
