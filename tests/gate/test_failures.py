"""When something fails, nothing passes that should not: real files, real processes."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.database import Database
from callgate.gate.gate import ApprovalGate
from callgate.gate.grants import Grants
from callgate.gate.observe import LocalObserver
from callgate.gate.own_places import OWN_ONLY, OwnPlaces
from callgate.gate.requests import Requests
from callgate.gate.state import StateError, StateFolder
from callgate.model.effect import Effect, EffectSet
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine

ROOT = Path(__file__).parents[2]
ASKED = call("deploy", version="1")
FREE = call("read_file", path="a")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def gate_of(state: StateFolder, **rest: Any) -> ApprovalGate:
    rest.setdefault("people", people_of(state, [], external=False))
    return ApprovalGate(engine(), state=state, observer=Seen(), **rest)


def check(gate: ApprovalGate, asked: Any) -> Approval:
    return asyncio.run(gate.check(asked))


def broken(found: Approval) -> None:
    """Assert that a call was denied because something is out of order, and that it is said."""
    assert not found.allowed
    assert found.kind == "approval_unavailable"
    assert found.notice and found.reason


# -- the database


def _overwrite(state: StateFolder, data: bytes) -> None:
    """Fill the database and its log with something else. (What stands in shared memory is no file
    to write to.)"""
    for path in (state.database, state.path / "state.db-wal"):
        if path.exists():
            path.write_bytes(data * path.stat().st_size)


def test_a_database_that_is_gone_denies_and_is_not_made_anew(state: StateFolder) -> None:
    gate = gate_of(state)
    state.database.unlink()
    broken(check(gate, ASKED))
    assert not state.database.exists()
    assert check(gate, FREE).allowed


def test_a_database_that_was_replaced_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    other = StateFolder(state.path.with_name("other"))
    gate_of(other)
    other.database.replace(state.database)
    broken(check(gate, ASKED))


def test_a_damaged_database_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    _overwrite(state, b"\xff")
    broken(check(gate, ASKED))
    with pytest.raises(StateError):
        gate_of(state)


def test_an_emptied_database_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    _overwrite(state, b"")
    broken(check(gate, ASKED))


def test_a_database_that_others_may_write_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    state.database.chmod(0o666)
    broken(check(gate, ASKED))


def test_a_database_without_its_tables_denies(state: StateFolder) -> None:
    gate = gate_of(state)
    with sqlite3.connect(state.database) as connection:
        connection.execute("DROP TABLE grants")
    connection.close()
    broken(check(gate, ASKED))


def test_a_locked_database_denies(state: StateFolder) -> None:
    chat = Chat("once")
    gate = gate_of(state, people=people_of(state, [chat]))
    other = sqlite3.connect(state.database, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found = check(gate, ASKED)
    broken(found)
    assert "locked" in found.reason
    assert chat.requests == []
    assert check(gate, FREE).allowed
    other.execute("ROLLBACK")
    other.close()
    assert check(gate, ASKED).allowed


FULL = """
import asyncio, resource, sys
from pathlib import Path
from callgate.gate.database import Database
from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateFolder
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine

class Filling(Chat):
    async def deliver(self, request, text):
        delivered = await super().deliver(request, text)
        log = Path(sys.argv[1], "state.db-wal")
        resource.setrlimit(resource.RLIMIT_FSIZE, (log.stat().st_size, resource.RLIM_INFINITY))
        return delivered

