"""Reasons with slots."""

from __future__ import annotations

from dataclasses import dataclass

from callgate.model.expr import Expr

__all__ = ["Template"]


@dataclass(frozen=True, slots=True)
class Template:
    """A reason: literal texts and expressions in turn (`deletes {d.path}`)."""

    parts: tuple[str | Expr, ...]
