"""Which tools there are, and which of them a model sees."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.tools import (
    Host,
    RegistrationError,
    Tool,
    ToolExecutionContext,
    ToolRegistry,
    ToolResult,
)
from tests.shop import shop
from tests.tools.house import House, Made, SmallGate

SCHEMA = {"type": "object", "properties": {"words": {"type": "string"}}}


def names(schemas: list[dict[str, Any]]) -> list[str]:
    return [item["function"]["name"] for item in schemas]


# -- the contract


def test_the_defaults_are_the_documented_ones() -> None:
    tool = Tool()
    assert (tool.name, tool.description, tool.parameters) == ("", "", {})
    assert (tool.timeout_seconds, tool.max_retries, tool.stream_capable) == (30, 0, False)
    assert (tool.capabilities, tool.risk_level) == ((), "write")
    assert tool.is_ready() is True
    assert tool.readiness_detail() == (True, "")


class Good(Tool):
    name = "good"

    async def execute(
        self, params: dict[str, Any], ctx: ToolExecutionContext | None = None
    ) -> ToolResult:
        return ToolResult(True)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("name", ""),
        ("name", "two words"),
        ("name", "x" * 129),
        ("name", "a\u202eb"),
        ("name", None),
        ("description", None),
        ("timeout_seconds", 0),
        ("timeout_seconds", -1),
        ("timeout_seconds", float("nan")),
        ("timeout_seconds", True),
        ("timeout_seconds", "30"),
        ("max_retries", -1),
        ("max_retries", 1.5),
        ("stream_capable", 1),
        ("stream_capable", True),
        ("capabilities", "fs.read"),
        ("capabilities", (1,)),
        ("risk_level", ""),
        ("risk_level", None),
        ("parameters", None),
        ("parameters", {"type": "string"}),
    ],
)
def test_what_is_not_as_the_contract_says(attribute: str, value: Any) -> None:
    tool = Good()
    setattr(tool, attribute, value)
    with pytest.raises(RegistrationError):
        ToolRegistry().register(tool)


@pytest.mark.parametrize("tool", [Tool(), Good, object(), None])
def test_what_is_no_tool(tool: Any) -> None:
    with pytest.raises(RegistrationError):
        ToolRegistry().register(tool)


def test_a_risk_that_the_policy_does_not_know_is_a_mistake() -> None:
    with pytest.raises(RegistrationError, match="one of `read_only`, `write`"):
        House(Made("write_file", risk_level="exce"))


def test_names_and_aliases_are_taken_once() -> None:
    registry = ToolRegistry()
    registry.register(Made("b"), aliases=["bb"])
    registry.register(Made("a"))
    for tool, aliases in (
        (Made("b"), ()),
        (Made("bb"), ()),
        (Made("c"), ("b",)),
        (Made("c"), ("bb",)),
        (Made("c"), ("c",)),
        (Made("c"), ("d", "d")),
        (Made("c"), "dd"),
    ):
        with pytest.raises(RegistrationError):
            registry.register(tool, aliases=aliases)
    assert registry.names() == ("a", "b")
    found = registry.get("b")
    assert found is not None and registry.get("bb") is found
    assert registry.get("B") is None
    registry.unregister("b")
    assert registry.get("bb") is None
    with pytest.raises(KeyError):
        registry.unregister("b")
    registry.register(Made("bb"))


def test_what_changes_after_registration_does_not_count() -> None:
    tool = Made("write_file", max_retries=0, risk_level="write")
    house = House(tool)
    tool.name, tool.risk_level, tool.parameters = "exec", "dangerous", {"required": ["x"]}
    assert house.run("write_file").success
    assert names(house.registry.schemas()) == ["write_file"]


# -- what the model sees


def test_the_forms_of_two_apis() -> None:
    registry = ToolRegistry()
    registry.register(Made("find", description="Find", parameters=SCHEMA))
    assert registry.schemas() == [
        {
            "type": "function",
            "function": {"name": "find", "description": "Find", "parameters": SCHEMA},
        }
    ]
    assert registry.schemas(form="anthropic") == [
        {"name": "find", "description": "Find", "input_schema": SCHEMA}
    ]
    registry.schemas()[0]["function"]["parameters"]["properties"].clear()
    assert registry.schemas()[0]["function"]["parameters"] == SCHEMA
    with pytest.raises(ValueError, match="anthropic, openai"):
        registry.schemas(form="other")  # type: ignore[arg-type]


def test_what_is_not_ready_or_not_allowed_is_not_offered() -> None:
    registry = ToolRegistry()
    for tool in (Made("a"), Made("b", is_ready=lambda: False), Made("c")):
        registry.register(tool)
    assert names(registry.schemas()) == ["a", "c"]
    allowed = ToolExecutionContext(allowed_tools=frozenset({"b", "c"}))
    assert names(registry.schemas(allowed)) == ["c"]
    assert registry.schemas(ToolExecutionContext(allowed_tools=frozenset())) == []


def test_what_the_policy_hides_is_not_offered() -> None:
    registry = ToolRegistry(shop({"search": {"key": "k-1"}}))
    for name in ("page", "search", "order", "label", "refund"):
        registry.register(Made(name))
    assert names(registry.schemas()) == ["label", "order", "page", "search"]
    web = ToolExecutionContext(channel="web")
    assert "order" not in names(registry.schemas(web))
    assert "label" not in names(registry.schemas(missing=["printer"]))
    # A context that the policy can't judge shows nothing.
    assert registry.schemas(host=Host(extra={"a": float("inf"), "b": object()})) == []


# -- what is declared


class Default(Good):
    name = "read_file"


class Explicit(Default):
    risk_level = "write"


@pytest.mark.parametrize(
    ("tool", "name", "mcp", "declared"),
    [
        (Default(), "read_file", "", {}),
        (Default(), "unknown", "", {"risk_level": "write"}),
        (Default(), "unknown", "srv", {"mcp_server": "srv"}),
        (Explicit(), "read_file", "", {"risk_level": "write"}),
        (Explicit(), "unknown", "srv", {"risk_level": "write", "mcp_server": "srv"}),
    ],
)
def test_a_default_risk_level_declares_nothing_where_the_policy_knows_the_tool(
    tool: Tool, name: str, mcp: str, declared: dict[str, Any]
) -> None:
    gate = SmallGate()
    registry = ToolRegistry(gate)
    tool.name = name
    registry.register(tool, mcp_server=mcp)
    entry = registry.find(name)
    assert entry is not None
    assert entry.declared(gate.program) == declared


def test_declarations_reach_the_gate() -> None:
    house = House(Made("read_file"))
    house.registry.unregister("read_file")
    house.registry.register(
        Made("read_file", capabilities=("fs.read",), risk_level="exec"),
        mcp_server="srv",
        annotations={"readOnlyHint": True},
    )
    assert house.run("read_file").error_kind == "approval_pending"
    assert house.gate.calls[0]["declared"] == {
        "risk_level": "exec",
        "capabilities": ["fs.read"],
        "mcp_server": "srv",
        "annotations": {"readOnlyHint": True},
    }


def test_a_server_that_changes_its_tool_is_told_apart() -> None:
    digests = []
    for description, schema in (("a", {}), ("b", {}), ("a", SCHEMA), ("a", {"type": "object"})):
        house = House()
        tool = Made("write_file", description=description, parameters=schema)
        house.registry.register(tool, mcp_server="srv")
        house.run("write_file")
        digests += house.gate.declarations
    assert len(set(digests)) == 3 and digests[0] == digests[3]
    own = House(Made("write_file"))
    own.run("write_file")
    assert own.gate.declarations == [""]


def test_an_alias_is_told_to_the_policy_only_if_it_is_the_policys_own() -> None:
    house = House()
    house.registry.register(Made("write_file"), aliases=["put"])
    for name, told in (("put", "write_file"), ("save", "save"), ("write_file", "write_file")):
        assert house.run(name).success
        assert house.gate.calls[-1]["tool"] == told
