"""What the bundle `echo` tells the live gate, and what its settings change in it."""

from __future__ import annotations

from typing import Any

import pytest

from callgate import Engine
from callgate.model.codec import decode_expr


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def section(echo: Engine, **approval: Any) -> dict[str, Any]:
    engine = echo.with_settings({"permissions": {"approval": approval}}) if approval else echo
    found: dict[str, Any] = engine.graph.document["gate"]
    return found


def test_defaults(echo: Engine) -> None:
    found = dict(section(echo))
    assert found.pop("lasting") is not None
    assert found == {
        "wait_seconds": 300,
        "approvers": [],
        "signed_answers": False,
        "families": {"exec": ["exec"], "code": ["execute_code"], "process": ["process"]},
        "grant_days": 0,
        "reviewer": None,
    }


def test_settings(echo: Engine) -> None:
    found = section(
        echo,
        wait_timeout_seconds=60,
        signed_answers=True,
        grant_days=30,
        smart_model="small-1",
        reviewer_base_url="https://models.example.org/v1",
        reviewer_key_from="REVIEWER_KEY",
        reviewer_timeout_seconds=10,
        reviewer_retries=3,
    )
    assert (found["wait_seconds"], found["signed_answers"], found["grant_days"]) == (60, True, 30)
    assert found["reviewer"] == {
        "base_url": "https://models.example.org/v1",
        "model": "small-1",
        "key_from": "REVIEWER_KEY",
        "timeout_seconds": 10,
        "retries": 3,
    }
    admins = echo.with_settings({"permissions": {"admin_users": ["u1", "u2"]}})
    assert admins.graph.document["gate"]["approvers"] == ["u1", "u2"]


def test_a_key_that_stands_in_the_settings_reaches_no_graph(echo: Engine) -> None:
    key = "k-0123456789abcdef"
    engine = echo.with_settings(
        {
            "permissions": {
                "approval": {"reviewer_base_url": "https://a.example", "reviewer_key_from": key}
            }
        }
    )
    assert key.encode() not in engine.graph.to_json()


@pytest.mark.parametrize(
    ("tool", "args", "lasts"),
    [
        ("exec", {"command": "ls"}, True),
        ("write_file", {"path": "a", "content": ""}, True),
        ("cronjob", {"action": "create"}, False),
        ("nobody_knows_it", {}, False),
        ("execute_code", {"language": "cobol", "code": ""}, False),
    ],
)
def test_nothing_lasts_for_dangerous_calls(
    echo: Engine, tool: str, args: dict[str, Any], lasts: bool
) -> None:
    program = echo.program
    lasting = program.codegen.compile(decode_expr(section(echo)["lasting"]))
    frame = program.checker.frame({"tool": tool, "args": args})
    program.classifier.classify(frame)
    assert (frame.risk != "dangerous") is lasts
    assert lasting(frame) is lasts


def test_families_are_tools_that_run_things(echo: Engine) -> None:
    risk = echo.graph.document["risk"]["tools"]
    for tools in section(echo)["families"].values():
        assert {risk[tool] for tool in tools} == {"exec"}
