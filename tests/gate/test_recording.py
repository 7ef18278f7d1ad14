"""What a gate answers is recorded, whatever it answers; and what can't be recorded does not run."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import subprocess
import sys
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.gate import ApprovalGate
from callgate.gate.own_places import OWN_ONLY
from callgate.gate.state import StateFolder
from callgate.model.decision import Decision
from callgate.record.json_lines import JsonLines
from callgate.record.keys import keyed_hash
from callgate.record.recorder import Recorder
from callgate.record.rewalk import Rewalker
from callgate.record.store import Store, open_store
from tests.gate.chat import Chat, people_of
from tests.gate.gating import CONTEXT, Seen, call, engine
from tests.record.stores import records_in

ROOT = Path(__file__).parents[2]
FREE = call("read_file", path="a")
ASKED = call("deploy", version="1")
DENIED = call("read_file", path="/secret/key")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def gate_of(state: StateFolder | None, *chats: Chat, **rest: Any) -> ApprovalGate:
    if state is not None:
        rest.setdefault("people", people_of(state, chats, external=False))
    return ApprovalGate(engine(), state=state, observer=Seen(), **rest)


def check(gate: ApprovalGate, asked: Any) -> Approval:
    return asyncio.run(gate.check(asked))


def test_every_answer_is_recorded(state: StateFolder) -> None:
    gate = gate_of(state, Chat("once", "deny"))
    asked: list[Any] = [FREE, DENIED, ASKED, ASKED, {"tool": 1}, None]
    answers = [check(gate, each) for each in asked]
    found = records_in(state.path / "records")
    assert len(found) == len(answers)
    key = open_store(state.path / "records", create=False).key
    for answer, record in zip(answers, found, strict=True):
        assert record["decision"] == ("allow" if answer.allowed else "deny")
        assert record["approval_source"] == (answer.approval_source or None)
        assert set(record["approved_actions"]) == answer.approved_actions
        assert not answer.reason or record["reason"] == answer.reason
        assert record["gate"] == {
            "break_glass": False,
            "by": answer.by,
            "digest": keyed_hash(key, answer.digest) if answer.digest else "",
            "grant_id": answer.grant_id,
            "kind": answer.kind,
            "notice": answer.notice,
            "request_id": answer.request_id,
            "walked": record["gate"]["walked"],
        }
        assert record["source"] == "gate"
        assert record["settings_digest"] == engine().settings_digest
        assert record["duration_us"] >= 0
    assert [record["live"] for record in found] == [True, True, True, True, False, False]
    assert [answer.by for answer in answers] == ["", "", "ann", "ann", "", ""]
    assert [answer.allowed for answer in answers[:4]] == [True, False, True, False]


def test_what_was_walked_is_walked_again(state: StateFolder) -> None:
    gate = gate_of(state, Chat("once"))
    for each in (FREE, ASKED):
        assert check(gate, each).allowed
    found = records_in(state.path / "records")
    store = open_store(state.path / "records", create=False)
    rewalker = Rewalker(store.archive)
    assert [rewalker.differences(record) for record in found] == [[], []]
    store.close()


def test_a_no_of_the_gates_own_tells_what_was_walked(state: StateFolder) -> None:
    """An auditor wants to know what would have run while nobody answered."""
    gate = gate_of(state, wait=False)
    mine = call("write_file", path=str(state.path / "control.json"), content="{}")
    assert [check(gate, each).kind for each in (ASKED, mine)] == ["approval_pending", "policy"]
    found = records_in(state.path / "records")
    assert [record["gate"]["walked"] for record in found] == ["ask", "allow"]
    assert [record["gate"]["kind"] for record in found] == ["approval_pending", "policy"]
    assert [record["reason"] for record in found][1] == OWN_ONLY
    store = open_store(state.path / "records", create=False)
    for record in found:
        assert record["decision"] == "deny"
        assert record["trace"]
        assert record["rewalk"]
        assert Rewalker(store.archive).differences(record) == []
    store.close()


@pytest.mark.parametrize("records", [False, True])
def test_where_nothing_is_to_be_recorded(tmp_path: Path, records: bool) -> None:
    state = None if records else StateFolder(tmp_path / "state")
    assert check(gate_of(state, records=records), FREE).allowed
    assert not (tmp_path / "state" / "records").exists()


def test_gates_of_one_process_share_a_chain(state: StateFolder) -> None:
    first, second = gate_of(state), gate_of(state)
    for gate in (first, second, first):
        check(gate, FREE)
    store = open_store(state.path / "records", create=False)
    assert len(store.chains()) == 1
    del first, second, gate
    gc.collect()
    # Nobody holds it any more, so the next process goes on with it.
    assert store.lane().chain == store.chains()[0]
    store.close()
    assert len(records_in(state.path / "records")) == 3


def test_a_cancelled_call_is_not_recorded(state: StateFolder) -> None:
    async def run() -> None:
        gate = gate_of(state, Chat())
        task = asyncio.ensure_future(gate.check(ASKED))
        while not [chat for chat in chats if chat.requests]:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gate.check(FREE)

    chats = [Chat()]

    def gate_of(state: StateFolder, _: Chat) -> ApprovalGate:
        people = people_of(state, chats, external=False)
        return ApprovalGate(engine(), state=state, observer=Seen(), people=people)

    asyncio.run(run())
    assert [record["tool"] for record in records_in(state.path / "records")] == ["read_file"]


# --- when it fails ---------------------------------------------------------------------------


def refused(found: Approval, cause: str) -> None:
    assert not found.allowed
    assert found.kind == "approval_unavailable"
    assert found.reason == found.notice
    assert found.reason.startswith("decisions can't be recorded: ")
    assert cause in found.reason


def test_no_folder_to_record_in(state: StateFolder, caplog: pytest.LogCaptureFixture) -> None:
    place = state.path / "records"
    place.write_text("")
    gate = gate_of(state)
    with caplog.at_level(logging.WARNING, "callgate.gate"):
        for _ in range(3):
            refused(check(gate, FREE), str(place))
        denied = check(gate, DENIED)
        assert (denied.kind, denied.allowed) == ("policy", False)
        place.unlink()
        assert check(gate, FREE).allowed
    said = [entry.getMessage() for entry in caplog.records]
    assert len(said) == 2
    assert said[0].startswith("decisions can't be recorded: ")
    assert said[1] == "decisions are recorded again"
    assert len(records_in(place)) == 1


def test_a_folder_that_others_can_write(state: StateFolder) -> None:
    place = state.path / "records"
    place.mkdir()
    place.chmod(0o777)
    refused(check(gate_of(state), FREE), "is refused")


def test_what_was_approved_is_spent(state: StateFolder) -> None:
    """A yes that let nothing pass lets nothing else pass either."""
    place = state.path / "records"
    chat = Chat("once", before=lambda _: place.write_text(""))
    gate = gate_of(state, chat)
    refused(check(gate, ASKED), str(place))
    assert len(chat.requests) == 1
    place.unlink()
    chat.before = lambda _: None
    chat.answers = ["deny"]
    assert check(gate, ASKED).kind == "approval_denied"
    assert len(chat.requests) == 2


def test_a_recorder_that_is_not_required(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records")
    gate = gate_of(None, records=Recorder(store, required=False, source="other"))
    assert check(gate, FREE).allowed
    store.close()
    assert check(gate, FREE).allowed
    assert [record["source"] for record in records_in(tmp_path / "records")] == ["other"]


@pytest.mark.parametrize("name", ["records", "records.db"])
def test_no_call_changes_the_records(tmp_path: Path, name: str) -> None:
    """Also where they lie outside of the state folder."""
    store = open_store(tmp_path / name)
    gate = gate_of(None, records=Recorder(store))
    for place in store.places:
        found = check(gate, call("write_file", path=str(place), content="x"))
        assert (found.kind, found.reason) == ("policy", OWN_ONLY)
    assert check(gate, call("write_file", path=str(tmp_path / "other"), content="x")).allowed
    store.close()


def test_it_waits_for_the_disk_elsewhere(tmp_path: Path) -> None:
    """With a write to the disk for each record, the event loop goes on."""
    store = JsonLines(tmp_path / "records", sync="each")
    gate = gate_of(None, records=Recorder(store))

    async def many() -> list[Approval]:
        return await asyncio.gather(*(gate.check(FREE) for _ in range(20)))

    assert all(asyncio.run(many()))
    store.close()
    assert len(records_in(tmp_path / "records")) == 20


class Watched(Recorder):
    """Notes how it is called: whether it may wait, and whether that is in the event loop."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.calls: list[tuple[bool, bool]] = []

    def record(self, decision: Decision, *, wait: bool = True, **rest: Any) -> str:
        self.calls.append((wait, current_thread() is main_thread()))
        return super().record(decision, wait=wait, **rest)


