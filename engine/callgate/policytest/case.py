"""A case: a call, and what is expected of its decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from callgate.model.span import Span

__all__ = ["EXPECTED", "Case"]

EXPECTED: Final = (
    "decision",
    "rule",
    "step",
    "risk",
    "called_as",
    "capabilities",
    "matched",
    "approval_source",
    "pending",
    "error",
    "effects",
    "reason",
    "obligations",
    "shown",
)
"""What a case may expect of a decision, in the order in which it is compared."""


@dataclass(frozen=True, slots=True)
class Case:
    """A call under settings, and what is expected; `span` is where a person would mend it.
    `confirmed`: False for one that was proposed and that nobody has said yes to."""

    name: str
    call: Mapping[str, Any]
    settings: Mapping[str, Any]
    expect: Mapping[str, Any]
    span: Span
    confirmed: bool = True
