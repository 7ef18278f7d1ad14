"""Run-time values that Python has no word for."""

from __future__ import annotations

from typing import Final, NoReturn

__all__ = ["UNKNOWN", "Unknown"]


class Unknown:
    """The third truth value, and the value of a word that can't be resolved.

    There is one instance, `UNKNOWN`. Using it as a condition is a mistake in the engine and
    raises, so that "unknown" never becomes "true" by accident.
    """

    __slots__ = ()

    def __bool__(self) -> NoReturn:
        raise TypeError("UNKNOWN has no truth value")

    def __repr__(self) -> str:
        return "unknown"

    def __copy__(self) -> Unknown:
        return self

    def __deepcopy__(self, memo: object) -> Unknown:
        return self


UNKNOWN: Final = Unknown()
