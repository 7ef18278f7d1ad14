"""The gate's answer to calls that nobody is asked about."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest

from callgate.engine import Engine
from callgate.gate.approval import KINDS, Approval
from callgate.gate.frozen_call import MAX_CALL, FrozenCall
from callgate.gate.gate import ApprovalGate
from callgate.gate.live_policy import LivePolicy
from callgate.gate.own_places import OWN_ONLY
from callgate.gate.state import StateFolder
from callgate.resources import packaged_folders
from tests.gate.gating import BUNDLE, Seen, call, engine


def check(asked: Any, gate: ApprovalGate | None = None, **rest: Any) -> Approval:
    """The answer to a call."""
    return asyncio.run((gate or ApprovalGate(engine(), observer=Seen())).check(asked, **rest))


def test_an_allowed_call() -> None:
    asked = call("run", command="git status")
    found = check(asked)
    assert found and found.allowed
    assert found.kind == "" and found.reason == "" and found.notice == ""
    assert not found.terminal
    assert found.approval_source == "auto"
    assert found.approved_actions == {"run"}
    assert found.args() == {"command": "git status"}
    assert found.call == asked
    canonical = orjson.dumps(
        {"args": {"command": "git status"}, "tool": "run"}, option=orjson.OPT_SORT_KEYS
    )
    assert found.digest == sha256(canonical).hexdigest()
    assert repr(found) == "<Approval allowed>"


def test_a_denied_call() -> None:
    found = check(call("read_file", path="/secret/key"))
    assert not found and not found.allowed
    assert found.kind == "policy"
    assert found.reason == "/secret/key is secret"
    assert found.approval_source == "" and found.approved_actions == frozenset()
    assert found.decision.rule == "secret"
    assert "secret" in repr(found)
    assert set(KINDS) >= {found.kind}


def test_what_runs_is_a_copy_that_nobody_can_change() -> None:
    args = {"path": "/w/a", "lines": [1, 2]}
    asked = {"tool": "read_file", "args": args, "context": dict(call("x")["context"])}
    found = check(asked)
    args["path"] = "/secret/key"
    args["lines"].append(3)  # type: ignore[attr-defined]
    mine = found.args()
    assert mine == {"path": "/w/a", "lines": [1, 2]}
    mine["path"] = "/secret/key"
    found.call["args"]["path"] = "/secret/key"
    assert found.args() == {"path": "/w/a", "lines": [1, 2]}
    with pytest.raises(TypeError):
        found.call["args"] = {}  # type: ignore[index]


def test_an_alias_is_the_tool() -> None:
    one = check({"tool": "cat_file", "args": {"path": "/w/a"}})
    two = check({"tool": "read_file", "args": {"path": "/w/a"}})
    assert one.digest == two.digest
    assert one.approved_actions == {"read_file"}
    assert check({"tool": "read_file", "args": {"path": "/w/b"}}).digest != one.digest


def test_no_arguments_are_empty_arguments() -> None:
    assert check({"tool": "maybe"}).digest == check({"tool": "maybe", "args": {}}).digest
    assert check({"tool": "run", "args": {"command": "git status"}}).args()
    assert Approval(True, check({"tool": "x"}).decision, FrozenCall(b"{}")).args() == {}


class Word(str):
    """A text that is more than a text."""

    __slots__ = ()


class Colour(enum.StrEnum):
    """A text that is a constant."""

    RED = "red"


@dataclass
class Box:
    """A thing that JSON writers know."""

    path: str


@pytest.mark.parametrize(
    "args",
    [
        {"path": float("nan")},
        {"path": [float("inf")]},
        {"path": ("a",)},
        {1: "a"},
        {"path": Word("a")},
        {Word("path"): "a"},
        {"path": b"a"},
        {"path": datetime(2026, 12, 1, tzinfo=UTC)},
        {"path": Box("a")},
        {"path": {1, 2}},
        {"path": "\ud800"},
        {"path": 2**70},
    ],
    ids=str,
)
def test_what_is_no_json_is_refused(args: Any) -> None:
    found = check({"tool": "read_file", "args": args})
    assert not found.allowed
    assert found.kind == "invalid"


def test_a_constant_that_is_a_text_is_judged_and_run_as_that_text() -> None:
    found = check(
        {"tool": "read_file", "args": {"path": Colour.RED}, "context": call("x")["context"]}
    )
    assert not found.allowed or type(found.args()["path"]) is str


@pytest.mark.parametrize("key", ["answers", "settings", "observed"])
@pytest.mark.parametrize("value", [None, {}, {"human": "once"}])
def test_what_only_the_gate_may_say_is_refused(key: str, value: Any) -> None:
    found = check({**call("read_file", path="/w/a"), key: value})
    assert found.kind == "invalid"
    assert f"`{key}`" in found.reason


@pytest.mark.parametrize(
    "asked",
    [None, [], "read_file", 1, {}, {"tool": ""}, {"tool": 1}, {"tool": "read_file", "args": []}],
    ids=str,
)
def test_what_is_no_call_is_refused(asked: Any) -> None:
    assert check(asked).kind == "invalid"


@pytest.mark.parametrize(
    "context", [{"workspace": 1}, {"workspace": []}, {"nested": "no"}, {"unknown": 1}], ids=str
)
def test_a_context_of_the_wrong_type_is_refused(context: Any) -> None:
    found = check({"tool": "run", "args": {"command": "git status"}, "context": context})
    assert found.kind == "invalid"


def test_any_mapping_is_a_call() -> None:
    assert check(MappingProxyType(call("run", command="git status"))).allowed


def test_a_mapping_that_fails_is_refused() -> None:
    class Broken(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            raise RuntimeError("a mapping of somebody's")

        def __iter__(self) -> Any:
            return iter(["tool"])

        def __len__(self) -> int:
            return 1

    found = check(Broken())
    assert not found.allowed
    assert "RuntimeError" in found.reason


def test_a_call_that_is_too_large_is_refused() -> None:
    found = check(call("write_file", path="/w/a", text="x" * MAX_CALL))
    assert found.kind == "invalid"
    assert found.decision.to_dict()["error"]["code"] == "R004"


def test_a_call_that_is_nested_too_deep_is_refused() -> None:
    deep: Any = "a"
    for _ in range(2_000):
        deep = [deep]
    assert check(call("write_file", path="/w/a", text=deep)).kind == "invalid"


def test_addresses_that_were_judged_are_told() -> None:
    seen = Seen(dns={"pages.example": ["93.184.216.34", "2606:2800:220:1::1"]})
    found = check(
        call("fetch", url="https://pages.example/"), ApprovalGate(engine(), observer=seen)
    )
    assert found.allowed
    assert found.addresses == {"pages.example": ("93.184.216.34", "2606:2800:220:1::1")}


LOST = ("a.example", "b.example")


@pytest.mark.parametrize(
    ("hosts", "kind"),
    [
        (LOST, "dependency"),
        (("a.example", "pages.example"), "dependency"),
        (("a.example", "inner.example"), "policy"),
        (("inner.example",), "policy"),
        (("a.example", "10.0.0.1"), "policy"),
    ],
    ids=str,
)
def test_a_name_that_cannot_be_looked_up_is_an_outage_and_no_refusal(
    hosts: tuple[str, ...], kind: str
) -> None:
    public, inner = ["93.184.216.34"], ["10.0.0.1"]
    seen = Seen(dns={**dict.fromkeys(LOST, ()), "pages.example": public, "inner.example": inner})
    asked = call("run", command="curl " + " ".join(f"http://{host}/" for host in hosts))
    found = check(asked, ApprovalGate(engine(), observer=seen))
    assert (found.allowed, found.kind, found.terminal) == (False, kind, False)
    assert found.decision.decision == "deny" and found.decision.rule == "inner"
    lost = kind == "dependency"
    assert ("could be looked up of a.example" in found.reason) is lost
    assert found.notice == (found.reason if lost else "")


def test_under_echo_too(tmp_path: Path) -> None:
    gate = ApprovalGate(Engine.load("echo"), observer=Seen())
    context = {"channel": "cli", "cwd": str(tmp_path), "workspace": str(tmp_path)}
    found = check(
        {"tool": "web_fetch", "args": {"url": "https://a.test/"}, "context": context}, gate
    )
    assert (found.kind, found.notice) == ("dependency", found.reason)
    assert "allow_private" not in found.reason and "a.test" in found.reason


def test_the_world_is_looked_at_again_before_it_runs() -> None:
    async def story() -> None:
        seen = Seen()
        found = await ApprovalGate(engine(), observer=seen).check(call("read_file", path="a"))
        assert found.allowed
        assert await found.recheck() == ""
        seen.links["/w/a"] = "/secret/key"
        assert await found.recheck() != ""

    asyncio.run(story())


def test_an_observer_that_fails_denies() -> None:
    seen = Seen()
    seen.fails = OSError("gone")
    found = check(call("read_file", path="a"), ApprovalGate(engine(), observer=seen))
    assert not found.allowed
    assert found.kind == "approval_unavailable"
    assert found.notice


def test_a_real_file_system_is_looked_at(tmp_path: Path) -> None:
    workspace = tmp_path.resolve()
    (workspace / "notes").symlink_to("/secret/key")
    (workspace / "plain").write_text("plain")
    context = {"workspace": str(workspace), "cwd": str(workspace)}
    gate = ApprovalGate(engine())
    assert check(call("read_file", context=context, path="plain"), gate).allowed
    found = check(call("read_file", context=context, path="notes"), gate)
    assert found.decision.rule == "secret"
    assert check(call("run", context=context, command="cat notes"), gate).decision.rule == "secret"


@pytest.mark.parametrize("live", [True, False], ids=["live", "fixed"])
def test_an_agent_whose_workspace_holds_the_policy_or_the_state_is_refused(
    tmp_path: Path, live: bool
) -> None:
    state = StateFolder(tmp_path / "state")
    policy = LivePolicy(BUNDLE, state=state) if live else engine()
    gate = ApprovalGate(policy, state=state, observer=Seen())
    for folder in (
        str(BUNDLE),
        str(BUNDLE.parent),
        str(tmp_path),
        str(state.path),
        *packaged_folders(),
    ):
        contexts: list[dict[str, Any]] = [
            {"workspace": folder, "cwd": "/w"},
            # Without a workspace, the folder that it runs in counts as one.
            {"workspace": "", "cwd": folder},
            {"workspace": None, "cwd": folder},
        ]
        for context in contexts:
            found = check(call("run", context=context, command="git status"), gate)
            assert not found.allowed, context
            assert found.kind == "approval_unavailable"
            assert "the agent's workspace" in found.reason
            assert ("its `cwd` counts" in found.reason) == (context["cwd"] == folder)
    assert check(call("run", command="git status"), gate).allowed
    context = {"workspace": "/w", "cwd": str(tmp_path)}
    assert check(call("run", context=context, command="git status"), gate).allowed


@pytest.mark.parametrize("where", ["{state}/state.db", "{state}", "{state}/../state/control.json"])
def test_the_gates_own_folder_is_not_changed_whatever_the_policy_says(
    tmp_path: Path, where: str
) -> None:
    state = StateFolder(tmp_path.resolve() / "state")
    gate = ApprovalGate(engine(), state=state)
    found = check(call("write_file", path=where.format(state=state.path)), gate)
    assert found.kind == "policy"
    assert found.reason == OWN_ONLY
    assert not check(call("run", command=f"rm -r {state.path.parent}"), gate).allowed
    (tmp_path / "way").symlink_to(state.path)
    assert not check(call("write_file", path=f"{tmp_path}/way/state.db"), gate).allowed
    assert check(call("write_file", path=f"{state.path}-not/x"), gate).allowed
    assert check(call("write_file", path=f"{tmp_path}/other"), gate).allowed


def test_a_call_that_would_be_asked_about_is_denied_without_a_state() -> None:
    found = check(call("deploy", version="1"))
    assert not found.allowed
    assert found.kind == "approval_unavailable"
    assert found.notice


def test_many_calls_at_once_get_their_own_answers() -> None:
    async def story() -> None:
        gate = ApprovalGate(engine(), observer=Seen())
        calls = [
            call("read_file", path=f"/secret/{n}" if n % 3 == 0 else f"/w/{n}")
            for n in range(1_000)
        ]
        found = await asyncio.gather(*(gate.check(asked) for asked in calls))
        for number, approval in enumerate(found):
            assert approval.allowed == (number % 3 != 0)
            assert approval.args() == calls[number]["args"]

    asyncio.run(story())
