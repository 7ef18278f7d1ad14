"""Figures of the live gate: a check against the bare walk, many at once, and its memory.

`python -m tests.benchmarks.gate [DECISIONS]`: how many decisions the memory is watched over.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from callgate.engine import Engine
from callgate.gate.gate import ApprovalGate
from callgate.gate.live_policy import LivePolicy
from callgate.gate.state import StateFolder

__all__ = ["CALLS", "at_once", "memory", "ratio", "resident"]

_BATCH: Final = 50
_ROUNDS: Final = 600
"""Many short batches: other work of the machine then falls between two more often than into one."""
_AT_ONCE: Final = 1_000
_DECISIONS: Final = 1_000_000


def _calls(folder: Path) -> dict[str, dict[str, Any]]:
    """Calls whose paths are there, below a workspace as deep as they are in life."""
    workspace = folder.resolve() / "srv" / "app"
    (workspace / "docs").mkdir(parents=True, exist_ok=True)
    (workspace / "docs" / "readme.md").write_text("read me")
    context = {
        "channel": "cli",
        "sender_id": "user_123",
        "session_key": "cli:1",
        "workspace": str(workspace),
        "cwd": str(workspace),
        "home": "/home/u",
    }
    return {
        "git status": {"tool": "exec", "args": {"command": "git status"}, "context": context},
        "read_file of a relative path": {
            "tool": "read_file",
            "args": {"path": "docs/readme.md"},
            "context": context,
        },
    }


CALLS: Final = ("git status", "read_file of a relative path")


async def _ratio(gate: ApprovalGate, call: Mapping[str, Any]) -> tuple[float, float, float]:
    """Microseconds of the bare walk and of a check (medians of batches that take turns), and the
    median of the batches' ratios."""
    decide = gate.policy.program.decide
    walks, checks = [], []
    for _ in range(_ROUNDS):
        start = perf_counter()
        for _ in range(_BATCH):
            decide(call)
        walks.append((perf_counter() - start) / _BATCH * 1e6)
        start = perf_counter()
        for _ in range(_BATCH):
            await gate.check(call)
        checks.append((perf_counter() - start) / _BATCH * 1e6)
    ratios = [check / walk for check, walk in zip(checks, walks, strict=True)]
    return median(walks), median(checks), median(ratios)


def ratio(gate: ApprovalGate, call: Mapping[str, Any]) -> tuple[float, float, float]:
    """See `_ratio`; with an event loop of its own."""
    return asyncio.run(_ratio(gate, call))


async def _at_once(gate: ApprovalGate, call: Mapping[str, Any], count: int) -> list[float]:
    start = perf_counter()

    async def one() -> float:
        await gate.check(call)
        return perf_counter() - start

    return sorted(await asyncio.gather(*(one() for _ in range(count))))


def at_once(
    gate: ApprovalGate, call: Mapping[str, Any], count: int = _AT_ONCE
) -> tuple[float, float]:
    """The median and the 99th percentile of when checks that begin at once are done, in
    milliseconds."""
    asyncio.run(_at_once(gate, call, count))
    times = asyncio.run(_at_once(gate, call, count))
    return times[count // 2] * 1e3, times[count * 99 // 100] * 1e3


async def _memory(gate: ApprovalGate, folder: Path, decisions: int) -> list[int]:
    """Resident kilobytes at the beginning and after each tenth."""
    calls = list(_calls(folder).values())
    sizes = []
    for number in range(decisions + 1):
        call = calls[number % len(calls)]
        if number % 3 == 0:
            # Texts that were never seen: what is remembered of them has bounds.
            args = (
                {"command": f"echo {number}"} if call["tool"] == "exec" else {"path": f"f{number}"}
            )
            call = {**call, "args": args}
        await gate.check(call)
        if number % (decisions // 10) == 0:
            gc.collect()
            sizes.append(resident())
    return sizes


def memory(gate: ApprovalGate, folder: Path, decisions: int = _DECISIONS) -> list[int]:
    """Resident kilobytes over so many decisions: at the beginning, and after each tenth."""
    return asyncio.run(_memory(gate, folder, decisions))


def resident() -> int:
    """Kilobytes of this process in memory."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def main() -> None:
    """Print all figures."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else _DECISIONS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        state = StateFolder(folder / "state")
        gates = {
            "an engine": ApprovalGate(Engine.load("echo")),
            "a live policy with its state": ApprovalGate(
                LivePolicy("echo", state=state), state=state, records=False
            ),
            "the same with records": ApprovalGate(LivePolicy("echo", state=state), state=state),
        }
        print("A check that asks nobody, against the bare walk (aim ≤ 3 × without records)")
        for label, gate in gates.items():
            for what, call in _calls(folder).items():
                walk, check, times = ratio(gate, call)
                print(f"  {what}, {label}: {walk:.1f} µs, {check:.1f} µs, {times:.2f} ×")
        print(f"{_AT_ONCE:,} checks at once")
        for what, call in _calls(folder).items():
            middle, late = at_once(gate, call)
            print(f"  {what}: p50 {middle:.1f} ms, p99 {late:.1f} ms")
        print(f"Memory over {decisions:,} decisions, MB, after each tenth")
        print("  " + " ".join(f"{size / 1024:.1f}" for size in memory(gate, folder, decisions)))
        del gate
        gates.clear()  # which closes the records before their folder goes


if __name__ == "__main__":
    main()
