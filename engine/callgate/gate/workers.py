"""Threads for what waits for a disk or a resolver: the gate's own.

A program that fills its event loop's pool holds up no check. A thread that waits for ever holds up
no end of the process.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, ParamSpec, TypeVar
from weakref import WeakSet

__all__ = ["DISK", "Workers"]

P = ParamSpec("P")
T = TypeVar("T")

_ALL: Final[WeakSet[Workers]] = WeakSet()
_Job = tuple[Future[Any], Callable[[], Any]]


class Workers:
    """At most `most` threads that do one thing after the other, for any number of event loops.
    `name`: what they are called. Each is started when all others are busy."""

    def __init__(self, name: str, most: int) -> None:
        self._name = name
        self._most = most
        self.forget()
        _ALL.add(self)

    def forget(self) -> None:
        """Begin anew in a process that was forked: the threads are not in it."""
        self._lock = Lock()
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._count = 0
        self._idle = 0

    async def do(self, job: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call something in a thread, and wait for what comes of it; raises what it raises. When
        the caller is cancelled, it is done all the same if it has begun."""
        future: Future[T] = Future()
        with self._lock:
            # A job finds a thread that waits, or gets a new one, or stands in the queue.
            if self._idle:
                self._idle -= 1
            elif self._count < self._most:
                Thread(target=self._run, args=(self._jobs,), name=self._name, daemon=True).start()
                self._count += 1
            self._jobs.put((future, partial(job, *args, **kwargs)))
        return await asyncio.wrap_future(future)

    def _run(self, jobs: SimpleQueue[_Job]) -> None:
        while True:
            self._one(*jobs.get())

    def _one(self, future: Future[Any], job: Callable[[], Any]) -> None:
        tell = _done(future, job)
        with self._lock:
            self._idle += 1
        # Only now: whoever is told may have another job at once.
        tell()


def _done(future: Future[Any], job: Callable[[], Any]) -> Callable[[], None]:
    """Do a job, unless it was cancelled; how to tell what came of it."""
    if not future.set_running_or_notify_cancel():
        return _nothing
    try:
        return partial(future.set_result, job())
    except BaseException as error:
        return partial(future.set_exception, error)


def _nothing() -> None:
    pass


def _forked() -> None:
    for workers in _ALL:
        workers.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)

DISK: Final = Workers("callgate-disk", 16)
"""For whatever waits for the gate's database or its files."""
