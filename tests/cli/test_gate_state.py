"""What operators have set, as `callgate status --state` and `callgate reload --list` show it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.live_policy import LivePolicy
from callgate.gate.state import StateFolder
from tests.cli.conftest import Run
from tests.gate.tiny import say, write_bundle


class Place:
    """A policy and a gate's state folder."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.bundle = write_bundle(folder / "tiny")
        self.state = StateFolder(folder / "state")
        self.control = Control(self.state)
        self._run = run

    def shown(self) -> str:
        args = ("status", "--bundle", self.bundle, "--state", self.state.path)
        status = self._run(*args)
        assert status.exit_code == 0, status.output
        listed = self._run("reload", "--list", "--state", self.state.path).stdout
        _, _, of_status = status.stdout.partition("gates of this state folder\n")
        assert listed.partition("\n\n")[2] in of_status
        return of_status

    def form(self) -> dict[str, Any]:
        args = ("status", "--bundle", self.bundle, "--state", self.state.path, "--json")
        told: dict[str, Any] = json.loads(self._run(*args).stdout)["gate"]
        return told


@pytest.fixture
def place(run: Run, tmp_path: Path) -> Place:
    return Place(run, tmp_path)


def test_nothing_is_set(place: Place) -> None:
    assert place.shown().splitlines() == [
        "  wanted       what each gate's own bundle and settings give",
        "  pinned       no",
        "  frozen       no",
        "  break-glass  no",
    ]
    assert place.form() == {
        "wanted": None,
        "generation": 0,
        "pinned": False,
        "frozen": None,
        "break_glass": None,
        "break_glass_uses": None,
    }


def test_everything_is_set(place: Place) -> None:
    digest = "sha256:" + "0" * 64
    place.control.publish(digest, pinned=True)
    place.control.break_glass(5, "INC-1", "local:ann")
    glass = place.form()["break_glass"]
    assert (glass["by"], glass["why"]) == ("local:ann", "INC-1")
    assert f"break-glass  until {glass['until']}, since " in place.shown()
    place.control.freeze("local:bob", "odd \x1b[2Jthings")
    shown = place.shown()
    assert digest in shown
    assert "another version" in shown
    assert "pinned       yes" in shown
    assert "frozen       yes, since 2" in shown
    assert "by local:bob: odd \\e[2Jthings" in shown
    assert "without effect while frozen" in shown
    assert place.form()["frozen"]["by"] == "local:bob"


def test_a_file_that_can_not_be_read_is_a_freeze(place: Place) -> None:
    place.state.control.write_text("{")
    assert "frozen       yes" in place.shown()
    assert "malformed" in place.shown()


def test_what_break_glass_let_pass_is_counted(run: Run, place: Place) -> None:
    set_now = ("break-glass", "--minutes", "5", "--why", "INC-1", "--state", place.state.path)
    events = Events(Database(place.state.database))
    events.add("break-glass.passed", tool="before")
    assert run(*set_now).exit_code == 0
    assert "passed by it no calls since 20" in place.shown()
    assert place.form()["break_glass_uses"]["last"] is None
    events.add("break-glass.passed", tool="exec")
    assert "passed by it 1 call since 20" in place.shown()
    events.add("break-glass.passed", tool="exec")
    uses = place.form()["break_glass_uses"]
    assert uses["count"] == 2
    assert uses["last"].endswith(" UTC")
    assert (
        f"passed by it 2 calls since {uses['since']}, the last at {uses['last']}" in place.shown()
    )
    assert "callgate events --kind break-glass" in place.shown()
    # When it is over, it is still told; a new one begins anew.
    assert run("break-glass", "--off", "--state", place.state.path).exit_code == 0
    assert place.form()["break_glass_uses"]["count"] == 2
    assert run(*set_now).exit_code == 0
    assert place.form()["break_glass_uses"]["count"] == 0


def test_events_that_can_not_be_read_hide_no_freeze(run: Run, place: Place) -> None:
    place.control.freeze("local:bob", "odd things")
    place.state.database.write_bytes(b"no database")
    place.state.database.chmod(0o600)
    result = run("status", "--bundle", place.bundle, "--state", place.state.path)
    assert result.exit_code == 0
    assert "frozen       yes" in result.stdout
    assert "what break-glass let pass is not known: " in result.stderr


def test_without_a_state_nothing_is_told_of_gates(run: Run, place: Place) -> None:
    assert "gates" not in run("status", "--bundle", place.bundle).stdout
    assert "gate" not in json.loads(run("status", "--bundle", place.bundle, "--json").stdout)


def test_the_policy_shown_is_the_one_that_the_gates_go_by(run: Run, place: Place) -> None:
    def told(*more: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(run("status", "--json", *more).stdout)
        return found

    state = ("--state", place.state.path)
    echo = told()["policy"]["digest"]
    # Nothing is kept, so it is what a gate would begin with.
    place.state.versions.joinpath("x").touch()
    assert told(*state)["policy"]["digest"] == echo
    # A gate began.
    first = LivePolicy(place.bundle, {"mode": "strict"}, state=place.state)
    found = told(*state)
    assert found["policy"] == {
        "bundle": "tiny",
        "version": "1.0.0",
        "title": "",
        "digest": first.digest,
        "engine": first.program.engine,
        "extends": [],
    }
    assert found["settings"] is None
    shown = run("status", *state).stdout
    assert shown.startswith(f"tiny 1.0.0\n  digest      {first.digest[:23]}\n")
    assert "those that this version was made with" in shown
    # Somebody named another version; a gate that begins later makes no difference.
    say(place.bundle, "second")
    second = first.reload().digest
    LivePolicy(place.bundle, state=place.state)
    found = told(*state)
    assert found["policy"]["digest"] == found["gate"]["wanted"] == second
    assert "another version" not in run("status", *state).stdout
    # Who names a bundle or settings sees those, and that they are others.
    assert told(*state, "--bundle", "echo")["policy"]["digest"] == echo
    assert "another version" in run("status", *state, "--bundle", "echo").stdout
    (place.state.versions / f"{second[7:]}.json").unlink()
    result = run("status", *state)
    assert result.exit_code == 0
    assert "is not kept" in result.stderr
    assert "`echo` is shown" in result.stderr
