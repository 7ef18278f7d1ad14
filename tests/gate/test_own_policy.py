"""The policy, its settings and the gate's code: what changes them, and what only looks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from callgate.engine import Engine
from callgate.gate.gate import ApprovalGate
from callgate.gate.live_policy import LivePolicy
from callgate.gate.own_places import OWN_ONLY
from callgate.gate.places import Places
from callgate.gate.state import StateFolder
from callgate.resources import packaged_folders
from tests.gate.test_own_places import call_of, is_changed
from tests.gate.tiny import write_bundle

POLICY_CHANGED = [
    "rm {bundle}/flow.yaml",
    "cat x > {bundle}/new.yaml",
    "sed -i s/ask/allow/ {bundle}/flow.yaml",
    "git -C {bundle} pull",
    "cp x {base}/flow.yaml",
    "mv {base} /tmp/x",
    "cp x {linked}/flow.yaml",
    "sed -i s/manual/off/ {settings}",
    "echo x > {settings}",
    "tee {settings} < x",
    "cp x {settings}",
    "cp config.yaml {etc}/",
    "mv x {etc}/config.yaml",
    "rm -r {etc}",
    "chmod 777 {etc}",
    "find {etc} -name '*.yaml' -delete",
    "cat x > {etc}/c*.yaml",
    "ln {settings} /tmp/x",
    "ln -sfn /tmp/evil {way}",
    "ln -sfn /tmp/evil {etc}/flow-link.yaml",
    "rm {way}",
    "mv {way} /tmp/x",
    "mount --bind /tmp/x {bundle}",
    "foo-unknown {settings}",
    "cd {etc} && foo-unknown config.yaml",
    "python -c \"open('{settings}', 'w')\"",
    "python x.py --out={bundle}/flow.yaml",
    "cd {bundle} && make",
    "rm -rf {code}",
    "cp x {code}/gate/gate.py",
    "sed -i s/deny/allow/ {embedded}/echo/flow.yaml",
    "cat x > {grammar}/shell.lark",
    "python -c \"open('{code}/engine.py', 'w')\"",
    "cp x {state}/control.json",
    "cp x {state}/approvers.keys",
    "cp x {records}/1.jsonl",
    "rm -r {records}",
]

POLICY_UNCHANGED = [
    "ls {bundle}",
    "ls -la {etc}",
    "cat {bundle}/flow.yaml",
    "cat {settings} | grep mode",
    "callgate lint {bundle}",
    "callgate lint {bundle} --settings {settings}",
    "callgate test {bundle}",
    "callgate eval --bundle {bundle} x.jsonl",
    "callgate status --settings {settings}",
    "grep -r x {bundle}",
    "diff -r {bundle} {base}",
    "cd {bundle} && git status",
    "cd {bundle} && git log && ls",
    "git log -- {bundle}",
    "cp -r {bundle} /tmp/x",
    "wc -l {code}/gate/*.py",
    "grep -rn deny {embedded}",
    "echo 'the policy lies in {bundle}'",
    "git commit -m 'move {etc}x'",
    # beside them
    "cp x {etc}/other.yaml",
    "rm {etc}/config.yaml.old",
    "python x.py {etc}/config.yaml-2",
    "python x.py {bundle}-2/flow.yaml",
    "foo-unknown {etc}/other",
    "rm -rf {behind}/other",
    "cp x {way}/other",
    "cp x {records}-2",
    "python x.py",
    "make install",
    "pip install requests",
    "apt-get install -y curl",
    "rm -rf build",
]


def laid_out(folder: Path) -> tuple[Places, dict[str, str]]:
    """A policy that lies in many places, and their names."""
    etc = folder / "etc"
    base, bundle = write_bundle(folder / "base"), write_bundle(etc / "mine")
    (bundle / "flow.yaml").rename(folder / "linked.yaml")
    (bundle / "flow.yaml").symlink_to(etc / "flow-link.yaml")
    (etc / "flow-link.yaml").symlink_to(folder / "linked.yaml")
    manifest = (
        "kind: bundle\nname: mine\nversion: 1.0.0\ntitle: M\nfiles: []\nextends: ../../base\n"
    )
    (bundle / "bundle.yaml").write_text(manifest)
    behind = folder / "behind"
    behind.mkdir()
    (behind / "config.yaml").write_text("{}")
    (folder / "way").symlink_to(behind)
    (etc / "config.yaml").symlink_to(folder / "way" / "config.yaml")
    state = StateFolder(folder / "state")
    places = Places(bundle, etc / "config.yaml", state)
    places.keep("the records' folder", folder / "records")
    code, grammar, embedded = packaged_folders()
    names = {
        "etc": etc,
        "linked": folder / "linked.yaml",
        "bundle": bundle,
        "base": base,
        "settings": etc / "config.yaml",
        "behind": behind,
        "way": folder / "way",
        "state": state.path,
        "records": folder / "records",
    }
    told = {name: str(path) for name, path in names.items()}
    return places, {**told, "code": code, "grammar": grammar, "embedded": embedded}


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> tuple[Places, dict[str, str]]:
    return laid_out(tmp_path_factory.mktemp("policy").resolve())


@pytest.mark.parametrize("command", POLICY_CHANGED)
def test_what_changes_the_policy(policy: tuple[Places, dict[str, str]], command: str) -> None:
    places, names = policy
    assert is_changed(places.own, call_of("exec", {"command": command.format(**names)}))


@pytest.mark.parametrize("command", POLICY_UNCHANGED)
def test_what_does_not_change_the_policy(
    policy: tuple[Places, dict[str, str]], command: str
) -> None:
    places, names = policy
    assert not is_changed(places.own, call_of("exec", {"command": command.format(**names)}))


# -- through the gate


def live(bundle: Path, settings: Path, state: StateFolder) -> LivePolicy | Engine:
    return LivePolicy(bundle, settings, state=state)


def fixed(bundle: Path, settings: Path, state: StateFolder) -> LivePolicy | Engine:
    return Engine.load(bundle, settings)


def stateless(bundle: Path, settings: Path, state: StateFolder) -> LivePolicy | Engine:
    return LivePolicy(bundle, settings)


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A bundle over the embedded one, and settings that ask nobody."""
    etc = tmp_path_factory.mktemp("extended").resolve() / "etc"
    (etc / "mine").mkdir(parents=True)
    manifest = "kind: bundle\nname: mine\nversion: 1.0.0\ntitle: M\nfiles: []\nextends: echo\n"
    (etc / "mine" / "bundle.yaml").write_text(manifest)
    settings = etc / "config.yaml"
    settings.write_text("permissions:\n  approval:\n    mode: 'off'\n")
    return etc / "mine", settings


