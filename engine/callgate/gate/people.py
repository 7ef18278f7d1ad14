"""Asks people, and waits for one of them: in this process, or in any other that opens the state.

One thread does all that waits for the disk. While somebody waits it looks, a few times a second,
whether another process has written to the database; that costs a few microseconds.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

from callgate.gate.answerers import LOCAL
from callgate.gate.clock import Clock, now
from callgate.gate.requests import ApprovalRequest, Question, RequestError, Requests
from callgate.gate.showing import text_of
from callgate.gate.state import StateError
from callgate.gate.waiting_room import Wait, WaitingRoom
from callgate.gate.wrong_types import check_database

if TYPE_CHECKING:
    from callgate.gate.database import Database

__all__ = ["Answer", "Answered", "Channel", "LocalChannel", "People"]

_LOG: Final = logging.getLogger("callgate.gate")

Answer = Callable[[str, str, str], Any]
"""Takes the id of a request, an answer and who gives it; raises RequestError, StateError."""


class Channel(Protocol):
    """A way to people, as a chat."""

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        """Show a request to whoever may answer it; whether it arrived. `text`: all they have to
        see, to be shown as it is. The answer comes by `People.answer`. It may be cancelled."""
        ...


@runtime_checkable
class LocalChannel(Protocol):
    """A channel to somebody at this machine: it answers by itself, and hears when a request has
    ended."""

    def connect(self, answer: Answer) -> None:
        """Take the function that answers."""
        ...

    def settled(self, request: ApprovalRequest) -> None:
        """A request that was delivered has ended."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking. `answer`: a level, `deny`, `timeout`, or `undeliverable` when nobody
    could be asked; `by`: who gave it; `why`: why nobody could be asked, or why an answer didn't
    count."""

    answer: str
    by: str = ""
    request_id: str = ""
    why: str = ""


class People:
    """Asks people about calls. One for all tasks and event loops of a process.

    `db`: the gate's database. `channels`: the ways to people; with none, only those are asked who
    look for themselves: `callgate approvals`. `external`: whether answers by them count. `clock`:
    gives the present time; `poll_seconds`: how often to look for what other processes did.
    """

    def __init__(
        self,
        db: Database,
        channels: Sequence[Channel] = (),
        *,
        external: bool = True,
        clock: Clock = now,
        poll_seconds: float = 0.2,
    ) -> None:
        check_database(db)
        self.requests = Requests(db, clock)
        self._channels = tuple(channels)
        self._external = external
        self._clock = clock
        self._room = WaitingRoom(db, self.requests, poll_seconds)
        for channel in self._channels:
            if isinstance(channel, LocalChannel):
                channel.connect(self._answer_here)

    # -- asking

    async def ask(self, question: Question) -> Answered:
        """Ask, and wait for the answer, until `question.wait_seconds` are over. A task that is
        cancelled meanwhile cancels its request. Raises nothing else: what fails is
        `undeliverable`."""
        if not self._channels and not self._external:
            return Answered("undeliverable", why="there is nobody who could be asked")
        wait = Wait()
        try:
            request = await self._room.enter(wait, question)
            if wait.first:
                self._start_delivery(wait, request)
            why = await self._wait(wait, request, question.wait_seconds)
            if why:
                await self._room.do(partial(self.requests.withdraw, request.id))
                return Answered("undeliverable", request_id=request.id, why=why)
            return await self._room.do(partial(self._outcome, question, request.id))
        except asyncio.CancelledError:
            # Where it can't be cancelled it expires; nobody spends what it may be answered.
            with suppress(StateError):
                await self._room.do(partial(self._cancel, wait))
            raise
        except (StateError, RequestError) as error:
            return Answered("undeliverable", why=str(error))
        finally:
            if await self._room.leave(wait) and wait.request is not None:
                wait.delivered.cancel()
                self._tell_settled(wait.request)

    async def _wait(self, wait: Wait, request: ApprovalRequest, seconds: float) -> str:
        """Wait until the request has ended or its time is over; why nobody was reached, or ""."""
        # The end is on the clock, the wait on a timer that nobody can set back.
        left = min(seconds, request.seconds_left(self._clock()))
        over = asyncio.create_task(wait.ended())
        arrived = asyncio.shield(asyncio.wrap_future(wait.delivered))
        try:
            async with asyncio.timeout(left):
                await asyncio.wait((arrived, over), return_when=asyncio.FIRST_COMPLETED)
                if not over.done() and not arrived.result():
                    return "the request could not be delivered to anybody"
                await over
        except TimeoutError:
            pass
        finally:
            over.cancel()
            arrived.cancel()
        return ""

    def _start_delivery(self, wait: Wait, request: ApprovalRequest) -> None:
        """Deliver beside the waiting. It goes on while anybody waits for this request."""
        task = asyncio.create_task(self._deliver(request))
        loop = asyncio.get_running_loop()

        def arrived(done: asyncio.Task[bool]) -> None:
            if not done.cancelled() and not wait.delivered.done():
                wait.delivered.set_result(done.result())

        def dropped(future: Future[bool]) -> None:
            if future.cancelled() and not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

        task.add_done_callback(arrived)
        wait.delivered.add_done_callback(dropped)

    async def _deliver(self, request: ApprovalRequest) -> bool:
        """Deliver on all ways at once; whether it arrived on any, or there are none."""
        if not self._channels:
            return True
        text = text_of(request, self._clock())
        tries = [
            asyncio.create_task(self._try(channel, request, text)) for channel in self._channels
        ]
        try:
            return any(await asyncio.gather(*tries))
        finally:
            for one in tries:
                one.cancel()

    async def _try(self, channel: Channel, request: ApprovalRequest, text: str) -> bool:
        try:
            return await channel.deliver(request, text) is True
        except Exception as error:
            _LOG.warning(
                "a request was not delivered by %s: %s",
                type(channel).__name__,
                type(error).__name__,
            )
            return False

    def _outcome(self, question: Question, id: str) -> Answered:
        """What became of a request; one that still waits has had its time."""
        self.requests.give_up(id)
        request = self.requests.get(id)
        if request is None:
            return Answered("undeliverable", "", id, "the request is gone")
        if request.status == "approved":
            why = self.requests.doubt(question, request)
            if not why and not self._ours(request):
                why = "the answer does not count: it came from outside"
            if why:
                return Answered("undeliverable", request.decided_by, id, why)
            return Answered(request.answer, request.decided_by, id)
        if request.status == "denied":
            return Answered("deny", request.decided_by, id)
        if request.status == "cancelled":
            return Answered("undeliverable", "", id, "the request was cancelled")
        return Answered("timeout", "", id)

    def late(self, question: Question) -> ApprovalRequest | None:
        """A yes to this very question that came when nobody waited any more, or None. It blocks;
        raises StateError."""
        return self.requests.unspent(question, self._ours)

    def _ours(self, request: ApprovalRequest) -> bool:
        """Whether an answer came on a way that counts."""
        return self._external or self._room.gave(request.id, request.answer)

    def _cancel(self, wait: Wait) -> None:
        if wait.request is not None:
            self.requests.cancel(wait.request.id)

    def _tell_settled(self, request: ApprovalRequest) -> None:
        for channel in self._channels:
            if isinstance(channel, LocalChannel):
                channel.settled(request)

    # -- answering

    async def answer(
        self, request_id: str, answer: str, by: str, signature: str | None = None
    ) -> ApprovalRequest:
        """Answer a request: for whoever carries people's answers, as a chat bridge.

        `answer`: one of its levels, or `deny`. `by`: who gave it, as the bridge knows them for
        sure; what an agent says is nobody's answer. `signature`: theirs, where the policy wants
        one. Raises RequestError when it doesn't count, and StateError.
        """
        if by.startswith(LOCAL):
            raise RequestError(f"`{LOCAL}…` is who sits at this machine, not in a chat")
        return await self._room.do(
            partial(self._room.answer, request_id, answer, by, signature, "callback")
        )

    def _answer_here(self, request_id: str, answer: str, by: str) -> Any:
        return self._room.later(
            partial(self._room.answer, request_id, answer, by, None, "terminal")
        )
