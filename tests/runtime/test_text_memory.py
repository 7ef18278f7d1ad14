"""What was read in a text is remembered; what the call is, and what was observed, still counts."""

from __future__ import annotations

from typing import Any

import pytest

from callgate import Engine
from callgate.runtime.text_memory import TextMemory


@pytest.fixture(scope="module")
def echo() -> Engine:
    return Engine.load("echo")


def exec_(command: str, **context: str) -> dict[str, Any]:
    return {"tool": "exec", "args": {"command": command}, "context": {"channel": "cli", **context}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (exec_("rm -rf x", cwd="/srv/app"), exec_("rm -rf x", cwd="/etc/..")),
        (exec_("rm -rf ../..", cwd="/home/u/a"), exec_("rm -rf ../..", cwd="/srv/app/b/c/d")),
        (exec_("cat ~/.ssh/id_rsa", home="/home/u"), exec_("cat ~/.ssh/id_rsa", home="")),
        (
            exec_("cat x"),
            {**exec_("cat x"), "observed": {"links": {"/srv/app/x": "/etc/shadow"}}},
        ),
        (
            exec_("curl http://a.example/"),
            {**exec_("curl http://a.example/"), "observed": {"dns": {"a.example": ["10.0.0.1"]}}},
        ),
        (
            {"tool": "process", "args": {"action": "list", "command": ""}},
            {"tool": "process", "args": {"action": "start", "command": "reboot"}},
        ),
        (
            {"tool": "execute_code", "args": {"code": "reboot", "language": "bash"}},
            {"tool": "execute_code", "args": {"code": "reboot", "language": "python"}},
        ),
        (exec_("ls"), {**exec_("ls"), "args": {"command": "ls", "timeout": 3}}),
    ],
)
def test_a_call_decides_the_same_after_any_other(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    def told(engine: Engine, call: dict[str, Any]) -> Any:
        form = engine.decide(call).to_dict()
        return form["decision"], form["rule"], form["effects"], form["matched"], form["assumed"]

    fresh = [told(Engine.load("echo"), call) for call in (one, other)]
    engine = Engine.load("echo")
    for _ in range(2):
        assert [told(engine, call) for call in (one, other)] == fresh


def test_decisions_are_not_remembered(echo: Engine) -> None:
    assert echo.decide(exec_("ls -l")).decision == "allow"
    unattended = echo.decide({**exec_("ls -l"), "context": {"unattended": True}})
    assert unattended.decision == "deny"


EXEC = ["shell", {"text": ["arg", "command", None], "cwd": ["arg", "cwd", ""]}, None]


@pytest.mark.parametrize(
    ("effects", "is_there"),
    [
        ([EXEC], True),
        ([["read", {"path": ["arg", "path", None]}, None]], False),
        ([[*EXEC[:2], ["apply", "eq", ["fact", "args.action"], ["const", "start"]]]], True),
        ([[*EXEC[:2], ["apply", "eq", ["fact", "call.channel"], ["const", "cli"]]]], False),
    ],
)
def test_where_there_is_one(effects: list[Any], is_there: bool) -> None:
    assert (TextMemory.of(effects) is not None) is is_there


def test_it_is_bounded() -> None:
    from callgate.model.effect import Effect, EffectSet

    memory = TextMemory.of([EXEC])
    assert memory is not None
    for number in range(5000):
        memory.keep((str(number),), EffectSet())
    assert 0 < len(memory.known) <= 1024
    for number in range(100):
        memory.keep((f"{number}", "x" * 100_000), EffectSet())
    held = [part for key in memory.known for part in key if isinstance(part, str)]
    assert 0 < sum(map(len, held)) <= 1_100_000
    many = EffectSet([Effect("read", {"path": "/a", "tree": False})] * 4096)
    memory.keep(("many",), many)
    assert ("many",) not in memory.known
