"""Calls that the policy wants somebody asked about: grants, the reviewer, break-glass, freezes."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.approval import Approval
from callgate.gate.control import Control
from callgate.gate.database import Database
from callgate.gate.events import Events
from callgate.gate.gate import ApprovalGate
from callgate.gate.grants import Grants
from callgate.gate.live_policy import LivePolicy
from callgate.gate.observe import Observations
from callgate.gate.requests import ApprovalRequest, RequestError, Requests
from callgate.gate.reviewer import Brief, Unavailable
from callgate.gate.state import StateFolder
from callgate.gate.subject import subject_of
from tests.gate.chat import Chat, people_of
from tests.gate.gating import BUNDLE, Seen, call, engine

SMART = {"approval": {"mode": "smart"}}
WARY = {"approval": {"commands": True}}


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / "state")


class Scripted:
    """A reviewer that says what stands in a script, and keeps what it was shown."""

    def __init__(self, *replies: str | Unavailable | Exception) -> None:
        self.replies = list(replies)
        self.briefs: list[Brief] = []

    async def review(self, brief: Brief) -> str | Unavailable:
        """See `callgate.gate.reviewer.Reviewer`."""
        self.briefs.append(brief)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def gate_of(
    state: StateFolder, settings: Mapping[str, Any] | None = None, **rest: Any
) -> ApprovalGate:
    """A gate; where it is given no people, there is nobody."""
    rest.setdefault("people", people_of(state, [], external=False))
    return ApprovalGate(engine(settings), state=state, observer=rest.pop("seen", Seen()), **rest)


def check(gate: ApprovalGate, asked: Any, **rest: Any) -> Approval:
    return asyncio.run(gate.check(asked, **rest))


def granted(
    state: StateFolder, asked: dict[str, Any], level: str, declaration: str = "", **rest: Any
) -> str:
    """Give a grant for a call; its id."""
    program = engine().program
    frame = program.decide({**asked, "observed": {"links": {}}}, live=True).frame
    context = asked["context"]
    given = Grants(Database(state.database)).add(
        subject_of(program, frame, declaration),
        level,
        user=context["user_id"],
        agent=context["agent_id"],
        session=context["session_key"],
        by="ann",
        decision_id="r1",
        **rest,
    )
    return given.id if given else ""


# -- grants


def test_a_grant_lets_exactly_its_call_pass(state: StateFolder) -> None:
    asked = call("deploy", version="1")
    id_ = granted(state, asked, "session")
    gate = gate_of(state)
    found = check(gate, asked)
    assert found.allowed
    assert found.grant_id == id_
    assert found.approval_source == "auto"
    for other in (
        call("deploy", version="2"),
        call("deploy", version="1", context={"session_key": "s2"}),
        call("deploy", version="1", context={"session_key": ""}),
        call("deploy", version="1", context={"user_id": "bob"}),
        call("deploy", version="1", context={"agent_id": "other"}),
    ):
        assert not check(gate, other).allowed
    assert not check(gate, asked, declaration="changed").allowed


def test_a_grant_lifts_the_asks_that_were_shown(state: StateFolder) -> None:
    asked = call("run", command="rm a")
    granted(state, asked, "session")
    found = check(gate_of(state), asked)
    assert found.allowed
    assert found.approved_actions == {"run", "deleting"}


def test_a_grant_covers_what_was_seen_when_it_was_looked_up(state: StateFolder) -> None:
    """A link that moves between two looks does not carry the grant with it."""

    class Moving(Seen):
        async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
            seen = await super().observe(paths, hosts)
            self.links["/w/a"] = "/home/u/all"
            return seen

    asked = call("run", command="rm a")
    granted(state, asked, "session")
    found = check(gate_of(state, seen=Moving()), asked)
    assert found.allowed
    assert [effect.fields["path"] for effect in found.decision.frame.effects.of("delete")] == [
        "/w/a"
    ]
    assert "somewhere else" in asyncio.run(found.recheck())


def test_a_revoked_grant_is_none(state: StateFolder) -> None:
    asked = call("deploy", version="1")
    id_ = granted(state, asked, "always")
    gate = gate_of(state)
    assert check(gate, asked).allowed
    Grants(Database(state.database)).revoke(id_, by="ann")
    assert not check(gate, asked).allowed


# -- the reviewer


def test_a_reviewers_yes_passes_one_call_and_stores_nothing(state: StateFolder) -> None:
    reviewer = Scripted("APPROVE", "ESCALATE")
    gate = gate_of(state, SMART, reviewer=reviewer)
    found = check(gate, call("deploy", version="1", token="sesame-open"))
    assert found.allowed
    assert found.approval_source == "auto"
    assert "sesame-open" not in str(reviewer.briefs)
    assert not check(gate, call("deploy", version="1", token="sesame-open")).allowed
    assert Grants(Database(state.database)).list() == []


def test_a_reviewers_no_holds_in_its_session(state: StateFolder) -> None:
    reviewer = Scripted("DENY", "APPROVE")
    gate = gate_of(state, SMART, reviewer=reviewer)
    found = check(gate, call("deploy", version="1"))
    assert found.kind == "approval_denied"
    assert found.reason == "the reviewer refused"
    assert check(gate, call("deploy", version="1 ")).kind == "approval_denied"
    assert len(reviewer.briefs) == 1
    assert check(gate, call("deploy", version="1", context={"session_key": "s2"})).allowed


def test_a_reviewers_yes_does_not_lift_what_wants_a_person(state: StateFolder) -> None:
    reviewer = Scripted("APPROVE")
    found = check(gate_of(state, SMART, reviewer=reviewer), call("run", command="rm a"))
    assert not found.allowed


@pytest.mark.parametrize(
    "reply", ["", Unavailable("the server is down"), RuntimeError("boom")], ids=str
)
def test_without_a_review_the_answer_is_no_and_the_user_is_told(
    state: StateFolder, reply: Any
) -> None:
    found = check(gate_of(state, SMART, reviewer=Scripted(reply)), call("deploy", version="1"))
    assert found.kind == "approval_unavailable"
    assert found.notice
    assert not found.terminal


def test_where_there_is_no_reviewer_a_person_is_asked(
    state: StateFolder, caplog: pytest.LogCaptureFixture
) -> None:
    chat = Chat("once", "deny")
    gate = asking(state, chat, settings=SMART)
    found = check(gate, call("deploy", version="1"))
    assert found.approval_source == "human"
    assert check(gate, call("deploy", version="1")).kind == "approval_denied"
    assert caplog.text.count("there is none") == 1


class Skipping(asyncio.SelectorEventLoop):
    """An event loop whose time can be moved on: nobody has to wait for what is late."""

    skipped = 0.0

    def time(self) -> float:
        return super().time() + self.skipped


def test_a_reviewer_that_hangs_is_given_up(state: StateFolder) -> None:
    class Hanging:
        async def review(self, brief: Brief) -> str:
            loop = asyncio.get_running_loop()
            assert isinstance(loop, Skipping)
            loop.skipped += 901
            for _ in range(100):
                await asyncio.sleep(0)
            return "APPROVE"

    gate = gate_of(state, SMART, reviewer=Hanging())
    with asyncio.Runner(loop_factory=Skipping) as runner:
        found = runner.run(gate.check(call("deploy", version="1")))
    assert found.kind == "approval_unavailable"


def test_reviewers_and_people_need_a_state() -> None:
    with pytest.raises(ValueError, match="state"):
        ApprovalGate(engine(), reviewer=Scripted())


# -- people


def test_a_no_about_a_name_that_cannot_be_looked_up_is_a_no(state: StateFolder) -> None:
    gate = asking(state, Chat("deny"))
    found = check(gate, call("run", command="curl http://gone.example/; rm a"))
    assert found.kind == "approval_denied"


def asking(state: StateFolder, *chats: Chat, **rest: Any) -> ApprovalGate:
    """A gate that asks in these chats."""
    return gate_of(state, rest.pop("settings", None), people=people_of(state, chats), **rest)


def test_a_persons_yes_counts_for_this_call_once(state: StateFolder) -> None:
    chat = Chat("once", "deny")
    gate = asking(state, chat)
    asked = call("run", command="rm a")
    found = check(gate, asked)
    assert found.allowed
    assert found.approval_source == "human"
    assert found.approved_actions == {"run", "deleting"}
    assert found.request_id == chat.requests[0].id
    assert "rm a" in chat.shown[0]
    again = check(gate, asked)
    assert again.kind == "approval_denied"
    assert again.reason == "a person refused"
    assert again.request_id == chat.requests[1].id
    assert Grants(Database(state.database)).list() == []


@pytest.mark.parametrize("level", ["session", "always"])
def test_a_persons_lasting_yes_becomes_a_grant(state: StateFolder, level: str) -> None:
    chat = Chat(level)
    gate = asking(state, chat)
    asked = call("deploy", version="1")
    assert check(gate, asked).approval_source == "human"
    again = check(gate, asked)
    assert again.allowed
    assert again.approval_source == "auto"
    (grant,) = Grants(Database(state.database)).list()
    assert (grant.id, grant.level, grant.by) == (again.grant_id, level, "ann")
    assert grant.decision_id == chat.requests[0].id
    other = check(asking(state, Chat("deny")), call("deploy", version="2"))
    assert other.kind == "approval_denied"


def test_a_family_is_granted_for_its_session(state: StateFolder) -> None:
    gate = asking(state, Chat("session-all"), settings=WARY)
    assert check(gate, call("run", command="cat a")).approval_source == "human"
    assert check(gate, call("run", command="cat b c")).approval_source == "auto"
    other = call("run", command="cat b c", context={"session_key": "s2"})
    assert not check(asking(state, Chat("deny"), settings=WARY), other).allowed


def test_for_what_is_grave_only_once_is_offered(state: StateFolder) -> None:
    chat = Chat("once", "deny")
    gate = asking(state, chat)
    assert check(gate, call("install", skill="x")).allowed
    assert [choice.level for choice in chat.requests[0].choices] == ["once"]
    assert not check(gate, call("install", skill="x")).allowed


def test_nobody_answers_in_time(state: StateFolder) -> None:
    found = check(asking(state, Chat(), settings={"approval": {"wait": 0}}), call("deploy"))
    assert found.kind == "approval_timeout"
    assert found.terminal
    assert found.notice
    assert found.reason == "nobody answered in time"


def test_a_wrong_persons_answer_is_none(state: StateFolder) -> None:
    chat = Chat("once", by="eve")
    gate = asking(state, chat, settings={"approval": {"wait": 1}})
    assert not check(gate, call("deploy", version="1")).allowed


def test_where_there_are_admins_only_they_answer(state: StateFolder) -> None:
    settings = {"approval": {"admins": ["root"], "wait": 1}}
    assert not check(asking(state, Chat("once"), settings=settings), call("deploy")).allowed
    gate = asking(state, Chat("once", by="root"), settings=settings)
    assert check(gate, call("deploy", version="2")).allowed


def test_what_cannot_be_shown_whole_cannot_be_approved(state: StateFolder) -> None:
    chat = Chat("once")
    found = check(asking(state, chat), call("deploy", version="x" * 9_000))
    assert found.kind == "approval_unavailable"
    assert "too long" in found.reason
    assert chat.requests == []


def test_where_there_is_nobody_that_is_said(state: StateFolder) -> None:
    found = check(gate_of(state), call("deploy", version="1"))
    assert found.kind == "approval_unavailable"
    assert "nobody" in found.notice


def test_an_undelivered_request_is_denied_and_said(state: StateFolder) -> None:
    class Broken(Chat):
        async def deliver(self, request: ApprovalRequest, text: str) -> bool:
            raise OSError("the chat is down")

    found = check(asking(state, Broken()), call("deploy", version="1"))
    assert found.kind == "approval_unavailable"
    assert found.terminal
    assert found.notice


def test_a_rule_that_says_ask_and_no_more_asks_a_person(state: StateFolder) -> None:
    gate = asking(state, Chat("once", "deny"))
    found = check(gate, call("maybe"))
    assert found.allowed
    assert found.approval_source == "human"
    assert check(gate, call("maybe")).kind == "approval_denied"


def test_a_worker_asks_nobody(state: StateFolder) -> None:
    chat = Chat("once")
    found = check(asking(state, chat), call("deploy", context={"nested": True}))
    assert found.kind == "policy"
    assert chat.requests == []


def test_after_the_reviewer_a_person(state: StateFolder) -> None:
    chat = Chat("once")
    gate = asking(state, chat, settings=SMART, reviewer=Scripted("ESCALATE"))
    found = check(gate, call("deploy", version="1"))
    assert found.allowed
    assert found.approval_source == "human"


def test_after_three_refusals_only_people_are_asked(state: StateFolder) -> None:
    chat = Chat("once")
    reviewer = Scripted("DENY", "DENY", "DENY")
    gate = asking(state, chat, settings=SMART, reviewer=reviewer)
    for number in range(3):
        assert not check(gate, call("deploy", version=str(number))).allowed
    found = check(gate, call("deploy", version="4"))
    assert found.approval_source == "human"
    assert len(reviewer.briefs) == 3


def test_a_gate_that_does_not_wait_lets_a_late_yes_count_once(state: StateFolder) -> None:
    async def story() -> None:
        chat = Chat()
        people = people_of(state, [chat])
        gate = gate_of(state, people=people, wait=False)
        asked = call("deploy", version="1")
        found = await gate.check(asked)
        assert found.kind == "approval_pending"
        assert found.terminal and found.notice
        assert found.request_id in found.reason
        assert (await gate.check(asked)).request_id == found.request_id
        await people.answer(found.request_id, "once", "ann")
        assert not (await gate.check(call("deploy", version="2"))).allowed
        other = call("deploy", version="1", context={"session_key": "s2"})
        assert (await gate.check(other)).kind == "approval_pending"
        late = await gate.check(asked)
        assert late.allowed
        assert late.approval_source == "human"
        assert (await gate.check(asked)).kind == "approval_pending"

    asyncio.run(story())


def test_a_late_yes_to_something_else_does_not_count(state: StateFolder) -> None:
    async def story() -> None:
        people = people_of(state, [])
        seen = Seen()
        gate = gate_of(state, people=people, wait=False, seen=seen)
        asked = call("run", command="rm a")
        found = await gate.check(asked)
        await people.answer(found.request_id, "once", "ann")
        # What the same words delete is another thing by now.
        seen.links["/w/a"] = "/home/u/all"
        seen.links["/w"] = "/elsewhere"
        assert (await gate.check(asked)).kind == "approval_pending"

    asyncio.run(story())


@pytest.mark.parametrize("level", ["once", "session"])
def test_the_same_call_at_the_same_time_is_asked_about_once(state: StateFolder, level: str) -> None:
    async def story() -> None:
        chat = Chat()
        people = people_of(state, [chat])
        gate = gate_of(state, people=people)
        checks = [asyncio.create_task(gate.check(call("deploy", version="1"))) for _ in range(20)]
        db = Database(state.database)
        while db.read().execute("SELECT sum(askers) FROM requests").fetchone()[0] != 20:
            await asyncio.sleep(0)
        await people.answer(chat.requests[0].id, level, "ann")
        found = await asyncio.gather(*checks)
        assert len(chat.requests) == 1
        assert [approval.approval_source for approval in found].count("human") == 1
        for approval in filter(None, found):
            assert approval.decision.to_dict()["approval_source"] == approval.approval_source
        # One word passes one call; a lasting one is a grant for the others.
        assert sum(approval.allowed for approval in found) == (1 if level == "once" else 20)
        for approval in found:
            if not approval.allowed:
                # Nobody said no: the call may be made again, and is asked about anew.
                assert (approval.kind, approval.terminal) == ("approval_unavailable", False)
                assert "make it again" in approval.reason
                assert approval.notice == approval.reason

    asyncio.run(story())


def test_a_cancelled_check_cancels_its_request(state: StateFolder) -> None:
    async def story() -> None:
        arrived = asyncio.Event()
        loop = asyncio.get_running_loop()
        chat = Chat(before=lambda _: loop.call_soon_threadsafe(arrived.set))
        people = people_of(state, [chat])
        gate = gate_of(state, people=people)
        task = asyncio.create_task(gate.check(call("deploy", version="1")))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        request = people.requests.get(chat.requests[0].id)
        assert request is not None and request.status == "cancelled"
        with pytest.raises(RequestError):
            await people.answer(request.id, "once", "ann")

    asyncio.run(story())


def test_a_link_that_moves_while_a_person_thinks_denies(state: StateFolder) -> None:
    seen = Seen()
    chat = Chat("once", before=lambda _: seen.links.update({"/w/a": "/home/u/all"}))
    found = check(asking(state, chat, seen=seen), call("run", command="rm a"))
    assert not found.allowed
    assert "changed while it waited" in found.reason


def test_what_a_new_policy_denies_is_denied_after_a_persons_yes(
    tmp_path: Path, state: StateFolder
) -> None:
    bundle, policy = editable(tmp_path, state, {})
    file = bundle / "flow.yaml"
    chat = Chat("once", before=lambda _: edit(policy, file, "when: call.nested", 'when: "true"'))
    gate = ApprovalGate(policy, state=state, observer=Seen(), people=people_of(state, [chat]))
    found = check(gate, call("run", command="rm a"))
    assert not found.allowed
    assert found.decision.rule == "human.nested"
    (request,) = Requests(Database(state.database)).list()
    assert request.status == "approved"
    assert request.spent is None


def test_frozen_a_person_still_lets_single_calls_pass(state: StateFolder) -> None:
    chat = Chat("once", "deny")
    gate = asking(state, chat)
    Control(state).freeze("local:root", "an incident")
    asked = call("read_file", path="a")
    found = check(gate, asked)
    assert found.allowed
    assert found.approval_source == "human"
    assert [choice.level for choice in chat.requests[0].choices] == ["once"]
    assert "an incident" in chat.shown[0]
    assert check(gate, asked).kind == "approval_denied"


def test_a_no_counts_even_if_the_freeze_ends_meanwhile(state: StateFolder) -> None:
    Control(state).freeze("local:root", "an incident")
    chat = Chat("deny", before=lambda _: Control(state).unfreeze())
    assert check(asking(state, chat), call("read_file", path="a")).kind == "approval_denied"


def test_a_freeze_that_comes_while_the_reviewer_thinks_wants_a_person(state: StateFolder) -> None:
    chat = Chat("deny")
    reviewer = Meddling(lambda: Control(state).freeze("local:root", "an incident"))
    gate = asking(state, chat, settings=SMART, reviewer=reviewer)
    assert check(gate, call("deploy", version="1")).kind == "approval_denied"
    assert len(chat.requests) == 1


# -- what changes while somebody thinks


class Meddling(Scripted):
    """A reviewer that approves, after something has happened."""

    def __init__(self, happens: Callable[[], Any], *replies: str) -> None:
        super().__init__(*(replies or ("APPROVE",)))
        self.happens = happens

    async def review(self, brief: Brief) -> str | Unavailable:
        """See `callgate.gate.reviewer.Reviewer`."""
        self.happens()
        return await super().review(brief)


def editable(
    tmp_path: Path, state: StateFolder, settings: Mapping[str, Any] = SMART
) -> tuple[Path, LivePolicy]:
    """A copy of the small policy that may be edited."""
    bundle = tmp_path / "bundle"
    shutil.copytree(BUNDLE, bundle)
    return bundle, LivePolicy(bundle, settings, state=state)


def edit(policy: LivePolicy, file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")
    assert policy.reload().ok


def test_a_link_that_moves_while_somebody_thinks_denies(state: StateFolder) -> None:
    seen = Seen()
    moves = Meddling(lambda: seen.links.update({"/w/a": "/secret"}))
    asked = call("deploy_file", path="/w/a")
    found = check(gate_of(state, SMART, seen=seen, reviewer=moves), asked)
    assert found.kind == "policy"
    assert "changed while it waited" in found.reason


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_deny_that_comes_while_somebody_thinks_counts(
    tmp_path: Path, state: StateFolder, elsewhere: bool
) -> None:
    # Elsewhere: another process reloads, and this one follows.
    bundle, policy = editable(tmp_path, state)
    reviewer = Meddling(
        lambda: edit(
            LivePolicy(bundle, SMART, state=state) if elsewhere else policy,
            bundle / "flow.yaml",
            "approve: {decide: allow, despite: asks, reason: the reviewer approved}",
            "approve: {decide: deny, reason: reviewers are not heard any more}",
        )
    )
    gate = ApprovalGate(policy, state=state, observer=Seen(), reviewer=reviewer)
    found = check(gate, call("deploy", version="1"))
    assert not found.allowed
    assert found.reason == "reviewers are not heard any more"


def test_a_question_that_comes_while_somebody_thinks_is_asked_anew(
    tmp_path: Path, state: StateFolder
) -> None:
    bundle, policy = editable(tmp_path, state)
    reviewer = Meddling(
        lambda: edit(
            policy,
            bundle / "flow.yaml",
            "approve: {decide: allow, despite: asks, reason: the reviewer approved}",
            "approve: next",
        )
    )
    gate = ApprovalGate(policy, state=state, observer=Seen(), reviewer=reviewer)
    found = check(gate, call("deploy", version="1"))
    assert found.kind == "policy"
    assert "the policy changed" in found.reason


def test_an_ask_that_nobody_was_shown_denies(tmp_path: Path, state: StateFolder) -> None:
    bundle, policy = editable(tmp_path, state)
    new_guard = """rules:
  - id: versions
    title: Versions are checked
    decide: ask
    tools: [deploy]
    reason: somebody checks the version
    examples: {match: [{tool: deploy}], pass: [{tool: install}]}
