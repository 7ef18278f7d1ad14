"""One attempt at a tool: in a task of its own, so that it can be stopped whatever it does."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, Final, TypeVar

from callgate.tools.context import ToolExecutionContext
from callgate.tools.execution import CURRENT, Execution
from callgate.tools.failures import Teller, failed
from callgate.tools.kinds import ErrorKind
from callgate.tools.registered import Registered
from callgate.tools.tool import ToolResult

__all__ = ["Attempt"]

T = TypeVar("T")

_ABANDONED: Final[set[asyncio.Task[Any]]] = set()
"""Tools that go on although they were cancelled: the event loop holds tasks only weakly."""


class _LeftError(Exception):
    """A tool that wanted to end the whole program."""

    error_kind = ErrorKind.INTERNAL


class Attempt:
    """One attempt at a call. `grace`: seconds that a cancelled tool has to end; `abandoned` is the
    task of one that did not, which goes on."""

    def __init__(
        self, entry: Registered, execution: Execution, teller: Teller, grace: float
    ) -> None:
        self._entry = entry
        self._execution = execution
        self._teller = teller
        self._grace = grace
        self.abandoned: asyncio.Task[Any] | None = None

    @property
    def _context(self) -> ToolExecutionContext:
        return self._execution.context

    async def run(self, params: dict[str, Any]) -> ToolResult:
        """What the tool gives; never raises, unless this very task is cancelled: then the tool is,
        too."""
        task = asyncio.create_task(self._guarded(self._execute(params)))
        in_time = False
        try:
            await asyncio.wait({task}, timeout=self._entry.timeout_seconds)
            in_time = task.done()
        finally:
            if not task.done():
                await self._stop(task)
        return self._ended(task) if in_time else self._too_late()

    async def chunks(self, params: dict[str, Any]) -> AsyncGenerator[str | ToolResult, None]:
        """The pieces that the tool streams, and last what it came to. Time that the reader takes
        is not the tool's."""
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=1)
        task = asyncio.create_task(self._guarded(self._produce(params, queue)))
        left = self._entry.timeout_seconds
        taken: list[str] = []
        in_time = False
        try:
            while True:
                begun = loop.time()
                getter = asyncio.create_task(queue.get())
                try:
                    await asyncio.wait(
                        {getter, task}, timeout=left, return_when=asyncio.FIRST_COMPLETED
                    )
                finally:
                    left -= loop.time() - begun
                    if not getter.done():
                        getter.cancel()
                if not getter.done():
                    break
                taken.append(getter.result())
                yield taken[-1]
            in_time = task.done()
        finally:
            if not task.done():
                await self._stop(task)
        while not queue.empty():
            taken.append(queue.get_nowait())
            yield taken[-1]
        result = self._ended(task) if in_time else self._too_late()
        yield ToolResult(True, output="".join(taken)) if result.success else result

    def left(self, ended: Callable[[bool], None]) -> bool:
        """Whether the tool goes on although it was cancelled; `ended` is then called once it is at
        its end, with whether it succeeded."""
        task = self.abandoned
        if task is None:
            return False
        task.add_done_callback(lambda done: ended(_succeeded(done)))
        return True

    # -- the tool's side

    async def _guarded(self, work: Awaitable[T]) -> T:
        CURRENT.set(self._execution)
        try:
            return await work
        except (SystemExit, GeneratorExit) as error:
            raise _LeftError(f"the tool raised {type(error).__name__}") from None

    async def _execute(self, params: dict[str, Any]) -> Any:
        found: Any = self._entry.tool.execute(params, self._context)
        if not inspect.isawaitable(found):
            raise TypeError("`execute` is not async")
        return await found

    async def _produce(self, params: dict[str, Any], queue: asyncio.Queue[str]) -> ToolResult:
        found: Any = self._entry.tool.stream(params, self._context)
        if inspect.isawaitable(found):
            found = await found
        try:
            async for chunk in found:
                if type(chunk) is not str:
                    raise TypeError(f"`stream` gives texts, not {type(chunk).__name__}")
                await queue.put(chunk)
        finally:
            close = getattr(found, "aclose", None)
            if close is not None:
                await close()
        return ToolResult(True)

    # -- the end

    async def _stop(self, task: asyncio.Task[Any]) -> None:
        task.cancel()
        await asyncio.wait({task}, timeout=self._grace)
        if not task.done():
            self.abandoned = task
            _ABANDONED.add(task)
            task.add_done_callback(_forget)

    def _ended(self, task: asyncio.Task[Any]) -> ToolResult:
        if task.cancelled():
            return failed("the tool was cancelled", ErrorKind.CANCELLED)
        error = task.exception()
        if error is not None:
            return self._teller.result(error)
        return _checked(task.result())

    def _too_late(self) -> ToolResult:
        seconds = f"{self._entry.timeout_seconds:g}"
        rest = "" if self.abandoned is None else "; it does not stop"
        return failed(f"the tool took longer than {seconds} s{rest}", ErrorKind.TIMEOUT)


def _forget(task: asyncio.Task[Any]) -> None:
    _ABANDONED.discard(task)
    with suppress(asyncio.CancelledError):
        task.exception()


def _succeeded(task: asyncio.Task[Any]) -> bool:
    return not task.cancelled() and task.exception() is None and _checked(task.result()).success


def _checked(result: Any) -> ToolResult:
    """A result whose every field is as the contract says; anything else is a fault of the tool."""
    if not isinstance(result, ToolResult):
        return failed(
            f"the tool returned {type(result).__name__}, no ToolResult",
            ErrorKind.INTERNAL,
        )
    success, metadata = result.success, result.metadata
    texts = (result.output, result.error, result.error_kind)
    if type(success) is not bool or not all(issubclass(type(text), str) for text in texts):
        return failed("the tool returned a ToolResult with wrong types", ErrorKind.INTERNAL)
    if not isinstance(metadata, Mapping):
        return failed("the tool returned metadata that are no mapping", ErrorKind.INTERNAL)
    # What inherits from `str` may do anything when it is looked at: only its text counts.
    output, error, kind = map(str.__str__, texts)
    if not success and not kind:
        return failed(error, ErrorKind.BUSINESS, **metadata)
    return ToolResult(success, output, error, kind, metadata)
