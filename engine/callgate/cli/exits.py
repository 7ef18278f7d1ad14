"""Exit codes: what a script may rely on."""

from __future__ import annotations

from typing import Final

__all__ = ["ASK", "DENY", "FAILURE", "FINDINGS", "INTERRUPTED", "OK", "of_decision"]

OK: Final = 0
"""Success; of a single call: it is allowed."""

FAILURE: Final = 1
"""A wrong command line, an unreadable input, a line that is not a call."""

DENY: Final = 2
"""The call is denied."""

FINDINGS: Final = 3
"""The policy or its settings are invalid, a policy test failed, or records are not as they were
written."""

ASK: Final = 4
"""Somebody has to be asked first."""

INTERRUPTED: Final = 130
"""Stopped from the keyboard, as shells number it."""


def of_decision(decision: str) -> int:
    """The exit code of a single call's decision (`allow`, `ask` or `deny`)."""
    return {"allow": OK, "ask": ASK, "deny": DENY}[decision]
