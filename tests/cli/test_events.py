"""`callgate events`: what happened, for people and programs."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from callgate.gate.database import Database
from callgate.gate.events import Events
from tests.cli.conftest import Run

AT = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder with four events, one for each hour."""
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    times = (AT + timedelta(hours=number) for number in range(4))
    events = Events(Database(folder / "state.db"), lambda: next(times))
    events.add("freeze.on", by="local:ann", why="odd \x1b[2J\u202ethings")
    events.add("break-glass.on", by="local:ann", minutes=5, why="INC-1")
    events.add("break-glass.passed", tool="exec", rule="human.pending", user="ann", agent="")
    events.add("policy.reload", digest="sha256:" + "0" * 64, was=None, pinned=False)
    return folder


def kinds(run: Run, state: Path, *args: str) -> list[str]:
    """The kinds of the events that are told."""
    result = run("events", "--state", state, "--format", "jsonl", *args)
    assert result.exit_code == 0, result.output
    return [json.loads(line)["kind"] for line in result.stdout.splitlines()]


def test_they_are_told(run: Run, state: Path) -> None:
    result = run("events", "--state", state)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{AT:%Y-%m-%d %H:%M:%S} UTC  freeze.on",
        "  by local:ann · why odd \\e[2J\\u202ethings",
        f"{AT + timedelta(hours=1):%Y-%m-%d %H:%M:%S} UTC  break-glass.on",
        "  by local:ann · minutes 5 · why INC-1",
        f"{AT + timedelta(hours=2):%Y-%m-%d %H:%M:%S} UTC  break-glass.passed",
        "  rule human.pending · tool exec · user ann",
        f"{AT + timedelta(hours=3):%Y-%m-%d %H:%M:%S} UTC  policy.reload",
        "  digest sha256:" + "0" * 64 + " · pinned false",
    ]


def test_they_are_told_as_json(run: Run, state: Path) -> None:
    result = run("events", "--state", state, "--format", "json")
    assert "\x1b" not in result.stdout
    told = json.loads(result.stdout)
    assert told[0] == {
        "id": 1,
        "at": AT.isoformat(),
        "kind": "freeze.on",
        "detail": {"by": "local:ann", "why": "odd \x1b[2J\u202ethings"},
    }
    lines = run("events", "--state", state, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line) for line in lines] == told


def test_they_are_chosen(run: Run, state: Path) -> None:
    assert kinds(run, state, "--kind", "break-glass") == ["break-glass.on", "break-glass.passed"]
    assert kinds(run, state, "--kind", "freeze.on") == ["freeze.on"]
    assert kinds(run, state, "--kind", "break") == []
    last = ["break-glass.passed", "policy.reload"]
    whole = (AT + timedelta(hours=2)).isoformat()
    for since in ("90m", whole, whole.replace("+00:00", "")):
        assert kinds(run, state, "--since", since) == last
    assert kinds(run, state, "--since", "1d", "--kind", "policy") == ["policy.reload"]
    assert len(kinds(run, state, "--since", "2020-01-01")) == 4


def test_the_newest_are_shown(run: Run, state: Path) -> None:
    result = run("events", "--state", state, "--limit", "1", "--format", "jsonl")
    assert json.loads(result.stdout)["kind"] == "policy.reload"
    assert result.stderr == "callgate: these are the newest 1; `--limit` shows more\n"
    assert run("events", "--state", state, "--limit", "4").stderr == ""


def test_where_nothing_happened(run: Run, state: Path) -> None:
    for format_, told in (("pretty", "no events\n"), ("json", "[]\n"), ("jsonl", "")):
        result = run("events", "--state", state, "--kind", "none", "--format", format_)
        assert (result.exit_code, result.stdout) == (0, told)


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--since", "yester\x1bday"), "`yester\\eday` is neither a time, such as"),
        (("--since", "999999d"), "is neither a time"),
        (("--since", ""), "is neither a time"),
        (("--limit", "0"), "0 is not in the range"),
    ],
)
def test_wrong_usage(run: Run, state: Path, args: tuple[str, ...], told: str) -> None:
    result = run("events", "--state", state, *args)
    assert result.exit_code == 1
    assert told in result.stderr


def test_one_that_is_damaged_is_told(run: Run, state: Path) -> None:
    with Database(state / "state.db").transaction() as connection:
        connection.execute("UPDATE events SET detail = '[' WHERE id = 2")
    result = run("events", "--state", state)
    assert result.exit_code == 1
    assert "an event in the gate's database is damaged" in result.stderr


def test_help_has_examples(run: Run) -> None:
    assert "callgate events --kind break-glass" in run("events", "--help").stdout
