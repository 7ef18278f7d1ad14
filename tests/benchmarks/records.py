"""Figures of decision records: how long a decision and its written record take, and in what parts.

`python -m tests.benchmarks.records [DECISIONS]`: over how many records the memory is watched.
Everything runs on one core. A text that was seen before is what agents send most; of a new one the
effects have to be read, masked and written.
"""

from __future__ import annotations

import gc
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final

from tests.benchmarks.gate import resident

from callgate.engine import Engine
from callgate.record.json_lines import JsonLines
from callgate.record.record import Mark, Records
from callgate.record.recorder import Recorder
from callgate.record.sqlite_store import SqliteStore
from callgate.record.store import Retention, Store

__all__ = ["calls", "main", "memory", "parts", "per_second"]

_ROUNDS: Final = 200
_BATCH: Final = 50
_SYNCED: Final = 4
"""Rounds with a write to the disk for each record."""
_DECISIONS: Final = 1_000_000
_PIPELINE: Final = Path(__file__).parent / "pipeline"
_CONTEXT: Final[Mapping[str, Any]] = {
    "channel": "cli",
    "sender_id": "user_123",
    "session_key": "cli:1",
    "workspace": "/srv/app",
    "cwd": "/srv/app",
    "home": "/home/u",
}

Made = Callable[[int], dict[str, Any]]
"""A call by its number; the same one for all numbers where a text is seen again."""


def calls() -> dict[str, tuple[Engine, Made, Made]]:
    """The calls by name: the engine, the call with the same text each time, and with new ones."""
    echo, pipeline = Engine.load("echo"), Engine.load(_PIPELINE)

    def call(tool: str, name: str, text: str, context: Mapping[str, Any]) -> tuple[Made, Made]:
        def made(args: str) -> dict[str, Any]:
            return {"tool": tool, "args": {name: args}, "context": context}

        seen = made(text)
        return lambda _: seen, lambda number: made(f"{text}{number}")

    git = call("exec", "command", "git status", _CONTEXT)
    read = call("read_file", "path", "docs/readme.md", _CONTEXT)
    return {
        "seven rules": (pipeline, *call("exec", "command", "ls", {"channel": "telegram"})),
        "echo, read_file": (echo, *read),
        "echo, git status": (echo, *git),
    }


def timed(do: Callable[[int], object], rounds: int = _ROUNDS, first: int = 0) -> float:
    """Microseconds of one of many in a row: the median of short batches, as other work of the
    machine falls into some of them."""
    times = []
    for batch in range(rounds):
        start = perf_counter()
        for number in range(first + batch * _BATCH, first + (batch + 1) * _BATCH):
            do(number)
        times.append((perf_counter() - start) / _BATCH * 1e6)
    return median(times)


def parts(engine: Engine, call: Made, store: Store) -> tuple[float, float, float, float]:
    """Microseconds of a decision alone, with its record made, with that written, and of writing one
    alone."""
    made = Records(engine.program, source="gate", key=store.key)
    mark = Mark("0" * 32, "2026-12-01T09:00:00.000000Z")
    lane, recorder = store.lane(), Recorder(store)
    line = made.of(engine.decide(call(0)), mark)
    decide = timed(lambda number: engine.decide(call(number)), first=0)
    build = timed(lambda number: made.of(engine.decide(call(number)), mark), first=10**6)
    whole = timed(lambda number: recorder.record(engine.decide(call(number))), first=2 * 10**6)
    return decide, build, whole, timed(lambda _: lane.append(line))


def per_second(engine: Engine, call: Made, store: Store, rounds: int) -> float:
    """Decisions with their records per second."""
    recorder = Recorder(store)
    recorder.record(engine.decide(call(0)))
    return 1e6 / timed(lambda number: recorder.record(engine.decide(call(number))), rounds)


def _stores(folder: Path) -> Iterator[tuple[str, Store, int]]:
    """Stores of each kind and durability, with how many batches to time."""
    yield "JSON lines, written", JsonLines(folder / "written"), _ROUNDS
    yield "JSON lines, interval", JsonLines(folder / "i", sync=timedelta(seconds=1)), _ROUNDS
    yield "JSON lines, each", JsonLines(folder / "each", sync="each"), _SYNCED
    yield "SQLite, written", SqliteStore(folder / "a.db"), _ROUNDS
    yield "SQLite, each", SqliteStore(folder / "b.db", sync="each"), _SYNCED


def memory(folder: Path, decisions: int = _DECISIONS) -> list[int]:
    """Resident kilobytes over so many records, a third of them with new texts: at the beginning and
    after each tenth."""
    keep = Retention(total_bytes=256 * 2**20)
    sizes = []
    with closing(JsonLines(folder, segment_bytes=16 * 2**20, keep=keep)) as store:
        recorder = Recorder(store)
        made = list(calls().values())
        for number in range(decisions + 1):
            engine, seen, new = made[number % len(made)]
            recorder.record(engine.decide((new if number % 9 < 3 else seen)(number)))
            if number % max(1, decisions // 10) == 0:
                gc.collect()
                sizes.append(resident())
    return sizes


def main() -> None:
    """Print all figures."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else _DECISIONS
    made = calls()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("Microseconds: decided, with the record made, with that written; writing alone")
        for label, (engine, *both) in made.items():
            for which, call in zip(("seen texts", "new texts"), both, strict=True):
                with closing(JsonLines(folder / f"{label} {which}")) as store:
                    decide, build, whole, write = parts(engine, call, store)
                told = f"{decide:.1f}, {build:.1f}, {whole:.1f}; {write:.1f}"
                print(f"  {label}, {which}: {told}   ({1e6 / whole:,.0f} per second)")
        print("Decisions with their records per second, seen texts (aim ≥ 40,000 written)")
        for label, (engine, seen, _) in made.items():
            found = []
            for what, store, rounds in _stores(folder / label):
                with closing(store):
                    found.append(f"{what} {per_second(engine, seen, store, rounds):,.0f}")
            print(f"  {label}: {'; '.join(found)}")
        print(f"Memory over {decisions:,} records, MB, after each tenth")
        sizes = memory(folder / "memory", decisions)
        print("  " + " ".join(f"{size / 1024:.1f}" for size in sizes))


if __name__ == "__main__":
    main()
