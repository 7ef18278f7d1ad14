"""Asking people: answers from here and from other processes, and everything that can go wrong."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from callgate.gate.database import Database
from callgate.gate.people import Answered, People
from callgate.gate.request_rows import question_json
from callgate.gate.requests import (
    KEYS_FILE,
    MAX_PENDING,
    ApprovalRequest,
    Question,
    RequestError,
    Requests,
)
from callgate.gate.signatures import sign
from callgate.storage.signing_keys import new_key, read_key
from tests.gate.asking import Clock, question
from tests.gate.processes import other

PUSH = question()
POLL = 0.01


class Chat:
    """A way to people that keeps what it is given, and tells a test when that comes."""

    def __init__(self, arrives: bool | Exception = True) -> None:
        self.arrives = arrives
        self.delivered: asyncio.Queue[tuple[ApprovalRequest, str]] = asyncio.Queue()

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        self.delivered.put_nowait((request, text))
        if isinstance(self.arrives, Exception):
            raise self.arrives
        return self.arrives

    async def next(self) -> ApprovalRequest:
        """The next request that comes."""
        return (await self.delivered.get())[0]


def people(db: Database, *channels: Any, **rest: Any) -> People:
    return People(db, channels, poll_seconds=POLL, **rest)


def asked(
    ask: Question, does: Callable[[ApprovalRequest], Awaitable[Any]], db: Database
) -> Answered:
    """What comes of asking, where something is done once the request has come."""

    async def run() -> Answered:
        chat = Chat()
        task = asyncio.create_task(people(db, chat).ask(ask))
        await does(await chat.next())
        return await task

    return asyncio.run(run())


# -- answers


@pytest.mark.parametrize("answer", ["once", "always", "deny"])
def test_a_bridge_answers(db: Database, answer: str) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        request, text = await chat.delivered.get()
        assert "git push" in text
        done = await asks.answer(request.id, answer, "ann")
        assert done.answer == answer
        assert await task == Answered(answer, "ann", request.id)
        assert asks.requests.spend(request.id, PUSH.digest) is (answer != "deny")

    asyncio.run(run())


def test_a_bridge_can_not_be_the_operator(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(question(user="")))
        request = await chat.next()
        for by in ("local:root", "ann", "main", ""):
            with pytest.raises(RequestError):
                await asks.answer(request.id, "once", by)
        assert not task.done()
        Requests(db).answer(request.id, "once", "local:root")
        assert (await task).by == "local:root"

    asyncio.run(run())


def test_another_process_answers(db: Database) -> None:
    code = (
        "from callgate.gate.requests import Requests\n"
        "requests = Requests(db)\n"
        "wait('ready')\n"
        "print(requests.answer(sys.argv[2], 'once', 'ann').status)\n"
    )

    async def run() -> None:
        chat = Chat()
        task = asyncio.create_task(people(db, chat).ask(PUSH))
        request = await chat.next()

        def elsewhere() -> str:
            with other(db.path, code, request.id) as process:
                assert process.read() == "ready"
                process.go()
                return process.end()

        assert await asyncio.to_thread(elsewhere) == "approved"
        assert await task == Answered("once", "ann", request.id)

    asyncio.run(run())


def test_a_process_that_joined_is_woken_as_well(db: Database) -> None:
    code = (
        "import asyncio\n"
        "from callgate.gate.people import People\n"
        "from tests.gate.asking import question\n"
        "class Chat:\n"
        "    async def deliver(self, request, text):\n"
        "        print(request.id, flush=True)\n"
        "        return True\n"
        "answered = asyncio.run(People(db, [Chat()], poll_seconds=0.01).ask(question()))\n"
        "print(answered.answer, answered.by)\n"
    )

    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        with other(db.path, code) as process:
            assert await asyncio.to_thread(process.read) == request.id
            await asks.answer(request.id, "once", "ann")
            assert await asyncio.to_thread(process.end) == "once ann"
        assert (await task).answer == "once"
        assert asks.requests.spend(request.id, PUSH.digest)
        assert not asks.requests.spend(request.id, PUSH.digest), "one of the two may run"

    asyncio.run(run())


def test_the_same_question_is_delivered_once(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        tasks = [asyncio.create_task(asks.ask(PUSH)) for _ in range(5)]
        request = await chat.next()
        while len(asks._room._waits[request.id]) < 5:
            await asyncio.sleep(0)
        await asks.answer(request.id, "once", "ann")
        assert {await task for task in tasks} == {Answered("once", "ann", request.id)}
        assert chat.delivered.empty()

    asyncio.run(run())


def test_nobody_answers_in_time(db: Database) -> None:
    clock = Clock()

    async def run() -> None:
        chat = Chat()
        asks = people(db, chat, clock=clock)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        clock.go(121)
        assert await task == Answered("timeout", "", request.id)
        found = asks.requests.get(request.id)
        assert found is not None
        assert found.status == "expired"
        clock.go(-121)
        with pytest.raises(RequestError, match="expired already"):
            await asks.answer(request.id, "once", "ann")

    asyncio.run(run())


def test_a_clock_that_stands_still_makes_nobody_wait_longer(db: Database) -> None:
    answered = asyncio.run(people(db, Chat(), clock=Clock()).ask(question(wait_seconds=0.02)))
    assert answered.answer == "timeout"
    assert [item.status for item in Requests(db, Clock()).list()] == ["expired"]


# -- nobody there


def test_nobody_to_be_asked(db: Database) -> None:
    answered = asyncio.run(people(db, external=False).ask(PUSH))
    assert answered.answer == "undeliverable"
    assert "nobody" in answered.why
    assert Requests(db).list() == []


@pytest.mark.parametrize("arrives", [False, RuntimeError("token=abc"), None, "yes", 1], ids=repr)
def test_what_does_not_arrive_is_undeliverable(
    db: Database, arrives: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answered = asyncio.run(people(db, Chat(arrives)).ask(PUSH))
    assert answered.answer == "undeliverable"
    assert "could not be delivered" in answered.why
    assert Requests(db).list() == []  # what nobody saw doesn't pile up
    assert "abc" not in caplog.text


def test_one_way_is_enough(db: Database) -> None:
    async def run() -> None:
        good = Chat()
        asks = people(db, Chat(False), good, Chat(RuntimeError()))
        task = asyncio.create_task(asks.ask(PUSH))
        request = await good.next()
        await asks.answer(request.id, "once", "ann")
        assert (await task).answer == "once"

    asyncio.run(run())


class Slow(Chat):
    """A way to people that takes its time: `ends` lets it end, `cancelled` tells that it was."""

    def __init__(self, arrives: bool = True) -> None:
        super().__init__(arrives)
        self.ends = asyncio.Event()
        self.cancelled = asyncio.Event()

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        arrived = await super().deliver(request, text)
        try:
            await self.ends.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return arrived


def test_a_way_that_never_ends_holds_nothing_up(db: Database) -> None:
    async def run() -> None:
        chat = Slow()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        await asks.answer(request.id, "once", "ann")
        assert (await task).answer == "once"
        await chat.cancelled.wait()

    asyncio.run(run())


def test_who_joined_hears_that_it_did_not_arrive(db: Database) -> None:
    async def run() -> None:
        chat = Slow(arrives=False)
        asks = people(db, chat)
        tasks = [asyncio.create_task(asks.ask(PUSH)) for _ in range(3)]
        request = await chat.next()
        while len(asks._room._waits[request.id]) < 3:
            await asyncio.sleep(0)
        chat.ends.set()
        assert {(await task).answer for task in tasks} == {"undeliverable"}
        assert asks.requests.list() == []

    asyncio.run(run())


def test_who_waits_is_woken_by_what_its_own_process_did(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        await asks._room.do(lambda: asks.requests.cancel(request.id))
        answered = await task
        assert (answered.answer, answered.why) == ("undeliverable", "the request was cancelled")

    asyncio.run(run())


def test_answers_from_outside_may_not_count(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat, external=False)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        Requests(db).answer(request.id, "once", "ann")
        answered = await task
        assert answered.answer == "undeliverable"
        assert "from outside" in answered.why
        assert asks.late(PUSH) is None  # nor when the same is asked again
        assert people(db).late(PUSH) is not None

    asyncio.run(run())


def test_an_answer_from_here_counts_when_nobody_waits_any_more(db: Database) -> None:
    async def run() -> None:
        asks = people(db, Chat(), external=False)
        request = asks.requests.open(PUSH)
        await asks.answer(request.id, "once", "ann")
        late = asks.late(PUSH)
        assert late is not None and late.id == request.id

    asyncio.run(run())


def test_a_flood_is_undeliverable(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        tasks = [asyncio.create_task(asks.ask(question(str(n)))) for n in range(10)]
        for _ in tasks:
            await chat.next()
        answered = await asks.ask(question("one more"))
        assert answered.answer == "undeliverable"
        assert "wait for an answer already" in answered.why
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    asyncio.run(run())


# -- cancelled, killed, broken


def test_a_cancelled_task_cancels_its_request(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        first, second = (asyncio.create_task(asks.ask(PUSH)) for _ in range(2))
        request = await chat.next()
        while len(asks._room._waits[request.id]) < 2:
            await asyncio.sleep(0)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert [item.id for item in asks.requests.pending()] == [request.id]
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        found = asks.requests.get(request.id)
        assert found is not None
        assert found.status == "cancelled"
        with pytest.raises(RequestError, match="cancelled already"):
            await asks.answer(request.id, "once", "ann")

    asyncio.run(run())


@pytest.mark.parametrize("turns", range(8))
def test_a_task_cancelled_at_any_moment_leaves_nothing_open(db: Database, turns: int) -> None:
    async def run() -> None:
        asks = people(db, Chat())
        task = asyncio.create_task(asks.ask(PUSH))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asks._room.do(lambda: None)
        assert asks.requests.pending() == []
        assert asks._room._waits == {}

    asyncio.run(run())


def test_a_database_that_vanishes_ends_the_wait(db: Database) -> None:
    async def vanish(_: ApprovalRequest) -> None:
        Path(db.path).unlink()

    answered = asked(PUSH, vanish, db)
    assert answered.answer == "undeliverable"
    assert "missing" in answered.why


def test_a_locked_database_stops_no_cancelling(tmp_path: Path) -> None:
    impatient = Database(tmp_path / "state.db", busy_seconds=0.01)

    async def run() -> None:
        chat = Chat()
        asks = people(impatient, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        await chat.next()
        with Database(tmp_path / "state.db").transaction():
            assert (await asks.ask(question("other"))).answer == "undeliverable"
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())


def test_a_request_that_is_gone_is_no_yes(db: Database) -> None:
    async def delete(_: ApprovalRequest) -> None:
        with db.transaction() as connection:
            connection.execute("DELETE FROM requests")

    assert asked(PUSH, delete, db).answer == "undeliverable"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"answer": "session"}, "this request offers"),
        ({"answer": ""}, "this request offers"),
        ({"decided_by": "main"}, "may answer"),
        ({"decided_by": ""}, "may answer"),
        ({"question": "{}"}, "damaged"),
        ({"seal": "another"}, "damaged"),
    ],
    ids=str,
)
def test_what_somebody_wrote_into_the_database_is_doubted(
    db: Database, change: dict[str, str], why: str
) -> None:
    async def forge(_: ApprovalRequest) -> None:
        row = {"status": "approved", "answer": "once", "decided": 1, "decided_by": "ann", **change}
        with db.transaction() as connection:
            assigned = ", ".join(f"{name} = :{name}" for name in row)
            connection.execute(f"UPDATE requests SET {assigned}", row)

    answered = asked(PUSH, forge, db)
    assert answered.answer == "undeliverable"
    assert why in answered.why


def test_an_answer_to_something_else_is_no_answer(db: Database) -> None:
    async def forge(_: ApprovalRequest) -> None:
        harmless = question("git status")
        with db.transaction() as connection:
            connection.execute(
                "UPDATE requests SET question = ?, seal = ?, status = 'approved', answer = 'once',"
                " decided = 1, decided_by = 'ann'",
                (question_json(harmless), harmless.seal),
            )

    answered = asked(PUSH, forge, db)
    assert answered.answer == "undeliverable"
    assert answered.why == "the request was changed after it was asked"


# -- signed


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A key of Ann's, which the gate knows."""
    pem, public = new_key()
    path = tmp_path / "ann.pem"
    path.write_bytes(pem)
    path.chmod(0o600)
    keys = tmp_path / KEYS_FILE
    keys.write_text(f"# approvers\nann {public}\n")
    keys.chmod(0o600)
    return path


