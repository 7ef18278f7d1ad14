"""Single calls through the complete `echo` bundle, from the caller's dict, trace on."""

from __future__ import annotations

import gc
from time import perf_counter_ns
from typing import Any, Final

from callgate.engine import Engine

__all__ = ["CALLS", "percentiles"]

_TIMES: Final = 20_000
_CONTEXT: Final = {
    "channel": "telegram",
    "sender_id": "user_123",
    "workspace": "/srv/app",
    "cwd": "/srv/app",
    "home": "/home/u",
}

CALLS: Final[dict[str, dict[str, Any]]] = {
    "read_file of a relative path": {
        "tool": "read_file",
        "args": {"path": "docs/readme.md"},
        "context": _CONTEXT,
    },
    "edit_file of a relative path": {
        "tool": "edit_file",
        "args": {"path": "docs/readme.md", "old_text": "a", "new_text": "b"},
        "context": _CONTEXT,
    },
    "exec of `git status`": {
        "tool": "exec",
        "args": {"command": "git status"},
        "context": _CONTEXT,
    },
}


def percentiles(engine: Engine, call: dict[str, Any]) -> tuple[float, float]:
    """The median and the 99th percentile of single decisions, in microseconds."""
    decide = engine.decide
    for _ in range(2_000):
        decide(call)
    gc.collect()
    times = []
    for _ in range(_TIMES):
        start = perf_counter_ns()
        decide(call)
        times.append(perf_counter_ns() - start)
    empty = []
    for _ in range(_TIMES):
        start = perf_counter_ns()
        empty.append(perf_counter_ns() - start)
    times.sort()
    clock = sorted(empty)[_TIMES // 2]
    return (times[_TIMES // 2] - clock) / 1e3, (times[_TIMES * 99 // 100] - clock) / 1e3