AT_ONCE, PUT_OFF, ELSEWHERE = [(False, True)], [(False, True), (True, False)], [(True, False)]


@pytest.mark.parametrize(
    ("name", "options", "wanted"),
    [
        ("records", {}, AT_ONCE),
        ("records", {"sync": "each"}, PUT_OFF),
        ("records.db", {}, PUT_OFF),
    ],
)
def test_the_event_loop_waits_for_one_write_at_most(
    tmp_path: Path, name: str, options: dict[str, Any], wanted: list[tuple[bool, bool]]
) -> None:
    store = open_store(tmp_path / name, **options)
    recorder = Watched(store)
    gate = gate_of(None, records=recorder)
    large = call("read_file", path="a", text="x" * 20_000)
    for asked, calls in ((FREE, ELSEWHERE), (FREE, wanted), (large, ELSEWHERE)):
        recorder.calls.clear()
        assert check(gate, asked).allowed
        assert recorder.calls == calls
    store.close()
    assert len(records_in(tmp_path / name)) == 3


def test_a_segment_begins_in_a_thread(tmp_path: Path) -> None:
    store = JsonLines(tmp_path / "records", segment_bytes=8192)
    recorder = Watched(store)
    gate = gate_of(None, records=recorder)
    for _ in range(20):
        check(gate, FREE)
    store.close()
    assert len(records_in(tmp_path / "records")) == 20
    assert recorder.calls.count((True, False)) == len(store.segments(store.chains()[0])) > 2
    assert (True, True) not in recorder.calls


