"""Approval requests: what becomes of one becomes of it once, whoever else tries."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from callgate.gate.cron import CronGrants
from callgate.gate.database import Database, StateError
from callgate.gate.events import Events
from callgate.gate.gate import ApprovalGate
from callgate.gate.people import People
from callgate.gate.requests import (
    MAX_PENDING,
    MAX_PENDING_IN_SESSION,
    MAX_PENDING_OF_USER,
    FloodError,
    RequestError,
    Requests,
)
from callgate.gate.state import StateFolder
from tests.gate.asking import NOON, Clock, question
from tests.gate.gating import Seen, call, engine
from tests.gate.jobs import JOB, spent
from tests.gate.processes import other

PUSH = question()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def requests(db: Database, clock: Clock) -> Requests:
    return Requests(db, clock)


def status(requests: Requests, id: str) -> str:
    request = requests.get(id)
    assert request is not None
    return request.status


# -- asking and answering


def test_a_request_holds_all_that_was_asked(requests: Requests) -> None:
    made = requests.open(PUSH)
    found = requests.get(made.id)
    assert found == made
    assert found.seal == PUSH.seal
    assert (found.tool, found.effects, found.choices) == (PUSH.tool, PUSH.effects, PUSH.choices)
    assert found.created == NOON
    assert found.seconds_left(NOON) == 120
    assert requests.pending() == [made]
    assert requests.pending(session="s2") == []


def test_an_answer_ends_it(requests: Requests, db: Database) -> None:
    made = requests.open(PUSH)
    done = requests.answer(made.id, "always", "ann", via="test")
    assert (done.status, done.answer, done.decided_by) == ("approved", "always", "ann")
    assert requests.pending() == []
    assert requests.list() == [done]
    (event,) = Events(db).list("request")
    assert event.detail["id"] == made.id
    assert event.detail["by"] == "ann"
    for answer in ("once", "always", "deny"):
        with pytest.raises(RequestError, match="approved already"):
            requests.answer(made.id, answer, "ann")


@pytest.mark.parametrize("answer", ["session", "yes", "", "timeout", "ONCE"])
def test_only_its_choices_can_be_answered(requests: Requests, answer: str) -> None:
    made = requests.open(PUSH)
    with pytest.raises(RequestError, match=r"once.*always.*deny"):
        requests.answer(made.id, answer, "ann")
    assert status(requests, made.id) == "pending"


@pytest.mark.parametrize(
    ("user", "approvers", "may", "may_not"),
    [
        ("ann", (), ["ann"], ["bob", "", "Ann", "main", "local:root"]),
        ("ann", ("eve", "bob"), ["eve", "bob"], ["ann", "", "main", "local:root"]),
        ("ann", ("", "eve"), ["eve"], ["", "ann"]),
        ("", (), ["local:root"], ["ann", "", "main", "LOCAL:root", "localhost"]),
    ],
)
def test_who_may_answer(
    requests: Requests, user: str, approvers: tuple[str, ...], may: list[str], may_not: list[str]
) -> None:
    asked = question(user=user, approvers=approvers)
    for by in may_not:
        for answer in ("once", "deny"):
            made = requests.open(asked)
            with pytest.raises(RequestError, match="may answer"):
                requests.answer(made.id, answer, by)
    for by in may:
        made = requests.open(asked)
        assert requests.answer(made.id, "once", by).status == "approved"


def test_there_must_be_such_a_request(requests: Requests) -> None:
    assert requests.get("nope") is None
    with pytest.raises(RequestError, match="no such request"):
        requests.answer("nope", "once", "ann")
    assert not requests.spend("nope", PUSH.digest)
    assert not requests.cancel("nope")


def test_nothing_to_grant_is_no_question(requests: Requests) -> None:
    with pytest.raises(RequestError):
        requests.open(question(choices=()))


# -- the same question


def test_the_same_question_is_asked_once(requests: Requests, clock: Clock) -> None:
    first = requests.open(PUSH)
    clock.go(30)
    again = requests.open(replace(PUSH, trace="another", wait_seconds=999))
    assert again == first, "and its time is not made longer"


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "0" * 64},
        {"session": "s2"},
        {"user": "bob"},
        {"agent": "worker"},
        {"effects": ("deletes /srv/app",)},
        {"text": "command: git push --force"},
        {"choices": question().choices[:1]},
        {"approvers": ("eve",)},
        {"signed": True},
        {"cwd": "/srv/other"},
        {"workspace": "/srv/other"},
        {"bound": "0" * 64},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_is_shown_otherwise_is_another_question(
    requests: Requests, change: dict[str, Any]
) -> None:
    assert requests.open(PUSH).id != requests.open(question(**change)).id


def test_an_answered_question_can_be_asked_again(requests: Requests) -> None:
    first = requests.open(PUSH)
    requests.answer(first.id, "once", "ann")
    again = requests.open(PUSH)
    assert again.id != first.id
    assert again.status == "pending"


def test_it_is_cancelled_when_the_last_one_leaves(requests: Requests) -> None:
    made = requests.open(PUSH)
    requests.open(PUSH)
    assert not requests.cancel(made.id)
    assert status(requests, made.id) == "pending"
    assert requests.cancel(made.id)
    assert status(requests, made.id) == "cancelled"
    with pytest.raises(RequestError, match="cancelled already"):
        requests.answer(made.id, "once", "ann")


def test_what_was_answered_is_not_cancelled(requests: Requests) -> None:
    made = requests.open(PUSH)
    requests.answer(made.id, "once", "ann")
    assert not requests.cancel(made.id)
    assert not requests.give_up(made.id)
    assert status(requests, made.id) == "approved"


# -- time


def test_time_ends_it(requests: Requests, clock: Clock) -> None:
    made = requests.open(PUSH)
    clock.go(120)
    assert requests.pending() == []
    with pytest.raises(RequestError, match="expired already"):
        requests.answer(made.id, "once", "ann")
    assert status(requests, made.id) == "expired"
    assert requests.open(PUSH).id != made.id


def test_expiry_is_noticed_once(requests: Requests, clock: Clock) -> None:
    requests.open(PUSH)
    assert requests.expire() == 0
    clock.go(121)
    assert requests.expire() == 1
    assert requests.expire() == 0


def test_no_clock_revives_what_expired(requests: Requests, clock: Clock) -> None:
    made = requests.open(PUSH)
    clock.go(121)
    requests.expire()
    clock.go(-100)
    with pytest.raises(RequestError, match="expired already"):
        requests.answer(made.id, "once", "ann")
    assert requests.pending() == []
    assert not requests.spend(made.id, PUSH.digest)


def test_a_request_from_the_future_counts_for_nothing(requests: Requests, clock: Clock) -> None:
    made = requests.open(PUSH)
    clock.go(-3600)
    assert requests.pending() == []
    with pytest.raises(RequestError, match="expired already"):
        requests.answer(made.id, "once", "ann")
    clock.go(3600)
    assert status(requests, made.id) == "expired"


def test_a_clock_that_is_set_right_by_a_second_harms_nobody(
    requests: Requests, clock: Clock
) -> None:
    made = requests.open(PUSH)
    clock.go(-1)
    assert requests.answer(made.id, "once", "ann").status == "approved"


# -- spending


def test_an_approval_is_spent_once(requests: Requests, clock: Clock) -> None:
    made = requests.open(PUSH)
    assert not requests.spend(made.id, PUSH.digest), "nobody approved it yet"
    requests.answer(made.id, "once", "ann")
    assert not requests.spend(made.id, "0" * 64), "another call"
    assert requests.spend(made.id, PUSH.digest)
    assert not requests.spend(made.id, PUSH.digest)
    clock.go(-60)
    assert not requests.spend(made.id, PUSH.digest)
    clock.go(600)
    assert not requests.spend(made.id, PUSH.digest)


def test_a_no_cannot_be_spent(requests: Requests) -> None:
    made = requests.open(PUSH)
    requests.answer(made.id, "deny", "ann")
    assert status(requests, made.id) == "denied"
    assert not requests.spend(made.id, PUSH.digest)


@pytest.mark.parametrize("seconds", [-3600, 181, 86_400])
def test_an_approval_does_not_keep(requests: Requests, clock: Clock, seconds: float) -> None:
    made = requests.open(PUSH)
    requests.answer(made.id, "once", "ann")
    clock.go(seconds)
    assert not requests.spend(made.id, PUSH.digest)


def test_an_approval_nobody_waited_for_is_found(requests: Requests, clock: Clock) -> None:
    assert requests.unspent(PUSH) is None
    made = requests.open(PUSH)
    assert requests.unspent(PUSH) is None
    done = requests.answer(made.id, "once", "ann")
    assert requests.unspent(PUSH) == done
    assert requests.unspent(question(session="s2")) is None
    clock.go(179)
    assert requests.unspent(PUSH) == done
    clock.go(2)
    assert requests.unspent(PUSH) is None, "too old to be spent"
    clock.go(-60)
    assert requests.spend(made.id, PUSH.digest)
    assert requests.unspent(PUSH) is None


@pytest.mark.parametrize("name", ["cwd", "workspace", "bound"])
def test_a_yes_for_one_place_is_none_for_another(requests: Requests, name: str) -> None:
    asked = question(cwd="/srv/a", workspace="/srv", bound="a" * 64)
    done = requests.answer(requests.open(asked).id, "once", "ann")
    assert (done.cwd, done.workspace, done.bound) == ("/srv/a", "/srv", "a" * 64)
    assert requests.unspent(asked) == done
    change: dict[str, Any] = {name: "/srv/b"}
    assert requests.unspent(replace(asked, **change)) is None


def test_a_no_or_a_forged_yes_is_not_found(requests: Requests, db: Database) -> None:
    requests.answer(requests.open(PUSH).id, "deny", "ann")
    assert requests.unspent(PUSH) is None
    with db.transaction() as connection:
        connection.execute("UPDATE requests SET status = 'approved', decided_by = 'main'")
    assert requests.unspent(PUSH) is None


def test_fifty_threads_spend_it_once(requests: Requests) -> None:
    made = requests.open(PUSH)
    requests.answer(made.id, "once", "ann")
    barrier = Barrier(50)

    def spend(_: int) -> bool:
        barrier.wait()
        return requests.spend(made.id, PUSH.digest)

    with ThreadPoolExecutor(50) as pool:
        assert sum(pool.map(spend, range(50))) == 1


_REQUESTS = """
from callgate.gate.requests import RequestError, Requests
requests = Requests(db)
"""


def test_processes_spend_it_once(db: Database) -> None:
    requests = Requests(db)
    made = requests.open(PUSH)
    requests.answer(made.id, "once", "ann")
    code = _REQUESTS + "wait('ready')\nprint(sum(requests.spend(*sys.argv[2:4]) for _ in range(9)))"
    with ExitStack() as stack:
        others = [stack.enter_context(other(db.path, code, made.id, PUSH.digest)) for _ in range(4)]
        for one in others:
            assert one.read() == "ready"
        for one in others:
            one.go()
        assert sum(int(one.end()) for one in others) == 1


def test_of_two_processes_that_answer_one_wins(db: Database) -> None:
    requests = Requests(db)
    code = _REQUESTS + (
        "wait('ready')\n"
        "for id_ in sys.argv[3:]:\n"
        "    try:\n"
        "        print(id_, requests.answer(id_, sys.argv[2], 'ann').status)\n"
        "    except RequestError:\n"
        "        print(id_, 'late')\n"
    )
    ids = [requests.open(question(str(number))).id for number in range(10)]
    with (
        other(db.path, code, "once", *ids) as yes,
        other(db.path, code, "deny", *reversed(ids)) as no,
    ):
        for one in (yes, no):
            assert one.read() == "ready"
        for one in (yes, no):
            one.go()
        said = [dict(line.split() for line in one.end().splitlines()) for one in (yes, no)]
    for id_ in ids:
        assert sorted((said[0][id_], said[1][id_])) in (["approved", "late"], ["denied", "late"])
        assert status(requests, id_) in (said[0][id_], said[1][id_])


def test_a_process_that_is_killed_leaves_a_request_that_expires(db: Database, clock: Clock) -> None:
    code = (
        "from tests.gate.asking import Clock, question\n"
        "from callgate.gate.requests import Requests\n"
        "print(Requests(db, Clock()).open(question()).id)\nwait('waits')\n"
    )
    with other(db.path, code) as asker:
        id_ = asker.read()
        assert asker.read() == "waits"
        asker.process.kill()
        asker.process.wait()
    requests = Requests(db, clock)
    assert status(requests, id_) == "pending"
    clock.go(121)
    assert requests.expire() == 1
    assert status(requests, id_) == "expired"


# -- floods


def test_a_session_can_ask_ten_things_at_a_time(requests: Requests, clock: Clock) -> None:
    for number in range(MAX_PENDING_IN_SESSION):
        requests.open(question(str(number)))
    with pytest.raises(FloodError, match="10 requests of this session"):
        requests.open(question("one more"))
    requests.open(question("3"))  # which waits already
    requests.open(question("another's", session="s2"))
    clock.go(121)
    requests.open(question("one more"))


@pytest.mark.parametrize("user", ["ann", "", "a\x00nn \u202e\"'"])
def test_a_user_can_ask_twenty_things_at_a_time(requests: Requests, user: str) -> None:
    for number in range(MAX_PENDING_OF_USER):
        requests.open(question(str(number), session=f"s{number}", user=user))
    with pytest.raises(FloodError, match="20 requests of this user wait"):
        requests.open(question("one more", session="quiet", user=user))
    requests.open(question("one more", session="quiet", user="another"))


def test_all_users_together_can_ask_two_hundred(requests: Requests) -> None:
    for number in range(MAX_PENDING):
        requests.open(question(str(number), session=f"s{number}", user=f"u{number}"))
    with pytest.raises(FloodError, match="200 requests wait"):
        requests.open(question("one more", session="quiet", user="quiet"))


def test_a_damaged_request_counts_as_nobodys(requests: Requests, db: Database) -> None:
    requests.open(PUSH)
    with db.transaction() as connection:
        connection.execute("UPDATE requests SET question = 'no json'")
    assert requests.open(question("another")).status == "pending"


def test_old_ones_are_forgotten(requests: Requests, db: Database, clock: Clock) -> None:
    first, job = requests.open(PUSH), spent(db)
    requests.answer(first.id, "once", "ann")
    CronGrants(db, clock).issue(job, JOB)
    for number in range(1001):
        clock.go(3600)
        requests.cancel(requests.open(question(str(number))).id)
    clock.go(40 * 86_400)
    requests.open(question("new"))
    assert requests.get(first.id) is None
    assert requests.get(job.request_id) is not None  # the job still runs by it
    assert len(requests.list(limit=5000)) > 1000


# -- damage


@pytest.mark.parametrize(
    "change",
    [
        "question = '{}'",
        "question = 'no json'",
        "question = replace(question, 'git push', 'git status')",
        "seal = 'other'",
        "made = 1 << 62",
    ],
)
def test_a_damaged_request_is_an_error(requests: Requests, db: Database, change: str) -> None:
    made = requests.open(PUSH)
    with db.transaction() as connection:
        connection.execute(f"UPDATE requests SET {change}")
    with pytest.raises(StateError, match="damaged"):
        requests.get(made.id)


def test_names_of_any_characters_are_kept(requests: Requests) -> None:
    odd = "ann\u202e\x00\n\"'; DROP TABLE requests; --"
    made = requests.open(question(user=odd))
    assert requests.answer(made.id, "once", odd).decided_by == odd


def test_what_is_no_text_is_refused(requests: Requests) -> None:
    with pytest.raises(StateError):
        requests.open(question(user="half a pair \ud800"))


def test_a_full_disk_changes_nothing(requests: Requests, db: Database) -> None:
    made = requests.open(PUSH)
    pages = db.read().execute("PRAGMA page_count").fetchone()[0]
    db.read().execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StateError, match="disk is full"):
        for number in range(MAX_PENDING_IN_SESSION - 1):
            requests.open(question("x" * 5000 + str(number)))
    db.read().execute("PRAGMA max_page_count = 1000000")
    assert made in requests.pending()
    assert requests.answer(made.id, "once", "ann").status == "approved"


# -- calls that are the same only by their arguments


OTHERWISE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"cwd": "/w/b"}, {}, "one"),
    ({"workspace": "/w/b"}, {}, "one"),
    ({}, {"mcp_server": "evil"}, "one"),
    ({}, {}, "another"),
]


@pytest.mark.parametrize(
    ("context", "declared", "declaration"), OTHERWISE, ids=["cwd", "workspace", "declared", "tool"]
)
def test_a_yes_counts_for_the_place_and_the_tool_it_was_given_for(
    tmp_path: Path, context: dict[str, Any], declared: dict[str, Any], declaration: str
) -> None:
    async def story() -> None:
        state = StateFolder(tmp_path / "state")
        people = People(Database(state.database))
        gate = ApprovalGate(engine(), state=state, people=people, observer=Seen(), wait=False)
        first = {**call("deploy", version="1"), "declared": {"mcp_server": "mail"}}
        other = {**call("deploy", version="1", context=context), "declared": first["declared"]}
        if declared:
            other["declared"] = declared
        asked, beside = await asyncio.gather(
            gate.check(first, declaration="one"), gate.check(other, declaration=declaration)
        )
        assert asked.kind == beside.kind == "approval_pending"
        assert asked.request_id != beside.request_id
        await people.answer(asked.request_id, "always", "ann")
        assert (await gate.check(other, declaration=declaration)).kind == "approval_pending"
        assert (await gate.check(first, declaration="one")).approval_source == "human"

    asyncio.run(story())
