"""The control file: what is set is what is read, and what can't be trusted freezes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.control import Control
from callgate.gate.state import StateError, StateFolder

NOON = datetime(2026, 12, 1, 12, 0, tzinfo=UTC)
DIGEST = "sha256:" + "ab" * 32

HEAD = """
import os, signal, sys
from pathlib import Path
from callgate.gate.control import Control
from callgate.gate.state import StateError, StateFolder
control = Control(StateFolder(Path(sys.argv[1])))
"""


class Time:
    """A clock, and the seconds since the machine started, that a test moves."""

    def __init__(self) -> None:
        self.now = NOON
        self.boot = "boot-1"
        self.seconds = 1_000.0

    def clock(self) -> datetime:
        return self.now

    def uptime(self) -> tuple[str, float]:
        return self.boot, self.seconds

    def control(self, folder: StateFolder) -> Control:
        return Control(folder, self.clock, self.uptime)

    def passes(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)
        self.seconds += minutes * 60


@pytest.fixture
def folder(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


@pytest.fixture
def time() -> Time:
    return Time()


def run(folder: StateFolder, code: str, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", HEAD + code, str(folder.path), *args],
        capture_output=True,
        text=True,
        check=False,
    )


# -- setting and reading


def test_without_a_file_nothing_is_set(folder: StateFolder) -> None:
    state = Control(folder).state
    assert (state.generation, state.digest, state.pinned) == (0, None, False)
    assert (state.frozen, state.break_glass, state.problem) == (None, None, "")
    assert not folder.control.exists()


def test_what_one_sets_the_other_reads(folder: StateFolder, time: Time) -> None:
    writer, reader = time.control(folder), time.control(folder)
    writer.publish(DIGEST)
    assert (reader.read().generation, reader.state.digest) == (1, DIGEST)
    writer.publish(DIGEST, pinned=True)
    assert (reader.read().generation, reader.state.pinned) == (2, True)
    writer.freeze("local:ann", "odd \u202e commands")
    frozen = reader.read().frozen
    assert frozen is not None
    assert (frozen.by, frozen.at, frozen.why) == ("local:ann", NOON, "odd \u202e commands")
    writer.break_glass(30, "because", "local:bob")
    glass = reader.read().break_glass
    assert glass is not None
    assert (glass.by, glass.at, glass.until) == ("local:bob", NOON, NOON + timedelta(minutes=30))
    writer.unfreeze()
    writer.end_break_glass()
    assert reader.read() == writer.state
    assert (reader.state.generation, reader.state.frozen, reader.state.break_glass) == (
        2,
        None,
        None,
    )


def test_the_file_is_ones_own_and_alone(folder: StateFolder) -> None:
    control = Control(folder)
    old = os.umask(0)
    try:
        control.publish(DIGEST)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.control.stat().st_mode) == 0o600
    names = {path.name for path in folder.path.iterdir()}
    assert names == {"control.json", "control.json.lock", "versions"}
    told = json.loads(folder.control.read_text())
    assert (told["version"], told["generation"], told["digest"]) == (1, 1, DIGEST)


def test_what_did_not_change_is_not_read_again(folder: StateFolder) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    state = control.read()
    assert control.read() is state
    os.utime(folder.control)
    assert control.read() is state  # read, and found the same


def test_each_write_can_be_told_from_the_one_before(folder: StateFolder) -> None:
    # Many fit in one tick of the file system's clock, and file numbers are used again.
    writer, reader = Control(folder), Control(folder)
    for generation in range(1, 200):
        writer.publish(DIGEST)
        assert reader.read().generation == generation


def test_the_file_s_time_rises_where_the_clock_stands(
    folder: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("callgate.storage.files.time.time_ns", lambda: 10**18)
    control = Control(folder)
    times = []
    for _ in range(5):
        control.publish(DIGEST)
        times.append(folder.control.stat().st_mtime_ns)
    assert times == sorted(set(times))


def test_a_freeze_keeps_its_first_words(folder: StateFolder) -> None:
    control = Control(folder)
    control.freeze("local:ann", "first")
    control.freeze("local:bob", "second")
    assert control.state.frozen is not None
    assert control.state.frozen.why == "first"


# -- what can't be trusted


def good() -> dict[str, Any]:
    frozen = {"by": "a", "at": "2026-12-01T12:00:00+00:00", "why": ""}
    glass = {**frozen, "until": "2026-12-01T13:00:00+00:00"}
    return {
        "version": 1,
        "generation": 3,
        "digest": DIGEST,
        "frozen": frozen,
        "break_glass": glass,
    }


def changed(**changes: Any) -> str:
    return json.dumps({**good(), **changes})


def without(key: str) -> str:
    return json.dumps({name: value for name, value in good().items() if name != key})


def glass_until(text: Any) -> str:
    return changed(break_glass={**good()["break_glass"], "until": text})


def test_the_documented_form_is_read(folder: StateFolder) -> None:
    folder.control.write_text(changed(frozen=None))
    state = Control(folder).state
    assert (state.problem, state.generation, state.pinned) == ("", 3, False)
    assert state.break_glass is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
        "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"),
        without("version"),
        without("digest"),
        changed(version=2),
        changed(version=True),
        changed(generation=-1),
        changed(generation=1.0),
        changed(generation="1"),
        changed(digest=7),
        changed(pinned="no"),
        changed(pinned=True, digest=None),
        changed(thawed=True),
        changed(frozen=False),
        changed(frozen={}),
        changed(frozen={"by": "a", "at": "noon", "why": ""}),
        changed(frozen={"by": "a", "at": "2026-12-01T12:00:00", "why": ""}),
        changed(frozen={"by": "a", "at": "2026-12-01T12:00:00Z", "why": "w" * 3000}),
        glass_until("2026-12-01T12:00:00+00:00"),
        glass_until("2026-12-01T11:00:00+00:00"),
        glass_until("2026-12-01T16:00:01+00:00"),
        glass_until(None),
        changed(break_glass={**good()["break_glass"], "uptime": -1}),
        changed(break_glass={**good()["break_glass"], "boot": 1}),
        changed(break_glass={**good()["break_glass"], "forever": True}),
        changed() + "x",
        " " * 70_000 + changed(),
    ],
)
def test_what_is_malformed_freezes_and_is_not_overwritten(folder: StateFolder, text: str) -> None:
    control = Control(folder)
    folder.control.write_text(text)
    state = control.read()
    assert state.problem
    assert state.frozen is not None
    assert state.frozen.why == state.problem
    assert control.glass() is None
    for change in (control.unfreeze, control.end_break_glass, lambda: control.publish(DIGEST)):
        with pytest.raises(StateError):
            change()
    assert folder.control.read_text() == text
    assert control.read() is state


def link(path: Path) -> None:
    target = path.with_name("elsewhere.json")
    path.rename(target)
    path.symlink_to(target)


def second_name(path: Path) -> None:
    os.link(path, path.with_name("other.json"))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def shared(path: Path) -> None:
    path.chmod(0o620)


def foreign(path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(path, 12_345, -1)


@pytest.mark.parametrize("spoiled", [link, dangling, second_name, pipe, directory, shared, foreign])
def test_a_file_that_others_could_write_freezes(
    folder: StateFolder, spoiled: Callable[[Path], None]
) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    spoiled(folder.control)
    state = control.read()
    assert state.problem
    assert state.frozen is not None
    assert Control(folder).state.problem
    assert control.read() == state
    with pytest.raises(StateError):
        control.unfreeze()


def test_a_file_that_vanished_freezes_until_something_is_set(folder: StateFolder) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    folder.control.unlink()
    assert "is gone" in control.read().problem
    assert control.state.frozen is not None
    control.unfreeze()
    assert control.read().frozen is None
    assert folder.control.exists()


def test_a_folder_that_vanished_freezes(folder: StateFolder) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    folder.path.rename(folder.path.with_name("moved"))
    assert control.read().frozen is not None
    with pytest.raises(StateError):
        control.freeze("local:ann")


def test_a_file_saved_by_hand_counts_once_it_is_whole(folder: StateFolder) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    folder.control.write_text(changed()[:40])
    assert control.read().problem
    folder.control.write_text(changed(generation=9, frozen=None))
    assert (control.read().problem, control.state.generation) == ("", 9)


# -- break-glass ends


def test_break_glass_lasts_its_minutes(folder: StateFolder, time: Time) -> None:
    control = time.control(folder)
    control.break_glass(10, "because", "local:ann")
    assert control.glass() is not None
    time.passes(9.9)
    assert control.glass() is not None
    time.passes(0.2)
    assert control.glass() is None
    assert time.control(folder).glass() is None


@pytest.mark.parametrize("minutes", [0, -1, 241, 1.5, True, "5"])
def test_break_glass_has_bounds(folder: StateFolder, minutes: Any) -> None:
    with pytest.raises(ValueError, match="1 to 240"):
        Control(folder).break_glass(minutes, "because", "local:ann")
    assert not folder.control.exists()


def test_break_glass_needs_a_reason(folder: StateFolder) -> None:
    with pytest.raises(ValueError, match="reason"):
        Control(folder).break_glass(5, "  ", "local:ann")
    with pytest.raises(StateError):
        Control(folder).break_glass(5, "w" * 3_000, "local:ann")


def test_a_freeze_stands_above_break_glass(folder: StateFolder, time: Time) -> None:
    control = time.control(folder)
    control.break_glass(10, "because", "local:ann")
    control.freeze("local:bob")
    assert control.glass() is None
    control.unfreeze()
    assert control.glass() is not None


@pytest.mark.parametrize("again", [False, True], ids=["the same process", "a new one"])
@pytest.mark.parametrize("back", [1, 8, 60, 100_000])
def test_a_clock_set_back_gains_nothing(
    folder: StateFolder, time: Time, back: int, again: bool
) -> None:
    control = time.control(folder)
    control.break_glass(10, "because", "local:ann")
    assert control.glass() is not None
    time.passes(9)
    time.now -= timedelta(minutes=back)
    if again:
        control = time.control(folder)
    in_period = time.now >= NOON
    assert (control.glass() is not None) == in_period
    time.passes(2)
    assert control.glass() is None
    time.now = NOON + timedelta(minutes=5)
    assert control.glass() is None


def test_what_was_over_stays_over(folder: StateFolder, time: Time) -> None:
    time.boot = ""  # a machine that doesn't say when it started
    control = time.control(folder)
    control.break_glass(10, "because", "local:ann")
    time.now += timedelta(hours=1)
    assert control.glass() is None
    time.now -= timedelta(hours=1)
    assert control.glass() is None
    # Another entry is another period.
    control.break_glass(10, "once more", "local:ann")
    assert control.glass() is not None


def test_a_process_that_saw_it_counts_for_itself(folder: StateFolder, time: Time) -> None:
    time.boot = ""
    control = time.control(folder)
    control.break_glass(10, "because", "local:ann")
    assert control.glass() is not None
    control.publish(DIGEST)  # the file changes, the entry doesn't
    time.seconds += 601
    assert control.glass() is None


def test_after_a_start_of_the_machine_the_period_counts(folder: StateFolder, time: Time) -> None:
    time.control(folder).break_glass(10, "because", "local:ann")
    time.boot, time.seconds = "boot-2", 5.0
    time.now += timedelta(minutes=3)
    control = time.control(folder)
    assert control.glass() is not None
    time.now += timedelta(minutes=8)
    assert control.glass() is None


# -- other processes, and what happens to them


@pytest.mark.parametrize("event", ["os.utime", "os.rename"])
def test_a_process_killed_in_the_middle_of_a_write(folder: StateFolder, event: str) -> None:
    control = Control(folder)
    control.publish(DIGEST)
    before = folder.control.read_bytes()
    code = """
