"""What docs/gate.md and docs/examples show, run as it stands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(folder: Path, *args: str) -> str:
    """What a fresh Python prints, with a home of its own."""
    found = subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state")},
        check=False,
        timeout=120,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return found.stdout


def test_the_ten_lines(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "gate.md").read_text("utf-8")
    block = re.search(r"^## Ten lines\n+```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert block is not None
    lines = [line for line in block[1].splitlines() if line]
    assert len(lines) <= 10
    assert run(tmp_path, "-c", block[1]) == "allowed\n{'command': 'git status'}\n"


ANN = """
import threading
from callgate.gate import Database, Requests, StateFolder, default_state

def answer():
    requests, pause = Requests(Database(StateFolder(default_state()).database)), threading.Event()
    while not pause.wait(0.05):
        for request in requests.pending():
            requests.answer(request.id, "once", "ann")

threading.Thread(target=answer, daemon=True).start()
"""
"""A person who says yes to everything, from elsewhere."""


def test_all_that_the_page_shows(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "gate.md").read_text("utf-8")
    first, manual, folder, revoke, cron, events = re.findall(
        r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE
    )
    told = "print(fired['cron_authorized'], cron.authorised(job), approval.approval_source)\n"
    assert run(tmp_path, "-c", ANN + first + manual + revoke + cron + told + events) == (
        "allowed\n{'command': 'git status'}\nTrue False human\n"
    )
    assert "/var/lib/support-agent/gate" in folder
    elsewhere = str(tmp_path / "elsewhere")
    made = folder.replace("/var/lib/support-agent/gate", elsewhere)
    assert run(tmp_path, "-c", f"{made}print(state.path)\n") == f"{elsewhere}\n"


def test_the_page_is_wrapped() -> None:
    page = (ROOT / "docs" / "gate.md").read_text("utf-8")
    lines = [line for line in page.splitlines() if not line.startswith("|")]
    assert [line for line in lines if len(line) > 130] == []


def test_the_agent_loop(tmp_path: Path) -> None:
    told = run(tmp_path, str(ROOT / "docs" / "examples" / "agent_loop.py"))
    story = [line.strip() for line in told.splitlines()]
    assert story[0] == "tools  exec, read_file"
    for line in (
        "tool  Remove the old build, then start again.",
        "reviewer  APPROVE",
        "reviewer  ESCALATE",
        "│ command: rm -r build",
        "person  → session",
        "person  → deny",
        "gate  no [approval_denied]: a person refused exec",
    ):
        assert line in story, told
    # The second build goes under the grant that the first yes left.
    assert told.count("model  Another old build. exec(rm -r build)\n     tool  (done)") == 1
    assert told.count("holds credentials") == 1
    assert "recursive deletion of /" in told
    assert len(re.findall("An agent asks to call", told)) == 2