"""
    reviewer = Meddling(lambda: edit(policy, bundle / "guards.yaml", "rules:\n", new_guard))
    gate = ApprovalGate(policy, state=state, observer=Seen(), reviewer=reviewer)
    found = check(gate, call("deploy", version="1"))
    assert not found.allowed
    assert "the policy changed" in found.reason


# -- break-glass and freezes


def test_break_glass_answers_for_people_and_is_recorded(state: StateFolder) -> None:
    gate = gate_of(state)
    Control(state).break_glass(5, "the pager is on fire", "local:root")
    found = check(gate, call("deploy", version="1"))
    assert found.allowed
    assert found.approval_source == "auto"
    assert found.notice
    (event,) = Events(Database(state.database)).list("break-glass.passed")
    assert event.detail["digest"] == found.digest
    assert event.detail["rule"] == "human.pending"
    told = found.decision.to_dict()
    assert (told["decision"], told["approval_source"]) == ("allow", "auto")
    assert told["reason"] == "break-glass is on: nobody was asked"
    assert set(told["approved_actions"]) == found.approved_actions
    assert check(gate, call("maybe")).allowed
    assert check(gate, call("run", command="rm a")).allowed


def test_break_glass_that_ends_meanwhile_lets_nothing_pass(state: StateFolder) -> None:
    control = Control(state)

    class Ending(Seen):
        async def observe(self, paths: Collection[str], hosts: Collection[str]) -> Observations:
            if self.asked:  # the look after break-glass has answered
                control.end_break_glass()
            return await super().observe(paths, hosts)

    control.break_glass(5, "the pager is on fire", "local:root")
    found = check(gate_of(state, seen=Ending()), call("run", command="rm a"))
    assert (found.kind, found.terminal) == ("approval_unavailable", False)
    assert "break-glass ended" in found.notice
    assert Events(Database(state.database)).list("break-glass.passed") == []


def test_break_glass_that_ends_while_that_is_recorded_lets_nothing_pass(
    state: StateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Events.add

    def slow(self: Events, *given: Any, **detail: Any) -> Any:
        Control(state).end_break_glass()
        return add(self, *given, **detail)

    monkeypatch.setattr(Events, "add", slow)
    gate = gate_of(state)
    Control(state).break_glass(5, "the pager is on fire", "local:root")
    assert check(gate, call("deploy", version="1")).kind == "approval_unavailable"


def test_break_glass_answers_for_the_reviewer(state: StateFolder) -> None:
    gate = gate_of(state, SMART, reviewer=Scripted())
    Control(state).break_glass(5, "the pager is on fire", "local:root")
    found = check(gate, call("deploy", version="1"))
    assert found.allowed
    assert found.decision.reason == "break-glass is on: nobody was asked"


def test_break_glass_lifts_no_deny(state: StateFolder) -> None:
    gate = gate_of(state)
    Control(state).break_glass(5, "the pager is on fire", "local:root")
    assert not check(gate, call("read_file", path="/secret/key")).allowed
    assert not check(gate, call("deploy", context={"unattended": True})).allowed
    assert not check(gate, call("deploy", context={"nested": True})).allowed
    Control(state).end_break_glass()
    assert not check(gate, call("deploy", version="1")).allowed


def test_a_freeze_beats_break_glass_and_grants(state: StateFolder) -> None:
    asked = call("deploy", version="1")
    granted(state, asked, "always")
    gate = gate_of(state)
    Control(state).break_glass(5, "the pager is on fire", "local:root")
    Control(state).freeze("local:root", "an incident")
    for frozen in (asked, call("read_file", path="a"), call("run", command="git status")):
        found = check(gate, {**frozen, "context": {**frozen["context"], "unattended": True}})
        assert not found.allowed
    Control(state).unfreeze()
    assert check(gate, call("read_file", path="a")).allowed


def test_what_freezes_is_said_where_nobody_can_be_asked(state: StateFolder) -> None:
    gate = gate_of(state)
    Control(state).freeze("local:root", "an incident")
    found = check(gate, call("read_file", path="a", context={"unattended": True}))
    assert found.kind == "approval_unavailable"
    assert "frozen" in found.reason


def test_a_control_file_that_cannot_be_read_freezes(state: StateFolder) -> None:
    gate = gate_of(state)
    state.control.write_text("{")
    found = check(gate, call("read_file", path="a", context={"nested": True}))
    assert not found.allowed
