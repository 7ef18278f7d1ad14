"""What a call has to pass before its tool runs, in this order: it is allowed and known, the tool is
ready, its parameters fit, the gate lets it pass, and it is no replay."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from callgate.gate.approval import Approval
from callgate.runtime.interpreter import Program
from callgate.tools.context import Host, ToolExecutionContext
from callgate.tools.execution import Execution, Gate, in_force
from callgate.tools.failures import Teller, failed, refused
from callgate.tools.kinds import ErrorKind
from callgate.tools.parameters import plain_json
from callgate.tools.registered import Registered, readiness
from callgate.tools.registry import ToolRegistry
from callgate.tools.replay import ReplayMemory, idempotency_key
from callgate.tools.tool import ToolResult

__all__ = ["Admission", "Admitted"]


@dataclass(frozen=True, slots=True)
class Admitted:
    """A call that passed every check. `slot`: what it is remembered by, None if it changes
    nothing. `seen`: what was in force when it was judged; None where there is no further attempt.
    """

    entry: Registered
    execution: Execution
    teller: Teller
    slot: tuple[str, ...] | None
    seen: tuple[Any, Any] | None


class Admission:
    """The checks of a runner."""

    def __init__(self, registry: ToolRegistry, gate: Gate, memory: ReplayMemory) -> None:
        self._registry = registry
        self._gate = gate
        self._memory = memory

    async def admit(
        self,
        name: str,
        params: Any,
        context: ToolExecutionContext,
        host: Host,
        index: int,
        trace_id: str,
    ) -> Admitted | ToolResult:
        """Everything before the tool runs; a result where the call goes no further."""
        program = self._registry.program
        teller = Teller(program, context.credentials)
        if not isinstance(name, str) or not self._registry.allows(context, name):
            shown = teller.line(name)
            return failed(f"`{shown}` is not among the tools of this execution", ErrorKind.POLICY)
        entry = self._registry.find(name)
        if entry is None:
            return failed(f"there is no tool `{teller.line(name)}`", ErrorKind.INVALID)
        shown = f"`{entry.name}`"
        ready, why = readiness(entry.tool)
        if not ready:
            rest = f": {teller.line(why)}" if why else ""
            return failed(f"{shown} is not ready{rest}", ErrorKind.DEPENDENCY)
        try:
            plain, canonical = plain_json(params)
        except ValueError as error:
            return failed(str(error), ErrorKind.INVALID)
        problems = entry.parameters.problems(plain)
        if problems:
            return failed(f"{shown}: {'; '.join(problems)}", ErrorKind.INVALID, problems=problems)

        trace = trace_id or context.trace_id or uuid4().hex
        # A worker counts its calls anew: its execution tells them from those of others.
        origin = f"{trace}/{context.parent_execution_id}" if context.nested else trace
        key = idempotency_key(origin, entry.name, index, canonical)
        slot = (key, context.user_id, context.session_key)
        context = replace(
            context,
            trace_id=trace,
            execution_id=context.execution_id or uuid4().hex,
            idempotency_key=key,
            attempt_index=0,
            is_replay=context.is_replay or self._memory.knows(slot),
            approved_actions=frozenset(),
            approval_source="",
        )
        try:
            # Before it is judged: what is set meanwhile counts as news.
            seen = in_force(self._gate) if entry.max_retries else None
        except Exception as error:
            return failed(_gate_failed(error), ErrorKind.APPROVAL_UNAVAILABLE)
        approval = await self._judged(entry, name, plain, context, host, program)
        if isinstance(approval, ToolResult):
            return approval
        harmless = _changes_nothing(approval)
        if not harmless:
            known = self._replayed(slot, context)
            if known is not None:
                return known
        context = replace(
            context,
            approved_actions=approval.approved_actions,
            approval_source=approval.approval_source,
        )
        execution = Execution(context, host, approval, self._gate, entry.digest)
        teller = Teller(program, context.credentials, approval)
        return Admitted(entry, execution, teller, None if harmless else slot, seen)

    async def _judged(
        self,
        entry: Registered,
        name: str,
        params: dict[str, Any],
        context: ToolExecutionContext,
        host: Host,
        program: Program | None,
    ) -> Approval | ToolResult:
        """The gate's approval, or the result that says why there is none."""
        aliases = {} if program is None else program.graph.document["aliases"]
        call: dict[str, Any] = {
            # An alias that only the registry knows says nothing to the policy.
            "tool": name if aliases.get(name) == entry.name else entry.name,
            "args": params,
            "context": self._registry.told(context, host),
        }
        declared = entry.declared(program)
        if declared:
            call["declared"] = declared
        try:
            approval = await self._gate.check(call, declaration=entry.digest)
        except Exception as error:
            return failed(_gate_failed(error), ErrorKind.APPROVAL_UNAVAILABLE)
        return approval if approval.allowed is True else refused(approval)

    def _replayed(self, slot: tuple[str, ...], context: ToolExecutionContext) -> ToolResult | None:
        """The answer to a call that must not run again; None if it may run."""
        if self._memory.runs(slot):
            return failed("the same call is running already", ErrorKind.REPLAY, is_replay=True)
        # Looked up again: it may have run while somebody was asked.
        if not context.is_replay and not self._memory.knows(slot):
            return None
        known = self._memory.result(slot)
        if known is not None:
            return replace(known, metadata={**known.metadata, "is_replay": True})
        why = "this call has run already" if self._memory.knows(slot) else "this is a replay"
        message = f"{why}: what has side effects is not run twice"
        return failed(message, ErrorKind.REPLAY, is_replay=True)


def _gate_failed(error: Exception) -> str:
    return f"the gate failed ({type(error).__name__})"


def _changes_nothing(approval: Approval) -> bool:
    """Whether the call has the lowest risk that the policy knows; in doubt it has not."""
    source, frame = approval.decision.source, approval.decision.frame
    levels = source.graph.document["risk"] if isinstance(source, Program) else None
    return levels is not None and getattr(frame, "risk", None) == levels["levels"][0]
