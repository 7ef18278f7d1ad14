"""People's words: which count, when, and for how much."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.answerers import Rules
from callgate.gate.approval import Approval
from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.gate import ApprovalGate
from callgate.gate.grants import Grants
from callgate.gate.live_policy import LivePolicy
from callgate.gate.observe import Observations
from callgate.gate.requests import KEYS_FILE, Requests
from callgate.gate.signatures import sign
from callgate.gate.state import StateFolder
from callgate.storage.signing_keys import new_key, read_key
from tests.gate.asking import Clock, question
from tests.gate.chat import Chat, people_of
from tests.gate.gating import BUNDLE, Seen, call, engine

DEPLOY = call("deploy", version="1")


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


def gate_of(state: StateFolder, chat: Chat, **rest: Any) -> ApprovalGate:
    people = people_of(state, [chat], **rest.pop("people", {}))
    rest.setdefault("observer", Seen())
    return ApprovalGate(engine(), state=state, people=people, **rest)


def check(gate: ApprovalGate, asked: Any = DEPLOY) -> Approval:
    return asyncio.run(gate.check(asked))


def requests(state: StateFolder, **rest: Any) -> Requests:
    return Requests(Database(state.database), **rest)


# -- answers from outside


def test_a_yes_from_outside_does_not_count_when_the_call_is_made_again(state: StateFolder) -> None:
    def outside(request: Any) -> None:
        requests(state).answer(request.id, "once", "ann")

    chat = Chat(before=outside)
    gate = gate_of(state, chat, people={"external": False})
    first, second = check(gate), check(gate)
    assert not first.allowed and not second.allowed
    assert "from outside" in second.reason
    assert len(chat.requests) == 2  # somebody is asked anew


def test_a_late_yes_from_here_does(state: StateFolder) -> None:
    async def story() -> None:
        chat = Chat()
        gate = gate_of(state, chat, people={"external": False}, wait=False)
        found = await gate.check(DEPLOY)
        assert chat.people is not None
        await chat.people.answer(found.request_id, "once", "ann")
        assert (await gate.check(DEPLOY)).approval_source == "human"

    asyncio.run(story())


# -- the rules in force


class Reloading(Chat):
    """Somebody changes the gate's section of the policy before the answer."""

    def __init__(self, tmp_path: Path, state: StateFolder, settings: str, after: str) -> None:
        super().__init__("once", before=lambda _: self.change(after))
        bundle = tmp_path / "policy"
        shutil.copytree(BUNDLE, bundle)
        self.file = tmp_path / "settings.yaml"
        self.file.write_text(settings)
        self.gate_file = bundle / "gate.yaml"
        self.policy = LivePolicy(bundle, self.file, state=state)

    def change(self, after: str) -> None:
        if after == "signed":
            text = self.gate_file.read_text()
            self.gate_file.write_text(text + 'signed_answers: "true"\n')
        else:
            self.file.write_text(after)
        report = self.policy.reload()
        assert report.ok, report


ADMINS = "approval: {{admins: [{}]}}\n"


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [
        (ADMINS.format("ann, bob"), ADMINS.format("bob"), False),
        (ADMINS.format("ann, bob"), ADMINS.format("bob, ann, eve"), True),
        (ADMINS.format("ann"), "signed", False),
    ],
)
def test_an_answer_counts_by_the_rules_in_force(
    tmp_path: Path, state: StateFolder, before: str, after: str, allowed: bool
) -> None:
    chat = Reloading(tmp_path, state, before, after)
    people = people_of(state, [chat])
    gate = ApprovalGate(chat.policy, state=state, people=people, observer=Seen())
    found = check(gate)
    assert found.allowed is allowed, found
    if not allowed:
        assert found.kind == "approval_denied"
        assert "does not count" in found.reason
        (request,) = requests(state).list()
        assert request.status == "approved" and request.spent is None


# -- freezes


class Meddling(Seen):
    """What is done while something is looked at."""

    def __init__(self, state: StateFolder) -> None:
        super().__init__()
        self.control = Control(state)

    async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
        found = await super().observe(paths, hosts)
        self.control.freeze("local:root", "an incident")
        return found


def test_a_freeze_while_the_world_is_looked_at_counts(state: StateFolder) -> None:
    chat = Chat("deny")
    found = check(gate_of(state, chat, observer=Meddling(state)), call("read_file", path="a"))
    assert found.kind == "approval_denied"
    assert "an incident" in chat.shown[0]


