"""What is handed to a registry, a runner or a context by mistake is named, and what is wanted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.tools import ErrorKind, ToolExecutionContext, ToolRegistry, ToolResult, ToolRunner
from callgate.tools.patterns import SchemaRefusedError, compiled
from tests.tools.house import Made, SmallGate


def runner() -> ToolRunner:
    registry = ToolRegistry()
    registry.register(Made("write_file"))
    return ToolRunner(registry, SmallGate())


@pytest.mark.parametrize("policy", ["echo", {}, Engine])
def test_a_registry_wants_a_policy(policy: Any) -> None:
    with pytest.raises(TypeError, match="`policy` is an Engine or a LivePolicy, or None, not"):
        ToolRegistry(policy)


def test_a_runner_wants_a_registry_first() -> None:
    swapped: tuple[Any, Any] = (SmallGate(), ToolRegistry())
    with pytest.raises(TypeError, match="`registry` is a ToolRegistry, not SmallGate"):
        ToolRunner(*swapped)
    with pytest.raises(TypeError, match="`gate` is an ApprovalGate"):
        ToolRunner(swapped[1], swapped[1])
    host: Any = {"cwd": "/"}
    with pytest.raises(TypeError, match="`host` is a Host, not dict"):
        ToolRunner(swapped[1], swapped[0], host=host)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"context": {"channel": "cli"}}, "`context` is a ToolExecutionContext, not dict"),
        ({"context": {}}, "`context` is a ToolExecutionContext, not dict"),
        ({"host": "h"}, "`host` is a Host, not str"),
        ({"index": "1"}, "`index` is a number, not str"),
        ({"trace_id": 5}, "`trace_id` is a text, not int"),
    ],
)
def test_a_call_with_wrong_things_is_an_error_result(given: dict[str, Any], said: str) -> None:
    result = asyncio.run(runner().run("write_file", {}, **given))
    assert not result.success
    assert result.error_kind == ErrorKind.INVALID
    assert said in (result.error or "")

    async def streamed() -> list[str | ToolResult]:
        return [item async for item in runner().stream("write_file", {}, **given)]

    (last,) = asyncio.run(streamed())
    assert isinstance(last, ToolResult)
    assert said in (last.error or "")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("channel", 5, "`channel` is a text, not int"),
        ("user_id", None, "`user_id` is a text, not NoneType"),
        ("unattended", "no", "`unattended` is True or False, not str"),
        ("attempt_index", "1", "`attempt_index` is a number, not str"),
        ("parent_execution_id", 5, "`parent_execution_id` is a text or None, not int"),
        ("credentials", "key", "`credentials` is a mapping, not str"),
    ],
)
def test_a_context_wants_its_types(field: str, value: Any, said: str) -> None:
    wrong: dict[str, Any] = {field: value}
    with pytest.raises(TypeError, match=said):
        ToolExecutionContext(**wrong)


class Broken(ToolRegistry):
    """Fails where a runner does not expect it."""

    def find(self, name: str) -> Any:
        raise LookupError(name)


def test_a_call_ends_in_a_result_whatever_fails_on_the_way() -> None:
    broken = ToolRunner(Broken(), SmallGate())
    for runner_ in (runner(), broken):
        for allowed in (None, frozenset({"write_file"})):
            context = ToolExecutionContext(allowed_tools=allowed)
            for name in (" " * 5000, "write_file "):
                result = asyncio.run(runner_.run(name, {}, context))
                assert not result.success
    result = asyncio.run(broken.run("write_file", {}))
    assert (result.error_kind, result.error) == (
        ErrorKind.INTERNAL,
        "the call could not be made (LookupError)",
    )

    async def streamed() -> list[str | ToolResult]:
        return [item async for item in broken.stream("write_file", {})]

    assert asyncio.run(streamed()) == [result]


def test_what_re2_says_is_text() -> None:
    with pytest.raises(SchemaRefusedError) as caught:
        compiled("(?=x)")
    assert "b'" not in str(caught.value)
    assert "invalid perl operator: (?=" in str(caught.value)


class Odd(str):
    """A text that can't be looked at."""

    __slots__ = ()

    def __len__(self) -> int:
        raise ValueError("no length")


def test_a_result_s_text_is_only_its_text() -> None:
    registry = ToolRegistry()
    registry.register(Made("write_file", lambda *_: ToolResult(True, Odd("x"))))
    result = asyncio.run(ToolRunner(registry, SmallGate()).run("write_file", {}))
    assert (type(result.output), result.output) == (str, "x")
