"""What a call goes through, in its order, and what comes of it."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Any

import pytest

from callgate.gate import ApprovalGate
from callgate.tools import (
    ErrorKind,
    Host,
    ToolError,
    ToolExecutionContext,
    ToolRegistry,
    ToolResult,
    ToolRunner,
    current_execution,
)
from tests.gate import gating
from tests.tools.house import House, Made, run

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
OF_CLI = ToolExecutionContext(channel="cli")


def kind_of(result: ToolResult) -> str:
    assert not result.success
    assert result.error
    assert "Traceback" not in result.error
    return result.error_kind


# -- the checks


def test_a_call_that_passes() -> None:
    tool = Made("write_file", parameters=TEXT)
    house = House(tool, host=Host(sender_id="u", cwd="/w", groups=("a",)))
    context = ToolExecutionContext(
        trace_id="t", channel="telegram", session_key="s", user_id="u", credentials={"key": "k" * 9}
    )
    assert house.run("write_file", {"text": "x"}, context, index=3) == ToolResult(
        True, "write_file done"
    )
    params, ctx = tool.seen[0]
    assert params == {"text": "x"}
    text = 't:write_file:3:{"text":"x"}'
    assert ctx.idempotency_key == hashlib.sha256(text.encode()).hexdigest()[:24]
    assert ctx.execution_id and ctx.approval_source == "auto"
    assert ctx.approved_actions == {"write_file"} and ctx.attempt_index == 0
    assert not ctx.is_replay and ctx.parent_execution_id is None
    assert ctx.credentials == {"key": "k" * 9}
    assert house.gate.calls[0] == {
        "tool": "write_file",
        "args": {"text": "x"},
        "context": {
            "execution_id": ctx.execution_id,
            "trace_id": "t",
            "session_key": "s",
            "user_id": "u",
            "idempotency_key": ctx.idempotency_key,
            "channel": "telegram",
            "sender_id": "u",
            "cwd": "/w",
            "groups": ["a"],
        },
    }


def test_tools_that_are_not_allowed_are_refused_before_anything_else() -> None:
    tool = Made("write_file", is_ready=lambda: False)
    house = House(tool)
    for allowed in (frozenset[str](), frozenset({"read_file"})):
        context = ToolExecutionContext(allowed_tools=allowed)
        assert kind_of(house.run("write_file", {}, context)) == "policy"
        assert kind_of(house.run("nothing", {}, context)) == "policy"
    assert not house.gate.calls


def test_allowed_tools_hold_a_tool_by_any_of_its_names() -> None:
    house = House(Made("write_file"))
    for allowed in ("write_file", "save"):
        context = ToolExecutionContext(allowed_tools=frozenset({allowed}))
        assert house.run("save", {}, context).success
        assert house.gate.calls[-1]["tool"] == "save"
        assert house.gate.calls[-1]["context"]["allowed_tools"] == ["write_file"]


@pytest.mark.parametrize("name", ["nothing", "WRITE_FILE", "write_file ", "", "a\u202eb", 7, None])
def test_names_are_exact(name: Any) -> None:
    result = House(Made("write_file")).run(name)
    assert kind_of(result) in ("invalid", "policy")
    assert "\u202e" not in result.error


def test_a_tool_that_is_not_ready() -> None:
    def broken() -> Any:
        raise RuntimeError("secret")

    silent = Made("write_file", is_ready=lambda: False)
    told = Made("read_file", readiness_detail=lambda: (False, "no key\nin here"))
    failing = Made("exec", readiness_detail=broken)
    house = House(silent, told, failing)
    assert kind_of(house.run("write_file")) == "dependency"
    result = house.run("read_file")
    assert result.error == "`read_file` is not ready: no key\\nin here"
    assert kind_of(result) == "dependency"
    result = house.run("exec")
    assert kind_of(result) == "dependency" and "secret" not in result.error
    assert not house.gate.calls


@pytest.mark.parametrize(
    "params", [{}, {"text": 1}, {"text": float("nan")}, {"text": ("a",)}, {1: "a"}, [], "text"]
)
def test_parameters_that_do_not_fit(params: Any) -> None:
    house = House(Made("write_file", parameters=TEXT))
    result = run(house.runner.run("write_file", params))
    assert kind_of(result) == "invalid"
    assert not house.gate.calls


def test_what_the_policy_refuses() -> None:
    tool = Made("write_file", max_retries=3)
    house = House(tool)
    result = house.run("write_file", {}, ToolExecutionContext(channel="locked"))
    assert kind_of(result) == "policy"
    assert result.error == "because of locked"
    assert result.metadata["rule"] == "locked"
    assert kind_of(House(Made("exec")).run("exec")) == "approval_pending"
    assert not tool.seen and len(house.gate.calls) == 1


def test_a_name_that_cannot_be_looked_up_is_a_missing_dependency() -> None:
    tool = Made("fetch")
    registry = ToolRegistry(gating.engine())
    registry.register(tool)
    seen = gating.Seen(dns={"gone.example": ()})
    gate = ApprovalGate(gating.engine(), observer=seen)
    result = run(ToolRunner(registry, gate).run("fetch", {"url": "http://gone.example/"}))
    assert kind_of(result) == "dependency" and "gone.example" in result.error
    assert result.metadata["notice"] == result.error and not tool.seen


def test_a_gate_that_fails_lets_nothing_pass() -> None:
    class Broken:
        async def check(self, call: dict[str, Any], /, *, declaration: str = "") -> Any:
            raise RuntimeError("secret")

    tool = Made("write_file")
    house = House(tool)
    result = run(ToolRunner(house.registry, Broken()).run("write_file", {}))
    assert kind_of(result) == "approval_unavailable" and "secret" not in result.error
    assert not tool.seen


def test_what_changed_since_it_was_judged_does_not_run() -> None:
    tool = Made("write_file", lambda _p, _c: ToolResult(False, error="no"), max_retries=2)
    house = House(tool)
    house.gate.changed = ["", "a link leads elsewhere"]
    result = house.run("write_file")
    assert kind_of(result) == "policy" and "a link leads elsewhere" in result.error
    assert len(tool.seen) == 1


def test_what_was_judged_is_what_runs() -> None:
    async def work() -> None:
        tool = Made("write_file")
        house = House(tool)
        house.gate.hold = asyncio.Event()
        params: dict[str, Any] = {"path": {"in": ["a"]}}
        task = asyncio.create_task(house.runner.run("write_file", params))
        while not house.gate.calls:
            await asyncio.sleep(0)
        params["path"]["in"][0] = "b"
        house.gate.calls[0]["args"]["path"]["in"][0] = "c"
        house.gate.hold.set()
        await task
        assert tool.seen[0][0] == {"path": {"in": ["a"]}}

    run(work())


# -- what a tool does


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (FileNotFoundError(2, "No such file", "/w/a"), "missing_file"),
        (ModuleNotFoundError("No module named 'pdf'"), "dependency"),
        (ConnectionRefusedError(111, "refused"), "dependency"),
        (TimeoutError(), "timeout"),
        (PermissionError(13, "denied"), "business"),
        (ToolError("wants a human visitor", ErrorKind.CHALLENGE), "challenge"),
        (ToolError("no money"), "business"),
        (ValueError("bad"), "internal"),
        (SystemExit(3), "internal"),
        (asyncio.CancelledError(), "cancelled"),
    ],
)
def test_every_failure_has_its_kind(error: BaseException, kind: str) -> None:
    def fails(_params: Any, _ctx: Any) -> Any:
        raise error

    assert kind_of(House(Made("write_file", fails)).run("write_file")) == kind


def test_failures_tell_no_secrets() -> None:
    def fails(params: Any, ctx: Any) -> Any:
        raise RuntimeError(f"at {params['where']} with {ctx.credentials['api']['key']}\x1b[2J")

    context = ToolExecutionContext(credentials={"api": {"key": "s3cret-value"}})
    result = House(Made("write_file", fails)).run("write_file", {"where": "home"}, context)
    assert result.error == "RuntimeError: at home with ***\\e[2J"
    assert "s3cret" not in repr(context)


@pytest.mark.parametrize(
    "result",
    [
        None,
        "text",
        {"success": True},
        ToolResult("yes"),  # type: ignore[arg-type]
        ToolResult(True, output=3),  # type: ignore[arg-type]
        ToolResult(False, error_kind=None),  # type: ignore[arg-type]
        ToolResult(True, metadata=[]),  # type: ignore[arg-type]
    ],
)
def test_anything_but_a_result_is_a_fault_of_the_tool(result: Any) -> None:
    assert kind_of(House(Made("write_file", lambda _p, _c: result)).run("write_file")) == "internal"


def test_a_failure_without_a_kind_is_one_of_business() -> None:
    tool = Made("write_file", lambda _p, _c: ToolResult(False, error="no", metadata={"a": 1}))
    result = House(tool).run("write_file")
    assert (result.error_kind, result.metadata) == ("business", {"a": 1})


def test_a_tool_whose_execute_is_not_async() -> None:
    class Plain(Made):
        def execute(self, params: Any, ctx: Any = None) -> Any:
            return ToolResult(True)

    assert kind_of(House(Plain("write_file")).run("write_file")) == "internal"


# -- attempts


def test_a_failure_is_tried_again() -> None:
    def fails_twice(params: dict[str, Any], ctx: ToolExecutionContext) -> ToolResult:
        params["list"].append("mine")
        if ctx.attempt_index < 2:
            raise ConnectionResetError
        return ToolResult(True, output=str(params))

    tool = Made("write_file", fails_twice, max_retries=2)
    house = House(tool)
    result = house.run("write_file", {"list": []})
    assert result.output == "{'list': ['mine']}"
    assert [ctx.attempt_index for _, ctx in tool.seen] == [0, 1, 2]
    assert len({ctx.execution_id for _, ctx in tool.seen}) == 1
    assert len(house.gate.calls) == 1


@pytest.mark.parametrize(("retries", "attempts"), [(0, 1), (1, 2), (3, 4)])
def test_there_are_as_many_attempts_as_declared(retries: int, attempts: int) -> None:
    tool = Made("write_file", lambda _p, _c: ToolResult(False, error="no"), max_retries=retries)
    assert kind_of(House(tool).run("write_file")) == "business"
    assert len(tool.seen) == attempts


@pytest.mark.parametrize("kind", ErrorKind)
def test_some_failures_are_final(kind: str) -> None:
    retried = {"dependency", "missing_file", "timeout", "business", "internal"}
    tool = Made("write_file", lambda _p, _c: ToolResult(False, "", "no", kind), max_retries=3)
    assert kind_of(House(tool).run("write_file")) == kind
    assert len(tool.seen) == (4 if kind in retried else 1)


async def forever(_params: Any, _ctx: Any) -> ToolResult:
    await asyncio.Event().wait()
    raise AssertionError


def test_a_tool_has_its_time() -> None:
    ended: list[str] = []

    async def slow(params: Any, ctx: Any) -> ToolResult:
        try:
            return await forever(params, ctx)
        finally:
            ended.append(ctx.execution_id)

    tool = Made("write_file", slow, timeout_seconds=0.01, max_retries=1)
    result = House(tool).run("write_file")
    assert kind_of(result) == "timeout" and "0.01 s" in result.error
    assert len(ended) == 2


def test_a_tool_that_does_not_stop_is_left_to_itself() -> None:
    async def work() -> None:
        leave = asyncio.Event()

        async def stubborn(_params: Any, _ctx: Any) -> ToolResult:
            while not leave.is_set():
                try:
                    await leave.wait()
                except asyncio.CancelledError:
                    continue
            return ToolResult(True)

        tool = Made("write_file", stubborn, timeout_seconds=0.01, max_retries=5)
        result = await House(tool, grace_seconds=0.01).runner.run("write_file", {})
        assert kind_of(result) == "timeout" and "does not stop" in result.error
        assert len(tool.seen) == 1
        leave.set()

    run(work())


def test_cancelling_a_call_cancels_its_tool() -> None:
    async def work() -> None:
        begun, ended = asyncio.Event(), asyncio.Event()

        async def slow(_params: Any, _ctx: Any) -> ToolResult:
            begun.set()
            try:
                return await forever(None, None)
            finally:
                ended.set()

        house = House(Made("write_file", slow))
        task = asyncio.create_task(house.runner.run("write_file", {}, trace_id="t"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended.is_set()
        # It may be called again: nothing came of it.
        begun.clear()
        again = asyncio.create_task(house.runner.run("write_file", {}, trace_id="t"))
        await begun.wait()
        again.cancel()
        await asyncio.wait({again})

    run(work())


# -- the execution


def test_a_tool_can_ask_about_its_execution() -> None:
    async def asks(_params: Any, ctx: ToolExecutionContext) -> ToolResult:
        found = current_execution()
        assert found.context is ctx and found.host.cwd == "/w"
        here = await found.judge("url")("http://a.test/")
        return ToolResult(here.allowed, output=str(here.args()))

    house = House(Made("write_file", asks), host=Host(cwd="/w"))
    result = house.run("write_file", {"url": "http://first.test/", "other": 1})
    assert result.output == "{'url': 'http://a.test/', 'other': 1}"
    first, second = house.gate.calls
    assert {**second, "args": first["args"]} == first
    with pytest.raises(LookupError):
        current_execution()
