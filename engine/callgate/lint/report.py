"""What lint tells of a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from callgate.lint.rule import Finding

__all__ = ["Report"]


@dataclass(frozen=True, slots=True)
class Report:
    """What was found in a bundle, sorted; how many findings were left out because comments or the
    configuration ask for it, and which entries of its `ignores` did; seconds of each rule."""

    findings: tuple[Finding, ...]
    ignored: int = 0
    used_entries: frozenset[int] = frozenset()
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
