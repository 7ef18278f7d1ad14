"""One after the other: what does the same in one session is not reviewed twice at once.

Otherwise an agent could ask in a hundred ways at the same time, and the first yes would win.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

__all__ = ["Turns"]

_Key = tuple[asyncio.AbstractEventLoop, str]


class Turns:
    """Who is being reviewed now. It reaches no further than one event loop: between processes the
    refusals that are stored have to do."""

    def __init__(self) -> None:
        self._busy: Final[dict[_Key, list[tuple[frozenset[str], asyncio.Event]]]] = {}

    @asynccontextmanager
    async def turn(self, session: str, marks: frozenset[str]) -> AsyncIterator[None]:
        """Wait until no call with one of these marks is under review in a session; while inside,
        others wait."""
        key = (asyncio.get_running_loop(), session)
        while (over := self._overlap(key, marks)) is not None:
            await over.wait()
        mine = (marks, asyncio.Event())
        busy = self._busy.setdefault(key, [])
        busy.append(mine)
        try:
            yield
        finally:
            busy.remove(mine)
            if not busy:
                del self._busy[key]
            mine[1].set()

    def _overlap(self, key: _Key, marks: frozenset[str]) -> asyncio.Event | None:
        """What to wait for."""
        found = (over for others, over in self._busy.get(key, ()) if others & marks)
        return next(found, None)
