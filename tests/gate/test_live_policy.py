"""The policy of a running gate: changed as a whole, or not at all."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.gate import fresh
from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.fresh import ChangedError
from callgate.gate.live_policy import LivePolicy
from callgate.gate.places import MOST_WORKSPACES
from callgate.gate.reloaded import Reloaded
from callgate.gate.state import StateFolder
from callgate.gate.versions import VersionError, Versions
from callgate.gate.watch import Watch
from callgate.model.diagnostic import PolicyError
from tests.gate.tiny import CALL, say, settings_file, spoil, word_of, write_bundle


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_bundle(tmp_path / "etc" / "tiny")


@pytest.fixture
def settings(bundle: Path) -> Path:
    return settings_file(bundle.parent / "config.yaml", mode="strict")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


@pytest.fixture
def policy(bundle: Path, settings: Path, state: StateFolder) -> LivePolicy:
    return LivePolicy(bundle, settings, state=state)


def words(policy: LivePolicy) -> str:
    return word_of(policy.program)


def caught_up(policy: LivePolicy) -> Reloaded | None:
    policy.refresh()
    policy.settle()
    return policy.last_report


def digest_of(bundle: Path, settings: Path) -> str:
    return Engine.load(bundle, settings).graph.digest


# -- reload


def test_a_reload_takes_what_is_saved(policy: LivePolicy, bundle: Path, settings: Path) -> None:
    first = policy.digest
    say(bundle, "second")
    assert words(policy) == "first strict"  # not before it is said
    report = policy.reload()
    assert report == Reloaded(True, digest_of(bundle, settings), policy.engine.diagnostics)
    assert policy.last_report is report
    assert words(policy) == "second strict"
    assert policy.digest == report.digest != first
    settings_file(settings, mode="loose")
    assert policy.reload().ok
    assert words(policy) == "second loose"


def break_yaml(bundle: Path, settings: Path) -> None:
    spoil(bundle)


def break_type(bundle: Path, settings: Path) -> None:
    text = (bundle / "flow.yaml").read_text()
    (bundle / "flow.yaml").write_text(text.replace('"ops"', "7"))


def delete_bundle(bundle: Path, settings: Path) -> None:
    shutil.rmtree(bundle)


def delete_file(bundle: Path, settings: Path) -> None:
    (bundle / "vocabulary.yaml").unlink()


def empty_file(bundle: Path, settings: Path) -> None:
    (bundle / "flow.yaml").write_text("")


def break_settings(bundle: Path, settings: Path) -> None:
    settings.write_text("mode: [\n")


def misspell_settings(bundle: Path, settings: Path) -> None:
    settings.write_text("mod: strict\n")


def delete_settings(bundle: Path, settings: Path) -> None:
    settings.unlink()


BREAKS = [
    break_yaml,
    break_type,
    delete_bundle,
    delete_file,
    empty_file,
    break_settings,
    misspell_settings,
    delete_settings,
]


@pytest.mark.parametrize("spoiled", BREAKS)
def test_what_is_broken_is_refused_and_reported(
    policy: LivePolicy,
    bundle: Path,
    settings: Path,
    state: StateFolder,
    spoiled: Callable[[Path, Path], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[Reloaded] = []
    policy.on_report = told.append
    digest, program = policy.digest, policy.program
    control = Control(state).state
    spoiled(bundle, settings)
    report = policy.reload()
    assert (report.ok, report.digest) == (False, digest)
    assert report.why
    assert report.diagnostics
    assert told == [report]
    assert report.diagnostics[0].code in caplog.text
    assert caplog.records[0].levelno == logging.ERROR
    assert caplog.records[0].name == "callgate.gate"
    assert policy.program is program
    assert words(policy) == "first strict"
    assert Control(state).state == control
    # And a gate that starts like this does not start.
    with pytest.raises(PolicyError):
        LivePolicy(bundle, settings, state=state)


def test_settings_that_can_be_read_only_once(bundle: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(PolicyError, match="not a regular file"):
        LivePolicy(bundle, pipe)


def test_after_a_mistake_is_mended_it_goes_on(policy: LivePolicy, bundle: Path) -> None:
    spoil(bundle)
    assert not policy.reload().ok
    say(bundle, "mended")
    assert policy.reload().ok
    assert words(policy) == "mended strict"


def test_without_a_state_folder_a_reload_is_this_process_s(bundle: Path) -> None:
    policy = LivePolicy(bundle)
    assert policy.control is None
    say(bundle, "second")
    policy.refresh()
    assert words(policy) == "first plain"
    assert policy.reload().ok
    assert words(policy) == "second plain"
    report = policy.rollback(policy.digest)
    assert "without a state folder" in report.why


def test_the_place_does_not_depend_on_where_one_is(bundle: Path, tmp_path: Path) -> None:
    settings_file(tmp_path / "etc" / "config.yaml", mode="strict")
    with chdir(tmp_path):
        policy = LivePolicy("etc/tiny", "etc/config.yaml")
    say(bundle, "second")
    elsewhere = tmp_path / "workspace"
    write_bundle(elsewhere / "etc" / "tiny", "agent's")
    settings_file(elsewhere / "etc" / "config.yaml", mode="agent's")
    with chdir(elsewhere):
        assert policy.reload().ok
    assert words(policy) == "second strict"


def test_settings_given_as_a_mapping_are_copied(bundle: Path) -> None:
    given = {"mode": "strict", "api": {"key": "zebra-crossing-7"}}
    policy = LivePolicy(bundle, given)
    given["mode"] = "changed"
    assert policy.reload().ok
    assert words(policy) == "first strict"


def test_no_cache_is_read_or_written(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    opened: list[str] = []
    monkeypatch.setattr("callgate.engine.GraphCache", lambda *_: opened.append("cache"))
    policy = LivePolicy(bundle)
    assert policy.reload().ok
    assert opened == []
    assert not (tmp_path / "cache").exists()


def test_what_did_not_change_costs_one_look(
    policy: LivePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert policy.reload().ok
    policy.refresh()
    looks: list[str] = []
    look = os.lstat

    def counted(path: str) -> os.stat_result:
        looks.append(path)
        return look(path)

    monkeypatch.setattr(os, "lstat", counted)
    monkeypatch.setattr(os, "open", None)
    for _ in range(10):
        policy.refresh()
    monkeypatch.undo()
    assert len(looks) == 10


# -- files that change while they are read


def during_compile(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Have something happen after the files were read."""
    compiled = Engine.of_source

    def compile_and_change(source: Any) -> Engine:
        change()
        return compiled(source)

    monkeypatch.setattr(fresh.Engine, "of_source", compile_and_change)


