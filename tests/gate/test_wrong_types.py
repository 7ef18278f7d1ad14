"""What is handed to the gate by mistake is named, and so is what is wanted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.gate.cron import CronGrants
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.fixed_policy import FixedPolicy
from callgate.gate.gate import ApprovalGate
from callgate.gate.grants import Grants
from callgate.gate.live_policy import LivePolicy
from callgate.gate.observe import LocalObserver
from callgate.gate.people import People
from callgate.gate.state import StateFolder
from callgate.model.diagnostic import PolicyError
from tests.gate.gating import engine


@pytest.mark.parametrize("policy", ["echo", None, Path("echo"), {}, Engine])
def test_a_policy_that_is_none(policy: Any) -> None:
    with pytest.raises(TypeError, match=r"`policy` is a LivePolicy or an Engine, such as LiveP"):
        ApprovalGate(policy)


def test_a_fixed_policy_wants_an_engine() -> None:
    wrong: Any = "echo"
    with pytest.raises(TypeError, match="`engine` is an Engine, such as"):
        FixedPolicy(wrong)


@pytest.mark.parametrize("state", ["/path", Path("/path"), 5, StateFolder])
@pytest.mark.parametrize(
    "made", [lambda state: ApprovalGate(engine(), state=state), lambda s: LivePolicy(state=s)]
)
def test_a_state_that_is_none(state: Any, made: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="`state` is a StateFolder, such as StateFolder"):
        made(state)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("people", [], r"`people` is a People, such as People\(Database\(.*, not list"),
        ("people", People, r"`people` is a People, such as .*, not the class People"),
        ("reviewer", "gpt", r"`reviewer` is an object with `async def review\(.*, not 'gpt'"),
        ("reviewer", print, r"`reviewer` is an object with .*, not builtin_function_or_method"),
        ("observer", print, "`observer` is an object with `observe`, `straight`, `identity` and"),
        ("observer", LocalObserver, "`observer` is an object with .*, not the class LocalObserver"),
        ("clock", 5, "`clock` is a function that gives the time"),
        ("records", "dir", "`records` is true, false or a Recorder, such as .*, not 'dir'"),
        ("records", None, "`records` is true, false or a Recorder, such as .*, not NoneType"),
    ],
)
def test_a_part_that_is_none(tmp_path: Path, name: str, value: Any, told: str) -> None:
    state = StateFolder(tmp_path / "state")
    with pytest.raises(TypeError, match=told):
        ApprovalGate(engine(), state=state, **{name: value})
    assert not state.database.exists()


@pytest.mark.parametrize("made", [Grants, CronGrants, Events, People])
@pytest.mark.parametrize("db", ["state.db", Path("state.db"), None, Database])
def test_a_database_that_is_none(made: Callable[[Any], Any], db: Any) -> None:
    with pytest.raises(TypeError, match=r"`db` is a Database, such as Database\(state.database\)"):
        made(db)


def test_a_name_that_was_mistyped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for load in (Engine.load, LivePolicy):
        with pytest.raises(PolicyError, match="did you mean `echo`"):
            load("ecko")