def killed(event, args):
    if event == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(killed)
control.freeze("local:ann", "why")
"""
    assert run(folder, code, event).returncode == -9
    assert folder.control.read_bytes() == before
    assert folder.control.with_name("control.json.new").exists()
    assert control.read().frozen is None
    control.freeze("local:bob")
    assert control.state.frozen is not None
    assert not folder.control.with_name("control.json.new").exists()


def test_processes_killed_at_any_time_leave_a_whole_file(folder: StateFolder) -> None:
    control = Control(folder)
    code = """
while True:
    control.freeze("local:ann", "w" * 1000)
    control.unfreeze()
    print("x", flush=True)
"""
    for lines in range(1, 6):
        process = subprocess.Popen(
            [sys.executable, "-c", HEAD + code, str(folder.path)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        for _ in range(lines):
            assert process.stdout.readline() == b"x\n"
        process.kill()
        process.communicate()
        assert control.read().problem == ""
        control.publish(DIGEST)
        assert control.state.generation == lines


def test_no_generation_is_lost(folder: StateFolder) -> None:
    code = f"""
for _ in range(25):
    print(control.publish({DIGEST!r}).generation)
"""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", HEAD + code, str(folder.path)],
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    given = [int(line) for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0] * 4
    assert sorted(given) == list(range(1, 101))
    assert Control(folder).state.generation == 100


def test_what_one_process_sets_another_does_not_undo(folder: StateFolder) -> None:
    code = f"""
for _ in range(20):
    control.publish({DIGEST!r})
"""
    process = subprocess.Popen([sys.executable, "-c", HEAD + code, str(folder.path)])
    control = Control(folder)
    control.freeze("local:ann", "stop")
    process.wait()
    state = control.read()
    assert state.frozen is not None
    assert state.generation == 20


def test_a_disk_that_refuses(folder: StateFolder) -> None:
    Control(folder).publish(DIGEST)
    before = folder.control.read_bytes()
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    control.freeze("local:ann", "w" * 500)
except StateError as error:
    print(error)
"""
    done = run(folder, code)
    assert "can't be written: file too large" in done.stdout, done.stderr
    assert folder.control.read_bytes() == before
    assert not folder.control.with_name("control.json.new").exists()