def test_no_secret_can_be_guessed_from_a_record(state: StateFolder) -> None:
    """Of the call there is no hash that can be made without the key."""
    answer = check(gate_of(state), call("read_file", path="a", password="pw4711"))
    assert answer.digest
    for file in (state.path / "records").rglob("*.jsonl"):
        assert answer.digest.encode() not in file.read_bytes()


FULL = """
import asyncio, os, resource, sys
from pathlib import Path
from callgate.gate.gate import ApprovalGate
from callgate.gate.state import StateFolder
from tests.gate.gating import Seen, call, engine

state = StateFolder(Path(sys.argv[1]))
gate = ApprovalGate(engine(), state=state, observer=Seen())

def check():
    found = asyncio.run(gate.check(call("read_file", path="a")))
    print(found.allowed, found.kind, found.reason, flush=True)

check()
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
size = max(path.stat().st_size for path in state.path.glob("records/*/*.jsonl"))
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, limits[1]))
check()
check()
resource.setrlimit(resource.RLIMIT_FSIZE, limits)
check()
"""


def test_no_more_room(tmp_path: Path) -> None:
    """The system writes a part of a line, and no more; then there is room again."""
    place = tmp_path / "state"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(place)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    first, second, third, last = done.stdout.splitlines()
    assert (first, last) == ("True  ", "True  ")
    assert second == third
    assert second.startswith("False approval_unavailable decisions can't be recorded: ")
    assert len(records_in(place / "records")) == 2


def test_no_secret_gets_out(state: StateFolder, caplog: pytest.LogCaptureFixture) -> None:
    secret = "hunter2-of-mine"
    place = state.path / "records"
    gate = gate_of(state)
    given = {**call("read_file", path=f"/w/{secret}", password=secret), "context": CONTEXT}
    check(gate, given)
    place.rename(place.with_name("gone"))
    with caplog.at_level(logging.DEBUG):
        check(gate_of(state), given)
    for file in (*place.rglob("*"), *place.with_name("gone").rglob("*")):
        assert file.is_dir() or secret.encode() not in file.read_bytes()
    assert secret not in caplog.text