def test_a_freeze_while_grants_are_looked_up_counts(
    state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = Chat("session", "deny")
    gate = gate_of(state, chat)
    assert check(gate).allowed
    covers = Grants.covers

    def slow(self: Grants, *given: Any, **who: Any) -> Any:
        Control(state).freeze("local:root", "an incident")
        return covers(self, *given, **who)

    monkeypatch.setattr(Grants, "covers", slow)
    assert check(gate).kind == "approval_denied"
    assert "an incident" in chat.shown[1]


@pytest.mark.parametrize("level", ["session", "always"])
def test_a_lasting_yes_after_a_freeze_counts_once(state: StateFolder, level: str) -> None:
    chat = Chat(level, before=lambda _: Control(state).freeze("local:root", "an incident"))
    found = check(gate_of(state, chat))
    assert found.approval_source == "human"
    assert Grants(Database(state.database)).list() == []


# -- how long and for what a lasting yes counts


def test_an_always_ends_after_the_policys_days(tmp_path: Path, state: StateFolder) -> None:
    bundle = tmp_path / "policy"
    shutil.copytree(BUNDLE, bundle)
    text = (bundle / "gate.yaml").read_text()
    (bundle / "gate.yaml").write_text(text.replace("grants:\n", 'grants:\n  days: "2"\n'))
    clock = Clock()
    chat = Chat("always", "deny")
    people = people_of(state, [chat], clock=clock)
    policy = LivePolicy(bundle, None, state=state)
    gate = ApprovalGate(policy, state=state, people=people, observer=Seen(), clock=clock)
    assert check(gate).approval_source == "human"
    clock.go(2 * 86_400 - 1)
    assert check(gate).approval_source == "auto"
    clock.go(2)
    assert check(gate).kind == "approval_denied"
    assert len(chat.requests) == 2


def test_a_lasting_yes_is_for_the_tool_as_it_was_declared(state: StateFolder) -> None:
    async def story() -> None:
        chat = Chat("always", "deny")
        gate = gate_of(state, chat)
        first = await gate.check(DEPLOY, declaration="d1")
        assert first.approval_source == "human"
        assert (await gate.check(DEPLOY, declaration="d1")).approval_source == "auto"
        assert len(chat.requests) == 1
        assert (await gate.check(DEPLOY, declaration="d2")).kind == "approval_denied"
        assert len(chat.requests) == 2

    asyncio.run(story())


# -- insisting


def test_a_persons_no_holds_for_a_while(state: StateFolder) -> None:
    clock = Clock()
    chat = Chat("deny", "once", "once")
    gate = gate_of(state, chat, clock=clock, people={"clock": clock})
    first = check(gate)
    assert (first.kind, first.terminal) == ("approval_denied", False)
    clock.go(599)
    for _ in range(5):
        again = check(gate)
        assert (again.kind, again.terminal) == ("approval_denied", True)
        assert again.reason == first.reason
        assert again.request_id == first.request_id
    assert len(chat.requests) == 1
    # Another call, and the same in another session, is another question.
    assert check(gate, call("deploy", version="2")).allowed
    assert check(gate, call("deploy", version="1", context={"session_key": "s2"})).allowed
    clock.go(2)
    assert not check(gate).allowed
    assert len(chat.requests) == 4


def test_calls_that_do_not_wait_share_one_task(state: StateFolder) -> None:
    async def story() -> None:
        chat = Chat()
        gate = gate_of(state, chat, wait=False)
        found = {(await gate.check(DEPLOY)).request_id for _ in range(50)}
        found |= {one.request_id for one in await asyncio.gather(*[gate.check(DEPLOY)] * 1)}
        assert len(found) == 1
        assert len(asyncio.all_tasks()) <= 10
        (id_,) = found
        assert chat.people is not None
        await chat.people.answer(id_, "deny", "ann")
        assert (await gate.check(DEPLOY)).kind == "approval_denied"

    asyncio.run(story())


def test_what_nobody_saw_does_not_pile_up(state: StateFolder) -> None:
    class Dead(Chat):
        async def deliver(self, request: Any, text: str) -> bool:
            return False

    gate = gate_of(state, Dead())
    for number in range(5):
        assert check(gate, call("deploy", version=str(number))).kind == "approval_unavailable"
    assert requests(state).list() == []


def test_what_nobody_answered_is_kept_up_to_a_number(state: StateFolder) -> None:
    clock = Clock()
    kept = requests(state, clock=clock)
    for number in range(1005):
        kept.cancel(kept.open(question(str(number))).id)
        clock.go(0.001)
    assert len(kept.list(limit=2000)) <= 1002


# -- signatures given to what was asked unsigned


def test_a_signature_counts_where_signing_began_meanwhile(state: StateFolder) -> None:
    secret, public = new_key()
    key = state.path / "ann.pem"
    key.write_bytes(secret)
    key.chmod(0o600)
    keys = state.path / KEYS_FILE
    keys.write_text(f"ann {public}\n")
    keys.chmod(0o600)
    kept = requests(state)
    request = kept.open(question())
    signature = sign(request.id, request.seal, "once", read_key(key))
    answered = kept.answer(request.id, "once", "ann", signature)
    assert kept.objection(answered, Rules((), True)) == ""
    assert kept.objection(answered, Rules(("bob",), False)) != ""
    assert kept.objection(replace(answered, signature=""), Rules((), True)) != ""