state = StateFolder(Path(sys.argv[1]))
people = people_of(state, [Filling("session")])
gate = ApprovalGate(engine(), state=state, observer=Seen(), people=people)
found = asyncio.run(gate.check(call("deploy", version="1")))
print(found.allowed, found.kind)
print(asyncio.run(gate.check(call("read_file", path="a"))).allowed)
"""


def test_a_full_disk_denies_even_what_a_person_approved(state: StateFolder) -> None:
    assert run(FULL, state) == ["False approval_unavailable", "True"]
    requests = Requests(Database(state.database)).list()
    assert [request.spent for request in requests] == [None]
    assert Grants(Database(state.database)).list() == []


# -- the gate's own folder

OWN = [
    "cat x > {state}/?ontrol.json",
    "cat x > {parent}/s[t]ate/control.json",
    "cat x > {parent}/*/control.json",
    "cat x > '{parent}/[s]/control.json'",
    "rm -r {parent}/stat?",
    "rm -r {parent}/**/x",
    "rm -r {parent}/*",
    "rm {parent}",
]


@pytest.mark.parametrize("command", OWN)
def test_the_gates_own_folder_is_not_changed_by_another_name(
    state: StateFolder, command: str
) -> None:
    parent = state.path.resolve().parent
    (parent / "[s]").symlink_to(state.path)
    gate = ApprovalGate(engine(), state=state, observer=LocalObserver(), wait=False)
    text = command.format(state=state.path, parent=parent)
    found = check(gate, call("run", command=text))
    assert not found.allowed
    assert found.reason == OWN_ONLY


@pytest.mark.parametrize(
    ("path", "whole", "changed"),
    [
        ("{state}/c*", False, True),
        ("{parent}/s[a-t]ate/x", False, True),
        ("{parent}/stat?", False, True),
        ("{parent}/stat?", True, True),
        ("{near}?", True, True),
        ("{parent}/**/x", False, True),
        ("{parent}", True, True),
        ("{near}?", False, False),
        ("{parent}/b*", True, False),
        ("{parent}/*.py", True, False),
        ("{parent}/stat?-not", True, False),
        ("{parent}/?", False, False),
    ],
)
def test_what_a_pattern_may_change_of_the_gates_own_folder(
    state: StateFolder, path: str, whole: bool, changed: bool
) -> None:
    parent = str(state.path.parent)
    text = path.format(state=state.path, parent=parent, near=parent[:-1])
    effects = EffectSet()
    effects.add(Effect("write", {"path": text, "tree": whole}))
    assert OwnPlaces([str(state.path)]).is_changed_by(effects) == changed


def test_moving_a_folder_that_holds_the_gates_own_is_a_change(state: StateFolder) -> None:
    effects = EffectSet()
    effects.add(Effect("delete", {"path": str(state.path.parent), "recursive": False}))
    assert OwnPlaces([str(state.path)]).is_changed_by(effects)


# -- too much to look at


def test_a_call_that_names_more_than_can_be_looked_at_is_denied(
    state: StateFolder, tmp_path: Path
) -> None:
    place = tmp_path.resolve() / "many"
    place.mkdir()
    for number in range(300):
        (place / f"f{number}").write_text("")
    gate = ApprovalGate(engine(), state=state, observer=LocalObserver())

    def found(patterns: int) -> Approval:
        text = " ".join(f"f{number}*" for number in range(patterns))
        context = {"cwd": str(place), "workspace": str(place)}
        return check(gate, call("run", context=context, command=f"cat {text}"))

    assert found(3).allowed
    broken(found(100))
    assert "looked at" in found(100).reason


# -- processes


WAITING = """
import asyncio, sys
from pathlib import Path
from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateFolder
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine

state = StateFolder(Path(sys.argv[1]))
people = people_of(state, [Chat(before=lambda request: print(request.id, flush=True))])
gate = ApprovalGate(engine(), state=state, observer=Seen(), people=people)
found = asyncio.run(gate.check(call("deploy", version="1")))
print(found.allowed, found.approval_source, found.kind, flush=True)
"""


def started(code: str, state: StateFolder) -> subprocess.Popen[str]:
    """A process of its own that runs this."""
    return subprocess.Popen(
        [sys.executable, "-c", code, str(state.path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )


def run(code: str, state: StateFolder) -> list[str]:
    """The lines that a process of its own prints."""
    process = started(code, state)
    output, _ = process.communicate(timeout=60)
    return output.splitlines()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_another_process_answers(state: StateFolder) -> None:
    gate_of(state)
    waiting = started(WAITING, state)
    id_ = line(waiting)
    Requests(Database(state.database)).answer(id_, "once", "ann")
    assert line(waiting) == "True human"
    waiting.wait(timeout=60)


def test_a_process_that_is_killed_while_it_waits_let_nothing_pass(state: StateFolder) -> None:
    gate_of(state)
    waiting = started(WAITING, state)
    id_ = line(waiting)
    waiting.kill()
    waiting.wait(timeout=60)
    requests = Requests(Database(state.database))
    request = requests.get(id_)
    assert request is not None and request.spent is None
    # A person answers it all the same: that counts when the call is made again, and once.
    requests.answer(id_, "once", "ann")
    assert not check(gate_of(state), ASKED).allowed  # here, nobody outside counts
    gate = gate_of(state, people=people_of(state, []), wait=False)
    found = check(gate, ASKED)
    assert found.allowed
    assert (found.approval_source, found.request_id) == ("human", id_)
    assert not check(gate, ASKED).allowed


SPENDING = """
import asyncio, sys
from pathlib import Path
from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateFolder
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine

