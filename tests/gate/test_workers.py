"""The gate's own threads: they depend on no pool of the program's, and no end of it on them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from callgate.gate.addresses import look_up
from callgate.gate.gate import ApprovalGate
from callgate.gate.observe import LocalObserver
from callgate.gate.requests import ApprovalRequest
from callgate.gate.state import StateFolder
from callgate.gate.workers import Workers
from tests.gate.chat import Chat, people_of
from tests.gate.gating import Seen, call, engine

LATE = 60.0
"""Seconds after which something hangs."""


class Prompt(Chat):
    """A chat that needs no thread of the program's."""

    async def deliver(self, request: ApprovalRequest, text: str) -> bool:
        """See `callgate.gate.people.Channel`."""
        assert self.people is not None
        await self.people.answer(request.id, self.answers.pop(0), self.by)
        return True


def with_a_full_pool(work: Callable[[], Awaitable[Any]]) -> Any:
    """Do something in an event loop whose own pool has no thread to spare."""

    async def main() -> Any:
        hold = threading.Event()
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        held = [loop.run_in_executor(None, hold.wait) for _ in range(3)]
        try:
            async with asyncio.timeout(LATE):
                return await work()
        finally:
            hold.set()
            await asyncio.gather(*held)

    return asyncio.run(main())


def test_a_check_needs_no_pool_of_the_program(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / "state")
    people = people_of(state, [Prompt("session")])
    gate = ApprovalGate(engine(), state=state, observer=Seen(), people=people)
    asked = call("deploy", version="1")
    first = with_a_full_pool(lambda: gate.check(asked))
    assert first.approval_source == "human"
    assert with_a_full_pool(lambda: gate.check(asked)).grant_id


def test_a_look_needs_no_pool_of_the_program(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/elsewhere")
    many = [str(tmp_path.resolve() / name) for name in ("link", *map(str, range(300)))]
    seen = with_a_full_pool(lambda: LocalObserver().observe(many, ()))
    assert list(seen.links.values()) == ["/elsewhere"]
    assert with_a_full_pool(lambda: look_up(["localhost"], LATE))["localhost"]


def test_at_most_so_many_work_at_once_and_all_is_done() -> None:
    workers = Workers("test", 3)
    lock = threading.Lock()
    inside: list[int] = []
    names: set[int] = set()
    barrier = threading.Barrier(3)

    def job(number: int, *, meet: bool = False) -> int:
        with lock:
            inside.append(number)
            assert len(inside) <= 3
            names.add(threading.get_ident())
        if meet:
            barrier.wait(LATE)  # the three are there at once
        with lock:
            inside.remove(number)
        return number

    async def main() -> list[int]:
        met = [workers.do(job, number, meet=True) for number in range(3)]
        return await asyncio.gather(*met, *(workers.do(job, number) for number in range(3, 100)))

    for _ in range(2):  # for one event loop after the other
        assert asyncio.run(main()) == list(range(100))
    assert len(names) == 3


def test_one_that_waits_is_used_again() -> None:
    workers = Workers("test", 5)

    async def main() -> set[int]:
        return {await workers.do(threading.get_ident) for _ in range(20)}

    assert len(asyncio.run(main())) == 1


def test_what_is_raised_is_raised_and_what_is_cancelled_in_the_queue_is_not_done() -> None:
    workers = Workers("test", 1)
    hold = threading.Event()
    done: list[int] = []

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await workers.do(lambda: 1 // 0)
        first = asyncio.create_task(workers.do(hold.wait))
        second = asyncio.create_task(workers.do(done.append, 1))
        await asyncio.sleep(0)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        hold.set()
        await first
        await workers.do(done.append, 2)

    asyncio.run(main())
    assert done == [2]


_FORKED = """
import asyncio, os
from callgate.gate.workers import DISK
assert asyncio.run(DISK.do(os.getpid)) == os.getpid()
child = os.fork()
if not child:
    os._exit(0 if asyncio.run(DISK.do(os.getpid)) == os.getpid() else 1)
assert os.waitpid(child, 0)[1] == 0
"""
_HUNG = """
import asyncio, threading
from callgate.gate.workers import DISK
begun = threading.Event()
def job():
    begun.set()
    threading.Event().wait()
async def main():
    task = asyncio.create_task(DISK.do(job))
    while not begun.is_set():
        await asyncio.sleep(0)
    task.cancel()
asyncio.run(main())
"""


@pytest.mark.parametrize("code", [_FORKED, _HUNG], ids=["forked", "hung"])
def test_a_process_may_fork_and_end(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, timeout=LATE)
