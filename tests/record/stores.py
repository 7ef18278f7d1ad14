"""Stores to write to, and what can be told of them from outside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from callgate.record.chained import ChainedStore
from callgate.record.json_lines import JsonLines
from callgate.record.line import NO_HASH, line_hash, split
from callgate.record.recorded import all_lines
from callgate.record.sqlite_store import SqliteStore
from callgate.record.store import open_store
from callgate.record.values import canonical
from callgate.record.verify import verify

Opened = Callable[..., ChainedStore]


def json_lines(folder: Path, small: bool = False, **options: Any) -> JsonLines:
    """A store of JSON lines. `small`: a segment has about seven records."""
    size = {"segment_bytes": 4096} if small else {}
    return JsonLines(folder / "records", **size, **options)


def sqlite(folder: Path, small: bool = False, **options: Any) -> SqliteStore:
    """A store in SQLite. `small`: a segment has seven lines and a seal."""
    size = {"segment_records": 8} if small else {}
    return SqliteStore(folder / "records.db", **size, **options)


KINDS: list[Opened] = [json_lines, sqlite]


def records_in(place: Path) -> list[dict[str, Any]]:
    """The decisions in a store, all of which is whole, in their order."""
    store = open_store(place, create=False)
    try:
        assert verify(store).findings == []
        found = [orjson.loads(line)["record"] for line in all_lines(store)]
        return sorted(
            (record for record in found if record["kind"] == "decision"),
            key=lambda record: str(record["timestamp"]),
        )
    finally:
        store.close()


def id_of(number: int) -> str:
    """The id of the decision of that number: its first digits tell it."""
    return f"{number:012x}" + "0" * 20


def record(number: int, size: int = 300, **more: Any) -> bytes:
    """A decision that tells its number. `size`: of its longest text."""
    return canonical(
        {
            "call": {"context": {"sender_id": f"user_{number % 3}"}, "tool": "exec"},
            "decision": "deny" if number % 2 else "allow",
            "decision_id": id_of(number),
            "kind": "decision",
            "reason": "x" * size,
            "timestamp": f"2026-12-01T{number // 3600:02}:{number // 60 % 60:02}"
            f":{number % 60:02}.000000Z",
            "tool": f"tool_{number % 5}",
            **more,
        }
    )


def number_of(line: bytes) -> int:
    """The number of a line's decision, -1 for a mark."""
    found = orjson.loads(line)["record"]
    return int(found["decision_id"][:12], 16) if found["kind"] == "decision" else -1


def kinds_of(store: ChainedStore, chain: str) -> list[list[str]]:
    """What kinds of records the segments of a chain have."""
    return [
        [orjson.loads(line)["record"]["kind"] for line in store.lines(segment)]
        for segment in store.segments(chain)
    ]


def lines_of(store: ChainedStore, chain: str) -> list[bytes]:
    """All lines of a chain, which are found to follow each other."""
    lines = [line for segment in store.segments(chain) for line in store.lines(segment)]
    seq, prev = 0, NO_HASH
    for line in lines:
        said = split(line)
        assert (said.chain, said.seq, said.prev) == (chain, seq, prev)
        seq, prev = seq + 1, line_hash(line)
    return lines


def numbers_in(store: ChainedStore) -> list[int]:
    """The numbers of all decisions, chain by chain, all of which are found whole."""
    report = verify(store)
    assert report.findings == []
    found = [number_of(line) for chain in store.chains() for line in lines_of(store, chain)]
    return [number for number in found if number >= 0]
