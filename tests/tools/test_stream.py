"""Output piece by piece, with the same checks and the same end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from callgate.tools import ErrorKind, ToolError, ToolExecutionContext, ToolResult
from tests.tools.house import House, Made, run


class Streams(Made):
    """A tool whose `pieces(params, ctx)` gives what it streams."""

    stream_capable = True

    def __init__(self, pieces: Any, name: str = "write_file", **attributes: Any) -> None:
        super().__init__(name, **attributes)
        self._pieces = pieces

    async def stream(
        self, params: dict[str, Any], ctx: ToolExecutionContext | None = None
    ) -> AsyncIterator[str]:
        assert ctx is not None
        self.seen.append((params, ctx))
        async for piece in self._pieces(params, ctx):
            yield piece


def streamed(house: House, context: Any = None, params: Any = None) -> list[str | ToolResult]:
    async def work() -> list[str | ToolResult]:
        return [item async for item in house.runner.stream("write_file", params or {}, context)]

    return run(work())


async def three(_params: Any, _ctx: Any) -> AsyncIterator[str]:
    for piece in ("a", "b", "c"):
        yield piece


def test_pieces_and_then_the_result() -> None:
    tool = Streams(three)
    house = House(tool)
    context = ToolExecutionContext(trace_id="t")
    assert streamed(house, context) == ["a", "b", "c", ToolResult(True, output="abc")]
    assert tool.seen[0][1].approval_source == "auto"
    again = streamed(house, context)
    assert again == [ToolResult(True, output="abc", metadata={"is_replay": True})]
    assert len(tool.seen) == 1


def test_a_tool_that_does_not_stream_gives_its_result() -> None:
    assert streamed(House(Made("write_file"))) == [ToolResult(True, output="write_file done")]


def test_what_is_refused_is_said_at_the_end() -> None:
    tool = Streams(three)
    items = streamed(House(tool), ToolExecutionContext(channel="locked"))
    assert [getattr(item, "error_kind", None) for item in items] == ["policy"]
    assert not tool.seen
    house = House(tool)
    house.gate.changed = ["a link"]
    (last,) = streamed(house)
    assert isinstance(last, ToolResult) and last.error_kind == "policy"
    assert not tool.seen


def test_a_failure_before_the_first_piece_is_tried_again() -> None:
    async def late(_params: Any, ctx: ToolExecutionContext) -> AsyncIterator[str]:
        if ctx.attempt_index == 0:
            raise ConnectionResetError
        yield "a"

    assert streamed(House(Streams(late, max_retries=1))) == ["a", ToolResult(True, output="a")]


def test_a_failure_after_the_first_piece_is_not() -> None:
    async def breaks(_params: Any, _ctx: Any) -> AsyncIterator[str]:
        yield "a"
        raise ToolError("are you a robot?", ErrorKind.CHALLENGE)

    tool = Streams(breaks, max_retries=3)
    failure = ToolResult(False, error="are you a robot?", error_kind="challenge")
    assert streamed(House(tool)) == ["a", failure]
    assert len(tool.seen) == 1


def test_pieces_are_texts() -> None:
    async def wrong(_params: Any, _ctx: Any) -> AsyncIterator[Any]:
        yield b"a"

    (last,) = streamed(House(Streams(wrong)))
    assert isinstance(last, ToolResult) and last.error_kind == "internal"


def test_a_stream_has_its_time() -> None:
    ended: list[int] = []

    async def stalls(_params: Any, _ctx: Any) -> AsyncIterator[str]:
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            ended.append(1)

    first, last = streamed(House(Streams(stalls, timeout_seconds=0.02)))
    assert first == "a"
    assert isinstance(last, ToolResult) and last.error_kind == "timeout"
    assert ended == [1]


def test_closing_a_stream_cancels_the_tool() -> None:
    ended: list[int] = []

    async def goes_on(_params: Any, _ctx: Any) -> AsyncIterator[str]:
        try:
            while True:
                yield "a"
        finally:
            ended.append(1)

    async def work() -> None:
        house = House(Streams(goes_on))
        context = ToolExecutionContext(trace_id="t")
        async with aclosing(house.runner.stream("write_file", {}, context)) as items:
            async for _ in items:
                break
        assert ended == [1]
        # Nothing came of it, so it may be called again.
        async with aclosing(house.runner.stream("write_file", {}, context)) as items:
            assert [await anext(items) for _ in range(3)] == ["a"] * 3
        assert ended == [1, 1]

    run(work())


def test_a_stream_may_be_a_coroutine_that_gives_an_iterator() -> None:
    class Other(Made):
        stream_capable = True

        async def stream(self, params: Any, ctx: Any = None) -> Any:
            return three(params, ctx)

    assert streamed(House(Other("write_file")))[-1] == ToolResult(True, output="abc")
