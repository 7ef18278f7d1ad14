"""Calls that a tool makes come from where the tool's own call came from, and reach no further."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from typing import Any

import pytest

from callgate.tools import (
    Execution,
    Host,
    ToolExecutionContext,
    ToolResult,
    ToolRunner,
    current_execution,
)
from tests.tools.house import House, Made, run

OUTER = ToolExecutionContext(
    trace_id="t",
    session_key="s",
    memory_scope="m",
    user_id="u",
    agent_id="a",
    credentials={"key": "secret"},
    channel="telegram",
    chat_id="c",
    reply_to_id="r",
    unattended=True,
    cron_authorized=True,
    inbound_event_id="e",
    allowed_tools=frozenset({"write_file", "exec"}),
)
# What a tool might say of itself to get further.
GRAND = ToolExecutionContext(
    execution_id="mine",
    trace_id="other",
    session_key="admin",
    user_id="admin",
    agent_id="admin",
    channel="cli",
    approved_actions=frozenset({"exec"}),
    approval_source="human",
)
FIELDS = ("session_key", "memory_scope", "user_id", "agent_id", "channel", "chat_id")
ALSO = ("reply_to_id", "unattended", "cron_authorized", "inbound_event_id", "trace_id")


def nested_in(work: Any, outer: ToolExecutionContext = OUTER) -> tuple[House, Made, ToolResult]:
    """Run `work(runner, ctx)` inside of the tool `write_file`, beside `exec` and `read_file`."""
    house: House

    async def inside(_params: Any, ctx: ToolExecutionContext) -> ToolResult:
        found: ToolResult = await work(house.runner, ctx)
        return found

    inner = Made("exec")
    house = House(Made("write_file", inside), inner, Made("read_file"), host=Host(sender_id="x"))
    result = house.run("write_file", {}, outer, host=Host(sender_id="who", cwd="/w"))
    return house, inner, result


@pytest.mark.parametrize(
    "given", [None, GRAND, replace(GRAND, parent_execution_id=None)], ids=["none", "grand", "top"]
)
@pytest.mark.parametrize("how", ["run", "child", "child of another"])
def test_a_nested_call_inherits_whatever_it_says(
    how: str, given: ToolExecutionContext | None
) -> None:
    async def work(runner: ToolRunner, ctx: ToolExecutionContext) -> ToolResult:
        if how == "child":
            runner = runner.child(ctx)
        elif how == "child of another":
            runner = runner.child(GRAND)
        return await runner.run("exec", {}, given, host=Host(sender_id="admin"))

    house, inner, result = nested_in(work)
    assert not inner.seen
    assert result.error_kind == "policy"
    told = house.gate.calls[1]["context"]
    outer = house.gate.calls[0]["context"]
    assert {name: told[name] for name in (*FIELDS, *ALSO)} == {
        name: getattr(OUTER, name) for name in (*FIELDS, *ALSO)
    }
    assert told["nested"] is True and "nested" not in outer
    assert told["parent_execution_id"] == outer["execution_id"] != told["execution_id"]
    assert told["allowed_tools"] == ["exec", "write_file"]
    assert (told["sender_id"], told["cwd"]) == ("who", "/w")


def test_allowed_tools_only_get_fewer() -> None:
    async def work(runner: ToolRunner, ctx: ToolExecutionContext) -> ToolResult:
        wide = frozenset({"read_file", "exec"})
        kinds = [
            await runner.run("read_file", {}),
            await runner.run("read_file", {}, ToolExecutionContext(allowed_tools=wide)),
            await runner.child(ctx, wide).run("read_file", {}),
            await runner.child(ctx, []).run("exec", {}),
            await runner.child(ctx, ["write_file"]).child(ctx, ["exec"]).run("exec", {}),
        ]
        assert [found.error_kind for found in kinds] == ["policy"] * 5
        assert all("among the tools" in found.error for found in kinds)
        return ToolResult(True)

    house, _, result = nested_in(work)
    assert result.success
    assert len(house.gate.calls) == 1


def test_nothing_is_approved_or_lent_to_a_nested_call() -> None:
    async def work(runner: ToolRunner, ctx: ToolExecutionContext) -> ToolResult:
        assert ctx.approved_actions and ctx.credentials
        return await runner.run("read_file", {}, ctx.child())

    outer = replace(OUTER, allowed_tools=None)
    house, _, result = nested_in(work, outer)
    assert result.success
    seen: Any = house.registry.get("read_file")
    ctx = seen.seen[0][1]
    assert ctx.credentials == {} and ctx.nested
    assert ctx.approved_actions == {"read_file"}


def test_a_worker_that_outlives_its_tool_stays_nested() -> None:
    async def work() -> None:
        started: list[asyncio.Task[ToolResult]] = []
        leave = asyncio.Event()
        house: House

        async def spawns(_params: Any, ctx: ToolExecutionContext) -> ToolResult:
            runner = house.runner.child(ctx)

            async def worker() -> ToolResult:
                await leave.wait()
                return await runner.run("exec", {}, GRAND)

            started.append(asyncio.create_task(worker()))
            return ToolResult(True)

        house = House(Made("write_file", spawns), Made("exec"))
        assert (await house.runner.run("write_file", {}, ToolExecutionContext())).success
        leave.set()
        assert (await started[0]).error_kind == "policy"
        assert house.gate.calls[1]["context"]["nested"] is True

    run(work())


def test_a_child_is_nested_outside_of_any_tool_too() -> None:
    house = House(Made("read_file"), Made("exec"))
    ctx = replace(OUTER, execution_id="outer", unattended=False, allowed_tools=None)
    child = house.runner.child(ctx, ["read_file"])
    assert run(child.run("read_file", {}, GRAND)).success
    told = house.gate.calls[0]["context"]
    assert (told["nested"], told["parent_execution_id"]) == (True, "outer")
    assert (told["channel"], told["user_id"]) == ("telegram", "u")
    assert run(child.run("exec", {})).error_kind == "policy"


def test_the_contexts_child() -> None:
    parent = replace(OUTER, execution_id="x", is_replay=True, approval_source="human")
    child = parent.child({"exec", "cronjob"})
    assert child.parent_execution_id == "x" and child.nested and not parent.nested
    assert child.allowed_tools == frozenset({"exec"})
    assert child.is_replay
    kept = {*FIELDS, *ALSO, "is_replay"}
    for item in fields(child):
        if item.name not in kept | {"parent_execution_id", "allowed_tools"}:
            assert getattr(child, item.name) == getattr(ToolExecutionContext(), item.name)
    assert parent.child().allowed_tools == parent.allowed_tools


def test_workers_of_one_turn_do_not_replay_each_other() -> None:
    house: House

    async def inside(_params: Any, ctx: ToolExecutionContext) -> ToolResult:
        return await house.runner.run("write_file", {"same": True})

    inner = Made("write_file")
    house = House(inner, Made("read_file", inside))
    turn = ToolExecutionContext(trace_id="t")
    for index in range(2):
        assert house.run("read_file", {}, turn, index=index).metadata == {}
    assert len(inner.seen) == 2


def test_a_second_attempt_repeats_nothing_that_is_done() -> None:
    house: House

    async def inside(_params: Any, ctx: ToolExecutionContext) -> ToolResult:
        await house.runner.run("write_file", {})
        return ToolResult(ctx.attempt_index == 1, error="no")

    inner = Made("write_file")
    house = House(inner, Made("read_file", inside, max_retries=1))
    assert house.run("read_file").success
    assert len(inner.seen) == 1


def in_thread(work: Any) -> Any:
    """A tool's body that does `work(loop, execution)` in a thread of a pool, which has no context
    of its own."""

    async def inside(_params: Any, _ctx: ToolExecutionContext) -> ToolResult:
        loop, execution = asyncio.get_running_loop(), current_execution()
        found: ToolResult = await loop.run_in_executor(None, lambda: work(loop, execution))
        return found

    return inside


@pytest.mark.parametrize("how", ["other loop", "same loop", "stream"])
def test_a_thread_does_not_get_out_of_its_execution(how: str) -> None:
    house: House

    async def streamed() -> ToolResult:
        found = [item async for item in house.runner.stream("exec", {}, GRAND)]
        assert isinstance(found[-1], ToolResult)
        return found[-1]

    def work(loop: asyncio.AbstractEventLoop, _execution: Execution) -> ToolResult:
        if how == "stream":
            return asyncio.run(streamed())
        call = house.runner.run("exec", {}, GRAND)
        if how == "other loop":
            return asyncio.run(call)
        return asyncio.run_coroutine_threadsafe(call, loop).result(20)

    inner = Made("exec")
    house = House(Made("write_file", in_thread(work)), inner)
    result = house.run("write_file", {}, OUTER)
    assert result.error_kind == "policy" and "another thread" in result.error
    assert not inner.seen and len(house.gate.calls) == 1
    # Outside of executions it is a turn like any other.
    assert house.run("exec", {}, GRAND).success


@pytest.mark.parametrize("how", ["other loop", "same loop"])
def test_the_executions_own_runner_nests_from_any_thread(how: str) -> None:
    house: House

    def work(loop: asyncio.AbstractEventLoop, execution: Execution) -> ToolResult:
        call = execution.runner.run("read_file", {}, GRAND, host=Host(sender_id="admin"))
        if how == "other loop":
            return asyncio.run(call)
        return asyncio.run_coroutine_threadsafe(call, loop).result(20)

    inner, outer = Made("read_file"), replace(OUTER, allowed_tools=None)
    house = House(Made("write_file", in_thread(work)), inner, host=Host(sender_id="who"))
    assert house.run("write_file", {}, outer).success
    told = house.gate.calls[1]["context"]
    assert told["nested"] is True and told["sender_id"] == "who"
    assert {name: told[name] for name in FIELDS} == {name: getattr(OUTER, name) for name in FIELDS}
    narrow = house.run("write_file", {}, OUTER, index=1)
    assert narrow.error_kind == "policy" and len(inner.seen) == 1


def test_a_thread_that_kept_its_context_is_nested() -> None:
    house: House

    async def inside(_params: Any, _ctx: ToolExecutionContext) -> ToolResult:
        loop = asyncio.get_running_loop()

        def work() -> ToolResult:
            call = house.runner.run("read_file", {}, GRAND)
            return asyncio.run_coroutine_threadsafe(call, loop).result(20)

        return await asyncio.to_thread(work)

    house = House(Made("write_file", inside), Made("read_file"))
    assert house.run("write_file", {}, replace(OUTER, allowed_tools=None)).success
    assert house.gate.calls[1]["context"]["nested"] is True


def test_without_a_runner_there_is_none() -> None:
    house = House(Made("write_file"))
    approval = run(house.gate.check({"tool": "write_file", "args": {}}))
    with pytest.raises(LookupError):
        _ = Execution(OUTER, Host(), approval, house.gate).runner
