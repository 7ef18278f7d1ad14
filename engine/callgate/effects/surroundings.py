"""What the host says about the place where a call runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

__all__ = ["Surroundings"]


@dataclass(slots=True)
class Surroundings:
    """Folders and observations; an empty string or mapping says nothing.

    `cwd`, `workspace`, `home`: absolute paths. `links`: path → where its links lead. `dns`: host →
    addresses. `strict`: what nobody observed is unknown, instead of being taken for granted (and
    listed in `EffectSet.assumed`). `looked`: somebody looked at the way of every path of this call:
    what is not among `links` is no link. (A path that could not be looked at leads to "".)
    """

    cwd: str = ""
    workspace: str = ""
    home: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    dns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    strict: bool = False
    looked: bool = False
