"""Callers that wait for people, and the thread that looks after them.

The thread does one thing after the other, so that a call's request is opened before it is
cancelled, and it is there only while somebody waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from callgate.gate.background import Background
from callgate.gate.requests import ApprovalRequest, Question, Requests
from callgate.gate.state import StateError

if TYPE_CHECKING:
    from callgate.gate.database import Database

__all__ = ["Wait", "WaitingRoom"]

T = TypeVar("T")

_PENDING: Final = "pending"
_MOST_GIVEN: Final = 1000
"""How many answers are remembered; many more than can be given before the first is too old."""


class Wait:
    """One caller that waits. `request`: what it waits for, once that is opened; `first`: whether
    nobody else in this process waited for the same, so that it has to be delivered; `delivered`:
    what comes of that, the same for all that wait."""

    def __init__(self) -> None:
        self.request: ApprovalRequest | None = None
        self.first = False
        self.delivered: Future[bool] = Future()
        self._over: Future[None] = Future()

    async def ended(self) -> None:
        """Wait until the request is not pending any more. Raises StateError when nobody can tell
        that any more."""
        await asyncio.shield(asyncio.wrap_future(self._over))

    def end(self, error: StateError | None = None) -> None:
        """Wake the caller up."""
        with suppress(InvalidStateError):
            if error is None:
                self._over.set_result(None)
            else:
                self._over.set_exception(error)


class WaitingRoom:
    """Keeps who waits for which request. `poll_seconds`: how often it looks for what other
    processes did, while somebody waits."""

    def __init__(self, db: Database, requests: Requests, poll_seconds: float) -> None:
        self._db = db
        self._requests = requests
        self._poll_seconds = poll_seconds
        self._jobs: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._lock = Lock()
        self._waits: dict[str, list[Wait]] = {}
        self._given: dict[str, str] = {}
        self._seen: tuple[Any, int] | None = None
        self._next_look = 0.0
        self._thread = Background("callgate-people", self._round, self._busy)

    # -- for callers, in any thread

    async def enter(self, wait: Wait, question: Question) -> ApprovalRequest:
        """Open a caller's request, and let it wait. Raises RequestError, StateError. It must
        `leave`."""
        return await self.do(lambda: self._enter(wait, question))

    async def leave(self, wait: Wait) -> bool:
        """A caller waits no more; whether it was the last one for its request."""
        return await self.do(lambda: self._leave(wait))

    def gave(self, id: str, answer: str) -> bool:
        """Whether this process itself took an answer to a request, not too long ago."""
        with self._lock:
            return self._given.get(id) == answer

    def answer(
        self, id: str, answer: str, by: str, signature: str | None, via: str
    ) -> ApprovalRequest:
        """Answer a request, and wake who waits for it; to be done in the thread. Raises
        RequestError, StateError."""
        request = self._requests.answer(id, answer, by, signature, via=via)
        with self._lock:
            waits = self._waits.get(id, ())
            # Kept when nobody waits any more, too: the same call may be made again.
            self._given[id] = answer
            if len(self._given) > _MOST_GIVEN:
                del self._given[next(iter(self._given))]
        for wait in waits:
            wait.end()
        return request

    async def do(self, job: Callable[[], T]) -> T:
        """Do something in the thread, and wait for what comes of it. When the caller is cancelled,
        it is done all the same."""
        return await asyncio.shield(asyncio.wrap_future(self.later(job)))

    def later(self, job: Callable[[], T]) -> Future[T]:
        """Do something in the thread, after what was to be done before."""
        future: Future[T] = Future()

        def run() -> None:
            try:
                result = job()
            except BaseException as error:
                with suppress(InvalidStateError):
                    future.set_exception(error)
            else:
                with suppress(InvalidStateError):
                    future.set_result(result)

        self._jobs.put(run)
        self._thread.wake()
        return future

    # -- in the thread

    def _enter(self, wait: Wait, question: Question) -> ApprovalRequest:
        request = wait.request = self._requests.open(question)
        with self._lock:
            waits = self._waits.setdefault(request.id, [])
            wait.first = not waits
            if waits:
                wait.delivered = waits[0].delivered
            waits.append(wait)
        return request

    def _leave(self, wait: Wait) -> bool:
        if wait.request is None:
            return False
        with self._lock:
            waits = self._waits[wait.request.id]
            waits.remove(wait)
            if waits:
                return False
            del self._waits[wait.request.id]
        return True

    def _busy(self) -> bool:
        return bool(self._waits) or not self._jobs.empty()

    def _round(self) -> None:
        """Do what is to be done; and look what others did, from time to time."""
        left = self._next_look - monotonic() if self._waits else 0.0
        try:
            job = self._jobs.get(timeout=left) if left > 0 else self._jobs.get_nowait()
        except Empty:
            job = None
        if job is not None:
            job()
            self._seen = None  # it may have written
        if self._waits and monotonic() >= self._next_look:
            self._look()
            self._next_look = monotonic() + self._poll_seconds

    def _look(self) -> None:
        with self._lock:
            waits = {id_: list(found) for id_, found in self._waits.items()}
        if not waits:
            return
        try:
            if self._requests.expire():
                self._seen = None  # one's own changes don't show in the version
            connection = self._db.read()
            version = connection.execute("PRAGMA data_version").fetchone()[0]
            if self._seen == (connection, version):
                return
            for id_, found in waits.items():
                request = self._requests.get(id_)
                if request is None or request.status != _PENDING:
                    for wait in found:
                        wait.end()
            self._seen = connection, version
        except StateError as error:
            for found in waits.values():
                for wait in found:
                    wait.end(error)
