"""Typed conditions with another name for what is bound."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from callgate.model.expr import Expr, Var

__all__ = ["renamed"]


def renamed(expr: Expr, old: str, new: str) -> Expr:
    """The condition with a bound name replaced by another that does not occur in it."""
    if isinstance(expr, Var):
        return Var(new) if expr.name == old else expr
    changes: dict[str, Any] = {}
    for field in fields(expr):  # type: ignore[arg-type]
        value = getattr(expr, field.name)
        if isinstance(value, Expr):
            changes[field.name] = renamed(value, old, new)
        elif isinstance(value, tuple) and value and isinstance(value[0], Expr):
            changes[field.name] = tuple(renamed(item, old, new) for item in value)
    return replace(expr, **changes) if changes else expr  # type: ignore[type-var]
