"""What changed something and succeeded does not happen twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest

from callgate.tools import (
    ReplayMemory,
    Tool,
    ToolError,
    ToolExecutionContext,
    ToolResult,
    idempotency_key,
)
from tests.tools.house import House, Made, run

TURN = ToolExecutionContext(trace_id="t")


def test_the_same_call_is_answered_from_memory() -> None:
    tool = Made("write_file", lambda p, _c: ToolResult(True, str(p), metadata={"a": 1}))
    house = House(tool)
    first = house.run("write_file", {"a": 1, "b": 2}, TURN)
    again = house.run("write_file", {"b": 2, "a": 1}, TURN)
    assert (again.success, again.output) == (True, first.output)
    assert again.metadata == {"a": 1, "is_replay": True}
    assert len(tool.seen) == 1
    # The policy was asked all the same, and told.
    assert [call["context"].get("is_replay") for call in house.gate.calls] == [None, True]


def test_what_makes_a_call_another_one() -> None:
    tool = Made("write_file")
    house = House(tool, Made("exec"))
    for params, index, context in (
        ({"a": 1}, 0, TURN),
        ({"a": 2}, 0, TURN),
        ({"a": 1}, 1, TURN),
        ({"a": 1}, 0, ToolExecutionContext(trace_id="u")),
        ({"a": 1}, 0, ToolExecutionContext(trace_id="t", user_id="another")),
        ({"a": 1}, 0, ToolExecutionContext(trace_id="t", session_key="another")),
        ({"a": 1}, 0, None),
        ({"a": 1}, 0, None),
    ):
        assert house.run("write_file", params, context, index=index).metadata == {}
    assert len(tool.seen) == 8


def test_the_policy_still_has_its_say() -> None:
    house = House(Made("write_file"))
    assert house.run("write_file", {}, TURN).success
    locked = ToolExecutionContext(trace_id="t", channel="locked")
    assert house.run("write_file", {}, locked).error_kind == "policy"


def test_what_failed_or_changes_nothing_may_run_again() -> None:
    fails = Made("write_file", lambda _p, _c: ToolResult(False, error="no"))
    reads = Made("read_file")
    house = House(fails, reads)
    for _ in range(2):
        house.run("write_file", {}, TURN)
        house.run("read_file", {}, TURN)
    assert [len(fails.seen), len(reads.seen)] == [2, 2]


def test_a_replay_that_nobody_remembers_is_refused() -> None:
    writes, reads = Made("write_file"), Made("read_file")
    house = House(writes, reads)
    replay = ToolExecutionContext(trace_id="t", is_replay=True)
    assert house.run("write_file", {}, replay).error_kind == "replay"
    assert house.run("read_file", {}, replay).success
    assert not writes.seen
    assert reads.seen[0][1].is_replay


def test_a_long_output_is_not_kept_and_the_replay_refused() -> None:
    tool = Made("write_file", lambda _p, _c: ToolResult(True, output="x" * 70_000))
    house = House(tool)
    assert house.run("write_file", {}, TURN).success
    result = house.run("write_file", {}, TURN)
    assert (result.error_kind, result.output) == ("replay", "")
    assert len(tool.seen) == 1


def test_the_same_call_at_the_same_time_runs_once() -> None:
    async def work() -> None:
        leave = asyncio.Event()

        async def waits(_params: Any, _ctx: Any) -> ToolResult:
            await leave.wait()
            return ToolResult(True, output="done")

        tool = Made("write_file", waits)
        house = House(tool)
        calls = [asyncio.create_task(house.runner.run("write_file", {}, TURN)) for _ in range(20)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        leave.set()
        results = await asyncio.gather(*calls)
        assert {task.result().error_kind for task in done} == {"replay"}
        assert sum(result.success for result in results) == 1
        assert len(tool.seen) == 1

    run(work())


@pytest.mark.parametrize("succeeds", [True, False])
@pytest.mark.parametrize("streams", [False, True])
def test_a_tool_that_goes_on_keeps_the_same_call_from_running(
    streams: bool, succeeds: bool
) -> None:
    class Stubborn(Tool):
        name = "write_file"
        timeout_seconds = 0.01
        stream_capable = streams
        begun = 0

        async def execute(self, params: Any, ctx: Any = None) -> ToolResult:
            self.begun += 1
            while not leave.is_set():
                with suppress(asyncio.CancelledError):
                    await leave.wait()
            if not succeeds:
                raise ToolError("no", "business")
            return ToolResult(True, output="late")

        async def stream(self, params: Any, ctx: Any = None) -> AsyncIterator[str]:
            await self.execute(params)
            if not leave.is_set():
                yield ""

    async def call(house: House) -> ToolResult:
        if not streams:
            return await house.runner.run("write_file", {}, TURN)
        found = [item async for item in house.runner.stream("write_file", {}, TURN)]
        assert isinstance(found[-1], ToolResult)
        return found[-1]

    async def work() -> None:
        tool = Stubborn()
        house = House(tool, grace_seconds=0.01)
        assert (await call(house)).error_kind == "timeout"
        again = await call(house)
        assert (again.error_kind, again.error) == ("replay", "the same call is running already")
        assert tool.begun == 1
        leave.set()
        for _ in range(20):
            await asyncio.sleep(0)
        last = await call(house)
        # What it did is done, though nobody heard of it.
        assert last.error_kind == ("replay" if succeeds else "business")
        assert tool.begun == (1 if succeeds else 2)

    leave = asyncio.Event()
    run(work())


def test_a_call_that_was_judged_while_another_ran_is_a_replay() -> None:
    async def work() -> None:
        tool = Made("write_file")
        house = House(tool)
        house.gate.hold = asyncio.Event()
        late = asyncio.create_task(house.runner.run("write_file", {}, TURN))
        while not house.gate.calls:
            await asyncio.sleep(0)
        held, house.gate.hold = house.gate.hold, None
        assert (await house.runner.run("write_file", {}, TURN)).success
        held.set()
        assert (await late).metadata == {"is_replay": True}
        assert len(tool.seen) == 1

    run(work())


def test_the_memory_is_bounded() -> None:
    memory = ReplayMemory(limit=500)
    for number in range(1200):
        memory.begin(number)
        memory.end(number, ToolResult(True))
    assert len(memory) == 500
    assert memory.knows(1199) and memory.knows(700) and not memory.knows(699)
    assert not memory.runs(1199)


def test_the_key_is_as_documented() -> None:
    key = idempotency_key("trace", "exec", 2, b'{"command":"ls"}')
    assert key == "ec11510bc71c2a08aa7814fc"
    assert key != idempotency_key("trace", "exec", 2, b'{"command":"la"}')