SIGNED = question(signed=True)


def test_a_signed_answer_counts(db: Database, key: Path) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(SIGNED))
        request = await chat.next()
        good = sign(request.id, request.seal, "once", read_key(key))
        wrong = [
            None,
            "",
            "x",
            base64.b64encode(b"\0" * 64).decode(),
            sign("another", request.seal, "once", read_key(key)),
            sign(request.id, PUSH.seal, "once", read_key(key)),
            sign(request.id, request.digest, "once", read_key(key)),
        ]
        for signature in wrong:
            with pytest.raises(RequestError, match="sign"):
                await asks.answer(request.id, "once", "ann", signature)
        for answer in ("always", "deny"):
            with pytest.raises(RequestError, match="signature"):
                await asks.answer(request.id, answer, "ann", good)
        await asks.answer(request.id, "once", "ann", good)
        assert await task == Answered("once", "ann", request.id)

    asyncio.run(run())


def test_an_unsigned_yes_in_the_database_counts_for_nothing(db: Database, key: Path) -> None:
    async def forge(_: ApprovalRequest) -> None:
        with db.transaction() as connection:
            connection.execute(
                "UPDATE requests SET status = 'approved', answer = 'always', decided = 1,"
                " decided_by = 'ann', signature = 'AAAA'"
            )

    answered = asked(SIGNED, forge, db)
    assert answered.answer == "undeliverable"
    assert "signature" in answered.why


