"""What kind of failure a tool's result tells of."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

__all__ = ["FINAL", "ErrorKind", "ToolError"]


class ErrorKind(StrEnum):
    """Why a call failed: the values of `ToolResult.error_kind`.

    Whoever reads a result can tell what to do about it from this word alone. A tool may use words
    of its own for failures that only it knows.
    """

    POLICY = "policy"
    """The policy refuses the call, or what it touches changed after it was judged."""
    APPROVAL_PENDING = "approval_pending"
    """Somebody has been asked and has not answered yet."""
    APPROVAL_DENIED = "approval_denied"
    """A person or the reviewer said no."""
    APPROVAL_TIMEOUT = "approval_timeout"
    """Nobody answered in time."""
    APPROVAL_UNAVAILABLE = "approval_unavailable"
    """Nobody could be asked: the reviewer, the database or the way to a person is out of order."""
    DEPENDENCY = "dependency"
    """Something that the tool needs is not there: a key, a package, a service."""
    MISSING_FILE = "missing_file"
    """A file or folder that the call names does not exist."""
    TIMEOUT = "timeout"
    """The tool, or what it waited for, took too long."""
    CHALLENGE = "challenge"
    """A site answered with a page that wants proof of a human visitor, instead of what it holds."""
    INVALID = "invalid"
    """There is no such tool, or the parameters do not fit it."""
    BUSINESS = "business"
    """The tool worked as it should, and what was asked for can't be done."""
    CANCELLED = "cancelled"
    """The tool was cancelled, or cancelled itself."""
    REPLAY = "replay"
    """The same call has run, or is running: it is not run twice."""
    INTERNAL = "internal"
    """A fault in the tool, or around it."""


FINAL: Final = frozenset(
    {
        ErrorKind.POLICY,
        ErrorKind.APPROVAL_PENDING,
        ErrorKind.APPROVAL_DENIED,
        ErrorKind.APPROVAL_TIMEOUT,
        ErrorKind.APPROVAL_UNAVAILABLE,
        ErrorKind.CHALLENGE,
        ErrorKind.INVALID,
        ErrorKind.CANCELLED,
        ErrorKind.REPLAY,
    }
)
"""Kinds after which nothing is tried again: the next attempt would be answered the same."""


class ToolError(Exception):
    """What a tool may raise instead of returning a failed result: `message` is shown to the agent,
    `error_kind` says what kind of failure it is. In a stream it is the only way to say so."""

    def __init__(self, message: str, error_kind: str = ErrorKind.BUSINESS) -> None:
        super().__init__(message)
        self.error_kind = str(error_kind)
