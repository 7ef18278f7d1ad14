"""What a store's lines say of decisions: the call as it was kept, and where its record stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from callgate.record.errors import RecordError
from callgate.record.finding import Place
from callgate.record.segments import path_of
from callgate.record.store import Store

__all__ = ["all_lines", "call_of", "decision_in", "place_of"]


def all_lines(store: Store) -> Iterator[bytes]:
    """Every line of a store, chain by chain; what can't be read is passed over. Raises
    RecordError."""
    for chain in store.chains():
        try:
            segments = store.segments(chain)
        except RecordError as error:
            store.pass_over(error)
            continue
        for segment in segments:
            try:
                yield from store.lines(segment)
            except RecordError as error:
                store.pass_over(error)


def decision_in(line: bytes) -> tuple[str, int, dict[str, Any] | None]:
    """The chain and `seq` of a line, and its record where that is a decision's; None where it is of
    another kind. Raises ValueError where the line can't be read."""
    # Faster than to split the envelope first, which only `verify` has to be strict about.
    found = orjson.loads(line)
    try:
        chain, seq, record = found["chain"], found["seq"], found["record"]
        decision = record.get("kind") == "decision"
    except (KeyError, TypeError, AttributeError):
        raise ValueError("no record in an envelope") from None
    if type(chain) is not str or type(seq) is not int:
        raise ValueError("no record in an envelope")
    return chain, seq, record if decision else None


def call_of(record: Mapping[str, Any], answers: bool = True) -> dict[str, Any]:
    """The call of a decision's record as docs/formats.md has it, with what was observed, and with
    the answers unless they are not wanted; secrets in it are tokens. `record`: with values as
    `callgate.record.values.decode` gives them. Raises ValueError where it holds no call."""
    kept = record.get("call")
    if type(kept) is not dict:
        raise ValueError("the record holds no call")
    parts = {**kept, "observed": record.get("observed")}
    if answers:
        parts["answers"] = record.get("answers")
    return {name: value for name, value in parts.items() if value}


def place_of(store: Store, chain: str, seq: int) -> Place:
    """Where a line stands: its segment's file, or where that is none of its own the segment, and
    the line's number. Raises RecordError."""
    for segment in store.segments(chain):
        if segment.first_seq <= seq <= max(segment.last_seq, segment.first_seq):
            file = path_of(store.folder / chain, segment.number)
            name = str(file) if file.exists() else f"segment {segment.number}"
            return Place(name, seq - segment.first_seq + 1)
    return Place()
