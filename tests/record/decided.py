"""Stores with decisions in them, and records to tamper with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from callgate.engine import Engine
from callgate.record.line import envelope, split
from callgate.record.record import Answer
from callgate.record.recorder import Recorder
from callgate.record.store import open_store
from tests.record.chains import lines_of, put

__all__ = ["changed", "record_all"]


def record_all(
    place: Path,
    engine: Engine,
    calls: Iterable[Mapping[str, Any]],
    live: bool = False,
    answer: Answer | None = None,
) -> list[str]:
    """Decide calls and record that in a store; returns the ids of the decisions."""
    store = open_store(place)
    recorder = Recorder(store, source="test")
    try:
        return [
            recorder.record(
                engine.program.decide(dict(call), True) if live else engine.decide(dict(call)),
                answer=answer,
            )
            for call in calls
        ]
    finally:
        recorder.close()
        store.close()


def changed(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the records of decisions in a store of JSON lines. The chain no longer fits then."""
    for file in folder.glob("*/*.jsonl"):
        lines = []
        for line in lines_of(file):
            parts = split(line)
            record = orjson.loads(parts.record)
            if record["kind"] == "decision":
                change(record)
            data = orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
            lines.append(envelope(parts.chain, parts.prev, data, parts.seq))
        put(file, lines)