@pytest.mark.parametrize("made", [live, fixed, stateless])
def test_no_call_changes_what_the_gate_goes_by(
    extended: tuple[Path, Path],
    tmp_path: Path,
    made: Callable[[Path, Path, StateFolder], LivePolicy | Engine],
) -> None:
    bundle, settings = extended
    state = StateFolder(tmp_path.resolve() / "state")
    gate = ApprovalGate(made(bundle, settings, state), state=state, wait=False)
    other = f"{settings.parent}/other.yaml"
    told: list[tuple[str, dict[str, Any], bool]] = [
        ("write_file", {"path": str(settings), "content": "x"}, True),
        ("edit_file", {"path": str(settings), "old_text": "a", "new_text": "b"}, True),
        ("write_file", {"path": f"{bundle}/flow.yaml", "content": "x"}, True),
        ("write_file", {"path": f"{state.path}/control.json", "content": "x"}, True),
        ("exec", {"command": f"cp x {settings}"}, True),
        ("exec", {"command": f"rm -r {bundle}"}, True),
        ("read_file", {"path": str(settings)}, False),
        ("exec", {"command": f"callgate lint {bundle}"}, False),
        ("write_file", {"path": other, "content": "x"}, False),
    ]
    for tool, args, own in told:
        found = asyncio.run(gate.check(call_of(tool, args)))
        assert (found.reason == OWN_ONLY) == own, args
        assert not (own and found.allowed), args
    for folder in packaged_folders():
        write = call_of("write_file", {"path": f"{folder}/x.py", "content": "x"})
        assert not asyncio.run(gate.check(write)).allowed


def test_another_place_counts_from_the_reload_on(tmp_path: Path) -> None:
    folder = tmp_path.resolve()
    bundle = write_bundle(folder / "tiny")
    elsewhere = folder / "elsewhere.yaml"
    policy = LivePolicy(bundle)
    write = call_of("exec", {"command": f"cp x {elsewhere}"})
    assert not is_changed(policy.places.own, write)
    (bundle / "flow.yaml").rename(elsewhere)
    (bundle / "flow.yaml").symlink_to(elsewhere)
    assert not is_changed(policy.places.own, write)
    assert policy.reload().ok
    assert is_changed(policy.places.own, write)


def test_a_relative_engine_is_protected_where_it_was_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = write_bundle(tmp_path.resolve() / "tiny")
    monkeypatch.chdir(tmp_path)
    gate = ApprovalGate(Engine.load("./tiny"))
    write = call_of("exec", {"command": f"cp x {bundle}/flow.yaml"})
    assert is_changed(gate.policy.places.own, write)
