"""What the gate goes by, wherever it lies: what changes it, what may, and what only looks."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest

from callgate.engine import Engine
from callgate.gate.gate import ApprovalGate
from callgate.gate.own_places import OWN_ONLY, OwnPlaces
from callgate.gate.state import StateFolder, default_state
from tests.gate.subjects import engine

CHANGED = [
    # a database program
    "sqlite3 {state}/state.db < x.sql",
    "sqlite3 {state}/state.db -cmd 'select 1'",
    "sqlite3 {state}/state.db 'insert into grants values (1)'",
    "sqlite3 {state}/state.db .dump",
    "sqlite3 x '.open {state}/state.db'",
    "sqlite3 -cmd '.open {state}/state.db' x",
    "cd {above} && sqlite3 x '.open gate/state.db'",
    "sqlite3 x \"attach '{state}/state.db' as y\"",
    "echo '.open {state}/state.db' | sqlite3",
    "cd {above}; sqlite3 x '.backup main gate/state.db'",
    "cd {above}; sqlite3 x '.sav gate/state.db'",
    "cd {above}; sqlite3 x '.trace gate/control.json'",
    "cd {above}; sqlite3 x 'attach [gate/state.db] as y'",
    "cd {above}; sqlite3 x 'attach database \"gate/state.db\" y'",
    "cd {above}; sqlite3 x \"attach 'file:gate/state.db?mode=rwc' as y\"",
    "cd {above}; sqlite3 x <<< 'select 1; attach `gate/state.db` as y'",
    "cd {above}; sqlite3 -cmd \"vacuum into 'gate/state.db'\" x",
    "cd {above}; python3 -m sqlite3 x \"attach 'gate/state.db' as y\"",
    "cd {above}; duckdb -c \"attach 'gate/state.db' (type sqlite)\"",
    "cd {above} && sqlite3 gate/state.db",
    "cd {state}; sqlite3 state.db < /tmp/x.sql",
    "litecli {state}/state.db",
    "duckdb {state}/state.db",
    "sqlite-utils {state}/state.db 'select 1'",
    "sudo sqlite3 {state}/../gate/state.db",
    # another name
    "gunzip -f {state}/control.json.gz",
    "cd {above} && X=gate/state.db true",
    "ln {state}/state.db /tmp/x",
    "ln -s {state} /tmp/x",
    "ln -sT {above} /tmp/x",
    "cd {above} && ln gate/control.json /tmp/x",
    "link {state}/state.db /tmp/x",
    "busybox ln {state}/state.db x",
    "cp -l {state}/state.db /tmp/x",
    "cp -al {above} /tmp/x",
    "cp --symbolic-link {state}/control.json /tmp/x",
    "rsync -a --link-dest={state} a b",
    "mount --bind {state} /mnt",
    "mount --bind {above} /mnt",
    "mount -o bind {state} /mnt",
    "sudo mount --move {above} /mnt",
    "unshare -m mount --rbind {above} /mnt",
    "bindfs {above} /mnt",
    "cd {above} && bindfs gate /mnt",
    # programs that nobody described
    "foo-unknown {state}/state.db",
    "foo-unknown --db={state}/state.db",
    "foo-unknown db={state}/state.db",
    "cd {above}; foo-unknown gate/state.db",
    "cd {state} && foo-unknown",
    "foo-unknown {up}{state}/state.db",
    "ls {state} | foo-unknown",
    "./x.sh '{state}'",
    # code
    "python -c \"import sqlite3; sqlite3.connect('{state}/state.db')\"",
    "python -c \"open('{state}/control.json', 'w')\"",
    "python -c \"print(open('{state}/control.json').read())\"",
    "python -c \"import os; os.link('{state}/state.db', '/tmp/x')\"",
    "python -c \"import os; os.chdir('{above}'); open('gate/control.json', 'w')\"",
    "python -c \"import shutil; shutil.rmtree('{above}')\"",
    "python x.py {state}/control.json",
    "cd {above} && python x.py gate/control.json",
    "cd {above} && python x.py --file=gate/control.json",
    "cd {state} && make",
    "python - {state} < x.py",
    "python <<X\nopen('{state}/control.json', 'w')\nX",
    "node -e \"require('fs').writeFileSync('{state}/control.json', '')\"",
    "perl -e 'open F, \">{state}/control.json\"'",
    'ruby -e \'File.write("{state}/control.json", "")\'',
    "bash x.sh {state}",
    "make STATE={state}",
    "awk 'BEGIN {{ system(\"rm {state}/control.json\") }}'",
    "echo '* * * * * rm {state}/control.json' | crontab -",
    "GIT_WORK_TREE={state} git checkout .",
    "HISTFILE={state}/control.json ls",
    "git --work-tree={state} checkout .",
    "$CMD {state}",
    "rm $(ls {state}/*)",
    "python x.py {above}/ga''te/control.json",
    "python x.py {above}/g*e/control.json",
    "python x.py {above}/{{gate,x}}/control.json",
    "G=gate; python x.py {above}/$G/control.json",
    "cd {above}; sqlite3 file:gate/state.db",
    "cd {above}; sqlite3 x \"select 1; ATTACH 'gate/state.db' as y\"",
    "cd {above}; duckdb -c \"attach 'gate/state.db' as y\"",
    "losetup /dev/loop0 {state}/state.db",
    # a folder above
    "rm -rf {higher}/*/gate",
    "rm -rf {higher}/*/gate/versions",
    "cat x > {higher}/*/gate/control.json",
    "mv {above} /tmp/x",
    "rm -rf {above}",
    "rm -rf {state}/..",
    "rm -rf {higher}",
    "chmod -R 777 {above}",
    "chmod 777 {above}",
    "chown -R u {above}",
    "mount -t tmpfs x {above}",
    "mount -t tmpfs x {state}",
    "umount {above}",
    "rsync -a --delete x/ {higher}/",
    "rsync -a x {above}",
    "cp -r x/. {above}",
    "mv -T x {above}",
    "mv gate {above}/",
    "tar -x -C {above} -f a.tar",
    "unzip a.zip -d {above}",
    "cd {above} && git clean -fdx",
    "git -C {above} clean -fdx",
    "find {above} -delete",
    "find {higher} -type f -exec sed -i s/a/b/ {{}} +",
    "find {higher} -type f | xargs sed -i s/a/b/",
    "ln -sfn /tmp/x {above}",
    "docker run -v {above}:/x alpine rm /x/gate/control.json",
    # by its own commands
    "callgate approvals approve a1 --state {state}",
    "callgate --state={state} freeze --off",
]

UNCHANGED = [
    "ls {state}",
    "ls -la {above}",
    "cat {state}/control.json",
    "cat {state}/control.json | grep frozen",
    "head -c 10 {state}/state.db",
    "grep -r frozen {above}",
    "awk '{{print}}' {state}/control.json",
    "jq . {state}/control.json > /tmp/x",
    "stat {state}; du -sh {state}",
    "cd {state} && ls",
    "bash -c 'ls {state}'",
    "sudo ls {state}",
    "find {above} -name '*.db'",
    "cp -r {state} /tmp/x",
    "tar czf /tmp/x.tgz {state}",
    "cat /other",
    "sqlite3 other.db 'select 1'",
    "sqlite3 other.db '.backup main b.db'",
    "sqlite3 other.db \"attach 'b.db' as b\"",
    "sqlite3 {state}-2/state.db 'select 1'",
    "cp -r project /opt",
    "cp a {above}/b",
    "ln -s a /tmp/x",
    "ln a b && ls {above}",
    "foo-unknown {above}",
    "foo-unknown {state}-not/x",
    "foo-unknown {state}.old",
    "python x.py {state}-2",
    "python -c 'print(1)'",
    "cd / && systemctl restart nginx",
    "mount /dev/sdb1 /mnt",
    "umount /mnt",
    "echo 'the state lies in {state}'",
    "echo 'the state lies in {state}' > notes.md",
    "git log --grep '{state}'",
    "rm -rf {above}/other",
    "rm -rf {higher}/*/other",
    "rm $X && ls {higher}/*",
    "callgate approvals list --state {state}",
    "callgate status --state {state}",
    "LANG=C ls {state}",
]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> StateFolder:
    return StateFolder(tmp_path_factory.mktemp("var").resolve() / "agent" / "gate")


def call_of(tool: str, args: dict[str, Any], **context: Any) -> dict[str, Any]:
    folders = {"cwd": "/srv/app", "workspace": "/srv/app", "home": "/home/u"}
    return {"tool": tool, "args": args, "context": {**folders, **context}}


def is_changed(own: OwnPlaces | StateFolder, call: dict[str, Any]) -> bool:
    if isinstance(own, StateFolder):
        own = OwnPlaces([str(own.path)])
    program = engine().program
    frame = program.checker.frame(call, False)
    program.classifier.classify(frame)
    effects = program.effects_of(frame)
    return own.is_changed_by(effects, orjson.dumps(call))


def spelt(command: str, state: StateFolder) -> str:
    above = state.path.parent
    return command.format(state=state.path, above=above, higher=above.parent, up="../" * 9)


@pytest.mark.parametrize("command", CHANGED)
def test_what_changes_the_gates_own_folder(state: StateFolder, command: str) -> None:
    assert is_changed(state, call_of("exec", {"command": spelt(command, state)}))


@pytest.mark.parametrize("command", UNCHANGED)
def test_what_does_not_change_the_gates_own_folder(state: StateFolder, command: str) -> None:
    assert not is_changed(state, call_of("exec", {"command": spelt(command, state)}))


@pytest.mark.parametrize(
    ("tool", "args", "changed"),
    [
        ("execute_code", {"language": "python", "code": "open('{state}/x').read()"}, True),
        ("execute_code", {"language": "cobol", "code": 'OPEN "{state}/x"'}, True),
        ("execute_code", {"language": "bash", "code": "ls {state}"}, False),
        ("execute_code", {"language": "bash", "code": "rm {state}/x"}, True),
        ("mcp_x_y", {"path": "{state}/control.json"}, True),
        ("mcp_x_y", {"thing": {"a": ["{state}"]}}, True),
        ("unknown_tool", {"where": "{state}/control.json"}, True),
        ("process", {"action": "stdin", "id": "p1", "text": "rm {state}/x"}, True),
        ("read_file", {"path": "{state}/control.json"}, False),
        ("write_file", {"path": "notes.md", "content": "it lies in {state}"}, False),
        ("message", {"text": "it lies in {state}"}, False),
    ],
)
def test_tools_and_the_gates_own_folder(
    state: StateFolder, tool: str, args: dict[str, Any], changed: bool
) -> None:
    told = orjson.loads(orjson.dumps(args).replace(b"{state}", str(state.path).encode()))
    assert is_changed(state, call_of(tool, told)) == changed


@pytest.mark.parametrize(
    ("command", "changed"),
    [
        ("python x.py ~/.local/state/callgate/control.json", True),
        ("python x.py $HOME/.local/state/callgate/control.json", True),
        ('python x.py "${HOME}/.local/state/callgate"', True),
        ("foo-unknown ~/.local/state/callgate/state.db", True),
        ("cd && foo-unknown .local/state/callgate/state.db", True),
        ("mv ~/.local/state /tmp/x", True),
        ("rm -rf ~/.local", True),
        ("rm -rf ~", True),
        ("find ~ -type f -exec sed -i s/a/b/ {} +", True),
        ("ls ~/.local/state/callgate", False),
        ("python x.py ~/.local/state/callgate-2", False),
        ("python x.py ~/.local/state/other", False),
        ("rm -rf ~/.local/share", False),
        ("foo-unknown ~", False),
    ],
)
def test_the_folder_where_nobody_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, changed: bool
) -> None:
    home = tmp_path.resolve()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    call = call_of("exec", {"command": command}, home=str(home))
    assert is_changed(StateFolder(default_state()), call) == changed


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a b", "ä", "a(b", "a+"])
def test_a_folder_with_an_odd_name(tmp_path: Path, name: str) -> None:
    state = StateFolder(tmp_path.resolve() / name)
    code = f"x = {str(state.path)!r}"
    assert is_changed(state, call_of("execute_code", {"language": "python", "code": code}))


def test_a_call_that_runs_code_in_the_gates_own_folder(state: StateFolder) -> None:
    assert is_changed(state, call_of("exec", {"command": "make"}, cwd=str(state.path)))
    assert not is_changed(state, call_of("exec", {"command": "ls"}, cwd=str(state.path)))


@pytest.fixture(scope="module")
def gate(state: StateFolder) -> ApprovalGate:
    settings = {"permissions": {"approval": {"mode": "off"}}}
    return ApprovalGate(Engine.load("echo", settings), state=state, wait=False)


@pytest.mark.parametrize(
    "command",
    [
        "sqlite3 {state}/state.db < x.sql",
        "ln {state}/control.json x",
        "mv {above} /tmp/x",
        "foo-unknown {state}/state.db",
        "python3 x.py {state}/state.db",
    ],
)
def test_the_gate_says_why_even_where_nobody_is_asked(
    gate: ApprovalGate, state: StateFolder, command: str
) -> None:
    workspace = str(state.path.parent.parent / "work")
    found = asyncio.run(
        gate.check(
            call_of("exec", {"command": spelt(command, state)}, cwd=workspace, workspace=workspace)
        )
    )
    assert (found.allowed, found.kind, found.reason) == (False, "policy", OWN_ONLY)


def test_a_link_to_the_gates_own_folder_is_followed(gate: ApprovalGate, tmp_path: Path) -> None:
    state = StateFolder(tmp_path.resolve() / "gate")
    (tmp_path / "way").symlink_to(state.path)
    own = ApprovalGate(gate.policy, state=state, wait=False)  # type: ignore[arg-type]
    asked = call_of("exec", {"command": f"foo-unknown {tmp_path.resolve()}/way/state.db"})
    assert asyncio.run(own.check(asked)).reason == OWN_ONLY
