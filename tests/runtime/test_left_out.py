"""Leaving out an argument, or giving it as another type, weakens no guard that denies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callgate.engine import Engine
from tests.compiler.assembling import BASE

TOOLS = """\
kind: tools
capabilities: {fs.read: reads, process.exec: runs}
tools:
  exec: {description: runs, capabilities: [process.exec], effects: none}
  look:
    description: asks somewhere, and removes a file
    capabilities: [fs.read]
    effects:
      - connect: {host: args.host, port: args.port}
      - delete: {path: args.path, recursive: args.all}
      - shell: {text: args.command, cwd: args.cwd}
"""
PROGRAMS = """\
kind: programs
programs:
  ls: {}
  rm: {options: {all: -r}, operands: FILE..., effects: [{delete: {path: FILE}}]}
"""
GUARDS = """\
kind: guards
rules:
  - id: a.host
    title: Host
    decide: deny
    each: c in effects.connect
    when: c.host == "evil.test"
    reason: connects to {c.host}
  - id: a.path
    title: Path
    decide: deny
    each: d in effects.delete
    when: d.path under "/etc"
    reason: deletes {d.path}
"""
VALUES: dict[str, Any] = {
    "host": st.sampled_from(["evil.test", "good.test"]),
    "port": st.sampled_from([25, 443]),
    "path": st.sampled_from(["/etc/hosts", "/srv/a"]),
    "all": st.booleans(),
    "command": st.sampled_from(["ls", "rm -r /etc/x", "rm hosts"]),
    "cwd": st.sampled_from(["", "/etc", "/srv"]),
}
STRICT = {"allow": 0, "ask": 1, "deny": 2}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder: Path = tmp_path_factory.mktemp("left-out")
    kept = {name: BASE[name] for name in ("vocabulary", "risk", "profiles", "masking", "programs")}
    flow = BASE["flow"].replace(", asks_become: {deny: settings.approval.mode == manual}", "")
    files = {**kept, "tools": TOOLS, "guards": GUARDS, "flow": flow, "programs": PROGRAMS}
    files["vocabulary"] = files["vocabulary"].replace("default: [bash, exec]", "default: []")
    manifest = "kind: bundle\nname: t\nversion: '1'\ntitle: T\n"
    manifest += f"files: [{', '.join(f'{name}.yaml' for name in files)}]\n"
    for name, text in {**files, "bundle": manifest}.items():
        (folder / f"{name}.yaml").write_text(text)
    return Engine.load(folder)


@given(st.fixed_dictionaries(VALUES), st.sampled_from(sorted(VALUES)), st.data())
def test_no_guard_on_another_field_is_lost(
    engine: Engine, args: dict[str, Any], gone: str, data: st.DataObject
) -> None:
    less = {**args, gone: data.draw(st.sampled_from([None, 3.5, {"a": 1}]))}
    if less[gone] is None and data.draw(st.booleans()):
        del less[gone]
    whole = engine.decide({"tool": "look", "args": args}).to_dict()
    told = engine.decide({"tool": "look", "args": less}).to_dict()
    # It is never allowed, and what denied for what is still known denies.
    assert told["decision"] != "allow"
    read = {"a.host": {"host"}, "a.path": {"path", "command", "cwd"}}
    if whole["decision"] == "deny" and gone not in read.get(whole["rule"], ()):
        assert (told["decision"], told["rule"]) == ("deny", whole["rule"])


def test_the_port_is_left_out(engine: Engine) -> None:
    args = {"host": "evil.test", "path": "/srv/a", "all": True, "command": "ls", "cwd": ""}
    for port in (25, 443, None, "25"):
        told = engine.decide({"tool": "look", "args": {**args, "port": port}}).to_dict()
        assert (told["decision"], told["rule"]) == ("deny", "a.host")
