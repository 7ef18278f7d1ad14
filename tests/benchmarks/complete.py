"""Single calls through the complete `echo` bundle, from the caller's dict, trace on."""

from __future__ import annotations

import gc
from itertools import cycle, islice
from time import perf_counter_ns
from typing import Any, Final

from callgate.engine import Engine

__all__ = ["CALLS", "percentiles"]

_WARM: Final = 2_000
_TIMES: Final = 20_000
_CONTEXT: Final = {
    "channel": "telegram",
    "sender_id": "user_123",
    "workspace": "/srv/app",
    "cwd": "/srv/app",
    "home": "/home/u",
}


def _call(tool: str, **args: str) -> dict[str, Any]:
    return {"tool": tool, "args": args, "context": _CONTEXT}


CALLS: Final[dict[str, list[dict[str, Any]]]] = {
    "read_file of a relative path": [_call("read_file", path="docs/readme.md")],
    "read_file, another path each time": [
        _call("read_file", path=f"docs/part{i % 97}/page{i}.md") for i in range(_WARM + _TIMES)
    ],
    "read_file as a gate sends it": [
        {
            **_call("read_file", path="docs/readme.md"),
            "declared": {"risk_level": "read_only", "capabilities": ["fs.read"]},
            "observed": {"time": "2026-12-01T09:00:00Z"},
        }
    ],
    "edit_file of a relative path": [
        _call("edit_file", path="docs/readme.md", old_text="a", new_text="b")
    ],
    "exec of `git status`": [_call("exec", command="git status")],
}


def percentiles(engine: Engine, calls: list[dict[str, Any]]) -> tuple[float, float]:
    """The median and the 99th percentile of single decisions, in microseconds."""
    decide = engine.decide
    turn = cycle(calls)
    for call in islice(turn, _WARM):
        decide(call)
    gc.collect()
    times = []
    for call in islice(turn, _TIMES):
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