@pytest.mark.parametrize("first", ["good", "half"])
def test_half_saved_files_are_refused(
    policy: LivePolicy, bundle: Path, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    if first == "half":
        spoil(bundle)
    else:
        say(bundle, "second")
    with monkeypatch.context() as patch:
        during_compile(patch, lambda: say(bundle, "third"))
        report = policy.reload()
    assert (report.ok, report.diagnostics) == (False, ())
    assert "changed while they were read" in report.why
    assert words(policy) == "first strict"
    assert policy.reload().ok
    assert words(policy) == "third strict"


def test_files_that_changed_and_changed_back_are_refused(
    policy: LivePolicy, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(bundle, "second")

    def there_and_back() -> None:
        say(bundle, "third")
        beside = bundle / "flow.tmp"
        beside.write_text((bundle / "flow.yaml").read_text().replace("third", "second"))
        beside.replace(bundle / "flow.yaml")

    with monkeypatch.context() as patch:
        during_compile(patch, there_and_back)
        assert "changed while they were read" in policy.reload().why


def test_a_change_that_hides_its_time_is_refused(
    policy: LivePolicy, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(bundle, "second")
    file = bundle / "flow.yaml"

    def hidden() -> None:
        status = file.stat()
        say(bundle, "secund")
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))

    with monkeypatch.context() as patch:
        during_compile(patch, hidden)
        assert "changed while they were read" in policy.reload().why


def test_a_bundle_that_goes_away_meanwhile(
    policy: LivePolicy, bundle: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        during_compile(patch, settings.unlink)
        assert "changed while they were read" in policy.reload().why
    assert words(policy) == "first strict"


def test_a_start_amid_a_save(
    bundle: Path, state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    during_compile(monkeypatch, lambda: say(bundle, "second"))
    with pytest.raises(ChangedError):
        LivePolicy(bundle, state=state)


def test_whatever_goes_wrong_the_old_one_stays(
    policy: LivePolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> Engine:
        raise RecursionError("zebra-crossing-7")

    monkeypatch.setattr("callgate.gate.live_policy.compile_fresh", fail)
    report = policy.reload()
    assert report.why == "RecursionError while loading"
    assert words(policy) == "first strict"


# -- other processes


def test_a_reload_reaches_whoever_shares_the_state(
    policy: LivePolicy, bundle: Path, settings: Path, state: StateFolder
) -> None:
    other = LivePolicy(bundle, settings, state=state)
    say(bundle, "second")
    assert policy.reload().ok
    assert words(other) == "first strict"
    report = caught_up(other)
    assert report is not None
    assert (report.ok, report.cause) == (True, "control")
    assert words(other) == "second strict"
    assert other.digest == policy.digest == Control(state).state.digest
    # Once is enough, and what it did itself is no news.
    program = other.program
    assert caught_up(other) is report
    assert other.program is program
    before = policy.last_report
    assert caught_up(policy) is before


def test_checks_go_on_with_the_old_one_meanwhile(
    policy: LivePolicy,
    bundle: Path,
    settings: Path,
    state: StateFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiling, go_on = threading.Event(), threading.Event()
    compiled = fresh.compile_fresh

    def slow(*given: Any) -> Engine:
        compiling.set()
        go_on.wait()
        return compiled(*given)

    say(bundle, "second")
    Control(state).publish(digest_of(bundle, settings))
    monkeypatch.setattr("callgate.gate.live_policy.compile_fresh", slow)
    policy.refresh()
    compiling.wait()
    for _ in range(3):
        policy.refresh()
        assert words(policy) == "first strict"
    go_on.set()
    policy.settle()
    assert words(policy) == "second strict"


def test_what_comes_while_it_compiles_is_followed_too(
    policy: LivePolicy,
    bundle: Path,
    settings: Path,
    state: StateFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiled = fresh.compile_fresh
    said = iter(["third"])

    def busy(*given: Any) -> Engine:
        engine = compiled(*given)
        for word in said:
            say(bundle, word)
            Control(state).publish(digest_of(bundle, settings))
        return engine

    say(bundle, "second")
    Control(state).publish(digest_of(bundle, settings))
    monkeypatch.setattr("callgate.gate.live_policy.compile_fresh", busy)
    caught_up(policy)
    assert words(policy) == "third strict"


def test_only_the_version_that_was_named_is_taken(
    policy: LivePolicy,
    bundle: Path,
    settings: Path,
    state: StateFolder,
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[Reloaded] = []
    policy.on_report = told.append
    named = digest_of(bundle, settings)
    say(bundle, "second")  # after it was compiled by whoever named it
    Control(state).publish("sha256:" + "0" * 64)
    report = caught_up(policy)
    assert report is not None
    assert (report.ok, report.digest, report.cause) == (False, named, "control")
    assert "is wanted, and here the source gives" in report.why
    assert report.why in caplog.text
    assert told == [report]
    assert words(policy) == "first strict"
    assert caught_up(policy) is report  # it is not tried again by itself
    Control(state).publish(digest_of(bundle, settings))
    caught_up(policy)
    assert words(policy) == "second strict"


def test_who_came_too_early_tries_again(
    bundle: Path, settings: Path, state: StateFolder, policy: LivePolicy
) -> None:
    time, told = [0.0], list[Reloaded]()
    other = LivePolicy(
        bundle, settings, state=state, on_report=told.append, seconds=lambda: time[0]
    )
    say(bundle, "second")
    assert policy.reload().ok
    spoil(bundle)  # saved by half, as it looks
    report = caught_up(other)
    assert report is not None and not report.ok
    assert report.why.endswith("; it is tried again")
    pauses = []
    for _ in range(12):
        failed = other.last_report
        start = time[0]
        while caught_up(other) is failed:
            time[0] += 0.5
        pauses.append(time[0] - start)
    assert pauses == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
    assert words(other) == "first strict"
    assert told == [report]  # the same over and over is told once
    say(bundle, "second")
    time[0] += 299.5
    assert caught_up(other) is other.last_report is not None and not other.last_report.ok
    time[0] += 0.5
    report = caught_up(other)
    assert report is not None and report.ok
    assert words(other) == "second strict"
    assert other.digest == policy.digest
    time[0] += 10_000
    assert caught_up(other) is report


def test_who_begins_with_another_version_says_so(
    bundle: Path,
    settings: Path,
    state: StateFolder,
    policy: LivePolicy,
    caplog: pytest.LogCaptureFixture,
) -> None:
    events = Events(Database(state.database))
    assert policy.reload().ok
    say(bundle, "second")
    time, told = [0.0], list[Reloaded]()
    other = LivePolicy(
        bundle, settings, state=state, on_report=told.append, seconds=lambda: time[0]
    )
    assert words(other) == "second strict"
    (report,) = told
    assert report is other.last_report
    assert (report.ok, report.digest, report.cause) == (False, other.digest, "control")
    assert f"{policy.digest} is wanted, and here the source gives {other.digest}" in report.why
    assert str(report) in caplog.text
    (event,) = events.list("policy.refused")
    assert event.detail["told"] == str(report)
    # Nothing is compiled for nothing; the same is told once.
    for seconds in (299.5, 0.5, 299.5):
        time[0] += seconds
        caught_up(other)
    assert told == [report]
    say(bundle, "first")
    time[0] += 0.5
    assert caught_up(other) is told[-1]
    assert told[-1].ok
    assert other.digest == policy.digest
    # Who begins with what is named has nothing to say, nor has the first of all.
    assert LivePolicy(bundle, settings, state=state).last_report is None


def test_a_reload_ends_what_began_with_another_version(
    bundle: Path, settings: Path, state: StateFolder, policy: LivePolicy
) -> None:
    assert policy.reload().ok
    say(bundle, "second")
    other = LivePolicy(bundle, settings, state=state)
    Control(state).publish(other.digest)
    for each in (other, policy):
        report = caught_up(each)
        assert report is not None and report.ok
        assert words(each) == "second strict"


def test_one_reload_at_a_time(policy: LivePolicy, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = fresh.compile_fresh
    inside: list[int] = []
    most: list[int] = []

    def counted(*given: Any) -> Engine:
        inside.append(1)
        most.append(len(inside))
        engine = compiled(*given)
        inside.pop()
        return engine

    monkeypatch.setattr("callgate.gate.live_policy.compile_fresh", counted)
    threads = [threading.Thread(target=policy.reload) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 8


def test_nobody_sees_half_a_change(
    policy: LivePolicy,
    bundle: Path,
    settings: Path,
    state: StateFolder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = set()
    for word in ("first", "second"):
        say(bundle, word)
        expected.add((digest_of(bundle, settings), f"{word} strict"))
    follower = LivePolicy(bundle, settings, state=state)
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append({("error", str(args))}))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)  # threads take turns as often as can be
    done = threading.Event()
    seen: list[set[tuple[str, str]]] = []

    def decide(watched: LivePolicy) -> None:
        found = set()
        while not done.wait(0.001):
            watched.refresh()
            told = watched.program.decide(CALL).to_dict()
            found.add((told["policy"]["digest"], told["reason"]))
            engine = watched.engine
            found.add((engine.graph.digest, engine.program.decide(CALL).to_dict()["reason"]))
        seen.append(found)

    threads = [
        threading.Thread(target=decide, args=[watched])
        for watched in (policy, follower)
        for _ in range(10)
    ]
    for thread in threads:
        thread.start()
    try:
        for number in range(50):
            say(bundle, ("first", "second")[number % 2])
            assert policy.reload().ok
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    assert len(seen) == 20
    assert set().union(*seen) == expected
    caught_up(follower)
    assert follower.digest == policy.digest
    assert Control(state).state.generation == 50


def test_freeze_and_break_glass_are_noticed(policy: LivePolicy, state: StateFolder) -> None:
    control = policy.control
    assert control is not None
    Control(state).break_glass(5, "because", "local:ann")
    policy.refresh()
    assert control.glass() is not None
    Control(state).freeze("local:ann")
    policy.refresh()
    assert control.state.frozen is not None
    assert policy.last_report is None


def test_a_damaged_control_file_freezes_and_changes_no_policy(
    policy: LivePolicy, state: StateFolder, caplog: pytest.LogCaptureFixture
) -> None:
    assert policy.reload().ok
    program = policy.program
    state.control.write_text("{")
    for _ in range(3):
        caught_up(policy)
    assert policy.control is not None
    assert policy.control.state.frozen is not None
    assert policy.program is program
    assert caplog.text.count("malformed") == 1
    report = policy.reload()
    assert not report.ok
    assert "malformed" in report.why


# -- back to an earlier version


def test_going_back_and_forth(
    policy: LivePolicy, bundle: Path, settings: Path, state: StateFolder
) -> None:
    other = LivePolicy(bundle, settings, state=state)
    first = policy.digest
    say(bundle, "second")
    assert policy.reload().ok
    report = policy.rollback(first[:20])
    assert (report.ok, report.digest, report.cause) == (True, first, "rollback")
    assert words(policy) == "first strict"
    caught_up(other)
    assert words(other) == "first strict"
    # A start does not undo it, and neither does a source that is broken.
    spoil(bundle)
    started = LivePolicy(bundle, settings, state=state)
    assert (words(started), started.digest) == ("first strict", first)
    say(bundle, "third")
    assert policy.reload().ok
    for live in (other, started):
        caught_up(live)
        assert words(live) == "third strict"


def test_a_version_that_was_tampered_with_is_refused(
    policy: LivePolicy, bundle: Path, settings: Path, state: StateFolder
) -> None:
    first = policy.digest
    say(bundle, "second")
    assert policy.reload().ok
    file = state.versions / f"{first.removeprefix('sha256:')}.json"
    file.write_bytes(file.read_bytes().replace(b'"deny"', b'"allow"'))
    generation = Control(state).state.generation
    report = policy.rollback(first)
    assert not report.ok
    assert "not what it was" in report.why
    assert Control(state).state.generation == generation
    # Nor when somebody else named it.
    Control(state).publish(first, pinned=True)
    followed = caught_up(policy)
    assert followed is not None
    assert "not what it was" in followed.why
    assert words(policy) == "second strict"
    with pytest.raises(VersionError):
        LivePolicy(bundle, settings, state=state)


def test_a_version_that_was_never_there(policy: LivePolicy, state: StateFolder) -> None:
    report = policy.rollback("sha256:" + "0" * 64)
    assert not report.ok
    assert f"the versions are: {policy.digest} of" in report.why
    assert Control(state).state.generation == 0


def test_secrets_stay_masked_after_going_back(
    bundle: Path, state: StateFolder, tmp_path: Path
) -> None:
    config = tmp_path / "keys.yaml"
    config.write_text("api: {key: zebra-crossing-7}\n")
    policy = LivePolicy(bundle, config, state=state)
    call = {**CALL, "args": {"text": "zebra-crossing-7"}}
    first = policy.digest
    assert policy.rollback(first).ok
    assert policy.program.settings_secrets == ("zebra-crossing-7",)
    started = LivePolicy(bundle, config, state=state)
    config.unlink()
    assert policy.rollback(first).ok
    for live in (policy, started):
        assert "zebra-crossing-7" in live.program.settings_secrets
        assert "zebra" not in str(live.program.decide(call).to_dict())
    for file in state.path.rglob("*"):
        assert file.is_dir() or b"zebra" not in file.read_bytes()


# -- watching


def test_watched_files_count_by_themselves(
    bundle: Path, settings: Path, state: StateFolder
) -> None:
    watching = [LivePolicy(bundle, settings, state=state, watch=True) for _ in range(2)]
    for policy in watching:
        policy._watch = Watch(policy.places.stamps, every=0)
    say(bundle, "second")
    for _ in range(4):
        for policy in watching:
            caught_up(policy)
    assert [words(policy) for policy in watching] == ["second strict"] * 2
    assert Control(state).state.generation == 1  # they don't wake each other for ever
    spoil(bundle)
    reports = []
    for _ in range(4):
        reports.append(caught_up(watching[0]))
    assert reports[-1] is not None
    assert (reports[-1].ok, reports[-1].cause) == (False, "watch")
    assert reports[-1] is reports[-2]  # it is told once
    assert words(watching[0]) == "second strict"


def test_who_watches_the_same_files_names_them_once(
    bundle: Path, settings: Path, state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    watching = [LivePolicy(bundle, settings, state=state, watch=True) for _ in range(2)]
    compiling = threading.Semaphore(0)
    turns = {"callgate-reload": threading.Semaphore(0)}
    compiled = fresh.compile_fresh

    def in_turn(*given: Any) -> Engine:
        compiling.release()
        turns[threading.current_thread().name].acquire()
        return compiled(*given)

    monkeypatch.setattr("callgate.gate.live_policy.compile_fresh", in_turn)
    say(bundle, "second")
    for number, policy in enumerate(watching):
        policy._background._name = f"{number}"
        turns[f"{number}"] = threading.Semaphore(0)
        watch = Watch(lambda: "new", every=0)
        watch._taken = "old"
        policy._watch = watch
        policy.refresh()
        compiling.acquire()
    for number, policy in enumerate(watching):
        turns[f"{number}"].release(9)
        policy.settle()
    assert [words(policy) for policy in watching] == ["second strict"] * 2
    assert Control(state).state.generation == 1


def test_who_went_back_is_not_taken_forward_by_a_watch(
    bundle: Path, settings: Path, state: StateFolder
) -> None:
    policy = LivePolicy(bundle, settings, state=state, watch=True)
    policy._watch = Watch(policy.places.stamps, every=0)
    assert policy.rollback(policy.digest).ok
    say(bundle, "second")
    for _ in range(4):
        caught_up(policy)
    assert words(policy) == "first strict"


# -- what is kept of it


def test_reloads_are_recorded(policy: LivePolicy, bundle: Path, state: StateFolder) -> None:
    events = Events(Database(state.database))
    assert policy.reload().ok
    spoil(bundle)
    policy.reload()
    kinds = [event.kind for event in events.list()]
    assert kinds == ["policy.loaded", "policy.refused"]
    detail = events.list()[1].detail
    assert detail["digest"] == policy.digest
    assert "stays in force" in detail["told"]


def test_a_listener_that_fails_changes_nothing(
    policy: LivePolicy, bundle: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(report: Reloaded) -> None:
        raise RuntimeError("zebra-crossing-7")

    policy.on_report = fail
    say(bundle, "second")
    assert policy.reload().ok
    assert words(policy) == "second strict"
    assert "RuntimeError" in caplog.text
    assert "zebra" not in caplog.text


def test_a_disk_that_refuses(bundle: Path, settings: Path, state: StateFolder) -> None:
    code = """
import resource, sys
from pathlib import Path
from callgate.gate.live_policy import LivePolicy
from callgate.gate.state import StateFolder
from tests.gate.tiny import say, word_of
bundle, settings, state = map(Path, sys.argv[1:])
policy = LivePolicy(bundle, settings, state=StateFolder(state))
say(bundle, "second")
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
report = policy.reload()
print(report.ok, "file too large" in report.why, word_of(policy.program), sep="|")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(bundle), str(settings), str(state.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "False|True|first strict\n", done.stderr
    assert Control(state).state.generation == 0
    assert len(Versions(state).all()) == 1


def test_a_start_without_room_for_versions(
    bundle: Path, state: StateFolder, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(state.versions)
    state.versions.write_text("")
    assert words(LivePolicy(bundle, state=state)) == "first plain"
    assert "nobody can go back" in caplog.text


# -- the agent's workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def test_a_workspace_apart_is_fine(policy: LivePolicy, workspace: Path, bundle: Path) -> None:
    assert policy.refuses(str(workspace)) == ""
    assert policy.refuses("") == ""
    assert policy.refuses(f"{bundle}-victim") == ""
    assert policy.refuses("relative") != ""


def test_a_workspace_around_or_inside_is_refused(
    policy: LivePolicy, bundle: Path, settings: Path, state: StateFolder, tmp_path: Path
) -> None:
    for around in (bundle, bundle.parent, tmp_path, Path("/"), state.path):
        assert "lies in the agent's workspace" in policy.refuses(str(around))
        assert policy.refuses(f"{around}/") != ""
    for inside in (bundle / "notes", state.path / "x", state.versions):
        assert "the agent's workspace lies in" in policy.refuses(str(inside))
    assert policy.refuses(f"{tmp_path}/workspace/../etc") != ""


def bundle_link(etc: Path, workspace: Path) -> Mapping[str, Any]:
    write_bundle(workspace / "policy")
    (etc / "link").symlink_to(workspace / "policy")
    return {"bundle": etc / "link"}


def file_link(etc: Path, workspace: Path) -> Mapping[str, Any]:
    (workspace / "flow.yaml").write_text((etc / "tiny" / "flow.yaml").read_text())
    (etc / "tiny" / "flow.yaml").unlink()
    (etc / "tiny" / "flow.yaml").symlink_to(workspace / "flow.yaml")
    return {"bundle": etc / "tiny"}


def settings_link(etc: Path, workspace: Path) -> Mapping[str, Any]:
    (etc / "link.yaml").symlink_to(settings_file(workspace / "config.yaml"))
    return {"bundle": etc / "tiny", "settings": etc / "link.yaml"}


def settings_by_way_of(etc: Path, workspace: Path) -> Mapping[str, Any]:
    (workspace / "hop").symlink_to(settings_file(etc / "config.yaml"))
    (etc / "link.yaml").symlink_to(workspace / "hop")
    return {"bundle": etc / "tiny", "settings": etc / "link.yaml"}


def base_inside(etc: Path, workspace: Path) -> Mapping[str, Any]:
    write_bundle(workspace / "base")
    mine = etc / "mine"
    mine.mkdir()
    manifest = "kind: bundle\nname: mine\nversion: 1.0.0\ntitle: M\nfiles: []\n"
    (mine / "bundle.yaml").write_text(f"{manifest}extends: {workspace}/base\n")
    return {"bundle": mine}


@pytest.mark.parametrize(
    "laid", [bundle_link, file_link, settings_link, settings_by_way_of, base_inside]
)
def test_no_way_leads_through_the_workspace(
    bundle: Path,
    workspace: Path,
    tmp_path: Path,
    laid: Callable[[Path, Path], Mapping[str, Any]],
) -> None:
    policy = LivePolicy(**laid(bundle.parent, workspace))
    assert "lies in the agent's workspace" in policy.refuses(str(workspace))
    by_link = tmp_path / "home"
    by_link.symlink_to(workspace)
    assert "lies in the agent's workspace" in policy.refuses(str(by_link))


def test_workspaces_are_looked_at_once_and_anew_after_a_reload(
    policy: LivePolicy, bundle: Path, workspace: Path
) -> None:
    assert policy.refuses(str(workspace)) == ""
    moved = workspace / "flow.yaml"
    (bundle / "flow.yaml").rename(moved)
    (bundle / "flow.yaml").symlink_to(moved)
    assert policy.refuses(str(workspace)) == ""
    assert policy.reload().ok
    assert policy.refuses(str(workspace)) != ""
    for number in range(1_000):
        policy.refuses(f"/nowhere/{number}")
    assert len(policy.places._known) <= MOST_WORKSPACES


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_follows_by_itself(
    bundle: Path, settings: Path, state: StateFolder
) -> None:
    code = """
import os, sys, threading
from pathlib import Path
from callgate.gate import live_policy
from callgate.gate.control import Control
from callgate.gate.live_policy import LivePolicy
from callgate.gate.state import StateFolder
from tests.gate.tiny import say, word_of
bundle, settings, state = map(Path, sys.argv[1:])
policy = LivePolicy(bundle, settings, state=StateFolder(state))
compiled, compiling, go_on = live_policy.compile_fresh, threading.Event(), threading.Event()
def slow(*given):
    compiling.set()
    go_on.wait()
    return compiled(*given)
say(bundle, "second")
Control(StateFolder(state)).publish(live_policy.compile_fresh(bundle, settings).graph.digest)
live_policy.compile_fresh = slow
policy.refresh()
compiling.wait()  # there is a thread, which holds the lock
child = os.fork()
if child == 0:
    live_policy.compile_fresh = compiled
    say(bundle, "third")
    assert policy.reload().ok
    print(word_of(policy.program), flush=True)
    say(bundle, "fourth")
    Control(StateFolder(state)).publish(compiled(bundle, settings).graph.digest)
    policy.refresh()
    policy.settle()
    print(word_of(policy.program), flush=True)
    os._exit(0)
os.waitpid(child, 0)
go_on.set()
policy.settle()
print(word_of(policy.program))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(bundle), str(settings), str(state.path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "third strict\nfourth strict\nfourth strict\n", done.stderr
