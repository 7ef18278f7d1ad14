"""`callgate break-glass`: for some minutes, with a reason, and never without a record."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.state import StateFolder
from tests.cli.conftest import Run


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def test_on_and_off(run: Run, state: StateFolder) -> None:
    gate = Control(state)
    args = ("break-glass", "--state", state.path)
    result = run(*args, "--minutes", 30, "--why", "INC-1")
    assert result.exit_code == 0
    assert result.stdout.startswith("? break-glass until 2")
    assert result.stdout.endswith(": INC-1\n")
    gate.read()
    glass = gate.glass()
    assert glass is not None
    assert (glass.why, glass.until - glass.at) == ("INC-1", timedelta(minutes=30))
    assert glass.by.startswith("local:")
    assert run(*args, "--off").stdout.startswith("✓ no break-glass")
    gate.read()
    assert gate.glass() is None
    on, off = Events(Database(state.database)).list()
    assert on.kind == "break-glass.on"
    assert on.detail == {"by": glass.by, "minutes": 30, "why": "INC-1"}
    assert (off.kind, off.detail) == ("break-glass.off", {"by": glass.by})


def test_as_json_and_beside_a_freeze(run: Run, state: StateFolder) -> None:
    Control(state).freeze("local:ann")
    args = ("break-glass", "--state", state.path, "--minutes", 1, "--why", "w")
    told = json.loads(run(*args, "--format", "json").stdout)
    assert told["frozen"] is True
    assert told["break_glass"]["why"] == "w"
    shown = run(*args).stdout
    assert "until `callgate freeze --off` only what a person approves passes" in shown
    assert "nothing passes" not in shown
    told = json.loads(run(*args[:3], "--off", "--format", "json").stdout)
    assert told == {"break_glass": None, "frozen": True}


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--minutes", 5],
        ["--why", "w"],
        ["--minutes", 5, "--why", " "],
        ["--minutes", 0, "--why", "w"],
        ["--minutes", 241, "--why", "w"],
        ["--minutes", 1.5, "--why", "w"],
        ["--off", "--minutes", 5],
        ["--off", "--why", "w"],
    ],
)
def test_what_is_missing_or_too_much(run: Run, state: StateFolder, args: list[object]) -> None:
    result = run("break-glass", "--state", state.path, *args)
    assert result.exit_code == 1
    assert not state.control.exists()
    assert not state.database.exists()


def test_without_a_record_it_does_not_happen(run: Run, state: StateFolder) -> None:
    state.database.write_bytes(b"no database")
    state.database.chmod(0o600)
    result = run("break-glass", "--state", state.path, "--minutes", 5, "--why", "w")
    assert result.exit_code == 1
    assert not state.control.exists()


def test_ending_it_does_not_wait_for_a_record(run: Run, state: StateFolder) -> None:
    Control(state).break_glass(5, "w", "local:ann")
    state.database.write_bytes(b"no database")
    state.database.chmod(0o600)
    result = run("break-glass", "--state", state.path, "--off")
    assert result.exit_code == 0
    assert "not recorded" in result.stderr
    assert Control(state).state.break_glass is None


def test_what_fails_after_the_record_is_recorded(run: Run, state: StateFolder) -> None:
    state.control.write_text("{")
    result = run("break-glass", "--state", state.path, "--minutes", 5, "--why", "w")
    assert result.exit_code == 1
    kinds = [event.kind for event in Events(Database(state.database)).list()]
    assert kinds == ["break-glass.on", "break-glass.failed"]
