"""From a model's call to a tool's result: every check, in its order, and then the tool."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Final

from callgate.tools.admission import Admission, Admitted
from callgate.tools.attempts import Attempt
from callgate.tools.context import Host, ToolExecutionContext, inherit
from callgate.tools.execution import CURRENT, Gate
from callgate.tools.failures import failed
from callgate.tools.kinds import FINAL, ErrorKind
from callgate.tools.registry import ToolRegistry
from callgate.tools.replay import ReplayMemory
from callgate.tools.tool import ToolResult

__all__ = ["ToolRunner"]

_NO_HOST: Final = Host()
_NO_CONTEXT: Final = ToolExecutionContext()


class ToolRunner:
    """Runs the tools of a registry, each call through a gate. For one event loop.

    `host`: what holds for every call, unless `run` is given another. `memory`: what is known of
    calls that ran; runners may share one. `grace_seconds`: how long a tool that was cancelled may
    take to end, before it is left to itself.

    A call that a tool makes while it runs is nested, whatever context it is given: it inherits from
    the tool's own execution, can only narrow the allowed tools, and nobody is asked for it.
    """

    def __init__(
        self,
        registry: ToolRegistry,
        gate: Gate,
        *,
        host: Host = _NO_HOST,
        memory: ReplayMemory | None = None,
        grace_seconds: float = 5.0,
    ) -> None:
        self.registry = registry
        self.memory = ReplayMemory() if memory is None else memory
        self._gate = gate
        self._checks = Admission(registry, gate, self.memory)
        self._host = host
        self._grace = grace_seconds
        self._parent: ToolExecutionContext | None = None

    def child(
        self, ctx: ToolExecutionContext, allowed_tools: Iterable[str] | None = None
    ) -> ToolRunner:
        """A runner for the calls of a worker that the execution of `ctx` starts, which may outlive
        it: every call is nested in that execution. `allowed_tools` can only narrow."""
        within = CURRENT.get()
        host = self._host if within is None else within.host
        made = ToolRunner(
            self.registry, self._gate, host=host, memory=self.memory, grace_seconds=self._grace
        )
        if within is not None:
            ctx = _within(within.context, ctx)
        if self._parent is not None:
            ctx = _within(self._parent, ctx)
        narrowed = ctx.child(allowed_tools).allowed_tools
        made._parent = replace(ctx, allowed_tools=narrowed)
        return made

    async def run(
        self,
        name: str,
        params: dict[str, Any],
        context: ToolExecutionContext | None = None,
        *,
        index: int = 0,
        trace_id: str = "",
        host: Host | None = None,
    ) -> ToolResult:
        """Call a tool. Never raises, but for the cancellation of this very task, which cancels the
        tool as well.

        `index`: which call of the turn it is. `trace_id`: in place of the context's; without either
        the call has a trace of its own, and no other call counts as its replay. What runs are the
        arguments that were judged, even if the caller changes `params` in the meantime.
        """
        origin, around = self._origin(context or _NO_CONTEXT, host)
        found = await self._checks.admit(name, params, origin, around, index, trace_id)
        if isinstance(found, ToolResult):
            return found
        return await self._finish(found)

    async def stream(
        self,
        name: str,
        params: dict[str, Any],
        context: ToolExecutionContext | None = None,
        *,
        index: int = 0,
        trace_id: str = "",
        host: Host | None = None,
    ) -> AsyncGenerator[str | ToolResult, None]:
        """As `run`, piece by piece: first texts, as the tool gives them, and last a ToolResult with
        all of them. A tool that is not `stream_capable` gives its result alone. Once a text was
        given, a failure is not tried again. Closing the iterator cancels the tool."""
        origin, around = self._origin(context or _NO_CONTEXT, host)
        found = await self._checks.admit(name, params, origin, around, index, trace_id)
        if isinstance(found, ToolResult):
            yield found
        elif not found.entry.stream_capable:
            yield await self._finish(found)
        else:
            async with aclosing(self._streamed(found)) as items:
                async for item in items:
                    yield item

    # -- running

    def _origin(
        self, context: ToolExecutionContext, host: Host | None
    ) -> tuple[ToolExecutionContext, Host]:
        """Where a call comes from: inside of an execution that alone says so."""
        within = CURRENT.get()
        if self._parent is not None:
            context, host = inherit(self._parent, context), self._host
        if within is not None:
            context, host = inherit(within.context, context), within.host
        return context, host or self._host

    async def _finish(self, found: Admitted) -> ToolResult:
        result: ToolResult | None = None
        self._begin(found)
        try:
            for number in range(found.entry.max_retries + 1):
                attempt = self._attempt(found, number)
                changed = await _rechecked(found)
                if changed is not None:
                    return changed
                result = await attempt.run(found.execution.approval.args())
                if result.success or result.error_kind in FINAL or attempt.abandoned:
                    break
            assert result is not None
            return result
        finally:
            self._end(found, result)

    async def _streamed(self, found: Admitted) -> AsyncGenerator[str | ToolResult, None]:
        result: ToolResult | None = None
        begun = False
        self._begin(found)
        try:
            for number in range(found.entry.max_retries + 1):
                attempt = self._attempt(found, number)
                changed = await _rechecked(found)
                if changed is not None:
                    result = changed
                    break
                args = found.execution.approval.args()
                async with aclosing(attempt.chunks(args)) as items:
                    async for item in items:
                        if isinstance(item, ToolResult):
                            result = item
                        else:
                            begun = True
                            yield item
                assert result is not None
                stop = result.success or result.error_kind in FINAL or attempt.abandoned
                if begun or stop:
                    break
        finally:
            self._end(found, result)
        assert result is not None
        yield result

    def _attempt(self, found: Admitted, number: int) -> Attempt:
        context = replace(found.execution.context, attempt_index=number)
        execution = replace(found.execution, context=context)
        return Attempt(found.entry, execution, found.teller, self._grace)

    def _begin(self, found: Admitted) -> None:
        if found.slot is not None:
            self.memory.begin(found.slot)

    def _end(self, found: Admitted, result: ToolResult | None) -> None:
        if found.slot is not None:
            self.memory.end(found.slot, result)


def _within(parent: ToolExecutionContext, ctx: ToolExecutionContext) -> ToolExecutionContext:
    """A context that a tool hands on, as far as its own execution bears it out."""
    return replace(inherit(parent, ctx), execution_id=parent.execution_id)


async def _rechecked(found: Admitted) -> ToolResult | None:
    """A refusal, if what the call touches is no longer as it was judged."""
    try:
        changed = await found.execution.approval.recheck()
    except Exception as error:
        changed = f"it could not be looked at again ({type(error).__name__})"
    if not changed:
        return None
    message = f"not run, as something changed since it was judged: {found.teller.line(changed)}"
    return failed(message, ErrorKind.POLICY)
