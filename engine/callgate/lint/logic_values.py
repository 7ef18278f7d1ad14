"""What a test leaves of a value: some that are listed, all but some, or a range of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["ANY", "NO", "YES", "Values", "above", "among", "below", "but", "plain", "told"]

_PLAIN: Final = frozenset({str, int, bool})


@dataclass(frozen=True, slots=True)
class Values:
    """A set of values. `listed`: these only (None: no list); `barred`: not these; `low` and `high`:
    numbers from and up to these. Booleans are kept apart from numbers (`told`)."""

    listed: frozenset[Any] | None = None
    barred: frozenset[Any] = frozenset()
    low: int | None = None
    high: int | None = None

    def meet(self, other: Values) -> Values:
        """What is in both."""
        if self is ANY:
            return other
        if other is ANY:
            return self
        barred = self.barred | other.barred
        low = self.low if other.low is None else _most(self.low, other.low)
        high = self.high if other.high is None else _least(self.high, other.high)
        listed = self.listed
        if other.listed is not None:
            listed = other.listed if listed is None else listed & other.listed
        if listed is not None:
            listed = frozenset(v for v in listed if v not in barred and _within(v, low, high))
            return Values(listed)
        return Values(None, barred, low, high)

    def may_be_within(self, other: Values) -> bool:
        """Whether everything in it may be in another set, as far as bounds and lists tell."""
        if other.listed is not None:
            return self.listed is not None and self.listed <= other.listed
        if self.listed is not None:
            return self.meet(other) == Values(self.listed)
        if other.low is not None and (self.low is None or self.low < other.low):
            return False
        return other.high is None or (self.high is not None and self.high <= other.high)

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        if self.listed is not None:
            return not self.listed
        if self.low is None or self.high is None:
            return False
        if self.low > self.high:
            return True
        size = self.high - self.low + 1
        return size <= len(self.barred) and all(n in self.barred for n in self.range)

    @property
    def range(self) -> range:
        """The numbers between the bounds, which are both there."""
        assert self.low is not None and self.high is not None
        return range(self.low, self.high + 1)

    @property
    def rest(self) -> Values:
        """What is not in it, of a set that one test leaves."""
        if self.listed is not None:
            return Values(None, self.listed)
        if self.low is not None:
            return Values(high=self.low - 1)
        if self.high is not None:
            return Values(low=self.high + 1)
        return Values(self.barred)


ANY: Final = Values()


def told(value: Any) -> Any:
    """A plain value as it is kept in a set: true is not 1."""
    return ("bool", value) if type(value) is bool else value


def plain(value: Any) -> bool:
    """Whether it is a text, a number or a boolean."""
    return type(value) in _PLAIN


def among(values: Iterable[Any]) -> Values:
    """These."""
    return Values(frozenset(map(told, values)))


def but(values: Iterable[Any]) -> Values:
    """All but these."""
    return Values(None, frozenset(map(told, values)))


def above(low: int) -> Values:
    """Numbers from `low` up."""
    return Values(low=low)


def below(high: int) -> Values:
    """Numbers up to `high`."""
    return Values(high=high)


YES: Final = among((True,))
NO: Final = among((False,))


def _most(one: int | None, other: int) -> int:
    return other if one is None else max(one, other)


def _least(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def _within(value: Any, low: int | None, high: int | None) -> bool:
    if low is None and high is None:
        return True
    if type(value) is not int:
        return False
    return (low is None or value >= low) and (high is None or value <= high)
