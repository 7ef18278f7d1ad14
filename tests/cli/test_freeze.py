"""`callgate freeze`: on, off, and whatever else fails, it is on."""

from __future__ import annotations

import json
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
    result = run("freeze", "--state", state.path, "--why", "odd \u202ecommands\x1b[0m")
    assert result.exit_code == 0
    assert result.stdout.startswith("✕ frozen: nothing passes without a person\n")
    assert "\u202e" not in result.stdout
    assert "\x1b" not in result.stdout
    frozen = gate.read().frozen
    assert frozen is not None
    assert frozen.why == "odd \u202ecommands\x1b[0m"
    assert frozen.by.startswith("local:")
    result = run("freeze", "--off", "--state", state.path)
    assert result.exit_code == 0
    assert result.stdout.startswith("✓ not frozen")
    assert gate.read().frozen is None
    events = Events(Database(state.database)).list()
    assert [event.kind for event in events] == ["freeze.on", "freeze.off"]
    assert all(event.detail["by"] == frozen.by for event in events)


def test_a_second_reason_does_not_replace_the_first(run: Run, state: StateFolder) -> None:
    first = run("freeze", "--state", state.path, "--why", "one")
    assert "already" not in first.stdout
    second = run("freeze", "--state", state.path, "--why", "two")
    assert second.exit_code == 0
    assert ": one\n" in second.stdout
    assert "it was frozen already; this reason is recorded, but does not replace" in second.stdout
    third = run("freeze", "--state", state.path)
    assert "it was frozen already; nothing has changed" in third.stdout


def test_as_json(run: Run, state: StateFolder) -> None:
    told = json.loads(run("freeze", "--state", state.path, "--format", "json").stdout)
    assert told["frozen"]["why"] == ""
    assert told["kept"] is False
    args = ("freeze", "--state", state.path, "--format", "json", "--why", "another")
    again = json.loads(run(*args).stdout)
    assert again == {"frozen": told["frozen"], "kept": True}
    told = json.loads(run("freeze", "--off", "--state", state.path, "--format", "json").stdout)
    assert told == {"frozen": None, "kept": False}


def test_a_record_that_fails_keeps_nothing_from_freezing(run: Run, state: StateFolder) -> None:
    state.database.write_bytes(b"no database")
    state.database.chmod(0o600)
    result = run("freeze", "--state", state.path)
    assert result.exit_code == 0
    assert "the freeze is set, but not recorded" in result.stderr
    assert Control(state).state.frozen is not None


def test_a_damaged_control_file_is_said(run: Run, state: StateFolder) -> None:
    state.control.write_text("{")
    for args in ([], ["--off"]):
        result = run("freeze", "--state", state.path, *args)
        assert result.exit_code == 1
        assert "let nothing pass without a person until it is removed" in result.stderr
    state.control.unlink()
    assert run("freeze", "--off", "--state", state.path).exit_code == 0


def test_words_that_are_too_many(run: Run, state: StateFolder) -> None:
    result = run("freeze", "--state", state.path, "--why", "w" * 3_000)
    assert result.exit_code == 1
    assert "`why` is malformed" in result.stderr


def test_a_folder_that_others_could_write(run: Run, state: StateFolder) -> None:
    state.path.chmod(0o777)
    result = run("freeze", "--state", state.path)
    assert result.exit_code == 1
    assert "other users may write" in result.stderr
