"""A typed condition with its text and place."""

from __future__ import annotations

from dataclasses import dataclass, field

from callgate.model.expr import Expr
from callgate.model.span import Span

__all__ = ["Condition"]


@dataclass(frozen=True, slots=True)
class Condition:
    """A typed condition. `text` is its canonical form; `unknown`: it may evaluate to UNKNOWN."""

    text: str
    expr: Expr
    unknown: bool = False
    span: Span | None = field(default=None, compare=False)
