"""Relations with one value, or with any of a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from callgate.model.values import UNKNOWN

__all__ = ["one_of"]


def one_of(test: Callable[[Any, Any], bool], value: str, others: str | Sequence[Any]) -> Any:
    """Whether the relation holds for the one other value or for one of several; UNKNOWN only
    where an unknown one could decide it."""
    if isinstance(others, str):
        return test(value, others)
    unknown = False
    for other in others:
        if other is UNKNOWN:
            unknown = True
        elif test(value, other):
            return True
    return UNKNOWN if unknown else False
