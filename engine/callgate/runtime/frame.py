"""The facts of one call while it is walked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from callgate.model.effect import EffectSet

__all__ = ["EMPTY", "MAX_WORK", "Frame", "IdleMatch", "Match", "TooMuchWorkError"]

EMPTY: Final[Mapping[str, Any]] = {}


MAX_WORK: Final = 200_000
"""How many items the conditions of one decision may look at: a bound on its time."""


class TooMuchWorkError(Exception):
    """A call whose many parts would make the policy's quantifiers slow; it decides deny."""


class Match:
    """A guard that fired, or whose condition could not be known (`unresolved`).

    `guard` is its index in the graph, or -1 for the built-in ask for opaque effects. `decide` is
    what it did: deny, ask or note. `approval` is the level of an ask. `effect` is what it fired on.
    """

    __slots__ = ("approval", "decide", "effect", "guard", "unresolved")

    # Nearly every match stands; what does not is an `IdleMatch`.
    stands: ClassVar[bool] = True

    def __init__(
        self, guard: int, decide: str, approval: str, effect: Any, unresolved: bool
    ) -> None:
        self.guard = guard
        self.decide = decide
        self.approval = approval
        self.effect = effect
        self.unresolved = unresolved


class IdleMatch(Match):
    """What a `shadow` would have done, or a guard that an `exception` (its id) held back."""

    __slots__ = ("exception", "shadow")

    stands: ClassVar[bool] = False

    def __init__(self, match: Match, shadow: bool, exception: str | None) -> None:
        super().__init__(match.guard, match.decide, match.approval, match.effect, match.unresolved)
        self.shadow = shadow
        self.exception = exception


class Frame:
    """A checked snapshot of a call: dicts are copies, so the caller may go on with its own.

    `risk`, `capabilities` and `effects` are filled in when they are first read.
    """

    tool: str
    called_as: str
    args: dict[str, Any]
    context: dict[str, Any]
    risk: str
    capabilities: tuple[str, ...]
    # What most calls do without stands on the class, so that it costs them nothing.
    live: bool = False
    """Whether it will run: then what nobody observed is unknown, and nothing is assumed."""
    id: str | None = None
    declared: Mapping[str, Any] = EMPTY
    observed: Mapping[str, Any] = EMPTY
    answers: Mapping[str, Any] = EMPTY
    dynamic: Sequence[Mapping[str, Any]] = ()
    effects: EffectSet | None = None
    asks: str = "none"
    matches: Sequence[Match] = ()
    work: int = 0
    caller: tuple[str, ...] | None = None
    """What the guards know the caller by, once one has asked."""

    def spend(self, items: int) -> None:
        """Count items that a condition looks at; raises TooMuchWorkError beyond `MAX_WORK`."""
        self.work += items
        if self.work > MAX_WORK:
            raise TooMuchWorkError
