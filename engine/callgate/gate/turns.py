"""One after the other: in one session there is one review at a time.

Otherwise an agent could ask in a hundred ways at once: the first yes would win, and the limit of
refusals would come too late.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

__all__ = ["PATIENCE", "Turns"]

PATIENCE: Final = 120.0
"""Seconds that a call waits for its turn."""

_Key = tuple[asyncio.AbstractEventLoop, str]


@dataclass(slots=True)
class _Queue:
    """A session's turns. `count`: who is in it or waits."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    count: int = 0


class Turns:
    """Whose call is being reviewed now. It reaches no further than one event loop: between
    processes the refusals that are stored have to do. `patience`: seconds to wait for a turn."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._queues: Final[dict[_Key, _Queue]] = {}

    @asynccontextmanager
    async def turn(self, session: str) -> AsyncIterator[bool]:
        """Wait until no other call of a session is under review; while inside, others wait, in
        their order. Gives False, and no turn, where that took too long."""
        key = (asyncio.get_running_loop(), session)
        queue = self._queues.setdefault(key, _Queue())
        queue.count += 1
        try:
            mine = await self._acquire(queue.lock)
            try:
                yield mine
            finally:
                if mine:
                    queue.lock.release()
        finally:
            queue.count -= 1
            if not queue.count:
                del self._queues[key]

    async def _acquire(self, lock: asyncio.Lock) -> bool:
        try:
            async with asyncio.timeout(self._patience):
                return await lock.acquire()
        except TimeoutError:
            return False
