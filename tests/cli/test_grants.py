"""`callgate grants`: what people have granted, listed and taken back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from callgate.gate.cron import CronGrants
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.grants import Grant, Grants
from callgate.gate.subject import LEVELS, Subject
from tests.cli.conftest import Run
from tests.gate.asking import NOON
from tests.gate.jobs import JOB, approval, spent

# A grant for a session ends within a day, so this is today.
MADE = datetime.now(UTC).replace(second=0, microsecond=0)
SUBJECT = Subject(
    "command", "exec", LEVELS, "exec", "exec", frozenset({"shell.x"}), "`rm -r build`", "0" * 64
)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


def grants_in(state: Path) -> Grants:
    return Grants(Database(state / "state.db"), lambda: MADE)


def add(state: Path, level: str = "always", session: str = "s1", user: str = "ann") -> Grant:
    made = grants_in(state).add(
        SUBJECT, level, user=user, agent="", session=session, by="ann", decision_id="r1"
    )
    assert made is not None
    return made


def test_they_are_listed(run: Run, state: Path) -> None:
    grants_in(state)
    assert run("grants", "list", "--state", state).stdout == "no grants\n"
    one, two = add(state), add(state, "session-all", user="bob\x1b[2J")
    result = run("grants", "list", "--state", state)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        f"{one.id}  always",
        "  `rm -r build`",
        "  for user ann",
        f"  by ann at {MADE:%Y-%m-%d %H:%M}Z",
        f"{two.id}  session-all",
        "  every call of `exec`, first `rm -r build`",
        f"  for user bob\\e[2J, session s1, until {two.expires:%Y-%m-%d %H:%M}Z",
        f"  by ann at {MADE:%Y-%m-%d %H:%M}Z",
    ]
    assert one.id not in run("grants", "list", "--state", state, "--session", "s1").stdout


def test_they_are_listed_as_json(run: Run, state: Path) -> None:
    made = add(state)
    result = run("grants", "list", "--state", state, "--user", "ann", "--format", "json")
    (told,) = json.loads(result.stdout)
    assert told["id"] == made.id
    assert told["asks"] == ["shell.x"]
    assert told["made"] == MADE.isoformat()
    assert told["ended"] is None
    none = run("grants", "list", "--state", state, "--user", "bob", "--format", "json")
    assert json.loads(none.stdout) == []


def test_they_are_revoked(run: Run, state: Path) -> None:
    one, two, three = add(state), add(state, "session"), add(state, "session", session="s2")
    assert run("grants", "revoke", "--state", state, one.id).stdout == "1 grant revoked\n"
    assert run("grants", "revoke", "--state", state, "--session", "s1").exit_code == 0
    assert [grant.id for grant in grants_in(state).list()] == [three.id]
    result = run("grants", "revoke", "--state", state, "--all", "--format", "json")
    assert json.loads(result.stdout) == {"revoked": 1, "unknown": []}
    listed = run("grants", "list", "--state", state, "--all").stdout
    assert two.id in listed
    assert "ended by local:" in listed
    events = Events(Database(state / "state.db")).list("grant.revoked")
    assert [event.detail["id"] for event in events] == [one.id, two.id, three.id]


def test_one_that_does_not_count_is_told(run: Run, state: Path) -> None:
    made = add(state)
    result = run("grants", "revoke", "--state", state, made.id, "\x1bother")
    assert result.exit_code == 1
    assert "no grant that counts: `\\eother`" in result.stderr
    assert result.stdout == "1 grant revoked\n"
    assert grants_in(state).list() == []
    again = run("grants", "revoke", "--state", state, made.id)
    assert again.exit_code == 1
    assert again.stdout == ""
    assert again.stderr.count("\n") == 1
    assert "callgate grants list" in again.stderr


def test_a_session_without_grants_is_told(run: Run, state: Path) -> None:
    add(state)
    for args in ((), ("--format", "json")):
        result = run("grants", "revoke", "--state", state, "--session", "no\x1bsuch", *args)
        assert result.exit_code == 1
        assert "no grant of the session `no\\esuch` counts" in result.stderr
    assert len(grants_in(state).list()) == 1


@pytest.mark.parametrize(
    "args", [(), ("--all", "x"), ("--session", "s", "x"), ("--all", "--session", "s")]
)
def test_revoking_wants_one_thing(run: Run, state: Path, args: tuple[str, ...]) -> None:
    add(state)
    result = run("grants", "revoke", "--state", state, *args)
    assert result.exit_code == 1
    assert "name grants by their ids" in result.stderr
    assert len(grants_in(state).list()) == 1


def test_a_state_that_is_missing_or_damaged_is_told(run: Run, state: Path) -> None:
    for args in (("list",), ("revoke", "--all")):
        gone = run("grants", *args, "--state", state / "none")
        assert gone.exit_code == 1
        assert "can't be used: no such file or directory" in gone.stderr
        empty = run("grants", *args, "--state", state)
        assert empty.exit_code == 1
        assert "the gate's database is missing" in empty.stderr
    assert list(state.iterdir()) == []
    (state / "state.db").write_bytes(b"\x00" * 5000)
    assert "damaged" in run("grants", "list", "--state", state).stderr


def test_the_usual_place(run: Run, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = state / "callgate"
    usual.mkdir(mode=0o700)
    made = add(usual)
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    assert made.id in run("grants", "list").stdout


def test_those_of_jobs_are_among_them(run: Run, state: Path) -> None:
    db = Database(state / "state.db")
    cron = CronGrants(db, lambda: NOON)
    cron.issue(spent(db), {**JOB, "id": "job-7\x1b[2J"})
    cron.issue(approval("gone"), {**JOB, "id": "job-8"})
    made = add(state)
    listed = run("grants", "list", "--state", state)
    assert listed.stdout.splitlines()[:8] == [
        "job-7\\e[2J  job",
        "  runs by itself, as it was made: command: git push",
        "  for user ann, agent main",
        "  by ann at 2026-05-01 12:00Z",
        "job-8  job",
        "  runs by itself, as it was made: by a call that is not kept",
        "  for no user",
        "  by a person at 2026-05-01 12:00Z",
    ]
    assert listed.stdout.splitlines()[8] == f"{made.id}  always"

    told = json.loads(run("grants", "list", "--state", state, "--format", "json").stdout)
    assert [form["kind"] for form in told] == ["job", "job", "command"]
    assert told[0].keys() == told[2].keys()
    assert (told[0]["id"], told[0]["user"], told[0]["level"]) == ("job-7\x1b[2J", "ann", "always")
    for args, ids in ((("--user", "ann"), {told[0]["id"], made.id}), (("--session", "s1"), set())):
        some = json.loads(run("grants", "list", "--state", state, *args, "--format", "json").stdout)
        assert {form["id"] for form in some} == ids


def test_those_of_jobs_are_revoked(run: Run, state: Path) -> None:
    cron = CronGrants(Database(state / "state.db"), lambda: NOON)
    for name in ("job-1", "job-2", "job-3"):
        cron.issue(approval(name), {**JOB, "id": name})
    made = add(state)
    result = run("grants", "revoke", "--state", state, "job-1", made.id)
    assert result.stdout == "2 grants revoked\n"
    assert not cron.authorised({**JOB, "id": "job-1"})
    assert run("grants", "revoke", "--state", state, "job-1").exit_code == 1
    add(state, "session")
    run("grants", "revoke", "--state", state, "--session", "s1")
    assert cron.authorised({**JOB, "id": "job-2"})
    assert run("grants", "revoke", "--state", state, "--all").stdout == "2 grants revoked\n"
    assert cron.list() == []
    listed = run("grants", "list", "--state", state, "--all").stdout
    assert "job-3  job  ended by local:" in listed


def test_help_has_examples(run: Run) -> None:
    for args in ((), ("list",), ("revoke",)):
        assert "callgate grants " in run("grants", *args, "--help").stdout
