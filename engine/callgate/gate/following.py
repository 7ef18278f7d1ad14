"""Which version of the policy operators have named, and how a process that could not get there
tries again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from callgate.gate.control_state import ControlState

__all__ = ["LONGEST_PAUSE", "Behind", "Wanted", "after", "other_than", "wanted_of", "whole"]

LONGEST_PAUSE: Final = 300.0
"""How many seconds at most until a version that is wanted is tried again."""

_MANY: Final = 30
"""So many tries that the pauses are the longest."""


class Wanted(NamedTuple):
    """A version as the control file names it."""

    generation: int
    digest: str | None
    pinned: bool


@dataclass(frozen=True, slots=True)
class Behind:
    """A version that was named and is not in force. `tries`: how often it was tried; `due`: when it
    is tried next, in seconds of a clock that is never set back; `why`: why it failed last."""

    tries: int
    due: float
    why: str


def wanted_of(state: ControlState) -> Wanted:
    """The version that is named."""
    return Wanted(state.generation, state.digest, state.pinned)


def other_than(digest: str, made: str) -> str:
    """In words: the version of this digest is wanted, and the source gives another one."""
    return f"{digest} is wanted, and here the source gives {made}"


def whole(at: float, why: str) -> Behind:
    """What follows where a process begins with another version than is named, at a time. Its files
    are whole, so there is nothing to wait for soon: the longest pause."""
    return Behind(_MANY, at + LONGEST_PAUSE, why)


def after(behind: Behind | None, at: float, why: str) -> Behind:
    """What follows another failure, at a time: pauses of 1, 2, 4 … seconds."""
    tries = 1 if behind is None else behind.tries + 1
    return Behind(tries, at + min(LONGEST_PAUSE, 2.0 ** min(tries - 1, _MANY)), why)
