"""docs/tools.md: its code runs as it stands, and its tables are complete."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.tools import ErrorKind, Tool, ToolExecutionContext, ToolResult, ToolRunner
from callgate.tools.kinds import FINAL
from tests.docs.markdown import tables
from tests.gate.web import OK, redirect, serving
from tests.tools.house import House, SmallGate, run

PAGE = Path(__file__).parents[2] / "docs" / "tools.md"


def code(name: str) -> list[str]:
    """The blocks of Python with this name."""
    found: list[str] = []
    inside = False
    for line in PAGE.read_text("utf-8").splitlines(keepends=True):
        if line.startswith("```"):
            inside = line.rstrip() == f"```python {name}"
            if inside:
                found.append("")
        elif inside:
            found[-1] += line
    return found


def loaded(*texts: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {}
    for text in texts:
        exec(compile(text, str(PAGE), "exec"), namespace)
    return namespace


# -- the two examples


@pytest.fixture(scope="module")
def examples() -> dict[str, Any]:
    return loaded(*code("example"))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine.load("echo", cache=True)


def runner_of(engine: Engine, tool: Tool) -> ToolRunner:
    house = House()
    house.gate = SmallGate(engine.program)
    house.registry._policy = house.gate
    house.registry.register(tool)
    return ToolRunner(house.registry, house.gate)


def test_the_first_example_runs(engine: Engine, examples: dict[str, Any]) -> None:
    tool = examples["MyCustomTool"]()
    runner = runner_of(engine, tool)
    context = ToolExecutionContext(channel="telegram")
    result = run(runner.run("my_tool", {"input": "x"}, context))
    assert result == ToolResult(success=True, output="Processed: x")
    assert run(runner.run("my_tool", {}, context)).error == "`my_tool`: `input` is missing"
    (schema,) = runner.registry.schemas(context)
    assert schema["function"]["parameters"] == tool.parameters


@pytest.mark.parametrize(
    ("context", "error"),
    [
        (ToolExecutionContext(unattended=True), "Explicit authorization required"),
        (ToolExecutionContext(approval_source="auto"), "requires human confirmation"),
        (ToolExecutionContext(approval_source=""), "requires human confirmation"),
        (ToolExecutionContext(approval_source="human"), ""),
        (None, ""),
    ],
)
def test_the_second_example_runs(
    examples: dict[str, Any], context: ToolExecutionContext | None, error: str
) -> None:
    made: Any = type("Strict", (examples["MyCustomTool"],), {"execute": examples["execute"]})
    result = run(made().execute({}, context))
    assert result.success is not bool(error)
    assert error in result.error
    if error:
        assert result.error_kind == ErrorKind.BUSINESS


def test_the_second_example_runs_behind_the_gate(engine: Engine, examples: dict[str, Any]) -> None:
    made: Any = type("Strict", (examples["MyCustomTool"],), {"execute": examples["execute"]})
    # What the policy lets pass was approved by nobody, whatever the caller says.
    context = ToolExecutionContext(channel="telegram", approval_source="human")
    result = run(runner_of(engine, made()).run("my_tool", {"input": "x"}, context))
    assert result.error == "This operation requires human confirmation"


# -- the others


def test_ten_lines() -> None:
    found = loaded(*code("run"))
    assert found["result"] == ToolResult(True, "Hello, Ada")
    assert [item["function"]["name"] for item in found["offered"]] == ["greet"]
    again = run(found["runner"].run("greet", {}, found["turn"]))
    assert again.error == "`greet`: `whom` is missing"


def test_the_tool_that_fetches() -> None:
    tool = loaded(*code("fetch"))["Fetch"]()
    tool.name = "write_file"
    house = House(tool)

    class Pins(SmallGate):
        """Says where hosts are, and refuses paths that end in `no`."""

        async def check(self, call: dict[str, Any], /, *, declaration: str = "") -> Any:
            answer = await super().check(call, declaration=declaration)
            if call["args"]["url"].endswith("no"):
                return answer._replace(allowed=False, reason="not there", kind="policy")
            return answer._replace(addresses={"shop.test": ("127.0.0.1",)})

    async def work() -> None:
        def answer(head: str) -> bytes:
            path = head.split()[1]
            return OK if path == "/yes" else redirect("/yes" if path == "/good" else "/no")

        async with serving(answer) as server:
            gate = Pins()
            runner = ToolRunner(house.registry, gate)
            url = f"http://shop.test:{server.port}"
            found = await runner.run("write_file", {"url": f"{url}/good"})
            assert (found.success, found.output) == (True, "ok")
            asked = [call["args"]["url"].removeprefix(url) for call in gate.calls]
            assert asked == ["/good", "/yes"]
            found = await runner.run("write_file", {"url": f"{url}/bad"})
            assert (found.error, found.error_kind) == ("not there", "policy")

    run(work())


@pytest.mark.parametrize(
    ("head", "kind", "attempts"),
    [
        ("403 No\r\nCF-Mitigated: challenge", "challenge", 1),
        ("404 Not Found", "business", 4),
        ("503 Busy", "dependency", 4),
        ("504 Late", "timeout", 4),
        ("200 OK", "", 1),
    ],
)
def test_what_the_tool_that_fetches_makes_of_an_answer(head: str, kind: str, attempts: int) -> None:
    made: Any = type("Retried", (loaded(*code("fetch"))["Fetch"],), {"max_retries": 3})
    tool = made()
    tool.name = "write_file"

    class Pins(SmallGate):
        async def check(self, call: dict[str, Any], /, *, declaration: str = "") -> Any:
            answer = await super().check(call, declaration=declaration)
            return answer._replace(addresses={"shop.test": ("127.0.0.1",)})

    async def work() -> None:
        async with serving(f"HTTP/1.1 {head}\r\nContent-Length: 2\r\n\r\nok".encode()) as server:
            runner = ToolRunner(House(tool).registry, Pins())
            found = await runner.run("write_file", {"url": f"http://shop.test:{server.port}/"})
            assert (found.output, found.error_kind) == ("ok", kind)
            assert found.success is not bool(kind)
            assert bool(found.error) is bool(kind) and (not kind or head[:3] in found.error)
            assert len(server.asked) == attempts

    run(work())


# -- the tables


def test_the_tables_are_complete() -> None:
    kinds = [row[0].strip("`") for row in tables(PAGE, "Error kinds")]
    assert kinds == [kind.value for kind in ErrorKind]
    final = {row[0].strip("`") for row in tables(PAGE, "Error kinds") if row[3] == "no"}
    assert final == FINAL
    names = [row[0].strip("`") for row in tables(PAGE, "What a tool knows of its call")]
    assert names == [item.name for item in fields(ToolExecutionContext)]
    attributes = tables(PAGE, "A tool")
    assert len(attributes) == 8
    for name, _, default, _ in attributes:
        assert repr(getattr(Tool, name.strip("`"))) == default.strip("`").replace('"', "'")


def test_a_context_is_frozen_and_shows_no_credentials() -> None:
    context = ToolExecutionContext(credentials={"key": "s3cret-value"})
    assert "s3cret" not in repr(context) and "s3cret" not in str(replace(context, channel="c"))
    with pytest.raises(AttributeError):
        context.channel = "cli"  # type: ignore[misc]
    with pytest.raises(TypeError):
        context.credentials["key"] = "mine"  # type: ignore[index]
    with pytest.raises(TypeError):
        ToolExecutionContext(allowed_tools="exec")  # type: ignore[arg-type]
    assert {context} == {ToolExecutionContext(credentials={"key": "s3cret-value"})}
