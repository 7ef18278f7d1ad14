"""From a model's call to a tool's result: every check, in its order, and then the tool."""

from __future__ import annotations

from asyncio import AbstractEventLoop, get_running_loop
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from threading import get_ident
from typing import Any, Final

from callgate.tools.admission import Admission, Admitted
from callgate.tools.again import Standing
from callgate.tools.attempts import Attempt
from callgate.tools.context import Host, ToolExecutionContext, inherit
from callgate.tools.execution import CURRENT, Execution, Gate
from callgate.tools.failures import failed, went_wrong
from callgate.tools.kinds import FINAL, ErrorKind
from callgate.tools.registry import ToolRegistry
from callgate.tools.replay import ReplayMemory
from callgate.tools.tool import ToolResult

__all__ = ["ToolRunner"]

_NO_HOST: Final = Host()
_NO_CONTEXT: Final = ToolExecutionContext()
_OTHER_THREAD: Final = (
    "the call was made in another thread, or another event loop, than the tools run in: a tool's"
    " thread makes its calls by the runner of its execution, and a host makes them in the loop"
)


class ToolRunner:
    """Runs the tools of a registry, each call through a gate. For one event loop.

    `host`: what holds for every call, unless `run` is given another. `memory`: what is known of
    calls that ran; runners may share one. `grace_seconds`: how long a tool that was cancelled may
    take to end, before it is left to itself.

    A call that a tool makes while it runs is nested, whatever context it is given: it inherits from
    the tool's own execution, can only narrow the allowed tools, and nobody is asked for it. Where
    a thread of the tool's makes it, only `Execution.runner` knows that: so a call that was made in
    another thread than it runs in, or beside tools of another loop, is refused, unless such a
    runner, or a `child`, makes it.
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
        if not isinstance(registry, ToolRegistry):
            raise TypeError(f"`registry` is a ToolRegistry, not {type(registry).__name__}")
        if not callable(getattr(gate, "check", None)):
            raise TypeError(
                f"`gate` is an ApprovalGate, or has a `check` like its, not {type(gate).__name__}"
            )
        if not isinstance(host, Host):
            raise TypeError(f"`host` is a Host, not {type(host).__name__}")
        self.registry = registry
        self.memory = ReplayMemory() if memory is None else memory
        self._gate = gate
        self._checks = Admission(registry, gate, self.memory)
        self._host = host
        self._grace = grace_seconds
        self._parent: ToolExecutionContext | None = None
        self._busy: Counter[AbstractEventLoop] = Counter()

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
        made._busy = self._busy
        if within is not None:
            ctx = _within(within.context, ctx)
        if self._parent is not None:
            ctx = _within(self._parent, ctx)
        narrowed = ctx.child(allowed_tools).allowed_tools
        made._parent = replace(ctx, allowed_tools=narrowed)
        return made

    def nested_in(self, execution: Execution) -> ToolRunner:
        """A runner whose every call is one that an execution makes, in whatever thread. See
        `Execution.runner`."""
        made = ToolRunner(
            self.registry,
            self._gate,
            host=execution.host,
            memory=self.memory,
            grace_seconds=self._grace,
        )
        made._parent, made._busy = execution.context, self._busy
        return made

    def run(
        self,
        name: str,
        params: dict[str, Any],
        context: ToolExecutionContext | None = None,
        *,
        index: int = 0,
        trace_id: str = "",
        host: Host | None = None,
    ) -> Coroutine[Any, Any, ToolResult]:
        """Call a tool. Awaiting it never raises, but for the cancellation of this very task, which
        cancels the tool as well.

        `index`: which call of the turn it is. `trace_id`: in place of the context's; without either
        the call has a trace of its own, and no other call counts as its replay. What runs are the
        arguments that were judged, even if the caller changes `params` in the meantime.
        """
        call = (name, params, _NO_CONTEXT if context is None else context, host, index, trace_id)
        return self._run(get_ident(), *call)

    def stream(
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
        call = (name, params, _NO_CONTEXT if context is None else context, host, index, trace_id)
        return self._stream(get_ident(), *call)

    # -- running

    async def _run(self, thread: int, *call: Any) -> ToolResult:
        found = await self._admitted(thread, *call)
        if isinstance(found, ToolResult):
            return found
        return await self._finish(found)

    async def _stream(self, thread: int, *call: Any) -> AsyncGenerator[str | ToolResult, None]:
        found = await self._admitted(thread, *call)
        if isinstance(found, ToolResult):
            yield found
        elif not found.entry.stream_capable:
            yield await self._finish(found)
        else:
            async with aclosing(self._streamed(found)) as items:
                async for item in items:
                    yield item

    async def _admitted(self, thread: int, *call: Any) -> Admitted | ToolResult:
        """`thread`: the one that the call was made in."""
        try:
            return await self._checked(thread, *call)
        except Exception as error:
            return went_wrong(error)

    async def _checked(
        self,
        thread: int,
        name: str,
        params: Any,
        context: ToolExecutionContext,
        host: Host | None,
        index: int,
        trace_id: str,
    ) -> Admitted | ToolResult:
        if self._parent is None and CURRENT.get() is None and self._elsewhere(thread):
            return failed(_OTHER_THREAD, ErrorKind.POLICY)
        if why := _wrong_type(context, host, index, trace_id):
            return failed(why, ErrorKind.INVALID)
        origin, around = self._origin(context, host)
        found = await self._checks.admit(name, params, origin, around, index, trace_id)
        if isinstance(found, Admitted):
            found = replace(found, execution=replace(found.execution, _runner=self))
        return found

    def _elsewhere(self, thread: int) -> bool:
        """Whether a call, made in a thread, may be one of a tool's that can't be told from a turn
        of the host's: it runs in another thread, or beside tools that run in another loop."""
        if thread != get_ident():
            return True
        here = get_running_loop()
        return any(loop is not here and loop.is_running() for loop in list(self._busy))

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
        attempt: Attempt | None = None
        standing = Standing(found, self._gate)
        self._begin(found)
        try:
            for number in range(found.entry.max_retries + 1):
                no = await standing.no(number)
                if no is not None:
                    return no
                attempt = self._attempt(found, number)
                result = await attempt.run(found.execution.approval.args())
                if result.success or result.error_kind in FINAL or attempt.abandoned:
                    break
            assert result is not None
            return result
        except Exception as error:
            result = went_wrong(error)
            return result
        finally:
            self._end(found, attempt, result)

    async def _streamed(self, found: Admitted) -> AsyncGenerator[str | ToolResult, None]:
        result: ToolResult | None = None
        attempt: Attempt | None = None
        begun = False
        standing = Standing(found, self._gate)
        self._begin(found)
        try:
            for number in range(found.entry.max_retries + 1):
                no = await standing.no(number)
                if no is not None:
                    result = no
                    break
                attempt = self._attempt(found, number)
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
        except Exception as error:
            result = went_wrong(error)
        finally:
            self._end(found, attempt, result)
        assert result is not None
        yield result

    def _attempt(self, found: Admitted, number: int) -> Attempt:
        context = replace(found.execution.context, attempt_index=number)
        execution = replace(found.execution, context=context)
        return Attempt(found.entry, execution, found.teller, self._grace)

    def _begin(self, found: Admitted) -> None:
        self._busy[get_running_loop()] += 1
        if found.slot is not None:
            self.memory.begin(found.slot)

    def _end(self, found: Admitted, last: Attempt | None, result: ToolResult | None) -> None:
        loop, slot = get_running_loop(), found.slot
        self._busy[loop] -= 1
        if not self._busy[loop]:
            del self._busy[loop]
        if slot is None:
            return
        # A tool that does not stop is still at it: the same call must not run beside it.
        if last is None or not last.left(partial(self.memory.end_late, slot)):
            self.memory.end(slot, result)


def _wrong_type(context: Any, host: Any, index: Any, trace_id: Any) -> str:
    """What of what the host gives for a call has the wrong type, and what it should be, or ""."""
    for name, value, wanted, said in (
        ("context", context, ToolExecutionContext, "a ToolExecutionContext"),
        ("host", host, Host | None, "a Host"),
        ("index", index, int, "a number"),
        ("trace_id", trace_id, str, "a text"),
    ):
        if not isinstance(value, wanted):
            return f"the call can't be made: `{name}` is {said}, not {type(value).__name__}"
    return ""


def _within(parent: ToolExecutionContext, ctx: ToolExecutionContext) -> ToolExecutionContext:
    """A context that a tool hands on, as far as its own execution bears it out."""
    return replace(inherit(parent, ctx), execution_id=parent.execution_id)
