"""A further attempt needs what let the first one pass to stand still."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from callgate.gate import ApprovalGate, LivePolicy, StateFolder
from callgate.gate.control import Control
from callgate.tools import Tool, ToolExecutionContext, ToolRegistry, ToolResult, ToolRunner
from tests.gate.tiny import write_bundle
from tests.tools.house import run

TURN = ToolExecutionContext(trace_id="t", channel="cli", session_key="s", user_id="u")


class Flaky(Tool):
    """Fails each time, after it did something."""

    name = "look"
    max_retries = 3

    def __init__(self, streams: bool, does: Any = None) -> None:
        self.stream_capable = streams
        self.attempts = 0
        self.does = does

    async def execute(self, params: Any, ctx: Any = None) -> ToolResult:
        self.attempts += 1
        if self.does is not None:
            self.does(self.attempts)
        return ToolResult(False, error="no", error_kind="business")

    async def stream(self, params: Any, ctx: Any = None) -> Any:
        await self.execute(params)
        raise OSError("no")
        yield ""


class World:
    """A tiny live policy in its own folder, a gate and a runner for one tool."""

    def __init__(self, path: Path) -> None:
        self.bundle = write_bundle(path / "bundle")
        self.state = StateFolder(path / "state")
        self.policy = LivePolicy(self.bundle, None, state=self.state)
        self.gate = ApprovalGate(self.policy, state=self.state, wait=False)

    def run(self, tool: Flaky) -> ToolResult:
        registry = ToolRegistry()
        registry.register(tool)
        runner = ToolRunner(registry, self.gate)

        async def work() -> ToolResult:
            found = [item async for item in runner.stream("look", {}, TURN)]
            assert isinstance(found[-1], ToolResult)
            return found[-1]

        return run(work())


@pytest.fixture
def world(tmp_path: Path) -> World:
    tmp_path.chmod(0o700)
    return World(tmp_path)


@pytest.mark.parametrize("streams", [False, True])
def test_nothing_is_tried_again_under_a_freeze(world: World, streams: bool) -> None:
    tool = Flaky(streams, lambda _n: Control(world.state).freeze("local:me", "stop"))
    result = world.run(tool)
    assert tool.attempts == 1
    assert result.error_kind == "approval_pending"
    # Once it is over, all attempts are made.
    Control(world.state).unfreeze()
    tool = Flaky(streams)
    assert world.run(tool).error_kind == "business" and tool.attempts == 4


def test_a_freeze_that_came_and_went_is_none(world: World) -> None:
    def briefly(number: int) -> None:
        Control(world.state).freeze("local:me")
        Control(world.state).unfreeze()

    tool = Flaky(False, briefly)
    assert world.run(tool).error_kind == "business" and tool.attempts == 4


def test_a_policy_that_is_another_one_is_asked(world: World) -> None:
    def forbid(number: int) -> None:
        flow = world.bundle / "flow.yaml"
        flow.write_text(flow.read_text().replace('call.channel == "ops"', 'call.channel == "cli"'))
        assert world.policy.reload().ok

    tool = Flaky(False, forbid)
    assert world.run(tool).error_kind == "policy" and tool.attempts == 1
