"""How often tests came to what."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from callgate.model.values import UNKNOWN

__all__ = ["Counts", "Tally"]


@dataclass(slots=True)
class Tally:
    """How often a condition was true, false and unknown."""

    true: int = 0
    false: int = 0
    unknown: int = 0

    def add(self, value: object) -> None:
        """Count a value: True, False or UNKNOWN."""
        if value is True:
            self.true += 1
        elif value is UNKNOWN:
            self.unknown += 1
        else:
            self.false += 1

    def merge(self, other: Tally) -> None:
        """Add what another one counted."""
        self.true += other.true
        self.false += other.false
        self.unknown += other.unknown


@dataclass(slots=True)
class Counts:
    """By the keys of items: how often a node was reached, what a branch came to, and what each
    numbered part of its condition was."""

    nodes: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))
    branches: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    parts: defaultdict[tuple[str, int], Tally] = field(default_factory=lambda: defaultdict(Tally))

    def merge(self, other: Counts) -> None:
        """Add what another one counted."""
        for key, count in other.nodes.items():
            self.nodes[key] += count
        for key, tally in other.branches.items():
            self.branches[key].merge(tally)
        for part, tally in other.parts.items():
            self.parts[part].merge(tally)

    def __reduce__(self) -> tuple[object, ...]:
        return _of, (dict(self.nodes), dict(self.branches), dict(self.parts))


def _of(
    nodes: dict[str, int], branches: dict[str, Tally], parts: dict[tuple[str, int], Tally]
) -> Counts:
    return Counts(defaultdict(int, nodes), defaultdict(Tally, branches), defaultdict(Tally, parts))