def test_a_signature_on_less_is_no_signature_on_more(db: Database, key: Path) -> None:
    async def forge(request: ApprovalRequest) -> None:
        signature = sign(request.id, request.seal, "once", read_key(key))
        with db.transaction() as connection:
            connection.execute(
                "UPDATE requests SET status = 'approved', answer = 'always', decided = 1,"
                " decided_by = 'ann', signature = ?",
                (signature,),
            )

    assert asked(SIGNED, forge, db).answer == "undeliverable"


# -- many


def test_a_thousand_at_once_all_get_an_answer(db: Database) -> None:
    async def run() -> None:
        chat = Chat()
        asks = people(db, chat)
        tasks = [
            asyncio.create_task(
                asks.ask(question(str(n), session=f"s{n % 100}", user=f"u{n % 50}"))
            )
            for n in range(1000)
        ]
        for number in range(MAX_PENDING):
            request = await chat.next()
            await asks.answer(request.id, "once" if number % 2 else "deny", request.user)
        # Each that is answered makes room for others, which then are delivered.
        done: set[asyncio.Task[Answered]] = set()
        while len(done) < len(tasks):
            while not chat.delivered.empty():
                request = await chat.next()
                await asks.answer(request.id, "once", request.user)
            done |= (await asyncio.wait(tasks, timeout=0))[0]
            await asyncio.sleep(0)
        found = [task.result() for task in tasks]
        assert {item.answer for item in found} <= {"once", "deny", "undeliverable"}
        yes = [item for item in found if item.answer == "once"]
        digests = {item.id: item.digest for item in asks.requests.list(limit=5000)}
        assert all(asks.requests.spend(item.request_id, digests[item.request_id]) for item in yes)
        assert asks.requests.pending() == []

    asyncio.run(run())


def test_several_event_loops_share_it(db: Database) -> None:
    chat_ready: list[ApprovalRequest] = []

    class Bridge:
        def __init__(self) -> None:
            self.people: People | None = None

        async def deliver(self, request: ApprovalRequest, text: str) -> bool:
            chat_ready.append(request)
            assert self.people is not None
            await self.people.answer(request.id, "once", "ann")
            return True

    bridge = Bridge()
    asks = bridge.people = people(db, bridge)
    found: list[Answered] = []

    def run(number: int) -> None:
        found.append(asyncio.run(asks.ask(question(str(number)))))

    threads = [Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [item.answer for item in found] == ["once"] * 8
    assert len(chat_ready) == 8


def test_its_thread_is_there_only_while_somebody_waits(db: Database) -> None:
    async def run() -> People:
        chat = Chat()
        asks = people(db, chat)
        task = asyncio.create_task(asks.ask(PUSH))
        request = await chat.next()
        await asks.answer(request.id, "once", "ann")
        await task
        return asks

    asks = asyncio.run(run())
    asks._room._thread.settle()
    assert asks._room._thread._thread is None
