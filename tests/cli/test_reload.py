"""`callgate reload`: a policy goes in force, or says why not; and back to an earlier one."""

from __future__ import annotations

import getpass
import json
from pathlib import Path

import pytest
from click.testing import Result

from callgate.gate import fresh
from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.live_policy import LivePolicy
from callgate.gate.state import StateFolder
from tests.cli.conftest import Run
from tests.gate.tiny import say, settings_file, spoil, word_of, write_bundle


class Place:
    """A bundle, settings, a state folder, and `callgate reload` for them."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run = run
        self.bundle = write_bundle(folder / "tiny")
        self.settings = settings_file(folder / "config.yaml", mode="strict")
        self.state = StateFolder(folder / "state")

    def reload(self, *args: object) -> Result:
        return self.run(
            "reload",
            *("--bundle", self.bundle, "--settings", self.settings),
            *("--state", self.state.path, *args),
        )

    def other(self, *args: object) -> Result:
        return self.run("reload", "--state", self.state.path, *args)

    def gate(self) -> LivePolicy:
        return LivePolicy(self.bundle, self.settings, state=self.state)


@pytest.fixture
def place(run: Run, tmp_path: Path) -> Place:
    return Place(run, tmp_path)


def caught_up(gate: LivePolicy) -> str:
    gate.refresh()
    gate.settle()
    return word_of(gate.program)


def test_a_running_gate_goes_over(place: Place) -> None:
    gate = place.gate()
    first = gate.digest
    say(place.bundle, "second")
    result = place.reload()
    assert result.exit_code == 0
    assert result.stdout.startswith("✓ sha256:")
    assert "the first" in result.stdout
    assert caught_up(gate) == "second strict"
    assert gate.digest in result.stdout
    say(place.bundle, "third")
    told = json.loads(place.reload("--format", "json").stdout)
    assert told == {
        "digest": Control(place.state).state.digest,
        "generation": 2,
        "was": gate.digest,
        "pinned": False,
    }
    assert caught_up(gate) == "third strict"
    assert "as before" in place.reload().stdout
    assert first != gate.digest


@pytest.mark.parametrize("broken", ["bundle", "settings", "gone"])
def test_what_is_broken_changes_nothing(place: Place, broken: str) -> None:
    assert place.reload().exit_code == 0
    gate = place.gate()
    before = place.state.control.read_bytes()
    match broken:
        case "bundle":
            spoil(place.bundle)
        case "settings":
            place.settings.write_text("mod: strict\n")
        case "gone":
            place.settings.unlink()
    result = place.reload()
    assert result.exit_code == 3
    assert result.stdout == ""
    lint = place.run("lint", place.bundle, "--settings", place.settings).stdout
    first = lint.splitlines()[0]
    assert first in result.stderr
    assert "can't be used: " in result.stderr
    assert place.state.control.read_bytes() == before
    assert caught_up(gate) == "first strict"


def test_files_that_are_being_saved(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fresh.Engine.of_source

    def change(source: object) -> object:
        say(place.bundle, "second")
        return compiled(source)  # type: ignore[arg-type]

    monkeypatch.setattr(fresh.Engine, "of_source", change)
    result = place.reload()
    assert result.exit_code == 3
    assert "changed while they were read" in result.stderr
    assert not place.state.control.exists()


def test_back_to_an_earlier_version(place: Place) -> None:
    gate = place.gate()
    first = gate.digest
    say(place.bundle, "second")
    assert place.reload().exit_code == 0
    assert caught_up(gate) == "second strict"
    result = place.other("--to", first[:20])
    assert result.exit_code == 0
    assert first in result.stdout
    assert caught_up(gate) == "first strict"
    assert caught_up(place.gate()) == "first strict"
    assert place.reload().exit_code == 0
    assert caught_up(gate) == "second strict"


def test_an_unknown_version(place: Place) -> None:
    unknown = "sha256:" + "0" * 64
    result = place.other("--to", unknown)
    assert result.exit_code == 1
    assert "no version is kept" in result.stderr
    assert place.reload().exit_code == 0
    digest = Control(place.state).state.digest
    result = place.other("--to", unknown)
    assert result.exit_code == 1
    assert f"the versions are: {digest} of 2" in result.stderr
    assert "did you mean" not in result.stderr
    assert "callgate reload --list" in result.stderr
    assert Control(place.state).state.generation == 1
    assert "\x1b" not in place.other("--to", "\x1b[31m").stderr


def test_a_version_that_was_tampered_with(place: Place) -> None:
    assert place.reload().exit_code == 0
    (file,) = place.state.versions.iterdir()
    file.write_bytes(file.read_bytes().replace(b"deny", b"allow"))
    result = place.other("--to", file.stem)
    assert result.exit_code == 3
    assert "not what it was" in result.stderr
    assert Control(place.state).state.generation == 1


def test_the_list(place: Place) -> None:
    assert place.other("--list").stdout.startswith("no version is kept yet\n\n  wanted ")
    digests = []
    for word in ("first", "second"):
        say(place.bundle, word)
        place.reload()
        digests.insert(0, Control(place.state).state.digest)
    shown, _, set_now = place.other("--list").stdout.partition("\n\n")
    assert set_now.splitlines()[0].split() == ["wanted", digests[0]]
    lines = shown.splitlines()
    assert [line.split()[-1] for line in lines] == digests
    assert [line[0] for line in lines] == ["✓", " "]
    told = json.loads(place.other("--list", "--format", "json").stdout)
    assert [item["digest"] for item in told] == digests
    assert [item["in_force"] for item in told] == [True, False]
    assert [item["pinned"] for item in told] == [False, False]
    assert Control(place.state).state.generation == 2


@pytest.mark.parametrize("args", [["--list", "--to", "x"], ["--bundle", "b", "--to", "x"]])
def test_options_that_exclude_one_another(place: Place, args: list[str]) -> None:
    result = place.other(*args)
    assert result.exit_code == 1
    assert "exclude one another" in result.stderr


def test_who_and_what_is_recorded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "somebody-else")
    assert getpass.getuser() == "somebody-else"
    assert place.reload().exit_code == 0
    digest = Control(place.state).state.digest
    assert place.other("--to", str(digest)).exit_code == 0
    events = Events(Database(place.state.database)).list()
    assert [event.kind for event in events] == ["policy.reload", "policy.rollback"]
    for event in events:
        assert event.detail["digest"] == digest
        assert event.detail["by"].startswith("local:")
        assert "somebody" not in event.detail["by"]


def test_a_record_that_fails_is_said(place: Place) -> None:
    place.state.database.write_bytes(b"no database")
    place.state.database.chmod(0o600)
    result = place.reload()
    assert result.exit_code == 0
    assert "not recorded" in result.stderr
    assert Control(place.state).state.generation == 1


def test_state_that_can_t_be_used(place: Place) -> None:
    place.state.control.write_text("{")
    result = place.reload()
    assert result.exit_code == 1
    assert "malformed" in result.stderr
    place.state.path.chmod(0o777)
    assert place.reload().exit_code == 1


def test_the_usual_state_folder(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    missing = place.run("reload", "--bundle", place.bundle)
    assert missing.exit_code == 1
    assert "no gate has used this folder" in missing.stderr
    assert not (tmp_path / "xdg").exists()
    StateFolder(tmp_path / "xdg" / "callgate")
    assert place.run("reload", "--bundle", place.bundle).exit_code == 0
    assert (tmp_path / "xdg" / "callgate" / "control.json").exists()


def test_what_was_put_in_force_is_told(place: Place) -> None:
    told = place.reload().stdout
    assert f"tiny 1.0.0 in {place.bundle}, settings {place.settings}" in told
    assert "if they run with the same bundle and settings" in told
    help = place.run("reload", "--help").stdout
    assert "the same bundle and the same settings" in help
    digest = Control(place.state).state.digest
    assert digest is not None
    back = place.other("--to", digest).stdout
    assert "Pinned: gates go by it, whatever bundle and settings they are given" in back
    assert "a version of 2" in back


def test_a_pin_is_shown_and_logged(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    place.reload()
    digest = place.gate().digest
    assert "pinned" not in caplog.text
    assert "pinned       no\n" in place.other("--list").stdout
    place.other("--to", digest)
    assert "pinned       yes: gates go by this version" in place.other("--list").stdout
    assert json.loads(place.other("--list", "--format", "json").stdout)[0]["pinned"] is True
    place.gate()
    assert f"{digest} is pinned: the bundle and settings given here do not count" in caplog.text


def test_a_freeze_is_said(place: Place) -> None:
    Control(place.state).freeze("local:ann")
    assert "gates are frozen" in place.reload().stdout
