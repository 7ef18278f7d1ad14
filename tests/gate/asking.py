"""Questions that people are asked, and a clock that goes where it is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from callgate.gate.question import Choice, Question

__all__ = ["NOON", "Clock", "question"]

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)

CHOICES = (
    Choice("once", "this one call"),
    Choice("always", "`git push` in `/srv/app`, for this user and agent, until it is revoked"),
)


class Clock:
    """A clock that goes where it is told, in seconds."""

    def __init__(self) -> None:
        self.time = NOON

    def __call__(self) -> datetime:
        return self.time

    def go(self, seconds: float) -> None:
        """Forwards, or back."""
        self.time += timedelta(seconds=seconds)


def question(name: str = "git push", **changes: Any) -> Question:
    """A question about a command; `name` makes it another one."""
    given: dict[str, Any] = {
        "tool": "exec",
        "called_as": "bash",
        "digest": sha256(name.encode()).hexdigest(),
        "risk": "exec",
        "reasons": ("the policy wants somebody's word on calls of this kind",),
        "effects": (f"runs {name}", "connects to origin"),
        "text": f"command: {name}",
        "choices": CHOICES,
        "session": "s1",
        "user": "ann",
        "agent": "main",
        "channel": "telegram",
        "wait_seconds": 120.0,
    }
    return Question(**{**given, **changes})
