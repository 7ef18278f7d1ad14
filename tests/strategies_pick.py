"""Choices of the generators, each one draw of Hypothesis, so that examples shrink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

__all__ = ["Pick", "picked"]

T = TypeVar("T")

_INDICES = [st.integers(0, last) for last in range(1024)]


class Pick:
    """Makes choices by Hypothesis's `draw`; simpler choices come first."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw

    def of(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self._draw(_INDICES[len(items) - 1])] if len(items) > 1 else items[0]

    def flip(self) -> bool:
        """Yes or no."""
        return bool(self._draw(_INDICES[1]))

    def number(self, least: int, most: int) -> int:
        """A number between the two."""
        return least + self._draw(_INDICES[most - least])

    def some(self, items: Sequence[T], least: int, most: int) -> list[T]:
        """Between `least` and `most` different items."""
        left = list(items)
        return [
            left.pop(self._draw(_INDICES[len(left) - 1])) for _ in range(self.number(least, most))
        ]


def picked(make: Callable[..., T]) -> Callable[..., st.SearchStrategy[T]]:
    """The strategy of a function whose first argument is a Pick."""

    @st.composite
    def strategy(draw: Any, *args: Any, **named: Any) -> T:
        return make(Pick(draw), *args, **named)

    return strategy
