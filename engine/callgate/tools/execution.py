"""The execution that runs now: what a tool's own code may ask about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Protocol

from callgate.gate.approval import Approval
from callgate.model.values import UNKNOWN
from callgate.stdlib.hosts import normalise_url
from callgate.tools.context import Host, ToolExecutionContext

__all__ = ["CURRENT", "Execution", "Gate", "current_execution"]


_GATES_OWN: Final = frozenset({"answers", "settings", "observed"})


class Gate(Protocol):
    """Whatever decides whether a call may run; see `callgate.gate.ApprovalGate`."""

    async def check(self, call: dict[str, Any], /, *, declaration: str = "") -> Approval:
        """The answer to a call in the format of docs/formats.md, without answers, settings and
        observations. `declaration`: a digest of what the tool's server says of it."""
        ...


@dataclass(frozen=True, slots=True)
class Execution:
    """A call that was let through: the `context` that its tool is given, the `host`'s part of it,
    the gate's `approval`, the `gate`, and the `declaration` that it was checked with."""

    context: ToolExecutionContext
    host: Host
    approval: Approval
    gate: Gate
    declaration: str = ""

    def judge(self, argument: str) -> Callable[[str], Awaitable[Approval]]:
        """What judges a further value of an argument, such as the `url` that a redirect leads to:
        as this very call, with that value. The value that was approved is not judged again, so
        that nobody is asked twice. See `callgate.gate.transport`."""
        approved = _form(self.approval.args().get(argument))

        async def judged(value: str) -> Approval:
            if _form(value) == approved:
                return self.approval
            frozen = self.approval.call
            call = {key: frozen[key] for key in frozen if key not in _GATES_OWN}
            call["args"] = {**self.approval.args(), argument: value}
            return await self.gate.check(call, declaration=self.declaration)

        return judged


def _form(value: Any) -> Any:
    """A URL in its normal form; any other value is itself."""
    found = normalise_url(value)
    return value if found is UNKNOWN else found


CURRENT: Final[ContextVar[Execution | None]] = ContextVar("callgate_execution", default=None)
"""The execution whose tool runs in this task; tasks that it starts have it as well."""


def current_execution() -> Execution:
    """The execution that the calling code belongs to. Raises LookupError outside of one."""
    found = CURRENT.get()
    if found is None:
        raise LookupError("no tool is being executed here")
    return found
