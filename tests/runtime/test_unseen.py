"""What is said of a tool before anybody calls it."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.model.decision import Decision
from callgate.model.graph import DecisionGraph, GraphError
from callgate.runtime.interpreter import Program
from tests.shop import shop
from tests.small import policy, program, rule

KEY: dict[str, Any] = {"search": {"key": "k-1"}}


def shown(tool: str, settings: dict[str, Any] | None = None, **call: Any) -> Decision:
    found = shop(settings).program.visibility({"tool": tool, **call})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("tool", "settings", "call", "rule"),
    [
        ("page", {}, {}, "visible"),
        ("show", {}, {}, "visible"),
        ("refund", {}, {}, "hidden.reserved"),
        ("page", {"tools": {"deny": ["show"]}}, {}, "hidden.denied"),
        ("order", {}, {"context": {"channel": "web"}}, "hidden.guests"),
        ("order", {}, {"context": {"channel": "shop"}}, "visible"),
        ("search", KEY, {}, "visible"),
        ("search", {}, {}, "ready.search-key"),
        ("search", {"search": {"key": ""}}, {}, "ready.search-key"),
        ("search", {"search": {"enabled": False}}, {}, "ready.search"),
        ("label", {}, {"observed": {"missing": ["printer"]}}, "ready.dependency"),
        ("label", {}, {"observed": {"missing": ["search"]}}, "visible"),
        ("mcp_x", {}, {"observed": {"missing": ["mcp_x"]}}, "ready.dependency"),
        ("nobody", {}, {"declared": {"capabilities": ["shop.buy"]}}, "visible"),
        (
            "nobody",
            {},
            {"declared": {"capabilities": ["shop.buy"]}, "context": {"channel": "web"}},
            "hidden.guests",
        ),
    ],
)
def test_visibility(tool: str, settings: Any, call: dict[str, Any], rule: str) -> None:
    decision = shown(tool, settings, **call)
    assert decision.failure is None
    assert decision.rule == rule
    assert decision.decision == ("allow" if rule == "visible" else "deny")


def test_arguments_are_neither_needed_nor_read() -> None:
    assert shown("search", KEY, args={"words": 3}).rule == "visible"
    assert shown("order", args={"count": 500, "item": None}).rule == "visible"


def test_the_reason_and_the_trace_are_those_of_the_walk() -> None:
    decision = shown("search")
    told = decision.to_dict()
    assert told["reason"] == "search.key is empty"
    assert [(entry["step"], entry["value"]) for entry in told["trace"]] == [
        ("names", False),
        ("names", False),
        ("readiness", True),
    ]
    assert told["policy"]["digest"] == shop().graph.digest
    assert told["effects"] == []


@pytest.mark.parametrize(
    ("tool", "call", "rule"),
    [
        ("order", {"context": {"channel": "web"}}, "hidden.guests"),
        ("refund", {}, "hidden.reserved"),
        ("search", {"args": {"words": "a"}}, "low.passes"),
        (
            "page",
            {"args": {"path": "/a"}, "context": {"allowed_tools": []}},
            "visibility.execution",
        ),
    ],
)
def test_a_call_is_denied_by_the_rule_that_hides(tool: str, call: Any, rule: str) -> None:
    args = call.get("args", {"item": "a"})
    assert shop().decide({"tool": tool, **call, "args": args}).rule == rule


@pytest.mark.parametrize(
    ("tool", "settings", "context", "pending", "rule"),
    [
        ("page", {}, {}, None, "low.passes"),
        ("order", {}, {}, "reviewer", "review.pending"),
        ("order", {"approval": {"mode": "manual"}}, {}, "human", "human.pending"),
        ("order", {}, {"channel": "web"}, None, "hidden.guests"),
        # A guard wants a person: the reviewer's yes is not enough.
        ("label", {}, {}, "human", "human.pending"),
        ("nobody", {}, {}, "human", "human.pending"),
    ],
)
def test_approval(
    tool: str, settings: Any, context: dict[str, Any], pending: str | None, rule: str
) -> None:
    met = shop(settings).program.unseen.approval({"tool": tool, "context": context})
    assert (met.pending, met.rule, met.failure) == (pending, rule, None)


def test_rules_on_arguments_wait_for_them() -> None:
    """`raise.many` and `orders.many` read the count: neither the risk nor a deny comes of it."""
    unseen = shop().program.unseen
    met = unseen.approval({"tool": "order", "args": {"count": 500}})
    assert met.frame.risk == "high"
    assert [form["id"] for form in unseen.program.graph.document["guards"]] == ["labels.person"]
    assert shop().decide({"tool": "order", "args": {"item": "a", "count": 500}}).decision == "deny"


def test_a_call_that_is_none_is_refused() -> None:
    unseen = shop().program.unseen
    for walk in (unseen.visibility, unseen.approval):
        decision = walk({"tool": "page", "context": {"chanel": "web"}})
        assert decision is not None
        assert decision.failure is not None
        assert decision.failure.code == "R002"
        assert decision.decision == "deny"


def test_without_a_second_flow_everything_is_shown() -> None:
    made = program(policy(rule("all", None, "allow")))
    assert made.visibility({"tool": "anything"}) is None
    assert made.unseen.approval({"tool": "anything"}).decision == "allow"


@pytest.mark.parametrize(
    "second",
    [
        3,
        {},
        {"entry": 0, "step": 1, "codes": {}},
        {"entry": 10_000, "step": 1, "codes": {}},
        {"entry": 1, "step": 0, "codes": {}},
        {"entry": True, "step": 1, "codes": {}},
        {"entry": 1, "step": 1, "codes": []},
        {"entry": 1, "step": 99, "codes": {}},
    ],
)
def test_a_second_flow_that_is_none_makes_no_graph(second: Any) -> None:
    document = {**shop().graph.document, "visibility": second}
    with pytest.raises(GraphError, match="visibility"):
        DecisionGraph.of(document)


def test_a_graph_from_json_hides_the_same() -> None:
    graph = DecisionGraph.from_json(shop().graph.to_json())
    decision = Program(graph).visibility({"tool": "refund"})
    assert decision is not None
    assert decision.rule == "hidden.reserved"