state = StateFolder(Path(sys.argv[1]))
people = people_of(state, [])
gate = ApprovalGate(engine(), state=state, observer=Seen(), people=people, wait=False)
print("ready", flush=True)
sys.stdin.readline()

async def story():
    asked = call("deploy", version="1")
    return await asyncio.gather(*(gate.check(asked) for _ in range(20)))

print(sum(found.allowed for found in asyncio.run(story())), flush=True)
"""


def test_processes_that_use_one_approval_at_once_use_it_once(state: StateFolder) -> None:
    async def approve() -> None:
        people = people_of(state, [])
        gate = gate_of(state, people=people, wait=False)
        found = await gate.check(ASKED)
        await people.answer(found.request_id, "once", "ann")

    asyncio.run(approve())
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SPENDING, str(state.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert line(process) == "ready"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    counts = [int(line(process)) for process in processes]
    for process in processes:
        process.communicate(timeout=60)
    assert sum(counts) == 1


# -- the clock


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = datetime(2026, 12, 1, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


def test_a_clock_that_is_set_back_brings_no_grant_and_no_approval_back(state: StateFolder) -> None:
    async def story() -> None:
        clock = Hands()
        people = people_of(state, [], clock=clock)
        gate = gate_of(state, people=people, clock=clock, wait=False)
        found = await gate.check(ASKED)
        await people.answer(found.request_id, "always", "ann")
        assert (await gate.check(ASKED)).approval_source == "human"
        assert (await gate.check(ASKED)).grant_id
        clock.time -= timedelta(days=1)
        assert not (await gate.check(ASKED)).allowed
        # And forward again: it was made then, so it counts then.
        clock.time += timedelta(days=1)
        assert (await gate.check(ASKED)).allowed

    asyncio.run(story())


def test_a_late_yes_does_not_count_for_ever(state: StateFolder) -> None:
    async def story() -> None:
        clock = Hands()
        people = people_of(state, [], clock=clock)
        gate = gate_of(state, people=people, clock=clock, wait=False)
        found = await gate.check(ASKED)
        await people.answer(found.request_id, "once", "ann")
        clock.time += timedelta(hours=1)
        assert not (await gate.check(ASKED)).allowed
        clock.time -= timedelta(hours=2)
        assert not (await gate.check(ASKED)).allowed

    asyncio.run(story())


# -- cancelled tasks


@pytest.mark.parametrize("turns", [0, 1, 2, 3, 5, 8, 13, 40, 200])
def test_a_task_that_is_cancelled_anywhere_leaves_nothing_to_be_used(
    state: StateFolder, turns: int
) -> None:
    async def story() -> None:
        chat = Chat("once")
        people = people_of(state, [chat])
        gate = gate_of(state, people=people)
        task = asyncio.create_task(gate.check(ASKED))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        done = (await asyncio.gather(task, return_exceptions=True))[0]
        allowed = isinstance(done, Approval) and done.allowed
        # What was opened before the end of the task has ended as well.
        assert await asyncio.to_thread(people.requests.pending) == []
        requests = await asyncio.to_thread(people.requests.list)
        assert len(requests) <= 1
        assert not allowed or requests[0].spent is not None

    asyncio.run(story())
