"""What went wrong with a call, as a result: its kind, and one line without secrets."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

from callgate.gate.approval import Approval
from callgate.runtime.interpreter import Program
from callgate.runtime.masking import Masker
from callgate.runtime.render import View
from callgate.tools.kinds import ErrorKind
from callgate.tools.tool import ToolResult

__all__ = ["Teller", "failed", "refused", "went_wrong"]

_NOTHING: Final[Mapping[str, Any]] = {}
_PLAIN: Final = Masker((), ())
_KINDS: Final[Sequence[tuple[type[Exception], ErrorKind]]] = (
    (FileNotFoundError, ErrorKind.MISSING_FILE),
    (TimeoutError, ErrorKind.TIMEOUT),
    (ImportError, ErrorKind.DEPENDENCY),
    (ConnectionError, ErrorKind.DEPENDENCY),
)


def failed(error: str, kind: str, **metadata: Any) -> ToolResult:
    """A failed result."""
    return ToolResult(False, error=error, error_kind=str(kind), metadata=metadata)


def went_wrong(error: Exception) -> ToolResult:
    """The result where a check, or what is around a tool, failed, and not the tool."""
    return failed(f"the call could not be made ({type(error).__name__})", ErrorKind.INTERNAL)


def refused(approval: Approval) -> ToolResult:
    """The result of a call that the gate does not let pass."""
    kind = approval.kind or ErrorKind.POLICY
    reason = approval.reason or "the call is not allowed"
    return failed(
        reason,
        kind,
        rule=approval.decision.rule,
        notice=approval.notice,
        terminal=approval.terminal,
        request_id=approval.request_id,
    )


class Teller:
    """Tells of failures. `credentials` of the context are masked, and what the policy calls secret;
    `approval` is the gate's, once there is one, whose arguments may hold secrets."""

    def __init__(
        self,
        program: Program | None,
        credentials: Mapping[str, Any] = _NOTHING,
        approval: Approval | None = None,
    ) -> None:
        self._program = program
        self._credentials = credentials
        self._approval = approval

    def line(self, text: Any) -> str:
        """A text as one safe line of at most 120 characters."""
        text = str(text)
        for secret in Masker.texts_in(self._credentials):
            text = text.replace(secret, "***")
        if self._approval is not None:
            decision = self._approval.decision
            if isinstance(decision.source, Program):
                return View(decision.source, decision).show(text)
        return (_PLAIN if self._program is None else self._program.masker).show(text)

    def result(self, error: BaseException) -> ToolResult:
        """The result of what a tool raised: no traceback, and no secrets."""
        try:
            text = self.line(error)
        except Exception:
            text = ""
        name = type(error).__name__
        kind = _kind(error)
        if not text:
            text = name
        elif getattr(error, "error_kind", None) != kind:
            text = f"{name}: {text}"
        return failed(text, kind)


def _kind(error: BaseException) -> str:
    said = getattr(error, "error_kind", None)
    if isinstance(said, str) and said:
        return said
    for type_, kind in _KINDS:
        if isinstance(error, type_):
            return kind
    if isinstance(error, OSError):
        # A name that does not resolve is a missing service; the rest is what the system refuses.
        gone = type(error).__name__ == "gaierror"
        return ErrorKind.DEPENDENCY if gone else ErrorKind.BUSINESS
    # Not imported for this: what has not been loaded has raised nothing.
    httpx: Any = sys.modules.get("httpx")
    if httpx is not None and isinstance(error, httpx.TransportError):
        late = isinstance(error, httpx.TimeoutException)
        return ErrorKind.TIMEOUT if late else ErrorKind.DEPENDENCY
    return ErrorKind.INTERNAL
