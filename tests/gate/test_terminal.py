"""The prompt on a terminal: a real one, on which nobody else's words count."""

from __future__ import annotations

import asyncio
import os
import pty
import select
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from callgate.gate.database import Database
from callgate.gate.people import Answered, People
from callgate.gate.requests import Requests
from callgate.gate.terminal import TerminalPrompt
from tests.gate.asking import question

PUSH = question()


class Screen:
    """The other end of a terminal: what a person sees and types."""

    def __init__(self) -> None:
        self.end, self.device = pty.openpty()
        self.path = Path(os.ttyname(self.device))
        self.seen = ""

    def until(self, text: str) -> str:
        """Read until a text was shown; gives what was shown since the last time."""
        while text not in self.seen:
            assert select.select([self.end], [], [], 20)[0], f"never shown: {text}; {self.seen}"
            self.seen += os.read(self.end, 65_536).decode()
        shown, found, self.seen = self.seen.partition(text)
        return shown + found

    def type(self, text: str) -> None:
        os.write(self.end, text.encode())

    def close(self) -> None:
        for handle in (self.end, self.device):
            os.close(handle)


@pytest.fixture
def screen() -> Iterator[Screen]:
    found = Screen()
    yield found
    found.close()


def people(db: Database, screen: Screen, by: str = "ann") -> People:
    return People(db, [TerminalPrompt(by, terminal=screen.path)], poll_seconds=0.01)


@pytest.mark.parametrize("answer", ["once", "always", "deny"])
def test_a_person_types_an_answer(db: Database, screen: Screen, answer: str) -> None:
    async def run() -> Answered:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        shown = await asyncio.to_thread(screen.until, "Answer (once, always, deny): ")
        assert "• connects to origin" in shown
        assert "│ command: git push" in shown
        screen.type(f"  {answer.upper()} \n")
        answered = await task
        await asyncio.to_thread(screen.until, "Thank you.")
        return answered

    answered = asyncio.run(run())
    assert (answered.answer, answered.by) == (answer, "ann")


def test_other_words_are_no_answer(db: Database, screen: Screen) -> None:
    async def run() -> None:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        await asyncio.to_thread(screen.until, "): ")
        for word in ("", "y", "yes", "session", "once always", "o"):
            screen.type(f"{word}\n")
            await asyncio.to_thread(screen.until, "Type one of once, always, deny.")
            await asyncio.to_thread(screen.until, "): ")
        assert not task.done()
        screen.type("deny\n")
        assert (await task).answer == "deny"

    asyncio.run(run())


def test_what_was_typed_before_does_not_count(db: Database, screen: Screen) -> None:
    screen.type("once\nalways\nonc")

    async def run() -> None:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        await asyncio.to_thread(screen.until, "): ")
        assert not task.done()
        screen.type("deny\n")
        assert (await task).answer == "deny"

    asyncio.run(run())


def test_a_terminal_that_gives_single_keys_will_do(db: Database, screen: Screen) -> None:
    tty.setcbreak(screen.device)

    async def run() -> None:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        await asyncio.to_thread(screen.until, "): ")
        for key in "once\r":
            screen.type(key)
        assert (await task).answer == "once"

    asyncio.run(run())


def test_one_is_shown_after_the_other(db: Database, screen: Screen) -> None:
    async def run() -> None:
        asks = people(db, screen)
        first = asyncio.create_task(asks.ask(question("first")))
        shown = await asyncio.to_thread(screen.until, "): ")
        assert "command: first" in shown
        second = asyncio.create_task(asks.ask(question("second")))
        while len(asks.requests.pending()) < 2:
            await asyncio.sleep(0)
        screen.type("deny\n")
        assert (await first).answer == "deny"
        shown = await asyncio.to_thread(screen.until, "): ")
        assert "command: second" in shown
        screen.type("once\n")
        assert (await second).answer == "once"

    asyncio.run(run())


def test_a_request_that_ends_elsewhere_is_taken_back(db: Database, screen: Screen) -> None:
    async def run() -> None:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        await asyncio.to_thread(screen.until, "): ")
        requests = Requests(db)
        requests.answer(requests.pending()[0].id, "deny", "ann")
        assert (await task).answer == "deny"
        await asyncio.to_thread(screen.until, "(this request has ended)")

    asyncio.run(run())


def test_a_cancelled_call_is_taken_back(db: Database, screen: Screen) -> None:
    async def run() -> None:
        task = asyncio.create_task(people(db, screen).ask(PUSH))
        await asyncio.to_thread(screen.until, "): ")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.to_thread(screen.until, "(this request has ended)")

    asyncio.run(run())


@pytest.mark.parametrize(
    ("asked", "by"),
    [
        (PUSH, "bob"),
        (PUSH, ""),
        (question(approvers=("eve",)), "ann"),
        (question(signed=True), "ann"),
    ],
)
def test_whoever_may_not_answer_is_not_asked(
    db: Database, screen: Screen, asked: object, by: str
) -> None:
    answered = asyncio.run(people(db, screen, by).ask(asked))  # type: ignore[arg-type]
    assert answered.answer == "undeliverable"
    assert not select.select([screen.end], [], [], 0)[0]


def test_the_operator_answers_where_no_user_is_known(db: Database, screen: Screen) -> None:
    async def run() -> Answered:
        task = asyncio.create_task(people(db, screen, "").ask(question(user="")))
        await asyncio.to_thread(screen.until, "): ")
        screen.type("once\n")
        return await task

    assert asyncio.run(run()).by.startswith("local:")


def test_a_pipe_is_no_terminal(db: Database, tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path / "file"):
        if place.name == "file":
            place.write_text("once\n")
        asks = People(db, [TerminalPrompt("ann", terminal=place)], poll_seconds=0.01)
        assert asyncio.run(asks.ask(PUSH)).answer == "undeliverable"


def test_nothing_shown_can_move_the_cursor(db: Database, screen: Screen) -> None:
    async def run() -> None:
        evil = question(user="ann", session="s\x1b[2J\u202e", channel="\x1b]0;x\x07")
        task = asyncio.create_task(people(db, screen).ask(evil))
        shown = await asyncio.to_thread(screen.until, "): ")
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        screen.type("deny\n")
        await task

    asyncio.run(run())
