"""The execution that runs now: what a tool's own code may ask about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from callgate.gate.approval import Approval
from callgate.model.values import UNKNOWN
from callgate.stdlib.hosts import normalise_url
from callgate.tools.context import Host, ToolExecutionContext

if TYPE_CHECKING:
    from callgate.tools.runner import ToolRunner

__all__ = ["CURRENT", "Execution", "Gate", "current_execution", "in_force"]


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
    the gate's `approval`, the `gate`, the `declaration` that it was checked with, and the `runner`
    for calls that the tool makes: whatever thread or task they come from, they are nested."""

    context: ToolExecutionContext
    host: Host
    approval: Approval
    gate: Gate
    declaration: str = ""
    _runner: ToolRunner | None = None

    @property
    def runner(self) -> ToolRunner:
        """Runs calls as this execution's. Raises LookupError where no runner started it."""
        if self._runner is None:
            raise LookupError("no runner started this execution")
        return self._runner.nested_in(self)

    def call(self) -> dict[str, Any]:
        """The call that was let through, as the gate was asked about it; a fresh copy."""
        frozen = self.approval.call
        return {key: frozen[key] for key in frozen if key not in _GATES_OWN}

    def judge(self, argument: str) -> Callable[[str], Awaitable[Approval]]:
        """What judges a further value of an argument, such as the `url` that a redirect leads to:
        as this very call, with that value. The value that was approved is not judged again, so
        that nobody is asked twice. See `callgate.gate.transport`."""
        approved = _form(self.approval.args().get(argument))

        async def judged(value: str) -> Approval:
            if _form(value) == approved:
                return self.approval
            call = self.call()
            call["args"] = {**self.approval.args(), argument: value}
            return await self.gate.check(call, declaration=self.declaration)

        return judged


def in_force(gate: Gate) -> tuple[Any, Any]:
    """The program that a gate with a `policy` decides by, and who froze everything, if somebody
    did; nothing of any other gate. Raises what the policy does, such as StateError."""
    policy: Any = getattr(gate, "policy", None)
    if policy is None:
        return None, None
    policy.refresh()
    control = policy.control
    return policy.program, None if control is None else control.state.frozen


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
