"""Rows of tools, and the way of one tool through the second flow."""

from __future__ import annotations

from typing import Any

import pytest

from callgate.analysis.facts import open_settings
from callgate.analysis.tool_checks import ToolCheck, tool_checks
from callgate.analysis.tool_rows import (
    ToolRow,
    call_for,
    known_tools,
    summary_of,
    tool_rows,
)
from tests.shop import shop
from tests.small import policy, program, rule

FLOW, SEEN = "tests/cases/shop/flow.yaml", "tests/cases/shop/visibility.yaml"
KEYS = ["name", "visible", "reason", "rule", "file", "line", "risk", "capabilities", "approval"]


def row(name: str, settings: Any = None, missing: tuple[str, ...] = (), **context: Any) -> ToolRow:
    (found,) = tool_rows(shop(settings).program, [name], context, missing)
    return found


def checks(name: str, settings: Any = None, **context: Any) -> list[ToolCheck]:
    engine = shop(settings)
    decision = engine.program.visibility(call_for(name, context, ()))
    assert decision is not None
    assert engine.policy.visibility is not None
    shown = open_settings(engine.policy, engine.settings)
    return tool_checks(decision, engine.policy.visibility, engine.source_map, shown)


def test_a_row_of_a_tool_that_is_shown() -> None:
    told = row("order").to_dict()
    assert list(told)[:9] == KEYS
    assert told == {
        "name": "order",
        "visible": True,
        "reason": "visible",
        "rule": "visible",
        "file": SEEN,
        "line": 43,
        "risk": "high",
        "capabilities": ["shop.buy"],
        "approval": "reviewer",
        "called_as": "order",
        "why": "",
        "approval_rule": "review.pending",
        "approval_why": "the call needs approval; waits for the reviewer",
        "approval_file": FLOW,
        "approval_line": 25,
    }


@pytest.mark.parametrize(
    ("name", "settings", "missing", "context", "reason", "why", "approval"),
    [
        ("page", None, (), {}, "visible", "", "none"),
        ("refund", None, (), {}, "reserved", "refund is not there yet", "denied"),
        ("search", None, (), {}, "missing.search_key", "search.key is empty", "none"),
        ("label", None, ("printer",), {}, "missing.dependency", None, "person"),
        ("order", None, (), {"channel": "web"}, "policy.guests", None, "denied"),
        ("show", {"tools": {"deny": ["page"]}}, (), {}, "policy.deny", None, "denied"),
        ("page", None, (), {"allowed_tools": []}, "visible", "", "denied"),
        ("mcp_git_push", None, (), {}, "visible", "", "reviewer"),
        ("nobody", None, (), {}, "visible", "", "person"),
    ],
)
def test_reasons_and_approvals(
    name: str, settings: Any, missing: Any, context: Any, reason: str, why: Any, approval: str
) -> None:
    found = row(name, settings, missing, **context)
    assert (found.reason, found.visible) == (reason, reason == "visible")
    assert why is None or found.why == why
    assert found.approval == approval


def test_an_alias_is_told_by_both_names() -> None:
    found = row("show")
    assert (found.name, found.called_as) == ("page", "show")


def test_hidden_rows_name_the_rule_that_hides() -> None:
    found = row("search")
    assert (found.rule, found.file, found.line) == ("ready.search-key", SEEN, 31)
    assert (found.approval_rule, found.approval_file) == ("low.passes", FLOW)


def test_names_are_masked_and_made_safe() -> None:
    assert row("a\x1b[31m\nb").name == r"a\e[31m\nb"


def test_without_a_second_flow() -> None:
    made = program(policy(rule("all", None, "allow")))
    (found,) = tool_rows(made, ["exec"])
    assert (found.visible, found.reason, found.rule, found.file) == (True, "visible", None, None)
    assert (found.approval, found.approval_rule) == ("none", "all")


def test_what_can_not_be_told_depends_on_the_arguments() -> None:
    from callgate.model.expr import Apply, Const, Fact

    # What the type checker would have typed as required is absent here.
    reads = Apply("lt", (Fact("args.count"), Const(3)))
    made = program(policy(rule("few", reads, "allow")))
    (found,) = tool_rows(made, ["exec"])
    assert found.approval == "depends"


def test_the_summary_begins_with_what_is_visible() -> None:
    engine = shop()
    rows = tool_rows(engine.program, known_tools(engine.program))
    assert [found.name for found in rows] == ["label", "order", "page", "refund", "search"]
    assert list(summary_of(rows).items()) == [
        ("visible", 3),
        ("missing.search_key", 1),
        ("reserved", 1),
    ]


def test_every_rule_in_order() -> None:
    found = checks("search")
    assert [(check.rule, check.state) for check in found] == [
        ("hidden.reserved", "no"),
        ("hidden.denied", "off"),
        ("hidden.guests", "no"),
        ("ready.search", "off"),
        ("ready.search-key", "holds"),
        ("ready.dependency", "not reached"),
    ]
    key = found[4]
    assert (key.code, key.calls, key.step) == ("missing.search_key", "pass", "readiness")
    assert key.condition == "search_key in tool.needs and not has settings.search.key"
    assert key.facts[0] == ("tool.needs", "[search, search_key]")
    assert (key.file, key.line) == (SEEN, 31)
    assert found[1].why == "tools.deny is []"
    assert found[2].facts[0] == ("call.channel", '""')
    assert found[2].calls == "deny"


def test_a_tool_that_is_shown_comes_by_every_rule() -> None:
    assert {check.state for check in checks("page")} == {"no", "off"}


def test_secrets_are_not_told() -> None:
    for check in checks("search", {"search": {"key": "hunter2hunter2"}}):
        assert "hunter2" not in str(check.to_dict())
