"""What has been done already: a call that is made again does nothing twice."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from hashlib import sha256
from typing import Final

from callgate.tools.tool import ToolResult

__all__ = ["ReplayMemory", "idempotency_key"]

_LONGEST_OUTPUT: Final = 65_536
"""Characters of an output that are worth remembering."""


def idempotency_key(trace_id: str, tool: str, index: int, params: bytes) -> str:
    """The first 24 hex digits of the SHA-256 over `trace:tool:index:params`. `index`: which call of
    the turn it is; `params`: their canonical JSON (sorted keys, no white space, UTF-8)."""
    text = f"{trace_id}:{tool}:{index}:".encode("utf-8", "surrogatepass")
    return sha256(text + params).hexdigest()[:24]


class ReplayMemory:
    """Remembers the calls with side effects that succeeded, the latest `limit` of them, and those
    that run now. For one event loop; a restart forgets."""

    def __init__(self, limit: int = 500) -> None:
        self._limit = limit
        self._done: OrderedDict[Hashable, ToolResult | None] = OrderedDict()
        self._running: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self._done)

    def knows(self, key: Hashable) -> bool:
        """Whether a call succeeded, and has not been forgotten."""
        return key in self._done

    def runs(self, key: Hashable) -> bool:
        """Whether a call runs now."""
        return key in self._running

    def result(self, key: Hashable) -> ToolResult | None:
        """What a call came to; None if that was too long to keep, or nothing is known."""
        return self._done.get(key)

    def begin(self, key: Hashable) -> None:
        """Note that a call runs."""
        self._running.add(key)

    def end_late(self, key: Hashable, succeeded: bool) -> None:
        """Note that a call ended which nobody waited for any more: if it succeeded, it has been
        done, and what it gave is not known."""
        self._running.discard(key)
        if succeeded:
            self._keep(key, None)

    def end(self, key: Hashable, result: ToolResult | None) -> None:
        """Note that a call ended; `result` is None where nothing came of it."""
        self._running.discard(key)
        if result is None or not result.success:
            return
        self._keep(key, result if len(result.output) <= _LONGEST_OUTPUT else None)

    def _keep(self, key: Hashable, result: ToolResult | None) -> None:
        self._done[key] = result
        self._done.move_to_end(key)
        while len(self._done) > self._limit:
            self._done.popitem(last=False)
