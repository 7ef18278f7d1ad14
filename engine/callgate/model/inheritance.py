"""What a bundle has from another one that it extends, and what it replaces there."""

from __future__ import annotations

from dataclasses import dataclass, field

from callgate.model.span import Span

__all__ = ["Base", "Replacement"]


@dataclass(frozen=True, slots=True)
class Base:
    """A bundle that another one extends."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Replacement:
    """An inherited thing that a bundle replaces, or removes (not `redefined`): the word for it in
    `replaces`, its name, why, and the bundle that it is inherited from."""

    kind: str
    name: str
    reason: str
    base: str
    redefined: bool
    span: Span | None = field(default=None, compare=False)
